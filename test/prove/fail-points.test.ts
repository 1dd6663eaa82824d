// SIGKILL at each place between two steps, once: nothing lost, nothing repeated. Several places share a life of a data directory, which
// takes a seventh of the time; `npm run prove` has each place to itself, three times.
import { describe, expect, test } from 'vitest';
import { learningPoints } from '../../prove/learning-kills.ts';
import { beyondLife, dieAtEach } from '../../prove/life.ts';
import { objectPoints } from '../../prove/object-kills.ts';
import { type FailPoint, failPoints } from '../../src/core/process/fail-point.ts';

/** Where a life begins, and where it ends; what is not named is reached again and again in between. */
const first: readonly FailPoint[] = [
  'start.migrating',
  'start.recovered',
  'create.writing',
  'create.stored',
  'lane.leased',
  'event.stored',
  'delivery.claimed',
  'delivery.sending',
  'delivery.sent',
  'delivery.settled',
];
const last: readonly FailPoint[] = [
  'retry.writing',
  'erase.writing',
  'seed.writing',
  'removal.writing',
  'sweep.writing',
  'stop.asked',
  'stop.drained',
  'run.claimed',
  'run.creating',
  'run.writing',
  'run.created',
];
const lives = 5;

const between = (Object.keys(failPoints) as FailPoint[]).filter(
  (point) => !first.includes(point) && !last.includes(point) && !beyondLife.has(point),
);
const inOrder = [...first, ...between, ...last];
const groups = Array.from({ length: lives }, (_, life) => {
  const points = inOrder.filter((__, index) => index % lives === life);
  return { points, names: points.join(', ') };
});

test('every fail-point that a life can reach is in one life', () => {
  const reached = (Object.keys(failPoints) as FailPoint[]).filter((point) => !beyondLife.has(point));
  expect(groups.flatMap(({ points }) => points).toSorted()).toEqual(reached.toSorted());
});

test('every other fail-point is in a campaign of its own', () => {
  // That of screenshots: test/objects/crawl.test.ts.
  const others = [...objectPoints, 'settle.picture' as const, ...learningPoints].filter((point) =>
    beyondLife.has(point),
  );
  expect(others.toSorted()).toEqual([...beyondLife].toSorted());
});

describe.concurrent('a life goes on after the deaths at', () => {
  test.each(groups)('$names', async ({ points }) => {
    await expect(dieAtEach(points)).resolves.toBeUndefined();
  });
});
