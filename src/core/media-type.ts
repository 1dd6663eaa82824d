const essence = /^\s*([\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100})(?=[\s;,]|$)/;

/**
 * The media type that a `Content-Type` names, lower case, without parameters; empty where it names none. Of several, in one
 * header or more, the last that can be read (WHATWG Fetch, "extract a MIME type").
 */
export function mediaType(contentType: string): string {
  // Nearly every header is of one of these.
  const types = contentType.includes(',') ? contentType.slice(0, 10_000).split(',').toReversed() : [contentType];
  for (const type of types) {
    const found = essence.exec(type)?.[1];
    if (found !== undefined) return found.toLowerCase();
  }
  return '';
}
