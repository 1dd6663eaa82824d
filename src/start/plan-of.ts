import { availableParallelism } from 'node:os';
import type { Config } from '../config/config.ts';
import { type MemoryPlan, memoryPlan } from '../config/memory-plan.ts';

/** What the parts of a process with these settings may take of its memory. */
export function planOf({ memoryMb, browser, converterThreads }: Config): MemoryPlan {
  return memoryPlan({
    memoryMb,
    usesBrowser: browser !== 'off',
    processors: availableParallelism(),
    converterThreads,
  });
}
