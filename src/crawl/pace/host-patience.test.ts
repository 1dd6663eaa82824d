import { describe, expect, test } from 'vitest';
import { anyJob } from './circuit-breaker.ts';
import { HostPatience } from './host-patience.ts';

const calm = { now: 0, isInTrouble: false };
const minute = 60_000;
const wish = (urlTimeoutMs: number) => ({ ...anyJob, urlTimeoutMs });

function patienceOf(...timeouts: readonly number[]): HostPatience {
  const patience = new HostPatience();
  for (const [index, timeoutMs] of timeouts.entries()) patience.waits(`job${index}`, wish(timeoutMs), calm);
  return patience;
}

function endedBy(patience: HostPatience, nextTurn: number): readonly string[] {
  return [...patience.jobs].filter((job) => patience.isUp(job, nextTurn)).map(({ jobId }) => jobId);
}

describe('host patience', () => {
  test.each([
    ['before its time', 29_999, []],
    ['when its time is up', 30_000, ['job1']],
    ['when the time of both is up', minute, ['job0', 'job1']],
    ['long after', 100 * minute, ['job0', 'job1']],
  ])('host patience: of jobs with 60 s, 30 s and patience ends %s', (_, nextTurn, ended) => {
    expect(endedBy(patienceOf(minute, 30_000, Number.POSITIVE_INFINITY), nextTurn)).toEqual(ended);
  });

  test('host patience: time starts again while the host is not in trouble, and not while it is', () => {
    const patience = patienceOf(minute);
    patience.waits('job0', wish(minute), { now: 50_000, isInTrouble: true });
    expect(endedBy(patience, minute)).toEqual(['job0']);
    patience.waits('job0', wish(minute), { now: 50_000, isInTrouble: false });
    expect(endedBy(patience, minute)).toEqual([]);
  });

  test('host patience: a served page starts the time again', () => {
    const patience = patienceOf(minute);
    patience.served(50_000);
    expect(endedBy(patience, minute)).toEqual([]);
    expect(endedBy(patience, 110_000)).toEqual(['job0']);
  });

  test('host patience: two URLs in a row that take too long end the job, but not with a page in between', () => {
    const patience = patienceOf(minute, minute);
    patience.timedOut('job0');
    patience.served(1);
    patience.timedOut('job0');
    expect(endedBy(patience, 2)).toEqual([]);
    patience.timedOut('job0');
    expect(endedBy(patience, 2)).toEqual(['job0']);
  });

  test('host patience: nobody waits once all jobs are forgotten', () => {
    const patience = patienceOf(minute, Number.POSITIVE_INFINITY);
    patience.forget('job0');
    expect(patience.isNobodyWaiting).toBe(false);
    patience.forget('job1');
    expect(patience.isNobodyWaiting).toBe(true);
  });

  test('host patience: remembers at most 1,000 jobs', () => {
    const patience = patienceOf(...Array.from({ length: 1_500 }, () => minute));
    expect(endedBy(patience, minute)).toHaveLength(1_000);
  });
});
