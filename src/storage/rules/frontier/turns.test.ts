import { expect, it } from 'vitest';
import type { JobRow } from '../jobs/job-row.ts';
import { takeInTurn } from './turns.ts';

/** The given number of jobs for each org, numbered from 1. */
function jobsOf(orgs: Readonly<Record<string, number>>): JobRow[] {
  let seq = 0;
  return Object.entries(orgs).flatMap(([org, count]) =>
    Array.from({ length: count }, () => ({ org, seq: ++seq }) as unknown as JobRow),
  );
}

/** Takes from jobs that have `due` requests each; returns how many of each job, and where the next turn begins. */
function taken(
  jobs: readonly JobRow[],
  room: number,
  due: (seq: number) => number = () => 1_000,
): { of: Record<number, number>; next: number | undefined } {
  const of: Record<number, number> = {};
  const next = takeInTurn(jobs, room, (job, max) => {
    const count = Math.min(max, due(job.seq) - (of[job.seq] ?? 0));
    if (count > 0) of[job.seq] = (of[job.seq] ?? 0) + count;
    return count;
  });
  return { of, next };
}

it('takeInTurn: gives each job of one org the same share', () => {
  expect(taken(jobsOf({ a: 4 }), 20)).toEqual({ of: { 1: 5, 2: 5, 3: 5, 4: 5 }, next: 4 });
});

it('takeInTurn: gives each org the same share, however many jobs it has', () => {
  const { of } = taken(jobsOf({ a: 10, b: 1 }), 40);
  expect(of[11]).toBe(20);
  expect(Object.values(of).reduce((sum, count) => sum + count)).toBe(40);
});

it('takeInTurn: gives the rest of one job to the others', () => {
  expect(taken(jobsOf({ a: 1, b: 1 }), 20, (seq) => (seq === 1 ? 3 : 100))).toEqual({ of: { 1: 3, 2: 17 }, next: 2 });
});

it('takeInTurn: takes nothing when nothing is due', () => {
  expect(taken(jobsOf({ a: 3 }), 20, () => 0)).toEqual({ of: {}, next: undefined });
});

it.each([1, 2, 3, 5])(
  'takeInTurn: serves each job within as many turns as there are jobs, %i requests at a time',
  (room) => {
    const all = jobsOf({ a: 7, b: 1, c: 2 });
    const served = new Set<number>();
    let last = 0;
    for (let turn = 0; turn < all.length; turn++) {
      const jobs = [...all.filter(({ seq }) => seq > last), ...all.filter(({ seq }) => seq <= last)];
      const { of, next } = taken(jobs, room);
      for (const seq of Object.keys(of)) served.add(Number(seq));
      last = next ?? last;
    }
    expect(served.size).toBe(all.length);
  },
);
