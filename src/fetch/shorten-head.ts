import { headersRead } from './answer-head.ts';

/** Shorter heads are left as they are: to look at each of their lines costs more than their memory. */
const shortHeadMax = 16 * 1024;
/** Characters, which are bytes in a header, of all headers of one name. What reads them reads no more. */
const nameBytesMax = 16 * 1024;

/** Needed to find the end of the answer, and what becomes of the connection. */
const framing = ['transfer-encoding', 'connection', 'keep-alive'];
const kept: ReadonlySet<string> = new Set([...headersRead, ...framing]);

/**
 * A long head, well-formed, without the headers that nobody reads: policies and cookies are what makes heads long. So undici's own
 * limit, which is that on trailers as well, can stay low.
 */
export function shortenHead(head: string): string {
  if (head.length <= shortHeadMax) return head;
  const [statusLine = '', ...lines] = head.split('\r\n');
  const lengths = new Map<string, number>();
  const short = lines.flatMap((line) => {
    if (line === '') return [line];
    const name = line.slice(0, Math.max(0, line.indexOf(':'))).toLowerCase();
    const length = lengths.get(name) ?? 0;
    if (!kept.has(name) || length >= nameBytesMax) return [];
    lengths.set(name, length + line.length);
    // A name and its colon at least, so that it is still a header.
    return [line.slice(0, Math.max(name.length + 1, nameBytesMax - length))];
  });
  return [statusLine, ...short].join('\r\n');
}
