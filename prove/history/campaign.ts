// Clients use a service while its processes, their clocks, their lines to the database and the database itself fail at
// random. What each client saw is judged afterwards, as a whole.
import { setTimeout as sleep } from 'node:timers/promises';
import { type ManyHosts, startManyHosts } from '../processes/many-hosts.ts';
import { createRandom, type Random } from '../simulation/random.ts';
import { type Cast, postgresCast, type PostgresCastOptions, sqliteCast } from './casts.ts';
import { eraseShared, followChanges, news, runJob, type Work } from './clients.ts';
import { judge, type Violation } from './judge.ts';
import type { Operation } from './operation.ts';
import { Recorder } from './recorder.ts';

const hosts = 12;
const pagesOfAHost = 12;
const hostsOfAJob = 5;
const fates: readonly Work['fate'][] = ['left alone', 'left alone', 'cancelled', 'deleted', 'erased'];

export interface HistoryOptions {
  readonly seed: number;
  readonly store: 'sqlite' | 'postgres';
  /** Faults while the jobs of a set run; the database dies in the middle of them. */
  readonly faults: number;
  /** Only with `postgres`. @default synchronous */
  readonly standby?: PostgresCastOptions['standby'];
}

export interface HistoryReport {
  readonly operations: number;
  /** Operations without a response. */
  readonly unknown: number;
  readonly jobs: number;
  readonly pages: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly violations: readonly Violation[];
}

/** One set of jobs on a new store, and the verdict. */
export async function historyCampaign(options: HistoryOptions): Promise<HistoryReport> {
  const { seed, store, faults, standby = 'synchronous' } = options;
  const random = createRandom(seed);
  const site = await startManyHosts({ hosts, pagesOfAHost, delayMs: 50, crawlDelayMs: 200 });
  const cast = await (store === 'sqlite' ? sqliteCast(random) : postgresCast(random, { standby }));
  try {
    return await Promise.race([withFaults(cast, site, random, faults), cast.failed]);
  } finally {
    await cast.close();
    await site.close();
  }
}

async function withFaults(cast: Cast, site: ManyHosts, random: Random, count: number): Promise<HistoryReport> {
  const recorders: Recorder[] = [];
  const recorder = (): Recorder => {
    const made = new Recorder(`client ${recorders.length}`, cast.origins, (origins) => random.of(origins));
    recorders.push(made);
    return made;
  };
  let areJobsRunning = true;
  const jobs = runJobs(recorder, site, random).finally(() => (areJobsRunning = false));
  const happened: Record<string, number> = {};
  const happen = async (): Promise<void> => {
    for (let index = 0; index < count; index++) {
      await sleep(random.between(200, 1_500));
      const isTurn = cast.turn !== undefined && index === Math.floor(count / 2);
      if (!areJobsRunning && !isTurn) continue;
      const [name, fault] = isTurn ? ['failover', cast.turn] : random.of(Object.entries(cast.faults));
      await fault?.();
      happened[name] = (happened[name] ?? 0) + 1;
    }
  };
  const [ids] = await Promise.all([jobs, happen()]);
  await recorder().list();
  const history = recorders.flatMap(({ operations }) => operations);
  return {
    operations: history.length,
    unknown: history.filter(({ outcome }) => outcome === undefined).length,
    jobs: ids.length,
    pages: pagesOf(history),
    faults: happened,
    violations: judge(history),
  };
}

/** Jobs side by side; when they have ended, the site changes, and two jobs look for what did, one of them cancelled; then one more. */
async function runJobs(recorder: () => Recorder, site: ManyHosts, random: Random): Promise<string[]> {
  const works = fates.map((fate, index): Work => {
    const origins = random.between(0, hosts - hostsOfAJob);
    const own = site.origins.slice(origins, origins + hostsOfAJob);
    return {
      key: `job ${index}`,
      body: { urls: own.map((origin) => `${origin}/`) },
      expected: own.flatMap((origin) => site.paths.map((path) => `${origin}${path}`)),
      fate,
    };
  });
  const first = await Promise.all(
    works.map((work) => runJob(recorder, work, createRandom(random.between(0, 2 ** 31)))),
  );
  const [since] = first;
  if (since === undefined) return first.filter((id) => id !== undefined);
  site.publish(news);
  const all = works[0]?.expected ?? [];
  const expected = all.filter((url) => changeOf(url, 1) !== 'unknown');
  const changesOf = (run: number): Record<string, string> =>
    Object.fromEntries(all.map((url) => [url, changeOf(url, run)]));
  const second = await Promise.all([
    runJob(recorder, { key: 'again', body: { since }, expected, changes: changesOf(1), fate: 'left alone' }, random),
    runJob(recorder, { key: 'cut', body: { since }, expected, fate: 'cancelled' }, random),
  ]);
  const [again, cut] = second;
  if (again !== undefined) {
    await Promise.all([followChanges(recorder(), again, random), followChanges(recorder(), again, random)]);
    const work = { body: { since: again }, expected, changes: changesOf(2) };
    const third = await runJob(recorder, { key: 'once more', ...work, fate: 'left alone' }, random);
    if (third !== undefined) await followChanges(recorder(), third, random);
    await eraseShared(recorder(), again, since, random);
  }
  if (cut !== undefined) await followChanges(recorder(), cut, random);
  return [...first, ...second].filter((id) => id !== undefined);
}

/** A page is removed by the second run in a row that finds it gone. */
function changeOf(url: string, run: number): string {
  const { pathname } = new URL(url);
  if (news.gone.includes(pathname)) return run === 1 ? 'unknown' : 'removed';
  return run === 1 && news.edited.includes(pathname) ? 'changed' : 'unchanged';
}

function pagesOf(history: readonly Operation[]): number {
  const pages = history.flatMap(({ call, outcome }) =>
    call.name === 'data' && outcome?.kind === 'pages' ? outcome.rows.map(({ page }) => `${call.job} ${page}`) : [],
  );
  return new Set(pages).size;
}
