// Checks the promises of RELIABILITY.md on this machine, with the real program: `npm run prove`. Prints counts and the
// seed. The same seed gives the same random choices.
//
//   npm run prove -- [--seed N] [--kills N] [--scans N] [--simulations N] [--rounds N] [--histories N]
//                    [--only PART[,PART]] [--long]
//
//   npm run prove -- --mutants [--only NAME[,NAME]]
//
// `--long` adds the parts that take hours. Each part that has passed is recorded in prove/results/results.json; `--resume`
// skips the recorded parts.
//
// `--mutants` does something else: it breaks the source at one place at a time, in a copy, and reports which test
// noticed.
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, release } from 'node:os';
import path from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { type FailPoint, failPoints } from '../src/core/process/fail-point.ts';
import { costOfAPage } from './cost-of-a-page.ts';
import { everyTest } from './every-test.ts';
import { asynchronousHistories, noticedDefects, soundHistories } from './history/prove-history.ts';
import { killCampaign } from './kill-campaign.ts';
import { fuzz } from './fuzz/fuzz.ts';
import { targets } from './fuzz/targets.ts';
import { load } from './load.ts';
import { learningKillsOnBothStores } from './learning-kills.ts';
import { latency } from './latency.ts';
import { largeJob } from './large-job.ts';
import { beyondLife, dieAt } from './life.ts';
import { processesCampaign } from './many-processes.ts';
import { readMutants } from './mutants/read-mutants.ts';
import { lineOf, tryMutants } from './mutants/mutate.ts';
import { manySchedules } from './many-schedules.ts';
import { nightsOnBothStores } from './nights/both-stores.ts';
import { objectKillsOnBothStores } from './object-kills.ts';
import { politeKills } from './polite-kills.ts';
import { scanCampaign } from './scans.ts';
import { checkShares, largeLoad, simulateShares } from './simulation/fair-shares.ts';
import { simulate } from './simulation/simulate.ts';
import { soak } from './soak.ts';
import { createDatabase } from '../test/postgres/database.ts';
import { startPostgres } from '../test/postgres/server.ts';
import { postgresStore } from '../test/service/test-store.ts';

interface Part {
  readonly what: string;
  /** Takes hours: runs only with `--long`. */
  readonly long?: boolean;
  /** Resolves with the counts; rejects with a broken promise. */
  readonly run: () => Promise<Readonly<Record<string, number | string>>>;
}

interface Result {
  readonly at: string;
  readonly seconds: number;
  readonly seed: number;
  readonly counted: Readonly<Record<string, number | string>>;
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    kills: { type: 'string', default: '500' },
    scans: { type: 'string', default: '5000' },
    simulations: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '200' },
    histories: { type: 'string', default: '20' },
    only: { type: 'string' },
    long: { type: 'boolean', default: false },
    resume: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed ?? randomInt(2 ** 31));
const folder = path.join(import.meta.dirname, 'results');
const resultsFile = path.join(folder, 'results.json');

const parts: Readonly<Record<string, Part>> = {
  simulation: {
    what: 'hours of crawling with injected clock, web, deaths and jumps of the time of day',
    run: async () => {
      const sums: Record<string, number> = { simulations: Number(values.simulations) };
      for (let one = seed; one < seed + Number(values.simulations); one++) {
        for (const [name, count] of Object.entries(await simulate(one))) sums[name] = (sums[name] ?? 0) + count;
        progress(`${one - seed + 1} simulations`);
      }
      return { ...sums, hours: Math.round(sums['hours'] ?? 0) };
    },
  },
  fairShares: {
    what: "Jain's index over 20 orgs and 500 jobs on 10,000 hosts, with injected clock and web",
    run: async () => {
      const shares = await simulateShares(seed, largeLoad);
      checkShares(shares);
      return { ...shares };
    },
  },
  failPoints: {
    what: 'SIGKILL at each place between two steps, three times',
    run: async () => {
      let deaths = 0;
      const points = (Object.keys(failPoints) as FailPoint[]).filter((point) => !beyondLife.has(point));
      for (const point of points) {
        deaths += await dieAt(point, 3);
        progress(`${point}, ${deaths} deaths`);
      }
      return { points: points.length, deaths };
    },
  },
  kills: {
    what: 'SIGKILL at random moments of crawls',
    run: async () => {
      const report = await killCampaign({ kills: Number(values.kills), seed }, (so) => progress(`${so.kills} kills`));
      return { ...report, slowestStartMs: Math.round(report.slowestStartMs) };
    },
  },
  scans: {
    what: 'readers with random limits and old cursors against a crawl and kills',
    run: async () => ({ ...(await scanCampaign({ scans: Number(values.scans), seed })) }),
  },
  processes: {
    what: 'four workers on one PostgreSQL: killed, stopped for longer than a lease, the database restarted',
    run: async () => ({ ...(await processesCampaign({ rounds: Number(values.rounds), seed }, progress)) }),
  },
  politeKills: {
    what: 'three workers on one PostgreSQL, killed while they crawl hosts with a delay of 400 ms',
    run: async () => {
      const report = await politeKills({ kills: 60, pagesOfAHost: 250, seed }, progress);
      return { ...report, leastSentMs: Math.round(report.leastSentMs), leastNotedMs: Math.round(report.leastNotedMs) };
    },
  },
  keptKills: {
    what: 'the same with a delay of 1.2 s, so that a worker keeps its hosts between their pages',
    run: async () => {
      const report = await politeKills({ kills: 30, pagesOfAHost: 60, seed, delayMs: 1_200 }, progress);
      return { ...report, leastSentMs: Math.round(report.leastSentMs), leastNotedMs: Math.round(report.leastNotedMs) };
    },
  },
  learningKills: {
    what: 'SIGKILL while jobs learn from a model, on both stores: no question repeated but those in flight, every page once, with the record that it has without kills',
    run: async () => ({ ...(await learningKillsOnBothStores({ kills: 40, seed }, progress)) }),
  },
  objects: {
    what: 'SIGKILL while jobs with raw bodies in an object store run and are deleted, on both databases, with faults on the line: every page once, its bytes as sent, nothing missing or left over',
    run: async () => ({ ...(await objectKillsOnBothStores({ kills: 40, seed }, progress)) }),
  },
  histories: {
    what: 'what clients saw of both stores while processes, clocks, lines and the database failed, judged as a whole',
    run: () => soundHistories(Number(values.histories), seed, progress),
  },
  asynchronousHistories: {
    what: 'the same with a standby that takes over without the last second: the rules that broke, and how often',
    run: () => asynchronousHistories(5, seed, progress),
  },
  noticedDefects: {
    what: 'mutants of the seed, until the judge of histories has noticed ten',
    run: () => noticedDefects(seed, progress),
  },
  nights: {
    what: 'thirty nights of a site that lives, on both stores, with bad nights and kills: a copy that follows `changes` is the site',
    run: async () => ({ ...(await nightsOnBothStores({ seed, nights: 30, by: 'since' }, progress)) }),
  },
  scheduleNights: {
    what: 'the same by a schedule: copies that the recipe keeps from its feed, in both languages, are the site',
    run: async () => ({ ...(await nightsOnBothStores({ seed, nights: 30, by: 'schedule' }, progress)) }),
  },
  schedules: {
    what: 'a thousand schedules due at one moment, three processes on one PostgreSQL: each has one run',
    run: async () => {
      const server = await startPostgres();
      try {
        const { url } = await createDatabase(server.url());
        return { ...(await manySchedules({ schedules: 1_000, store: postgresStore('/nowhere', url) }, progress)) };
      } finally {
        await server.remove();
      }
    },
  },
  tests: {
    what: 'every test, also those that the check leaves out',
    run: async () => everyTest(),
  },
  cost: {
    what: 'a page costs at most 4 % more than at the anchor: nine pairs of crawls at the same time',
    run: async () => costOfAPage(9),
  },
  latency: {
    what: 'how long the API takes while a crawl keeps the machine busy, as measured',
    run: latency,
  },
  largeJob: {
    what: 'a job of 100,000 pages, killed at half',
    long: true,
    run: () => largeJob({ pages: 100_000 }, progress),
  },
  load: {
    what: 'an hour of slow readers, slow senders, readers of events, exports and tools beside crawls',
    long: true,
    run: () => load({ minutes: 60, seed }, progress),
  },
  fuzz: {
    what: 'two hours of inputs on one processor, guided by coverage, for all that reads bytes of strangers',
    long: true,
    run: async () => {
      const reports = Object.entries(await fuzz({ names: Object.keys(targets), seconds: 360, seed }, progress));
      const counted = reports.flatMap(([name, { tried, ways, more }]) => [
        [`${name}Inputs`, tried] as const,
        [`${name}Ways`, ways] as const,
        [`${name}NewWays`, more] as const,
      ]);
      return Object.fromEntries(counted);
    },
  },
  soak: {
    what: 'an hour of mixed jobs with hostile pages among',
    long: true,
    run: () => soak({ minutes: 60, seed }, progress),
  },
};

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** In a log, a line a minute. */
let lineAt = performance.now();
const lineMs = 60_000;

function progress(text: string): void {
  if (process.stdout.isTTY) return void process.stdout.write(`\r\u001B[K  ${text}`);
  if (text === '' || performance.now() - lineAt < lineMs) return;
  lineAt = performance.now();
  say(`      ${text.trimEnd()}`);
}

function resultsSoFar(): Record<string, Result> {
  return existsSync(resultsFile) ? (JSON.parse(readFileSync(resultsFile, 'utf8')) as Record<string, Result>) : {};
}

function keep(results: Readonly<Record<string, Result>>): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(resultsFile, `${JSON.stringify(results, undefined, 2)}\n`);
}

async function main(): Promise<boolean> {
  say(
    `seed ${seed}, Node ${process.versions.node}, ${availableParallelism()} processors (${cpus()[0]?.model}), ${release()}`,
  );
  const wanted = values.only?.split(',');
  const unknown = wanted?.find((name) => !(name in parts));
  if (unknown !== undefined) throw new Error(`there is no part ${unknown}; there are ${Object.keys(parts).join(', ')}`);
  const results = resultsSoFar();
  let isWhole = true;
  for (const [name, { what, long = false, run }] of Object.entries(parts)) {
    if (wanted ? !wanted.includes(name) : long && !values.long) continue;
    if (values.resume && results[name] !== undefined) {
      say(`kept  ${name}: ${JSON.stringify(results[name].counted)}`);
      continue;
    }
    const startedAt = performance.now();
    try {
      const counted = await run();
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      progress('');
      say(`ok    ${name}, ${seconds} s: ${what}\n      ${JSON.stringify(counted)}`);
      results[name] = { at: new Date().toISOString(), seconds, seed, counted };
      keep(results);
    } catch (error) {
      isWhole = false;
      progress('');
      say(`FAIL  ${name} with --seed ${seed}: ${what}\n${inspect(error)}`);
    }
  }
  return isWhole;
}

/** Whether tests noticed every mutant. */
async function proveTests(): Promise<boolean> {
  const mutants = readMutants();
  const wanted = values.only?.split(',');
  const unknown = wanted?.find((name) => !mutants.some((mutant) => mutant.name === name));
  if (unknown !== undefined) throw new Error(`There is no mutant ${unknown}. prove/mutants/*.txt lists them.`);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const results = await tryMutants(
    mutants.filter(({ name }) => wanted?.includes(name) ?? true),
    { parallel: 2, isControlled: true, signal: stop.signal, onResult: (result) => say(lineOf(result)) },
  );
  const dead = results.filter(({ kind }) => kind === 'dead').length;
  const skipped = results.filter(({ kind }) => kind === 'skipped').length;
  say(`${dead} of ${results.length} mutants dead${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  return dead + skipped === results.length;
}

const isProved = await (values.mutants ? proveTests() : main());
// A part that failed can leave servers of its sites.
process.exit(isProved ? 0 : 1);
