// The parts of `npm run prove` about histories: sound ones on both stores, what an asynchronous standby loses, and
// whether the judge notices defects.
import assert from 'node:assert/strict';
import { readMutants } from '../mutants/read-mutants.ts';
import { lineOf, tryMutants } from '../mutants/mutate.ts';
import { createRandom } from '../simulation/random.ts';
import { historyCampaign, type HistoryReport } from './campaign.ts';

type Counts = Record<string, number>;

const faultsOfASet = 10;

/** Rejects with the first violation. */
export async function soundHistories(sets: number, seed: number, tell: (text: string) => void): Promise<Counts> {
  const counts: Counts = { sets: 0 };
  for (let set = 0; set < sets; set++) {
    for (const store of ['sqlite', 'postgres'] as const) {
      const report = await historyCampaign({ seed: seed + set, store, faults: faultsOfASet });
      assert.deepEqual(report.violations, [], `set ${set} on ${store}`);
      add(counts, report);
    }
    counts['sets'] = set + 1;
    tell(`${set + 1} sets, ${counts['operations']} operations`);
  }
  return counts;
}

/** Counts the broken rules when a standby takes over that lacked the last second. */
export async function asynchronousHistories(sets: number, seed: number, tell: (text: string) => void): Promise<Counts> {
  const counts: Counts = { sets: 0 };
  for (let set = 0; set < sets; set++) {
    const options = { seed: seed + set, store: 'postgres', faults: faultsOfASet, standby: 'asynchronous' } as const;
    const report = await historyCampaign(options);
    add(counts, report);
    for (const { rule } of report.violations) counts[rule] = (counts[rule] ?? 0) + 1;
    counts['sets'] = set + 1;
    tell(`${set + 1} sets, ${report.violations.length} violations`);
  }
  return counts;
}

/** Promises whose breach a client can see. */
const seen: ReadonlySet<unknown> = new Set([2, 3, 4, 5, 6, 14, 17, 18]);
/** What no client and no page of a history uses: a defect there shows nothing. By names of files and mutants. */
const unused =
  /objects?(?:[-/]|$)|restore|reextract|screenshot|raw|schedules|search|dropped|diff-|script-link|error-pages|expire|expiry|swept|url-clocks|redirect|two-urls|gaps-in|swapped|bad-night|kinds-add-up|sign-in-is|emptied-page|moved-to|validator|comes-back|retry-uncounted|in-flight|keeps-hosts|polite-until/;
const wantedDefects = 10;
/** One history took 264 s on a busy machine. A limit that ends it would hide what the judge notices. */
const defectMs = 900_000;

/**
 * Breaks the source at one place at a time, in an order that the seed chooses, until the judge has noticed ten. A judge that
 * refuses the unbroken source too has noticed nothing.
 */
export async function noticedDefects(seed: number, tell: (text: string) => void): Promise<Counts> {
  await soundHistories(1, seed, tell);
  const random = createRandom(seed);
  const left = readMutants().filter(({ promise, name, file }) => seen.has(promise) && !unused.test(`${file} ${name}`));
  let [tried, noticed] = [0, 0];
  while (noticed < wantedDefects && left.length > 0) {
    const [mutant] = left.splice(random.between(0, left.length - 1), 1);
    assert.ok(mutant);
    const { title: _, ...others } = mutant;
    const results = await tryMutants([{ ...others, test: 'test/prove/history.all.test.ts' }], {
      parallel: 1,
      isControlled: false,
      limitMs: defectMs,
      env: { PROVE_FAULTS: String(faultsOfASet) },
      signal: new AbortController().signal,
      onResult: (result) => tell(`${lineOf(result)}\n`),
    });
    tried++;
    if (results.some(({ kind }) => kind === 'dead')) noticed++;
  }
  assert.equal(noticed, wantedDefects, `of ${tried} defects`);
  return { tried, noticed };
}

function add(counts: Counts, report: HistoryReport): void {
  const { operations, unknown, jobs, pages } = report;
  for (const [name, count] of Object.entries({ operations, unknown, jobs, pages, ...report.faults }))
    counts[name] = (counts[name] ?? 0) + count;
}
