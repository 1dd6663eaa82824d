import { slicesFrom, untilSomething } from './follow-job.ts';
import type { ChangeKind } from '../core/baseline.ts';
import { hasEnded, type JobStatus } from '../core/job.ts';
import type { JobChanges, PageChange } from '../core/ports/changes.ts';
import type { JobStore } from '../core/ports/stores.ts';
import type { CursorList, Cursors } from './cursor.ts';
import { kept } from './get-job.ts';
import { isJobId } from './job-id.ts';
import { type ShownChange, shownChanges } from './shown-changes.ts';

interface Parts {
  readonly changes: JobChanges;
  readonly jobs: JobStore;
  readonly cursors: Cursors;
}

export interface ChangesQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** @default all */
  readonly kinds?: readonly ChangeKind[] | undefined;
  readonly withText: boolean;
}

export interface Changes {
  readonly status: JobStatus;
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
  const { after, limit, kinds, waitMs, withText } = query;
  const { status, changes, more } = await untilSomething(
    { ...parts, jobId, waitMs, signal },
    async () => kept(isJobId(jobId) ? await parts.changes.read({ org, jobId, after, limit, kinds }) : undefined),
    (slice) => slice.changes.length > 0,
  );
  const cursorAt = (position: number): string => parts.cursors.write(listOf(jobId, query), position);
  const cursorAfter = ({ position }: PageChange): string => cursorAt(position);
  const shown = await shownChanges(parts.changes, changes, { withText, cursorAfter });
  return {
    status,
    changes: shown,
    more: more || shown.length < changes.length || !hasEnded(status),
    cursor: cursorAt(shown.at(-1)?.position ?? after),
  };
}
