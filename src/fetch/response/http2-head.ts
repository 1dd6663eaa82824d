import { headersRead, type ResponseHeaders } from './response-head.ts';
import { headersMax } from './response-heads.ts';
import { shortHeadMax } from './shorten-head.ts';

const read: ReadonlySet<string> = new Set(headersRead);

/** Returns the bytes of a head as HTTP/1.1 would have them: each header with its colon, space and end of line. */
export function headBytesOf(fields: readonly string[]): number {
  return fields.reduce((bytes, text) => bytes + text.length + 2, 0);
}

/**
 * Returns the headers of an HTTP/2 head, a list of names and values in turn, as undici would. A long head gives only
 * those that are read. Undefined if there are too many.
 */
export function http2Headers(fields: readonly string[]): ResponseHeaders | undefined {
  const isLong = headBytesOf(fields) > shortHeadMax;
  const headers = new Map<string, string | string[]>();
  let count = 0;
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name = '', value = ''] = fields.slice(at, at + 2);
    if (name.startsWith(':')) continue;
    count += 1;
    if (isLong && !read.has(name)) continue;
    const known = headers.get(name);
    if (known === undefined) headers.set(name, value);
    else if (typeof known === 'string') headers.set(name, [known, value]);
    else known.push(value);
  }
  return count > headersMax ? undefined : Object.fromEntries(headers);
}
