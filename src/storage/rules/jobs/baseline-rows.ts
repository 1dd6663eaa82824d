// The ledger of a job is also its baseline: what a later job compares with.
import type { BaselinePage, Doubt } from '../../../core/baseline.ts';
import type { LastAsked } from '../../../core/lastmod.ts';
import type { Request } from '../../../core/request.ts';
import { pagesPerJob } from './page-id.ts';

/** The page went without a request: a response has a status. */
const wasUnaskedSql = "(l.change = 'unchanged' AND l.status_code IS NULL)";
const wasReadSql = "(l.state = 'scraped' OR l.change = 'unchanged')";

/**
 * The columns of {@link BaselineRow} of a row `l` of the ledger, in SQL of both stores: of what a job knows of a page at its end. A page of its own
 * counts, then the one that it shares, or that it could not ask for.
 */
export const baselineSql = `
  CASE WHEN l.change IN ('removed', 'moved') THEN NULL
    WHEN l.page IS NOT NULL AND l.change IS DISTINCT FROM 'unchanged' THEN l.job * ${pagesPerJob} + l.page
    ELSE l.text_of END AS text_of,
  l.hash, l.copy_key, l.validator, l.traits,
  CASE WHEN l.change IS NULL OR l.change = 'doubted' THEN l.doubt END AS doubt, l.doubt_runs,
  CASE WHEN ${wasUnaskedSql} THEN l.asked_at WHEN ${wasReadSql} THEN l.attempted_at END AS asked_at,
  CASE WHEN ${wasUnaskedSql} THEN l.asked_lastmod WHEN ${wasReadSql} THEN l.lastmod END AS asked_lastmod`;

export interface BaselineRow {
  readonly text_of: number | null;
  readonly hash: string | null;
  readonly copy_key: string | null;
  readonly validator: string | null;
  readonly traits: string | null;
  readonly doubt: Doubt['kind'] | null;
  readonly doubt_runs: number | null;
  /** See {@link LastAsked}. */
  readonly asked_at: number | null;
  readonly asked_lastmod: string | null;
}

/** The columns of a row `l` of a job that say what the earlier job knew of its page. A response of this job counts once. */
export const earlierColumns = `l.text_of, l.hash, l.copy_key, l.validator, l.lastmod, l.asked_at, l.asked_lastmod,
  l.traits, l.doubt, l.doubt_runs - CASE WHEN l.change = 'doubted' THEN 1 ELSE 0 END AS doubt_runs`;

/** As the ledger has it. `same`: unchanged, with a text of its own. `moved`: its
 * validator says where to. `doubted`: see `doubts.ts`. */
export type StoredChange = 'added' | 'changed' | 'unchanged' | 'same' | 'moved' | 'removed' | 'doubted';

/** Null if the job knows no page. */
export function baselinePageOf(row: BaselineRow): BaselinePage | null {
  if (row.text_of === null || row.hash === null) return null;
  const { text_of: textOf, hash, copy_key: copyKey, validator, traits, doubt: kind, doubt_runs: runs } = row;
  const doubt = kind === null ? null : { kind, runs: runs ?? 0 };
  return { textOf, hash, copyKey, validator, traits, doubt, asked: askedOf(row) };
}

function askedOf({ asked_at: at, asked_lastmod: lastmod }: BaselineRow): LastAsked | null {
  return at === null || lastmod === null ? null : { at, lastmod };
}

/** What a request of a job with `since` says of the earlier page. */
export function earlierOf(
  row: BaselineRow & { readonly lastmod: string | null },
): Pick<Request, 'earlier' | 'lastmod'> {
  const { text_of: textOf, hash, validator, traits, lastmod } = row;
  if (textOf === null || hash === null) return { earlier: null };
  const asked = askedOf(row);
  return { earlier: { hash, validator, traits, asked }, ...(asked && lastmod !== null && { lastmod }) };
}
