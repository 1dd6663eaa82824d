import { headersRead } from './response-head.ts';

/** Shorter heads stay unchanged: checking each line costs more than their memory. */
export const shortHeadMax = 16 * 1024;
/** Limit for all headers of one name, in characters, one per byte. Their readers read no more. */
const nameBytesMax = 16 * 1024;

/** Needed to find the end of the response, and to decide whether the connection is kept. */
const framing = ['transfer-encoding', 'connection', 'keep-alive'];
const kept: ReadonlySet<string> = new Set([...headersRead, ...framing]);

/**
 * Removes the headers that nobody reads from a long, well-formed head: policies and cookies make heads long. So
 * undici's own limit, which also covers trailers, can stay low.
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
    // Keeps at least a name and its colon, so that it is still a header.
    return [line.slice(0, Math.max(name.length + 1, nameBytesMax - length))];
  });
  return [statusLine, ...short].join('\r\n');
}
