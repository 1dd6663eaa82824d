// The ledger of a job is also its baseline: what a later job compares with.
import type { BaselinePage } from '../../../core/baseline.ts';
import type { Request } from '../../../core/request.ts';

/** Pages of one job have numbers below this one: a text is named by job and page, as one number. */
export const textsPerJob = 2 ** 24;

/**
 * The columns of {@link BaselineRow} of a row `l` of the ledger, in SQL of both stores: of what a job knows of a page at its end. A page of its own
 * counts, then the one that it shares, or that it could not ask for.
 */
export const baselineSql = `
  CASE WHEN l.change = 'removed' THEN NULL
    WHEN l.page IS NOT NULL AND l.change IS DISTINCT FROM 'unchanged' THEN l.job * ${textsPerJob} + l.page
    ELSE l.text_of END AS text_of,
  l.hash, l.copy_key, l.validator, l.change`;

export interface BaselineRow {
  readonly text_of: number | null;
  readonly hash: string | null;
  readonly copy_key: string | null;
  readonly validator: string | null;
  readonly change?: string | null;
}

/**
 * As the ledger has it. `same`: unchanged, with a text of its own. `held`: it would have been removed, but for `shrunk`. `doubted`:
 * it seems to be gone, by an answer that sites give for a while too; so the next job removes it.
 */
export type StoredChange = 'added' | 'changed' | 'unchanged' | 'same' | 'removed' | 'held' | 'doubted';

/** Null if the job knows no page. */
export function baselinePageOf(row: BaselineRow): BaselinePage | null {
  if (row.text_of === null || row.hash === null) return null;
  const { text_of: textOf, hash, copy_key: copyKey, validator } = row;
  return { textOf, hash, copyKey, validator, isHeld: row.change === 'held' || row.change === 'doubted' };
}

/** What a request of a job with `since` says of the earlier page. */
export function earlierOf({
  text_of: textOf,
  hash,
  validator,
}: Pick<BaselineRow, 'text_of' | 'hash' | 'validator'>): NonNullable<Request['earlier']> | null {
  return textOf === null || hash === null ? null : { hash, validator };
}
