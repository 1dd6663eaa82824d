import { constants, crc32, deflateRawSync } from 'node:zlib';
import { ownedCopy } from '../core/bytes/owned-bytes.ts';
import type { Fragment, PageFormats, PageMetadata, PageRecord } from '../core/page.ts';

export interface PageToEncode {
  readonly url: string;
  readonly fetchedUrl: string;
  readonly metadata: PageMetadata;
  readonly text: string;
  /** Structured data: null if the page has no record, absent if the job extracts none. */
  readonly extracted?: unknown;
  /** Further outputs, if any were requested. */
  readonly formats?: PageFormats | undefined;
}

/** Serialises a page once, as the API will send it: metadata alone, and with the text. */
export function encodePage(page: PageToEncode): Pick<PageRecord, 'meta' | 'body'> {
  const { url, fetchedUrl, metadata, text, extracted, formats } = page;
  const data = extracted === undefined ? '' : `,"extracted":${JSON.stringify(extracted)}`;
  const more = formats === undefined ? data : `${data},"formats":${JSON.stringify(formats)}`;
  const meta = `"url":${JSON.stringify(url)},"fetchedUrl":${JSON.stringify(fetchedUrl)},"meta":${JSON.stringify(metadata)}}`;
  const start = Buffer.from(meta);
  // The text apart: a string of it and the rest would be one more copy.
  const row = Buffer.concat([
    start,
    Buffer.from(',"text":'),
    Buffer.from(JSON.stringify(text)),
    Buffer.from(`${more}}`),
  ]);
  return { meta: toFragment(start), body: toFragment(row) };
}

/**
 * zlib level. Compared with the default of 6, documentation pages take 2 to 5 % more space, and 25 to 45 % less time.
 */
const level = 4;

/** More than a flush adds, and zlib's minimum. */
const flushedBytes = 64;
const chunkBytesMax = 64 * 2 ** 10;

/** The full flush ends on a byte boundary and prevents later data from referring back. */
export function toFragment(bytes: Uint8Array): Fragment {
  // For most pages, the default of 16 KB is ten times the result.
  const chunkSize = Math.min(bytes.length + flushedBytes, chunkBytesMax);
  const deflated = deflateRawSync(bytes, { level, finishFlush: constants.Z_FULL_FLUSH, chunkSize });
  // zlib's result can lie in a shared pool, which cannot move between threads.
  return { deflated: ownedCopy(deflated), crc: crc32(bytes), length: bytes.length };
}

/** Returns stored metadata with only some of its fields, in stored order. */
export function projectMetadata(stored: Uint8Array, fields: ReadonlySet<string>): Uint8Array {
  const row = JSON.parse(`{${Buffer.from(stored.buffer, stored.byteOffset, stored.length).toString()}`) as {
    readonly url: string;
    readonly fetchedUrl: string;
    readonly meta: Readonly<Record<string, unknown>>;
  };
  const kept = Object.fromEntries(Object.entries(row.meta).filter(([name]) => fields.has(name)));
  return Buffer.from(JSON.stringify({ ...row, meta: kept }).slice(1));
}
