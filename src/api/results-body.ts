import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import type { StoredPage } from '../core/page.ts';
import { GzipMember } from './gzip-member.ts';

const gunzipAsync = promisify(gunzip);
const gzipAsync = promisify(gzip);

/** What stands before, between and behind the rows. */
export interface Envelope {
  readonly before: string;
  readonly between: string;
  readonly after: string;
}

/**
 * The rows of a response from their stored bytes. Texts are kept packed, so the packed answer is a copy, and the plain one
 * is that copy unpacked, off the main thread; metadata is kept plain, so there it is the other way round.
 */
export async function resultsBody(pages: readonly StoredPage[], envelope: Envelope, packed: boolean): Promise<Buffer> {
  const withText = pages[0]?.body !== undefined;
  if (!withText) {
    const plain = metadataRows(pages, envelope);
    return packed ? gzipAsync(plain, { level: constants.Z_BEST_SPEED }) : plain;
  }
  const member = new GzipMember();
  addTextRows(member, pages, envelope);
  member.end();
  return packed ? member.drain() : gunzipAsync(member.drain());
}

/** A page's row begins with its number, which was not known when the rest was stored. */
export function rowStart(page: number): string {
  return `{"meta":{"page":${page},`;
}

export function addTextRows(
  member: GzipMember,
  pages: readonly StoredPage[],
  { before, between, after }: Envelope,
): void {
  let separator = before;
  for (const { page, body } of pages) {
    if (!body) throw new Error(`page ${page} was read without its text`);
    member.literal(separator + rowStart(page));
    member.fragment(body);
    separator = between;
  }
  member.literal((pages.length === 0 ? before : '') + after);
}

function metadataRows(pages: readonly StoredPage[], { before, between, after }: Envelope): Buffer {
  const chunks: Uint8Array[] = [Buffer.from(before)];
  for (const [index, { page, meta }] of pages.entries()) {
    chunks.push(Buffer.from((index === 0 ? '' : between) + rowStart(page)), meta, rowEnd);
  }
  chunks.push(Buffer.from(after));
  return Buffer.concat(chunks);
}

const rowEnd = Buffer.from('}');
