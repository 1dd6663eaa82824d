/** Characters that a reader sees of a text node: white space around it is layout, and a run of it is one space. */
export function visibleLength(text: string): number {
  let length = 0;
  let hasSpace = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= 0x20 || code === 0xa0) {
      hasSpace = length > 0;
    } else {
      length += hasSpace ? 2 : 1;
      hasSpace = false;
    }
  }
  return length;
}
