import { constants, inflateRawSync } from 'node:zlib';
import type { PageMetadata, StoredPage } from '../core/page.ts';

/** A page as the API shows it. */
export interface PageJson {
  readonly meta: {
    readonly page: number;
    readonly url: string;
    readonly fetchedUrl: string;
    readonly meta: PageMetadata;
  };
  readonly text: string;
}

/** A stored page that was read with its text, as JSON text: one row of the API. */
export function pageRow({ page, body }: StoredPage): string {
  if (!body) throw new Error(`page ${page} was read without its text`);
  const rest = inflateRawSync(body.deflated, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: body.length });
  return `{"meta":{"page":${page},${rest.toString()}`;
}

/** A stored page that was read without its text, as JSON text. */
export function pageMetaRow({ page, meta }: StoredPage): string {
  return `{"meta":{"page":${page},${Buffer.from(meta).toString()}}`;
}

export function parsePage(stored: StoredPage): PageJson {
  return JSON.parse(pageRow(stored)) as PageJson;
}
