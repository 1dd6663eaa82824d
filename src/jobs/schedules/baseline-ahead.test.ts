import { expect, test } from 'vitest';
import type { BaselineQuery, BaselineSlice, KnownPage } from '../../core/ports/changes.ts';
import { BaselineAhead } from './baseline-ahead.ts';

/** A run whose entries are not in the order of its URLs. */
function runOf(pages: number) {
  const known: readonly KnownPage[] = Array.from({ length: pages }, (_, at) => {
    const entry = ((at * 7_919) % pages) + 1;
    return { entry, url: `https://a.test/${at}`, textOf: entry };
  });
  const run = { scans: 0, isGone: false };
  const baseline = ({ org, after, limit }: BaselineQuery): Promise<BaselineSlice | undefined> => {
    if (org !== 'acme') return Promise.resolve(undefined);
    if (run.isGone || limit === 0)
      return Promise.resolve({ areResultsGone: run.isGone, pages: [], more: false, changes: 3 });
    run.scans++;
    const from = after === 0 ? 0 : known.findIndex(({ entry }) => entry === after) + 1;
    return Promise.resolve({
      areResultsGone: false,
      pages: known.slice(from, from + limit),
      more: from + limit < pages,
      changes: 3,
    });
  };
  return { known, run, baseline };
}

async function readAll(ahead: BaselineAhead, limit: number): Promise<KnownPage[]> {
  const read: KnownPage[] = [];
  for (let after = 0; ;) {
    const slice = await ahead.read({ org: 'acme', jobId: 'run', after, limit });
    read.push(...slice!.pages);
    if (!slice!.more) return read;
    after = slice!.pages.at(-1)!.entry;
  }
}

test.each([
  { pages: 100_000, limit: 400, scans: 6 },
  { pages: 20_400, limit: 400, scans: 2 },
  { pages: 1_000, limit: 7, scans: 2 },
  { pages: 7, limit: 7, scans: 1 },
  { pages: 50_001, limit: 30_000, scans: 2 },
])('baseline-ahead: reads $pages pages in slices of $limit with $scans scans', async ({ pages, limit, scans }) => {
  const { known, run, baseline } = runOf(pages);
  expect(await readAll(new BaselineAhead({ baseline }), limit)).toEqual(known);
  expect(run.scans).toBe(scans);
});

test('baseline-ahead: serves four readers at different places, and forgets those that came before', async () => {
  const { known, run, baseline } = runOf(200_000);
  const ahead = new BaselineAhead({ baseline });
  const places = [0, 30_000, 60_000, 90_000, 120_000].map((at) => known[at]!.entry);
  const read = (after: number) => ahead.read({ org: 'acme', jobId: 'run', after, limit: 10 });
  for (const after of [...places, ...places.slice(1)]) await read(after);
  expect(run.scans).toBe(5);
  await read(places[0]!);
  expect(run.scans).toBe(6);
});

test('baseline-ahead: returns no page that it keeps of a run that is gone, or to another org', async () => {
  const { known, run, baseline } = runOf(1_000);
  const ahead = new BaselineAhead({ baseline });
  const query = { org: 'acme', jobId: 'run', after: known[5]!.entry, limit: 10 };
  expect((await ahead.read(query))?.pages).toEqual(known.slice(6, 16));
  expect(await ahead.read({ ...query, org: 'other' })).toBeUndefined();
  run.isGone = true;
  expect(await ahead.read(query)).toMatchObject({ areResultsGone: true, pages: [] });
});
