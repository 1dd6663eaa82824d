const essence = /^\s*([\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100})(?=[\s;,]|$)/;

/**
 * Returns the media type of a `Content-Type`, in lower case, without parameters; empty if it names none. If there are
 * several, in one header or more, the last readable one counts (WHATWG Fetch, "extract a MIME type").
 */
export function mediaType(contentType: string): string {
  // Nearly every header has a single type.
  const types = contentType.includes(',') ? contentType.slice(0, 10_000).split(',').toReversed() : [contentType];
  for (const type of types) {
    const found = essence.exec(type)?.[1];
    if (found !== undefined) return found.toLowerCase();
  }
  return '';
}
