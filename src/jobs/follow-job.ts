// What grows while a job runs: reading waits for more of it.
import { hasEnded, type JobStatus } from '../core/job.ts';
import type { JobStore } from '../core/ports/stores.ts';

export interface Wait {
  readonly jobs: Pick<JobStore, 'waitForChange'>;
  readonly jobId: string;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** Reads again at each change of the job, until there is something, the job has ended, the time is up, or the signal fires. */
export async function untilSomething<Read extends { readonly status: JobStatus }>(
  { jobs, jobId, waitMs, signal }: Wait,
  read: () => Promise<Read>,
  isSomething: (found: Read) => boolean,
): Promise<Read> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const found = await read();
    const remainingMs = deadline - performance.now();
    if (isSomething(found) || hasEnded(found.status) || remainingMs <= 0 || signal.aborted) return found;
    await jobs.waitForChange(jobId, remainingMs, signal);
  }
}

/**
 * Yields slice after slice until nothing can follow, or the signal fires. The first read does not wait, so that the caller
 * learns at once whether the job exists; each further one waits up to `lookMs`.
 */
export async function* slicesFrom<Slice extends { readonly more: boolean }>(
  from: number,
  read: (after: number, waitMs: number) => Promise<Slice>,
  endOf: (slice: Slice, after: number) => number,
  { lookMs = 60_000, signal }: { readonly lookMs?: number | undefined; readonly signal: AbortSignal },
): AsyncGenerator<Slice> {
  let after = from;
  for (let waitMs = 0; !signal.aborted; waitMs = lookMs) {
    const slice = await read(after, waitMs);
    after = endOf(slice, after);
    yield slice;
    if (!slice.more) return;
  }
}
