// Server-sent events (WHATWG HTML, 9.2): the pages of a job as they are committed, and its progress. Rows are JSON
// without line ends, so each is one `data` line.
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { fragmentIn, type StoredPage } from '../../core/page.ts';
import type { Results } from '../../jobs/read-results.ts';
import { GzipMember } from '../../page/gzip-member.ts';
import { rowEnd, rowStart } from '../../page/row.ts';

const gunzipAsync = promisify(gunzip);

/** Shortest interval between two progress events. Unchanged progress is not sent. */
export const progressEveryMs = 1_000;
/** Proxies treat a connection that is silent for longer as dead. */
const heartbeatMs = 15_000;
/** Delay before a disconnected client should reconnect. */
const reconnectMs = 2_000;

export interface EventParts {
  /** The job's current progress, as JSON text. */
  progress(): Promise<string>;
  /** Milliseconds of a monotonic clock. */
  now(): number;
}

/**
 * Yields a chunk for each slice with news. Pages carry their number as id, and a client sends the last id back when it
 * reconnects. The end has an id too, so a client of a job without pages also has one to send.
 */
export async function* eventChunks(
  first: IteratorResult<Results>,
  rest: AsyncGenerator<Results>,
  parts: EventParts,
): AsyncGenerator<Buffer> {
  let progress = '';
  let damaged = 0;
  let askedAt = Number.NEGATIVE_INFINITY;
  let sentAt = parts.now();
  let head = `retry: ${reconnectMs}\n\n`;
  try {
    for (let next = first; !next.done; next = await rest.next()) {
      const slice = next.value;
      if (parts.now() - askedAt >= progressEveryMs) {
        const current = await parts.progress();
        askedAt = parts.now();
        if (current !== progress) head += `event: progress\ndata: ${current}\n\n`;
        progress = current;
      }
      const pages = await pageEvents(slice.pages);
      if (slice.damagedPage !== undefined) damaged++;
      const end = damagedEvent(slice) + (slice.more ? '' : endEvent(slice, damaged));
      const isSilent = head === '' && pages.length === 0 && end === '';
      if (isSilent && parts.now() - sentAt < heartbeatMs) continue;
      yield isSilent ? Buffer.from(': still here\n\n') : Buffer.concat([Buffer.from(head), pages, Buffer.from(end)]);
      head = '';
      // With a slow reader, the yield takes time.
      sentAt = parts.now();
    }
  } finally {
    // The client is gone: give back what was held for the slice.
    await rest.return(undefined);
  }
}

/** Joined as compressed fragments, and inflated off the main thread. */
async function pageEvents(pages: readonly StoredPage[]): Promise<Buffer> {
  if (pages.length === 0) return Buffer.alloc(0);
  const member = new GzipMember();
  for (const stored of pages) {
    member.literal(eventStart(stored.page));
    member.fragment(fragmentIn(stored));
    member.literal(stored.body === undefined ? `${rowEnd}\n\n` : '\n\n');
  }
  member.end();
  return gunzipAsync(member.drain());
}

function eventStart(page: number): string {
  return `event: page\nid: ${page}\ndata: ${rowStart(page)}`;
}

/** Stands in for a damaged page. */
function damagedEvent({ damagedPage: page }: Results): string {
  return page === undefined ? '' : `event: page_damaged\nid: ${page}\ndata: ${JSON.stringify({ page })}\n\n`;
}

function endEvent({ status, total }: Results, damaged: number): string {
  const data = { status, pages: total, ...(damaged > 0 && { damaged }) };
  return `event: end\nid: ${total}\ndata: ${JSON.stringify(data)}\n\n`;
}
