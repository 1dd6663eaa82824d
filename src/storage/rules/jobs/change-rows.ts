// The changes of a job, as its ledger has them: the same in every store.
import { type ChangeKind, changeKinds } from '../../../core/baseline.ts';
import { hasEnded } from '../../../core/job.ts';
import type { ChangeQuery, ChangeSlice, PageChange } from '../../../core/ports/changes.ts';
import type { StoredChange } from './baseline-rows.ts';
import type { JobRow } from './job-row.ts';
import { pageId } from './page-id.ts';

/** Positions above are entries of the ledger: of pages that are unknown, which have no number. */
const firstEntryPosition = 2 ** 32;

export interface ChangeRow {
  readonly id: number;
  readonly change_number: number | null;
  readonly change: StoredChange | null;
  readonly doubt: string | null;
  readonly url: string;
  readonly page: number | null;
  readonly previous_page: number | null;
  readonly hash: string | null;
  readonly earlier_hash: string | null;
  readonly state: string;
  readonly reason: string | null;
  readonly detail: string | null;
}

/** The job that a change is of. */
export type JobOfChange = Pick<JobRow, 'id' | 'seq' | 'end_reason' | 'created_at'>;

export type ChangeState = JobOfChange & Pick<JobRow, 'status'> & { readonly gone: boolean };

/** What to read: of the numbered changes those after `number`, then of the unknown pages those after `entry`. */
export interface ChangeReading {
  /** Undefined if none are wanted, or all are read. */
  readonly numbered: { readonly after: number; readonly changes: readonly StoredChange[] } | undefined;
  readonly unknown: { readonly after: number } | undefined;
}

const storedAs: Readonly<Record<Exclude<ChangeKind, 'unknown'>, readonly StoredChange[]>> = {
  added: ['added'],
  changed: ['changed'],
  moved: ['moved'],
  unchanged: ['unchanged', 'same'],
  removed: ['removed'],
};

export function changeReading({ after, kinds }: ChangeQuery, { status }: Pick<ChangeState, 'status'>): ChangeReading {
  const wanted = kinds ?? changeKinds;
  const changes = wanted.flatMap((kind) => (kind === 'unknown' ? [] : storedAs[kind]));
  const isBeyond = after >= firstEntryPosition;
  return {
    numbered: changes.length === 0 || isBeyond ? undefined : { after, changes },
    unknown:
      wanted.includes('unknown') && hasEnded(status) ? { after: isBeyond ? after - firstEntryPosition : 0 } : undefined,
  };
}

/** Columns of {@link ChangeRow} of an entry `l` and of that of the earlier job, `e`. */
export const changeColumns = `l.id, l.change_number, l.change, l.doubt, l.url, l.hash, l.earlier_hash, l.state, l.reason, l.detail,
  CASE WHEN l.change = 'moved' THEN (SELECT n.page FROM ledger n WHERE n.job = l.job AND n.key = substr(l.validator, 2)) ELSE l.page END AS page,
  CASE WHEN e.change IS DISTINCT FROM 'removed' THEN e.page END AS previous_page`;
/** Condition on an entry of a job that has ended: the job found out nothing about the page. */
export const isUnknownSql = "l.text_of IS NOT NULL AND (l.change IS NULL OR l.change = 'doubted')";

/** `rows`: one more than wanted, if there are so many. */
export function changeSlice(rows: readonly ChangeRow[], { limit }: ChangeQuery, state: ChangeState): ChangeSlice {
  return {
    status: state.status,
    areResultsGone: state.gone,
    changes: rows.slice(0, limit).map((row) => changeOf(row, state)),
    more: rows.length > limit,
  };
}

export function changeOf(row: ChangeRow, state: JobOfChange): PageChange {
  const { id, change_number: number, url, page, previous_page: previousPage } = row;
  const place = {
    position: number ?? firstEntryPosition + id,
    job: state.id,
    runAt: state.created_at,
    url,
    page,
    previousPage,
    textOf: page === null || row.change === 'removed' ? null : pageId(state.seq, page),
  };
  const { hash, earlier_hash: earlier } = row;
  switch (number === null ? null : row.change) {
    case 'added':
      return { ...place, change: 'added', contentHash: hash, previousContentHash: null, reason: null };
    case 'changed': {
      const cause = row.doubt === 'options' || row.doubt === 'program' ? row.doubt : null;
      const reason = contentOf(hash) === contentOf(earlier) ? 'extracted' : cause;
      return { ...place, change: 'changed', contentHash: hash, previousContentHash: earlier, reason };
    }
    case 'moved': {
      const movedTo = row.detail ?? '';
      return { ...place, change: 'moved', movedTo, contentHash: hash, previousContentHash: earlier, reason: null };
    }
    case 'unchanged':
    case 'same':
      return { ...place, change: 'unchanged', contentHash: hash, previousContentHash: hash, reason: null };
    case 'removed':
      return { ...place, change: 'removed', contentHash: null, previousContentHash: hash, reason: row.reason };
    case 'doubted':
    case null: {
      const reason = row.state === 'queued' ? state.end_reason : row.change === null ? row.reason : row.doubt;
      return { ...place, change: 'unknown', contentHash: null, previousContentHash: hash, reason };
    }
  }
}

/** Without what belongs to a record. */
function contentOf(hash: string | null): string | undefined {
  return hash?.split('.', 1)[0];
}
