/** Length and hash of texts. White space around a text is layout, a run of it counts as one space. */
import { lengthOfCode } from './reading-length.ts';

export class TextSum {
  /** Of the text that was added last; see {@link lengthOfCode}. */
  length = 0;
  /** Of all texts, without white space. */
  hash = 0;

  addString(text: string): void {
    const bytes = Buffer.from(text);
    this.addBytes(bytes, 0, bytes.length);
  }

  /** Adds a text in UTF-8. */
  addBytes(bytes: Uint8Array, start: number, stop: number): void {
    let { hash } = this;
    let length = 0;
    let space = 0;
    for (let at = start; at < stop; at++) {
      let code = bytes[at] ?? 0;
      let units = 1;
      if (code > 0x7f) {
        const next = (bytes[++at] ?? 0) & 0x3f;
        if (code < 0xe0) code = ((code & 0x1f) << 6) | next;
        else {
          code = ((code & 0x0f) << 12) | (next << 6) | ((bytes[++at] ?? 0) & 0x3f);
          units = lengthOfCode(code);
          // Two units of UTF-16.
          if ((bytes[at - 2] ?? 0) >= 0xf0) {
            code = (code << 6) | ((bytes[++at] ?? 0) & 0x3f);
            units = 2;
          }
        }
      }
      if (code <= 0x20 || code === noBreakSpace) {
        space = length > 0 ? 1 : 0;
      } else {
        length += units + space;
        space = 0;
        hash = (Math.imul(hash, 31) + code) | 0;
      }
    }
    this.length = length;
    this.hash = hash;
  }
}

const noBreakSpace = 0xa0;
