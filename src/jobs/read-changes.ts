import { slicesFrom, untilSomething } from './follow-job.ts';
import type { ChangeKind } from '../core/baseline.ts';
import { hasEnded, type JobStatus } from '../core/job.ts';
import type { ChangeSlice, JobChanges, PageChange } from '../core/ports/changes.ts';
import type { JobStore, PageStore } from '../core/ports/stores.ts';
import { type PageJson, parsePage } from '../page/decode.ts';
import type { CursorList, Cursors } from './cursor.ts';
import { dataExpired, kept } from './get-job.ts';
import { isJobId } from './job-id.ts';

/** A response ends, never before one change, once the texts of its pages exceed this size. */
const textBytesMax = 16 * 2 ** 20;

interface Parts {
  readonly changes: JobChanges;
  readonly jobs: JobStore;
  readonly pages: PageStore;
  readonly cursors: Cursors;
}

export interface ChangesQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** @default all */
  readonly kinds?: readonly ChangeKind[] | undefined;
  readonly withText: boolean;
}

/** A change, with the page if that was asked for and the job has one. */
export interface ShownChange extends PageChange {
  readonly json?: PageJson;
}

export interface Changes {
  readonly status: JobStatus;
  readonly runAt: number;
  readonly changes: readonly ShownChange[];
  /** More changes remain, or can still come. */
  readonly more: boolean;
  readonly cursor: string;
}

/** Lists the changes of a job after a cursor, in the order in which they were decided, each once. */
export function readChanges(
  parts: Parts,
  org: string,
  jobId: string,
  query: ChangesQuery & { readonly waitMs: number },
  signal: AbortSignal,
): Promise<Changes> {
  return readAfter(parts, org, jobId, { ...query, after: positionOf(parts.cursors, jobId, query) }, signal);
}

/** The same, slice by slice, until the job has ended. Ends early when the signal fires. */
export async function* followChanges(
  parts: Parts,
  org: string,
  jobId: string,
  query: ChangesQuery,
  signal: AbortSignal,
): AsyncGenerator<Changes> {
  yield* slicesFrom(
    positionOf(parts.cursors, jobId, query),
    (after, waitMs) => readAfter(parts, org, jobId, { ...query, after, waitMs }, signal),
    ({ changes }, after) => changes.at(-1)?.position ?? after,
    { signal },
  );
}

function listOf(jobId: string, { kinds }: ChangesQuery): CursorList {
  return { kind: 'changes', jobId, filter: JSON.stringify(kinds ?? null) };
}

function positionOf(cursors: Cursors, jobId: string, query: ChangesQuery): number {
  return query.cursor === undefined ? 0 : Number(cursors.read(listOf(jobId, query), query.cursor));
}

async function readAfter(
  parts: Parts,
  org: string,
  jobId: string,
  query: ChangesQuery & { readonly after: number; readonly waitMs: number },
  signal: AbortSignal,
): Promise<Changes> {
  const { after, limit, kinds, waitMs } = query;
  const slice = await untilSomething(
    { ...parts, jobId, waitMs, signal },
    async () => kept(isJobId(jobId) ? await parts.changes.read({ org, jobId, after, limit, kinds }) : undefined),
    ({ changes }) => changes.length > 0,
  );
  const { status, runAt } = slice;
  const { changes, isCut } = query.withText ? await withPages(parts, org, jobId, slice) : { ...slice, isCut: false };
  return {
    status,
    runAt,
    changes,
    more: slice.more || isCut || !hasEnded(status),
    cursor: parts.cursors.write(listOf(jobId, query), changes.at(-1)?.position ?? after),
  };
}

/** Pages that follow each other are read together: most changes come in the order of the pages. */
async function withPages(
  { pages }: Parts,
  org: string,
  jobId: string,
  { changes }: ChangeSlice,
): Promise<{ readonly changes: readonly ShownChange[]; readonly isCut: boolean }> {
  const shown: ShownChange[] = [];
  let bytes = 0;
  while (shown.length < changes.length) {
    const [from] = changes.slice(shown.length);
    if (!from || (bytes > textBytesMax && shown.length > 0)) break;
    if (from.page === null) {
      shown.push(from);
      continue;
    }
    const start = from.page;
    const run = changes.slice(shown.length).findIndex(({ page }, index) => page !== start + index);
    const limit = run === -1 ? changes.length - shown.length : run;
    const read = await pages.read({
      org,
      jobId,
      after: start - 1,
      limit,
      withText: true,
      bytesMax: Math.max(1, textBytesMax - bytes),
    });
    if (!read || read.areResultsGone) throw dataExpired();
    for (const stored of read.pages) {
      const change = changes[shown.length];
      bytes += stored.body?.length ?? 0;
      if (change) shown.push({ ...change, json: parsePage(stored) });
    }
    // A damaged page: the change is listed without it.
    if (read.pages.length === 0) shown.push(from);
    read.release();
  }
  return { changes: shown, isCut: shown.length < changes.length };
}
