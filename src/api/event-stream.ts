// Server-sent events (WHATWG HTML, 9.2): the pages of a job as they are committed, and how it stands. Rows are JSON without
// line ends, so each is one `data` line.
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { metadataOf, type StoredPage, textOf } from '../core/page.ts';
import type { Results } from '../jobs/read-results.ts';
import { GzipMember } from '../page/gzip-member.ts';
import { rowStart } from '../page/row.ts';

const gunzipAsync = promisify(gunzip);

/** How the job stands is told at most so often, and only when it has changed. */
export const progressEveryMs = 1_000;
/** Proxies take a connection that is silent for longer to be dead. */
const heartbeatMs = 15_000;
/** How soon a client that was cut off should come again. */
const reconnectMs = 2_000;

export interface EventParts {
  readonly withText: boolean;
  /** How the job stands now, as JSON text. */
  progress(): Promise<string>;
  /** Milliseconds of a clock that never goes back. */
  now(): number;
}

/**
 * A chunk for each slice that has something to tell. Pages carry their number as id, which a client sends back when it comes
 * again; so does the end, so that also a client of a job without pages has something to send.
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
      const pages = await pageEvents(slice.pages, parts.withText);
      if (slice.damagedPage !== undefined) damaged++;
      const end = damagedEvent(slice) + (slice.more ? '' : endEvent(slice, damaged));
      const isSilent = head === '' && pages.length === 0 && end === '';
      if (isSilent && parts.now() - sentAt < heartbeatMs) continue;
      yield isSilent ? Buffer.from(': still here\n\n') : Buffer.concat([Buffer.from(head), pages, Buffer.from(end)]);
      head = '';
      // With a slow reader, some time has passed.
      sentAt = parts.now();
    }
  } finally {
    // The client is gone: what was held for the slice is given back.
    await rest.return(undefined);
  }
}

/** The texts are kept packed: put together packed, and unpacked off the main thread. */
async function pageEvents(pages: readonly StoredPage[], withText: boolean): Promise<Buffer> {
  if (pages.length === 0) return Buffer.alloc(0);
  if (!withText) {
    return Buffer.concat(
      pages.flatMap((stored) => [Buffer.from(eventStart(stored.page)), metadataOf(stored), metadataEnd]),
    );
  }
  const member = new GzipMember();
  for (const stored of pages) {
    member.literal(eventStart(stored.page));
    member.fragment(textOf(stored));
    member.literal('\n\n');
  }
  member.end();
  return gunzipAsync(member.drain());
}

const metadataEnd = Buffer.from('}\n\n');

function eventStart(page: number): string {
  return `event: page\nid: ${page}\ndata: ${rowStart(page)}`;
}

/** In the place of a damaged page. */
function damagedEvent({ damagedPage: page }: Results): string {
  return page === undefined ? '' : `event: page_damaged\nid: ${page}\ndata: ${JSON.stringify({ page })}\n\n`;
}

function endEvent({ status, total }: Results, damaged: number): string {
  const data = { status, pages: total, ...(damaged > 0 && { damaged }) };
  return `event: end\nid: ${total}\ndata: ${JSON.stringify(data)}\n\n`;
}
