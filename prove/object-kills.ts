// Raw bodies are in an object store behind a line that fails, and processes die at random moments and at fail-points while jobs
// run and are deleted, on either database. In the end every page is stored once, with the bytes that the site sent, and after one
// sweep the object store has what pages name and nothing else.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectStore } from '../src/core/ports/object-store.ts';
import type { FailPoint } from '../src/core/process/fail-point.ts';
import { createS3Client } from '../src/fetch/s3/s3-client.ts';
import { mainModule } from '../test/main-module.ts';
import { type CodedSite, startCodedSite } from '../test/objects/coded-site.ts';
import { type Fault, startFaultyProxy } from '../test/objects/faulty-proxy.ts';
import { framesIn } from '../test/objects/frames.ts';
import { anyS3, startS3 } from '../test/objects/s3-servers.ts';
import { createDatabase } from '../test/postgres/database.ts';
import { startPostgres } from '../test/postgres/server.ts';
import { type JobAnswer, operatorToken } from '../test/service/start-service.ts';
import { postgresStore, storeIn, type TestStore } from '../test/service/test-store.ts';
import { MortalService } from './mortal-service.ts';
import { type Asker, checkLedger, pathsOf, readToEnd } from './oracle.ts';
import { freePort } from './processes/free-port.ts';
import { Member, PatientClient } from './processes/member.ts';
import { createRandom, type Random } from './simulation/random.ts';

const hostConcurrency = 4;
/** They share objects. */
const jobsAtOnce = 3;
const pagesOfAJob = 24;
/** A limit, so that each job ends: what was in flight at too many deaths waits for a calm moment. */
const killsOfARound = 3;
/** What a process does before it is killed: requests to the object store, or else this time. */
const [asksOfALife, asksOfASweep, lifeMsMax] = [6, 12, 6_000];
const faultsOfTheLine: readonly Fault[] = ['slow', 'slow_down', 'cut_before', 'cut_within', 'cut_after'];
const faultsShare = 0.1;
/** For each fail-point. */
const roundsMax = 4;
/** A second sweep begins after a minute. */
const sweepMs = 50_000;

/** In the order in which a round reaches them. */
export const objectPoints: readonly FailPoint[] = [
  'object.registered',
  'object.stored',
  'settle.raw',
  'object.gathered',
  'object.deleted',
  'sweep.writing',
];

export interface ObjectKillsOptions {
  readonly kills: number;
  readonly seed: number;
  readonly store: TestStore['kind'];
  /** Fail-points to die at, such as `object.stored:2`, one for each life. */
  readonly deaths?: readonly string[];
}

export interface ObjectKillsReport {
  /** Deaths at fail-points included. */
  readonly kills: number;
  readonly deaths: number;
  readonly jobs: number;
  /** Of jobs that were not deleted: each was compared with what the site sent, before its body was moved and after it. */
  readonly pages: number;
  readonly puts: number;
  /** Requests to the object store that failed or were slow. */
  readonly faults: number;
  /** Objects that no page named when the last process had died. */
  readonly orphans: number;
}

/** Rejects at the first page that is lost, repeated or has other bytes, and at an object that is missing or left over. */
export async function objectKills(
  { kills, seed, store, deaths = [] }: ObjectKillsOptions,
  tell: (text: string) => void = () => {},
): Promise<ObjectKillsReport> {
  const program = anyS3();
  if (program === undefined) throw new Error('No object store is installed: apt-get install python3-swift memcached');
  const random = createRandom(seed);
  const server = await startS3(program);
  const proxy = await startFaultyProxy(server.endpoint);
  const bucket = await server.createBucket();
  let faults = 0;
  const { accessKeyId, secretAccessKey, endpoint } = server;
  const credentials = { accessKeyId, secretAccessKey };
  const plain = { bucket, prefix: 'killed', region: 'us-east-1', credentials, allowPrivate: [], authorities: [] };
  const objects = createS3Client({ ...plain, endpoint: new URL(endpoint) });
  const env = {
    HAYRAKE_BLOBS: `s3://${bucket}/killed`,
    HAYRAKE_BLOBS_KEEP_DAYS: '0',
    HAYRAKE_S3_ENDPOINT: proxy.origin,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    HAYRAKE_HOST_CONCURRENCY: String(hostConcurrency),
    HAYRAKE_REQUESTS_PER_MINUTE: '0',
    HAYRAKE_ALLOW_PRIVATE: '127.0.0.0/8',
    HAYRAKE_BROWSER: 'off',
  };
  const crawlers = await (store === 'sqlite' ? onSqlite(env, deaths) : onPostgres(env, deaths, random));
  const untilAsked = async (more: number): Promise<void> => {
    const [wanted, until] = [proxy.requests.length + more, performance.now() + lifeMsMax];
    while (proxy.requests.length < wanted && performance.now() < until) await sleep(10);
  };
  const rounds: Round[] = [];
  let sent = 0;
  try {
    proxy.fault = (_, name) => {
      // Without its owner a process does not start: it is for the operator to start it again.
      if (name.endsWith('owner.json') || !random.chance(faultsShare)) return 'none';
      faults++;
      return random.of(faultsOfTheLine);
    };
    do {
      const round = await crawlAndKill({ crawlers, random, untilAsked }, rounds.length, kills - sent);
      rounds.push(round);
      sent += round.kills;
      tell(`${store}: ${sent} kills, ${crawlers.deaths()} deaths at fail-points, ${crawlers.left()} of them to come`);
    } while (sent < kills || (crawlers.left() > 0 && rounds.length < roundsMax * deaths.length));
    assert.equal(crawlers.left(), 0, 'fail-points that were not reached');
    proxy.fault = () => 'none';
    const orphans = await checkObjectsOf(crawlers, objects, rounds);
    const all = rounds.flatMap(({ kept }) => kept);
    return {
      kills: sent + crawlers.deaths(),
      deaths: crawlers.deaths(),
      jobs: rounds.length * jobsAtOnce,
      pages: all.reduce((sum, { site }) => sum + site.sent.size, 0),
      puts: proxy.requests.filter(({ method }) => method === 'PUT').length,
      faults,
      orphans,
    };
  } finally {
    await crawlers.close();
    await objects.close();
    await proxy.close();
    await server.stop();
  }
}

/** With deaths at each fail-point of objects on the way, twice: a life is too short for a third deletion. */
export async function objectKillsOnBothStores(
  { kills, seed }: Pick<ObjectKillsOptions, 'kills' | 'seed'>,
  tell: (text: string) => void = () => {},
): Promise<ObjectKillsReport> {
  const deaths = [1, 2].flatMap((pass) => objectPoints.map((point) => `${point}:${pass}`));
  const reports = [
    await objectKills({ kills, seed, store: 'sqlite', deaths }, tell),
    await objectKills({ kills, seed, store: 'postgres', deaths }, tell),
  ];
  const names = Object.keys(reports[0] ?? {}) as (keyof ObjectKillsReport)[];
  const sums = names.map((name) => [name, reports.reduce((sum, report) => sum + report[name], 0)]);
  return Object.fromEntries(sums) as Record<keyof ObjectKillsReport, number>;
}

interface Campaign {
  readonly crawlers: Crawlers;
  readonly random: Random;
  /** Resolves when the object store got so many more requests, or when that takes too long. */
  readonly untilAsked: (more: number) => Promise<void>;
}

interface KeptJob {
  readonly id: string;
  readonly site: CodedSite;
  readonly marker: string;
  /** Paths by page. */
  readonly paths: readonly string[];
}

interface Round {
  readonly kills: number;
  readonly kept: readonly KeptJob[];
  /** Of the job that was deleted. */
  readonly removed: string;
}

/** Some jobs at the same time, of which one is deleted. */
async function crawlAndKill(
  { crawlers, random, untilAsked }: Campaign,
  round: number,
  killsMax: number,
): Promise<Round> {
  const markers = Array.from({ length: jobsAtOnce }, (_, index) => `mark${round}x${index}x`);
  const sites = await Promise.all(markers.map((marker) => startCodedSite({ pages: pagesOfAJob, marker, delayMs: 20 })));
  const jobs: { readonly id: string; readonly site: CodedSite; readonly marker: string }[] = [];
  for (const [index, site] of sites.entries()) {
    const body = { urls: [`${site.origin}/`], force_crawling_mode: 'link', store_raw: true };
    const marker = markers[index] ?? '';
    jobs.push({ ...(await crawlers.create(body, marker)), site, marker });
  }
  const [doomed, ...others] = jobs.toSorted(() => random.next() - 0.5);
  if (!doomed) throw new Error('there is no job');
  const deathsBefore = crawlers.deaths();
  const removedAfter = random.between(0, 2 * killsOfARound);
  let kills = 0;
  let isRemoved = false;
  while (kills < Math.min(killsMax, killsOfARound)) {
    await untilAsked(random.between(1, asksOfALife));
    await sleep(random.between(0, 200));
    if (kills === removedAfter) {
      await remove(crawlers, doomed.id);
      isRemoved = true;
    }
    if (await haveEnded(crawlers, others)) break;
    await crawlers.kill();
    kills++;
  }
  const kept: KeptJob[] = [];
  for (const job of isRemoved ? others : [...others, doomed]) {
    const rows = await readToEnd(crawlers, job.id, random.between(1, 400));
    const answer = await crawlers.persist((to) => to.job(job.id));
    await checkLedger(crawlers, answer, rows);
    assert.equal(answer.status, 'succeeded');
    const wanted = [...job.site.sent.keys()].toSorted();
    assert.deepEqual(pathsOf(rows.map(({ meta }) => meta.url)), wanted, 'every page of the site');
    const asked = job.site.pages().length - wanted.length - wanted.filter((to) => to.startsWith('/to/')).length;
    const deaths = kills + crawlers.deaths() - deathsBefore;
    // A redirect and its target count as two.
    assert.ok(asked <= deaths * 4 * hostConcurrency, `${asked} requests were repeated after ${deaths} deaths`);
    const one = { ...job, paths: rows.map(({ meta }) => new URL(meta.url).pathname) };
    await compareBodies(crawlers, one);
    if (job !== doomed) kept.push(one);
  }
  if (!isRemoved) await remove(crawlers, doomed.id);
  // A start begins a sweep: it gathers what these jobs have, and goes on while the next ones run.
  await crawlers.kill();
  await untilAsked(asksOfASweep);
  for (const site of sites) await site.close();
  return { kills: kills + 1, kept, removed: doomed.marker };
}

/** One question at a time: whoever finds the process dead starts it. */
async function haveEnded(crawlers: Crawlers, jobs: readonly { readonly id: string }[]): Promise<boolean> {
  for (const { id } of jobs) if ((await crawlers.persist((to) => to.job(id))).finishedAt === null) return false;
  return true;
}

/** Nobody reads anything of it any more. */
async function remove(crawlers: Crawlers, id: string): Promise<void> {
  await crawlers.request(`/crawler/jobs/${id}`, 'DELETE');
  const { status } = await crawlers.request(`/crawler/jobs/${id}/pages/1/raw`);
  assert.equal(status, 410, 'the raw body of a deleted job');
}

async function compareBodies(crawlers: Crawlers, { id, site, paths }: KeptJob): Promise<void> {
  for (const [index, to] of paths.entries()) {
    const { status, body } = await crawlers.request(`/crawler/jobs/${id}/pages/${index + 1}/raw`);
    assert.equal(status, 200, `the raw body of ${to}: ${body.toString('utf8', 0, 500)}`);
    assert.ok(site.sent.get(to)?.equals(body), `the raw body of ${to} differs from what the site sent`);
  }
}

/** Returns how many objects no page named before the sweep. */
async function checkObjectsOf(crawlers: Crawlers, objects: ObjectStore, rounds: readonly Round[]): Promise<number> {
  const { query } = crawlers;
  // Objects of processes that died wait for a day, but not those with bytes of a deleted job.
  await crawlers.restart();
  await untilGone(objects, rounds);
  const [never] = await query<{ count: number }>("SELECT count(*) AS count FROM raw_object WHERE state = 'new'");
  await crawlers.restart("UPDATE raw_object SET at = 1 WHERE state = 'new'");
  await untilSwept(crawlers, objects);
  const checked = await crawlers.check();
  // Others that no page names would be named here.
  assert.match(checked, /Objects outside the database: \d+, of which 0 missing or changed\.\n/);
  assert.match(checked, /Nothing is damaged\./);
  const kept = rounds.flatMap((round) => round.kept);
  for (const job of kept) await compareBodies(crawlers, job);
  const text = await textOf(objects);
  for (const { marker } of kept) assert.ok(text.includes(marker), `no object has ${marker}`);
  for (const { removed } of rounds) assert.ok(!text.includes(removed), `an object has ${removed} of a deleted job`);
  for (const { id } of kept) await crawlers.request(`/crawler/jobs/${id}`, 'DELETE');
  await crawlers.restart();
  await untilSwept(crawlers, objects, 0);
  return Number(never?.count);
}

/** Resolves when no object has anything of the jobs that were deleted. */
async function untilGone(objects: ObjectStore, rounds: readonly Round[]): Promise<void> {
  const until = performance.now() + sweepMs;
  for (;;) {
    const text = await textOf(objects);
    const left = rounds.filter(({ removed }) => text.includes(removed));
    if (left.length === 0) return;
    assert.ok(performance.now() < until, `after one sweep an object has ${left[0]?.removed} of a deleted job`);
    await sleep(500);
  }
}

async function textOf(objects: ObjectStore): Promise<string> {
  const texts: string[] = [];
  for (const name of await namesIn(objects)) texts.push(...framesIn((await objects.get(name)) ?? Buffer.alloc(0)));
  return texts.join('\n');
}

/** Resolves when one sweep has left only objects that pages of one job name, at most `most`. */
async function untilSwept({ query }: Crawlers, objects: ObjectStore, most = Number.POSITIVE_INFINITY): Promise<void> {
  const until = performance.now() + sweepMs;
  for (;;) {
    const rows = await query<{ name: string; whole: unknown }>(
      `SELECT name, CASE WHEN state = 'live' AND of_one_job = 1 AND has_deleted = 0 THEN 1 ELSE 0 END AS whole FROM raw_object WHERE state <> 'lost'`,
    );
    const names = await namesIn(objects);
    const isWhole = rows.length <= most && rows.every(({ whole }) => Number(whole) === 1);
    if (
      isWhole &&
      rows
        .map(({ name }) => name)
        .toSorted()
        .join(' ') === names.toSorted().join(' ')
    )
      return;
    assert.ok(performance.now() < until, `after one sweep: rows ${JSON.stringify(rows)}, objects ${names.join(' ')}`);
    await sleep(200);
  }
}

async function namesIn(objects: ObjectStore): Promise<string[]> {
  const names: string[] = [];
  for await (const { objects: listed } of objects.list('segments/')) names.push(...listed.map(({ name }) => name));
  return names;
}

interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/** What crawls. */
interface Crawlers extends Asker {
  /** At fail-points. */
  readonly deaths: () => number;
  /** Fail-points at which none has died yet. */
  readonly left: () => number;
  readonly query: TestStore['query'];
  create(body: object, key: string): Promise<JobAnswer>;
  /** The first response that is no 503, from any process. */
  request(path: string, method?: 'GET' | 'DELETE'): Promise<Answer>;
  kill(): Promise<void>;
  /** Stops all that crawls, changes the database, and starts again, which begins a sweep. */
  restart(sql?: string): Promise<void>;
  /** What `hayrake check` says. */
  check(): Promise<string>;
  close(): Promise<void>;
}

type Env = Readonly<Record<string, string>>;

async function onSqlite(env: Env, deaths: readonly string[]): Promise<Crawlers> {
  const directory = await mkdtemp(path.join(tmpdir(), 'hayrake-objects-'));
  const service = new MortalService({ directory, env }, deaths);
  const stored = storeIn(directory);
  const query: TestStore['query'] = (sql) => stored.query(sql);
  await service.start();
  const ask = (to: string, method: string): Promise<Answer> =>
    service.persist(async (one) => responseOf(await one.api(to, { method })));
  return {
    deaths: () => service.deaths.length,
    left: () => deaths.length - service.deaths.length,
    query,
    persist: (call) => service.persist(call),
    create: (body, key) => service.persist((to) => to.createJob({ ...body }, { headers: { 'idempotency-key': key } })),
    request: (to, method = 'GET') => untilAnswered(() => ask(to, method)),
    kill: () => service.kill(),
    restart: async (sql) => {
      await service.stop();
      if (sql !== undefined) await query(sql);
      await service.start();
    },
    check: () => checkWith({ ...env, HAYRAKE_DATA: directory }),
    close: async () => {
      await service.service.kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** An API, and two workers of which one is killed at a time; both can die at a fail-point. */
async function onPostgres(env: Env, deaths: readonly string[], random: Random): Promise<Crawlers> {
  const server = await startPostgres();
  const { url } = await createDatabase(server.url());
  const port = await freePort();
  const all = { ...env, HAYRAKE_DATABASE_URL: url };
  const killAt = new URL('kill-at.ts', import.meta.url).href;
  const left = [...deaths];
  let died = 0;
  const mortal = (): { readonly member: Member; start(): void } => {
    const own = { ...all, NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import ${killAt}`, KILL_AT: '' };
    const start = (): void => {
      own.KILL_AT = left[0] ?? '';
      member.start();
    };
    const onDeath = (): void => {
      died++;
      // The other one can have died there before.
      if (own.KILL_AT === left[0]) left.shift();
      start();
    };
    const member = new Member({ role: 'worker', env: own, onDeath });
    return { member, start };
  };
  const api = new Member({ role: 'api', env: { ...all, HAYRAKE_PORT: String(port) } });
  const workers = [mortal(), mortal()];
  for (const member of [api, ...workers]) member.start();
  const origin = `http://127.0.0.1:${port}`;
  const client = new PatientClient(origin);
  const stored = postgresStore('/nowhere', url);
  const query: TestStore['query'] = (sql) => stored.query(sql);
  const headers = { authorization: `Bearer ${operatorToken}` };
  return {
    deaths: () => died,
    left: () => left.length,
    query,
    persist: (call) => client.persist(call),
    create: (json, key) => client.ok('/crawler/jobs', { json, key }),
    request: (to, method = 'GET') =>
      untilAnswered(async () => responseOf(await fetch(`${origin}${to}`, { method, headers }))),
    kill: async () => {
      const killed = random.of(workers);
      await killed.member.kill();
      killed.start();
    },
    restart: async (sql) => {
      for (const { member } of workers) await member.end();
      if (sql !== undefined) await query(sql);
      for (const worker of workers) worker.start();
    },
    check: () => checkWith(all),
    close: async () => {
      for (const member of [api, ...workers.map((worker) => worker.member)]) await member.close();
      await server.remove();
    },
  };
}

async function responseOf(response: Response): Promise<Answer> {
  return { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
}

/** While the object store is away, an answer can be a 503. */
async function untilAnswered(ask: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await ask();
    if (answer.status !== 503 || tries === 100) return answer;
    await sleep(100);
  }
}

async function checkWith(env: Env): Promise<string> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('HAYRAKE_'));
  const child = spawn(process.execPath, [mainModule, 'check'], {
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const [code] = (await once(child, 'close')) as [number | null];
  assert.equal(code, 0, said);
  return said;
}
