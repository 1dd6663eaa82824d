import { constants, crc32, deflateRawSync } from 'node:zlib';
import { ownedCopy } from '../core/owned-bytes.ts';
import type { Fragment, PageMetadata, PageRecord } from '../core/page.ts';

export interface PageToEncode {
  readonly url: string;
  readonly fetchedUrl: string;
  readonly metadata: PageMetadata;
  readonly text: string;
}

/** Serialises a page as the API will send it, once, and deflates it, once. */
export function encodePage(page: PageToEncode): Pick<PageRecord, 'meta' | 'packedMeta' | 'body'> {
  const { url, fetchedUrl, metadata, text } = page;
  const meta = `"url":${JSON.stringify(url)},"fetchedUrl":${JSON.stringify(fetchedUrl)},"meta":${JSON.stringify(metadata)}}`;
  const encoder = new TextEncoder();
  const metaBytes = encoder.encode(meta);
  return {
    meta: metaBytes,
    packedMeta: toFragment(metaBytes),
    body: toFragment(encoder.encode(`${meta},"text":${JSON.stringify(text)}}`)),
  };
}

/** zlib level. Compared with its default of 6, pages of documentation take 2 to 5 % more room, and 25 to 45 % less time. */
const level = 4;

/** The full flush puts the end on a byte boundary and keeps what follows from referring back. */
export function toFragment(bytes: Uint8Array): Fragment {
  const deflated = deflateRawSync(bytes, { level, finishFlush: constants.Z_FULL_FLUSH });
  // What zlib returns may lie in a shared pool, which cannot move between threads.
  return { deflated: ownedCopy(deflated), crc: crc32(bytes), length: bytes.length };
}

/** Stored metadata with only some of its fields, in the order in which they were stored. */
export function projectMetadata(stored: Uint8Array, fields: ReadonlySet<string>): Uint8Array {
  const row = JSON.parse(`{${Buffer.from(stored.buffer, stored.byteOffset, stored.length).toString()}`) as {
    readonly url: string;
    readonly fetchedUrl: string;
    readonly meta: Readonly<Record<string, unknown>>;
  };
  const kept = Object.fromEntries(Object.entries(row.meta).filter(([name]) => fields.has(name)));
  return Buffer.from(JSON.stringify({ ...row, meta: kept }).slice(1));
}
