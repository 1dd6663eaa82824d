// The main thread's end of a comparison: a thread for each, as it is rare and takes seconds at most.
import { once } from 'node:events';
import { UserError } from '../core/errors.ts';
import { FairBudget } from '../core/process/fair-budget.ts';
import { siblingModule, startThread } from '../core/process/program-files.ts';
import { threadMemory } from '../core/process/thread-memory.ts';
import type { DiffResponse, DiffTask } from './diff-thread.ts';

/** Comparisons at a time; one org gets half. */
export const diffsAtOnce = 2;
/** How long a comparison waits for its turn. */
export const diffWaitMs = 10_000;
/** When a thread is ended, whatever it does. It ends by itself after 2 s, unless the machine is very busy. */
export const diffThreadMs = 15_000;
/** MiB of the heap of a thread. A page of 20 MiB takes up to half of it. */
export const diffHeapMbMax = 384;

const turns = new FairBudget({
  max: diffsAtOnce,
  waitMs: diffWaitMs,
  refusal: 'Too many texts are being compared. Retry in a few seconds.',
});

/**
 * Compares two stored pages for an org. Rejects with a `UserError` if the service is too busy for it, or if the signal fires.
 */
export async function compareApart(org: string, task: DiffTask, signal: AbortSignal): Promise<DiffResponse> {
  const turn = await turns.take(org, 1, signal);
  const worker = startThread(siblingModule('./diff-thread', import.meta.url), {
    resourceLimits: { ...threadMemory, maxOldGenerationSizeMb: diffHeapMbMax },
    workerData: task,
  });
  const ends = AbortSignal.any([signal, AbortSignal.timeout(diffThreadMs)]);
  try {
    const [response] = (await once(worker, 'message', { signal: ends })) as [DiffResponse];
    return response;
  } catch (error) {
    if (!ends.aborted) throw error;
    throw new UserError('overloaded', 'The texts could not be compared in time. Retry in a few seconds.');
  } finally {
    await worker.terminate();
    turn.giveBack();
  }
}
