import type { RunnerTestCase, RunnerTestSuite } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** The test would run, but is not in the sample. */
    leftOut?: true;
  }
}

/** What it needs of a file of tests. */
export type Suite = Pick<RunnerTestSuite, 'mode' | 'tasks'>;

/**
 * Skips the tests that are not chosen, and the suites that have no other tests, so that their hooks do not run. `choose` gets the
 * number of tests that would run, and returns the indexes of those that do. Returns the tests that do not.
 */
export function leaveOut(file: Suite, choose: (tests: number) => readonly number[]): readonly RunnerTestCase[] {
  const tests = testsOf(file).filter(isToRun);
  const chosen = new Set(choose(tests.length));
  const leftOut = tests.filter((_, index) => !chosen.has(index));
  for (const test of leftOut) {
    test.mode = 'skip';
    test.result = { state: 'skip' };
    test.meta.leftOut = true;
  }
  if (leftOut.length > 0) skipEmpty(file);
  return leftOut;
}

function testsOf(suite: Suite): readonly RunnerTestCase[] {
  return suite.tasks.flatMap((task) => (task.type === 'suite' ? testsOf(task) : [task]));
}

function skipEmpty(suite: Suite): void {
  for (const task of suite.tasks) if (task.type === 'suite') skipEmpty(task);
  if (!suite.tasks.some(isToRun)) suite.mode = 'skip';
}

function isToRun({ mode }: Pick<RunnerTestSuite, 'mode'>): boolean {
  return mode === 'run' || mode === 'queued';
}
