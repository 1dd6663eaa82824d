import { expect, test } from 'vitest';
import { jobSpec } from '../../test/job-spec.ts';
import type { Job } from '../core/job.ts';
import type { PageBlobs } from '../core/ports/blobs.ts';
import type { Reextractions } from '../core/ports/reextractions.ts';
import { type ReextractParts, reextractJobs } from './reextract.ts';

/** Jobs with this many pages that nothing is left of. Resolves with the jobs in the order of their commits. */
async function commitsOf(jobs: readonly { readonly id: string; readonly org: string; readonly pages: number }[]) {
  const stop = new AbortController();
  const done = new Map(jobs.map(({ id }) => [id, 0]));
  const commits: string[] = [];
  /** Reads and commits, each with the page before. */
  const steps: string[] = [];
  const sizes: number[] = [];
  const left = new Set(jobs.map(({ id }) => id));
  const find = (id: string): Partial<Job> | undefined => {
    const made = jobs.find((job) => job.id === id);
    const source = jobs.find((job) => `${job.id} source` === id);
    const scraped = source ? source.pages : done.get(id);
    return made || source
      ? { progress: { scraped } as Job['progress'], spec: jobSpec({ reextract: { of: `${id} source` } }) }
      : undefined;
  };
  const reextractions: Reextractions = {
    due: () => Promise.resolve(jobs.filter(({ id }) => left.has(id))),
    commit: (id, after, pages, isLast) => {
      commits.push(id);
      steps.push(`commit ${after}`);
      sizes.push(pages.length);
      done.set(id, (done.get(id) ?? 0) + pages.length);
      if (isLast) left.delete(id);
      if (left.size === 0) stop.abort();
      return Promise.resolve(true);
    },
  };
  const blobs: PageBlobs = {
    readRaw: ({ after, limit }) => {
      steps.push(`read ${after}`);
      return Promise.resolve({ areResultsGone: false, slices: [], segments: new Map(), upTo: after + limit });
    },
  };
  const parts = {
    reextractions,
    blobs,
    jobs: {
      get: (_: string, id: string) => Promise.resolve(find(id)),
      listUrls: () => Promise.resolve({ entries: [] }),
    },
    frontier: { crawlJob: (id: string) => Promise.resolve({ id, spec: jobSpec({}), scopeHosts: [] }) },
    pages: { read: () => Promise.resolve(undefined) },
    converter: {},
    log: { error: (message: string, { error }: { error: Error }) => expect.fail(`${message}: ${error.stack}`) },
  } as unknown as ReextractParts;
  await reextractJobs(parts, stop.signal);
  return { commits, steps, sizes, done: Object.fromEntries(done) };
}

test('reextractJobs: converts a small job of another org before a large one ends, and loses no page', async () => {
  const { commits, done } = await commitsOf([
    { id: 'large', org: 'one', pages: 3_000 },
    { id: 'larger', org: 'one', pages: 3_001 },
    { id: 'small', org: 'two', pages: 1 },
  ]);
  expect(done).toEqual({ large: 3_000, larger: 3_001, small: 1 });
  const place = commits.indexOf('small');
  expect(commits.slice(0, place).filter((id) => id === 'large').length).toBeLessThan(20);
  expect(commits.slice(0, place)).not.toContain('larger');
  expect(commits.indexOf('larger')).toBeLessThan(commits.lastIndexOf('large'));
});

test('reextractJobs: commits first pages soon, so that a process that dies after each start makes progress', async () => {
  const { sizes } = await commitsOf([{ id: 'one', org: 'one', pages: 200 }]);
  expect(sizes).toEqual([8, 8, 16, 32, 64, 64, 8]);
});

test('reextractJobs: reads the next pages before it commits, and never more than one batch ahead', async () => {
  const { steps } = await commitsOf([{ id: 'one', org: 'one', pages: 100 }]);
  expect(steps).toEqual(
    ['read 0', 'read 8', 'commit 0', 'read 16', 'commit 8', 'read 32', 'commit 16'].concat([
      'read 64',
      'commit 32',
      'commit 64',
    ]),
  );
});
