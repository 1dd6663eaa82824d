import { expect, test } from 'vitest';
import { leaveOut, type Suite } from './leave-out.ts';

type Mode = Suite['mode'];

const testOf = (name: string, mode: Mode = 'run') => ({ type: 'test', name, mode, meta: {} });
const suiteOf = (...tasks: readonly object[]) => ({ type: 'suite', mode: 'run', tasks });
const modesOf = (suite: Suite): unknown[] =>
  suite.tasks.map((task) => (task.type === 'suite' ? [task.mode, ...modesOf(task)] : task.mode));

test('leaveOut: skips the tests that are not chosen, and the suites that are empty then', () => {
  const file = suiteOf(
    testOf('a'),
    suiteOf(testOf('b'), suiteOf(testOf('c'))),
    suiteOf(suiteOf(testOf('d')), testOf('e')),
  ) as unknown as Suite;
  const leftOut = leaveOut(file, (tests) => [tests - 2]);
  expect(leftOut.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'e']);
  expect(leftOut.every(({ meta }) => meta.leftOut === true)).toBe(true);
  expect(modesOf(file)).toEqual(['skip', ['skip', 'skip', ['skip', 'skip']], ['run', ['run', 'run'], 'skip']]);
});

test('leaveOut: does not count tests that are skipped anyway, and does not mark them', () => {
  const file = suiteOf(testOf('a', 'skip'), testOf('b'), testOf('c', 'todo'), testOf('d')) as unknown as Suite;
  expect(leaveOut(file, (tests) => [tests - 1]).map(({ name }) => name)).toEqual(['b']);
  expect(modesOf(file)).toEqual(['skip', 'skip', 'todo', 'run']);
});

test('leaveOut: skips a file when none of its tests is chosen, and leaves it alone when all are', () => {
  const file = suiteOf(testOf('a'), suiteOf(testOf('b'))) as unknown as Suite;
  expect(leaveOut(file, () => [0, 1])).toEqual([]);
  expect(file.mode).toBe('run');
  leaveOut(file, () => []);
  expect(file.mode).toBe('skip');
});
