// Four workers and an API on one database, five jobs on forty shared hosts, and all kinds of faults of processes and
// database at random moments: in the end every page is stored once, and no host was crawled too fast.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { createDatabase, type TestDatabase } from '../test/postgres/database.ts';
import { type PostgresServer, startPostgres, type StopMode } from '../test/postgres/server.ts';
import type { JobAnswer } from '../test/service/start-service.ts';
import { checkLedger, checkSums, type Row } from './oracle.ts';
import { freePort } from './processes/free-port.ts';
import { leaseMs } from './processes/lease.ts';
import { type ManyHosts, startManyHosts } from './processes/many-hosts.ts';
import { type Death, Member, PatientClient, type Sent } from './processes/member.ts';
import { createRandom, type Random } from './simulation/random.ts';

const workers = 4;
const hosts = 40;
const jobsAtATime = 5;
const hostsOfAJob = 24;
const pagesOfAHost = 10;
const delayMs = 100;
const crawlDelayMs = 400;
/** Allowed difference between the machine's clock as read by two processes. */
const clockNoiseMs = 10;
/** Maximum of disturbances during the same jobs; then the jobs run to their end. Two of ten are restarts. */
const roundsOfASet = 10;
/** No job takes longer than this after the last disturbance. */
const calmMs = 120_000;
/** A process that is stopped in the middle of a transaction for longer than this loses its rows. */
const idleInTransactionMs = 10_000;

/** A separate network for each worker. */
export interface Networks {
  /** The command that starts a worker there. */
  readonly starter: (worker: number) => readonly string[];
  /** The database's URL as seen by a worker there. */
  readonly databaseUrl: (worker: number, url: string) => string;
  /** The address on which the site listens. */
  readonly address: string;
  /** Cuts a worker off from the database, or reconnects it. */
  readonly setCut: (worker: number, isCut: boolean) => void;
}

export interface ProcessesOptions {
  readonly rounds: number;
  readonly seed: number;
  /** If given, workers are cut off from the database as well. */
  readonly networks?: Networks;
}

export interface ProcessesReport {
  readonly rounds: number;
  readonly kills: number;
  readonly stops: number;
  /** Cuts of one worker from the database. */
  readonly cuts: number;
  /** Restarts of the database. */
  readonly restarts: number;
  readonly jobs: number;
  readonly pages: number;
  readonly requests: number;
  /** Pages that were requested more often than intended. */
  readonly refetched: number;
  /** How often a process lost its work: killed, stopped, or unable to renew its lease in time. */
  readonly deaths: number;
  /** The shortest gap between two sent requests to a host, in thousandths of the required gap. */
  readonly leastShareOfDelay: number;
  /**
   * Pairs of requests to a host that the site recorded closer together than nine tenths of its delay. Not judged: a
   * request that was sent in time is recorded late if the site, a process of the same machine, is late.
   */
  readonly notedClose: number;
}

/** Rejects at the first thing that was lost, repeated, stuck or too fast. `tell` is called for each round. */
export async function processesCampaign(
  { rounds, seed, networks }: ProcessesOptions,
  tell: (text: string) => void = () => {},
): Promise<ProcessesReport> {
  const server = await startPostgres();
  const database = await createDatabase(server.url());
  const campaign = new Campaign({ server, database, port: await freePort(), networks }, createRandom(seed), tell);
  try {
    return await campaign.run(rounds);
  } finally {
    await campaign.close();
    await server.remove();
  }
}

interface CrawledJob {
  readonly id: string;
  readonly origins: readonly string[];
}

class Campaign {
  readonly #server: PostgresServer;
  readonly #database: TestDatabase;
  readonly #networks: Networks | undefined;
  readonly #random: Random;
  readonly #tell: (text: string) => void;
  readonly #api: Member;
  readonly #workers: readonly Member[];
  readonly #client: PatientClient;
  /** The rounds, of the current ten, in which the database restarts, and how. */
  #restarts: ReadonlyMap<number, StopMode> = new Map();
  readonly #report = {
    rounds: 0,
    kills: 0,
    stops: 0,
    cuts: 0,
    restarts: 0,
    jobs: 0,
    pages: 0,
    requests: 0,
    refetched: 0,
    deaths: 0,
    leastShareOfDelay: Number.POSITIVE_INFINITY,
    notedClose: 0,
  };

  constructor(
    parts: {
      readonly server: PostgresServer;
      readonly database: TestDatabase;
      readonly port: number;
      readonly networks: Networks | undefined;
    },
    random: Random,
    tell: (text: string) => void,
  ) {
    const { server, database, port, networks } = parts;
    this.#networks = networks;
    this.#server = server;
    this.#database = database;
    this.#random = random;
    this.#tell = tell;
    const env = {
      HAYRAKE_DATABASE_URL: database.url,
      HAYRAKE_DATABASE_CONNECTIONS: '5',
      HAYRAKE_ALLOW_PRIVATE: '127.0.0.0/8,10.0.0.0/8',
      HAYRAKE_HOST_DELAY_MS: String(delayMs),
      HAYRAKE_CONVERTER_THREADS: '1',
      HAYRAKE_REQUESTS_PER_MINUTE: '0',
    };
    this.#api = new Member({ role: 'api', env: { ...env, HAYRAKE_PORT: String(port) } });
    this.#workers = Array.from({ length: workers }, (_, worker) => {
      if (!networks) return new Member({ role: 'worker', env });
      const own = { ...env, HAYRAKE_DATABASE_URL: networks.databaseUrl(worker, database.url) };
      return new Member({ role: 'worker', env: own, starter: networks.starter(worker) });
    });
    this.#client = new PatientClient(`http://127.0.0.1:${port}`);
  }

  async run(rounds: number): Promise<ProcessesReport> {
    const members = [this.#api, ...this.#workers];
    const failures = members.map(({ failed }) => failed);
    for (const member of members) member.start();
    // All jobs use the same hosts: the rules of a robots.txt are cached for a day.
    const site = await startManyHosts({
      hosts,
      pagesOfAHost,
      delayMs,
      crawlDelayMs,
      ...(this.#networks && { address: this.#networks.address }),
    });
    try {
      while (this.#report.rounds < rounds) await Promise.race([this.#set(site, rounds), ...failures]);
    } finally {
      await site.close();
    }
    await this.#whileDeadAreKnown(members.length);
    assert.deepEqual(await Promise.all(members.map((member) => member.end())), [0, 0, 0, 0, 0], 'the exit codes');
    assert.deepEqual(await this.#rows('SELECT id FROM worker'), [], 'processes that are known in the end');
    assert.deepEqual(
      await this.#rows('SELECT host FROM host_slot WHERE owner IS NOT NULL'),
      [],
      'hosts leased by nobody',
    );
    return { ...this.#report, deaths: members.reduce((sum, { deaths }) => sum + deaths.length, 0) - members.length };
  }

  async close(): Promise<void> {
    for (const member of [this.#api, ...this.#workers]) {
      await member.close();
    }
  }

  /** Five jobs from their start to their end. */
  async #set(site: ManyHosts, rounds: number): Promise<void> {
    for (const member of this.#workers) member.sent.length = 0;
    site.forget();
    const jobs: CrawledJob[] = [];
    for (let number = 0; number < jobsAtATime; number++) jobs.push(await this.#createJob(site));
    const reading = jobs.map(({ id }) => this.#read(id, createRandom(this.#random.between(0, 2 ** 31))));
    const over = Promise.all(reading);
    const ended = new AbortController();
    void over.catch(() => {}).then(() => ended.abort());
    for (let round = 0; round < roundsOfASet && this.#report.rounds < rounds && !ended.signal.aborted; round++) {
      await this.#round();
      this.#report.rounds++;
      this.#tell(`${this.#report.rounds} rounds`);
    }
    this.#tell(`${this.#report.rounds} rounds, and a calm end`);
    const rows = await Promise.race([over, this.#stuckAfter(calmMs)]);
    for (const [index, job] of jobs.entries()) await this.#check(site, job, rows[index] ?? []);
    await this.#checkDatabase();
    this.#checkRequests(site, jobs);
  }

  /**
   * The choice of rounds with restarts does not depend on the speed of the jobs. The first of ten cuts a worker off if
   * that is possible.
   */
  async #round(): Promise<void> {
    const ofTen = this.#report.rounds % 10;
    if (ofTen === 0) {
      const modes = this.#random.chance(0.5) ? (['fast', 'immediate'] as const) : (['immediate', 'fast'] as const);
      this.#restarts = new Map([
        [this.#random.between(1, 3), modes[0]],
        [this.#random.between(4, 6), modes[1]],
      ]);
      if (this.#networks) return await this.#cutOne(this.#networks);
    }
    const mode = this.#restarts.get(ofTen);
    await (mode ? this.#restart(mode) : this.#disturb());
  }

  async #createJob(site: ManyHosts): Promise<CrawledJob> {
    const left = [...site.origins];
    const origins = Array.from({ length: hostsOfAJob }, () => {
      const [origin = ''] = left.splice(this.#random.between(0, left.length - 1), 1);
      return origin;
    });
    const key = `job ${this.#report.jobs++}`;
    const json = { urls: origins.map((origin) => `${origin}/`) };
    const { id } = await this.#client.ok<JobAnswer>('/crawler/jobs', { json, key });
    return { id, origins };
  }

  /** Pages through a job during all this: no gap, no repetition, and pages that were read once stay unchanged. */
  async #read(id: string, random: Random): Promise<Row[]> {
    const rows: Row[] = [];
    const cursors: { readonly cursor: string; readonly page: number }[] = [];
    const slice = (cursor: string | undefined, wait: number) => {
      const limit = String(random.between(1, 100));
      const query = new URLSearchParams({ limit, wait: String(wait), ...(cursor !== undefined && { cursor }) });
      return this.#client.ok<{ data: Row[]; cursor?: string }>(`/crawler/jobs/${id}/data?${query.toString()}`);
    };
    let cursor: string | undefined;
    do {
      const next = await slice(cursor, random.between(0, 3));
      for (const row of next.data) {
        assert.equal(row.meta.page, rows.length + 1, `the page after ${rows.length} of ${id}`);
        rows.push(row);
      }
      cursor = next.cursor;
      if (cursor !== undefined) cursors.push({ cursor, page: rows.length });
      if (random.chance(0.3) && cursors.length > 0) {
        const old = random.of(cursors);
        const again = await slice(old.cursor, 0);
        const known = rows.slice(old.page, old.page + again.data.length);
        assert.deepEqual(again.data.slice(0, known.length), known, `pages of ${id} after ${old.page}, read again`);
      }
      checkSums(await this.#client.job(id));
      await sleep(random.between(0, 300));
    } while (cursor !== undefined);
    return rows;
  }

  /** One disturbance, or none. */
  async #disturb(): Promise<void> {
    const random = this.#random;
    const happening = random.between(1, 100);
    if (this.#networks && happening % 3 === 0) await this.#cutOne(this.#networks);
    else if (happening <= 45) await this.#killOne(random.of(this.#workers));
    else if (happening <= 85) await this.#stopOne();
    else if (happening <= 92) await this.#killOne(this.#api);
    await sleep(random.between(100, 2_000));
  }

  async #killOne(member: Member): Promise<void> {
    await member.kill();
    this.#report.kills++;
    if (this.#random.chance(0.4)) await sleep(this.#random.between(200, leaseMs * 1.5));
    member.start();
  }

  /** Lasts longer than a lease: others hold its hosts when it continues. */
  async #stopOne(): Promise<void> {
    const random = this.#random;
    const stopped = random.of(this.#workers);
    const isLong = random.chance(0.1);
    await this.#whileStopped(stopped, async () => {
      const ms = isLong ? idleInTransactionMs + random.between(1_000, 3_000) : leaseMs + random.between(500, 2_500);
      const isKilled = random.chance(0.3);
      const other = random.of(this.#workers.filter((member) => member !== stopped));
      await Promise.all([sleep(ms), isKilled && this.#killOne(other)]);
    });
  }

  /** Lasts longer than a lease: the worker cannot renew it, and crawls for as long as it is allowed to. */
  async #cutOne(networks: Networks): Promise<void> {
    const worker = this.#random.between(0, workers - 1);
    const joined = this.#workers[worker]?.cutOff();
    networks.setCut(worker, true);
    this.#report.cuts++;
    await sleep(leaseMs + this.#random.between(500, 4_000));
    networks.setCut(worker, false);
    joined?.();
  }

  async #restart(mode: StopMode): Promise<void> {
    const random = this.#random;
    const [one, other] = random.chance(0.5) ? this.#workers : this.#workers.toReversed();
    assert.ok(one && other);
    const [isStopped, isKilled] = [random.chance(0.5), random.chance(0.5)];
    const outage = async (): Promise<void> => {
      await this.#server.stop(mode);
      await Promise.all([sleep(random.between(0, leaseMs * 1.5)), isKilled && this.#killOne(other)]);
      await this.#server.start();
      this.#report.restarts++;
    };
    await (isStopped ? this.#whileStopped(one, outage) : outage());
    await sleep(random.between(100, leaseMs * 1.5));
  }

  async #whileStopped(member: Member, run: () => Promise<void>): Promise<void> {
    member.pause();
    this.#report.stops++;
    try {
      await run();
    } finally {
      member.goOn();
    }
  }

  /** A worker killed in the last round stays registered until its lease ends: the others must be running then. */
  async #whileDeadAreKnown(living: number): Promise<void> {
    const until = performance.now() + 5 * leaseMs;
    while ((await this.#rows('SELECT FROM worker')).length > living && performance.now() < until)
      await sleep(leaseMs / 10);
  }

  async #stuckAfter(ms: number): Promise<never> {
    await sleep(ms, undefined, { ref: false });
    const tables = ['SELECT id, status, queued, in_flight, scraped, control FROM job WHERE finished_at IS NULL'];
    tables.push(`SELECT *, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now FROM worker`);
    tables.push('SELECT s.* FROM host_slot s WHERE EXISTS (SELECT FROM frontier f WHERE f.host = s.host)');
    tables.push('SELECT * FROM frontier LIMIT 50');
    const found: unknown[] = [];
    for (const sql of tables) found.push(await this.#rows(sql));
    const said = this.#workers.map((member) => member.said).join('\n---\n');
    throw new Error(`jobs are stuck: ${JSON.stringify(found, undefined, 1)}\n${said}`);
  }

  async #check(site: ManyHosts, { id, origins }: CrawledJob, rows: readonly Row[]): Promise<void> {
    const job = await this.#client.job(id);
    const entries = await checkLedger(this.#client, job, rows);
    const expected = origins.flatMap((origin) => site.paths.map((path) => `${origin}${path}`));
    const urls = new Set(rows.map(({ meta }) => meta.url));
    assert.equal(urls.size, rows.length, `no URL of ${id} twice`);
    const missing = expected.filter((url) => !urls.has(url));
    const known = entries.filter(({ url }) => missing.includes(url));
    assert.deepEqual([missing, known], [[], []], `pages of ${id} that are missing, and what is known of them`);
    assert.equal(rows.length, expected.length, `pages of ${id}`);
    const others = entries.filter(({ status, url }) => status !== 'scraped' && origins.includes(new URL(url).origin));
    assert.deepEqual(others, [], 'URLs of the hosts that did not become pages');
    assert.deepEqual([job.status, job.progress.failed], ['succeeded', 0]);
    this.#report.pages += rows.length;
  }

  async #checkDatabase(): Promise<void> {
    assert.deepEqual(await this.#rows('SELECT * FROM frontier'), [], 'requests that are left');
    const halves = 'SELECT id FROM page FULL JOIN body USING (id) WHERE page.crc IS NULL OR body.crc IS NULL';
    assert.deepEqual(await this.#rows(halves), [], 'halves of pages');
  }

  #checkRequests(site: ManyHosts, jobs: readonly CrawledJob[]): void {
    const deaths = this.#workers.flatMap((member) => member.deaths);
    const sent = Map.groupBy(
      this.#workers.flatMap((member) => member.sent),
      ({ url }) => new URL(url).origin,
    );
    for (const [origin, log] of site.asked) {
      const requests = (sent.get(origin) ?? []).toSorted((a, b) => a.to - b.to);
      const delay = site.delayMsOf(origin);
      this.#checkPace(requests, delay);
      this.#report.notedClose += log.filter(
        ({ at }, index) => at - (log[index - 1]?.at ?? -Infinity) < 0.9 * delay,
      ).length;
      const wanted = jobs.filter(({ origins }) => origins.includes(origin)).length;
      for (const path of site.paths) {
        const own = requests.filter(({ url }) => url === `${origin}${path}`);
        const asked = log.filter((request) => request.path === path).length;
        assert.ok(asked <= own.length, `${origin}${path} was asked for ${asked} times, and ${own.length} times by us`);
        const lost = own.filter((request) => mayBeLost(request, own, deaths)).length;
        const again = asked - wanted;
        assert.ok(again <= lost, `${origin}${path} was fetched ${again} times more than wanted, ${lost} may be lost`);
        this.#report.refetched += again;
      }
      this.#report.requests += log.length;
    }
  }

  /** The requests to one host, by all processes, in the order in which they were sent. */
  #checkPace(requests: readonly Sent[], delay: number): void {
    for (const [index, request] of requests.entries()) {
      const before = requests[index - 1];
      if (!before) continue;
      const gap = request.to - before.to;
      const what = `${JSON.stringify(before)} and ${JSON.stringify(request)}`;
      assert.ok(gap >= delay - clockNoiseMs, `a host was asked after ${gap.toFixed(1)} of ${delay} ms: ${what}`);
      this.#report.leastShareOfDelay = Math.min(this.#report.leastShareOfDelay, Math.round((gap / delay) * 1000));
    }
  }

  async #rows(sql: string): Promise<unknown[]> {
    const client = new Client({ connectionString: this.#database.url });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }
}

/** Returns whether its process died after it, and before the page was requested again. */
function mayBeLost({ pid, from }: Sent, all: readonly Sent[], deaths: readonly Death[]): boolean {
  const last = all.at(-1)?.from ?? 0;
  return deaths.some((death) => death.pid === pid && (death.until ?? death.at) >= from && death.at <= last);
}
