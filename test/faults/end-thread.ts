// Loaded before the program (`--import`), in its threads too: ends the first thread that passes a fail-point for the Nth time,
// and leaves the process alone. END_THREAD is `NAME:N:HOW`; the file END_THREAD_DONE is made when it happens, and then it never
// happens again.
import { subscribe } from 'node:diagnostics_channel';
import { closeSync, openSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { failPointChannel } from '../../src/core/process/fail-point.ts';

const endings: Readonly<Record<string, () => void>> = {
  /** What a subscriber throws is thrown again where nothing can catch it. */
  exception: () => {
    throw new Error('a defect\nthat nobody knew of');
  },
  /** As with a leak: until the heap has reached its limit. */
  memory: () => {
    const kept: unknown[] = [];
    for (;;) kept.push(Array.from({ length: 1_000 }, (_, index) => ({ index })));
  },
  /** In a thread this ends the thread, and nothing more. */
  exit: () => process.exit(3),
};

const { END_THREAD: what = '', END_THREAD_DONE: done = '' } = process.env;
const [name, passes, how = ''] = what.split(':');
if (!isMainThread && name !== '') {
  let left = Number(passes);
  subscribe(failPointChannel, (passed) => {
    if (passed === name && --left === 0 && isFirst()) endings[how]?.();
  });
}

function isFirst(): boolean {
  try {
    closeSync(openSync(done, 'wx'));
    return true;
  } catch {
    return false;
  }
}
