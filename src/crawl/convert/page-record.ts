import { constants, crc32, deflateRawSync } from 'node:zlib';
import { contentKey } from './content-key.ts';
import type { Fragment, PageMetadata, PageRecord } from '../../core/page.ts';

export interface PageToStore {
  readonly url: string;
  readonly fetchedUrl: string;
  readonly fetchedKey: string;
  readonly canonicalKey?: string;
  readonly metadata: PageMetadata;
  readonly text: string;
  readonly statusCode: number;
}

/** Serialises a page as the API will send it, once, and deflates it, once. */
export function toPageRecord(page: PageToStore): PageRecord {
  const { url, fetchedUrl, fetchedKey, canonicalKey, metadata, text, statusCode } = page;
  const meta = `"url":${JSON.stringify(url)},"fetchedUrl":${JSON.stringify(fetchedUrl)},"meta":${JSON.stringify(metadata)}}`;
  const encoder = new TextEncoder();
  return {
    meta: encoder.encode(meta),
    body: toFragment(encoder.encode(`${meta},"text":${JSON.stringify(text)}}`)),
    fetchedKey,
    ...(canonicalKey !== undefined && { canonicalKey }),
    ...(text !== '' && { contentKey: contentKey(metadata.title, text, fetchedUrl) }),
    statusCode,
  };
}

/** Of zlib. Against its default of 6, pages of documentation take 2 to 5 % more room, and 25 to 45 % less time. */
const level = 4;

/** The full flush puts the end on a byte boundary and keeps what follows from referring back. */
export function toFragment(bytes: Uint8Array): Fragment {
  const deflated = deflateRawSync(bytes, { level, finishFlush: constants.Z_FULL_FLUSH });
  // A copy with memory of its own: what zlib returns may lie in a shared pool, which cannot move between threads.
  return { deflated: new Uint8Array(deflated), crc: crc32(bytes), length: bytes.length };
}
