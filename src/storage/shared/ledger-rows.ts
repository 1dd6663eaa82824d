// Rows of the ledger as they are added: their columns, with the types of PostgreSQL, and the cells.
import type { ExtractedPage } from '../../core/ports/reextractions.ts';
import type { NewUrl } from '../rules/frontier/crawl-tables.ts';
import { columns, type RowOf } from './operation.ts';

export const addedColumns = {
  ...columns('bigint', 'job', 'found_on', 'text_of', 'asked_at'),
  ...columns('int', 'depth', 'self_fed', 'by_script', 'doubt_runs'),
  ...columns('text', 'key', 'kind', 'url', 'state', 'reason', 'detail', 'lastmod', 'hash', 'copy_key'),
  ...columns('text', 'validator', 'traits', 'doubt', 'asked_lastmod'),
};

/** Of a URL that a job has found. */
export function addedRow(found: NewUrl): RowOf<typeof addedColumns> & { state: string } {
  const { job, key, kind, url, depth, selfFed, byScript, foundOn, discard, lastmod, earlier } = found;
  return {
    job,
    key,
    kind,
    url,
    depth,
    self_fed: Number(selfFed ?? false),
    by_script: Number(byScript ?? false),
    found_on: foundOn,
    state: discard ? 'outside' : 'queued',
    reason: discard?.reason ?? null,
    detail: discard?.detail ?? null,
    lastmod: lastmod ?? null,
    text_of: earlier?.textOf ?? null,
    hash: earlier?.hash ?? null,
    copy_key: earlier?.copyKey ?? null,
    validator: earlier?.validator ?? null,
    traits: earlier?.traits ?? null,
    doubt: earlier?.doubt?.kind ?? null,
    doubt_runs: earlier?.doubt?.runs ?? null,
    asked_at: earlier?.asked?.at ?? null,
    asked_lastmod: earlier?.asked?.lastmod ?? null,
  };
}

export const extractedColumns = {
  ...columns('bigint', 'job'),
  ...columns('int', 'depth', 'page', 'status_code'),
  ...columns('text', 'key', 'kind', 'url', 'state', 'reason', 'detail'),
};

/** Of a page that was made of a raw body. */
export function extractedRow(
  job: number,
  number: number,
  { url, key, depth, page, problem }: ExtractedPage,
): RowOf<typeof extractedColumns> {
  const ending = {
    state: 'scraped',
    reason: problem === undefined ? null : 'no_raw',
    detail: problem ?? null,
    page: number,
  };
  return { job, key, kind: 'page', url, depth, ...ending, status_code: page.statusCode };
}
