// After the crawl: weeks in which results expire, while the clock is changed, and the service is restarted, switched
// off, or dies between two steps of a sweep. A wrong clock deletes nothing, the database is intact at every start, and
// in the end everything that has expired is deleted.
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '@sinonjs/fake-timers';
import type { Random } from './random.ts';
import type { SimulatedStore } from './simulated-store.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Errors of the clock. A day or less is believed at once. */
const wrongMs = [-40 * dayMs, -8 * dayMs, -hourMs, 2 * minuteMs, 8 * dayMs, 40 * dayMs];
/** The smaller jumps. */
const believedMs = hourMs;
/** Longer than any job keeps its results. */
const lifetimeMs = 800 * dayMs;

/** Throws an Error with the violation. Returns the number of jobs that were swept while the clock was wrong. */
export function outlive(store: SimulatedStore, clock: Clock, random: Random): number {
  const trueFrom = Date.now() - performance.now();
  const trueNow = (): number => trueFrom + performance.now();
  let offset = 0;
  /** True time of the last change of the clock. */
  let setAt = trueNow();
  let sweeping = store.beginSweeping();
  const deleted = new Set<string>();

  const pass = (ms: number): void => {
    // Nothing of the crawl has to run in the meantime.
    clock.jump(ms);
    clock.setSystemTime(trueNow() + offset);
  };
  const set = (ms: number): void => {
    offset = ms;
    setAt = trueNow();
    clock.setSystemTime(trueNow() + offset);
  };
  const restart = (): void => {
    // As at a start, whatever the clock shows by then.
    store.checkWhole();
    sweeping = store.beginSweeping();
  };
  const sweep = (stepsMax: number): void => {
    const before = new Set(store.jobsToKeep().map(({ id }) => id));
    const held = store.left();
    for (let steps = 0; steps < stepsMax && sweeping(Date.now()).more; steps++);
    const kept = new Set(store.jobsToKeep().map(({ id }) => id));
    for (const { id, results_gone_at: goneAt } of store.endedJobsAll()) {
      if (kept.has(id) || !before.has(id) || deleted.has(id)) continue;
      const hadDaysToGo = goneAt > trueNow() + believedMs;
      const agreedMs = trueNow() - setAt;
      assert.ok(!hadDaysToGo || agreedMs >= hourMs, `${id} was deleted by a clock that was wrong for ${agreedMs} ms`);
    }
    // Most sweeps find nothing to delete.
    if (kept.size !== before.size || !isDeepStrictEqual(store.left(), held)) store.checkWhole();
  };

  // A service sweeps from its start on, so it has read the time before anything happens to the clock.
  sweep(100);
  let sweptMeanwhile = 0;
  for (let event = 0; event < 20; event++) {
    const held = store.jobsToKeep().length;
    const kind = random.of(['wrong', 'right', 'restart', 'off', 'delete', 'die'] as const);
    if (kind === 'wrong' && offset === 0) set(random.of(wrongMs));
    if (kind === 'right') set(0);
    if (kind === 'restart') restart();
    if (kind === 'off') {
      pass(random.between(hourMs, 40 * dayMs));
      restart();
    }
    if (kind === 'delete' && random.chance(0.2)) {
      const job = store.jobsToKeep()[0];
      if (job) deleted.add(job.id);
      if (job) store.deleteJob(job.id, Date.now());
    }
    if (kind === 'die') {
      sweep(1);
      restart();
    }
    for (let ticks = random.between(1, 3); ticks > 0; ticks--) {
      sweep(100);
      pass(random.between(minuteMs, 25 * minuteMs));
    }
    if (offset !== 0) sweptMeanwhile += held - store.jobsToKeep().length;
  }

  set(0);
  pass(lifetimeMs);
  restart();
  sweep(100);
  for (let waited = 0; waited <= hourMs; waited += minuteMs) {
    pass(minuteMs);
    sweep(1_000);
  }
  assert.deepEqual(store.left(), { jobs: 0, pages: 0, bodies: 0, entries: 0 }, 'what expired was not deleted');
  return sweptMeanwhile;
}
