import { expect, test } from 'vitest';
import { jobSpec } from '../../../../test/job-spec.ts';
import { acceptedRuns, isTaken } from './doubts.ts';

test.each([
  ['gone', 1_000, false],
  ['ill', 9, false],
  ['ill', 10, true],
  ['shut', 1_000_000, false],
  ['shut', acceptedRuns + 1, true],
] as const)('isTaken: an answer of the kind %s in %i runs in a row: %s', (kind, runs, taken) => {
  expect(isTaken({ kind, runs }, { spec: JSON.stringify(jobSpec({})) })).toBe(taken);
});
