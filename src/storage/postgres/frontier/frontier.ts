import type { CrawlJob } from '../../../core/job.ts';
import type {
  Frontier,
  HostLease,
  Leased,
  KnownUrl,
  LeaseOptions,
  Notice,
  Patience,
  ReleaseOptions,
  Settlement,
  Suspect,
  RecoverOptions,
} from '../../../core/ports/frontier.ts';
import { hasEnded } from '../../../core/job.ts';
import type { CrawlError, Request, RequestKind } from '../../../core/request.ts';
import { controlPriority } from '../../rules/frontier/crawl-tables.ts';
import { aloneFrom, carefulMs, stageMax, takenWithCare } from '../../rules/frontier/deaths.ts';
import { earlierColumns } from '../../rules/jobs/baseline-rows.ts';
import { addNotice, noteNetworks, roomOf } from '../../rules/jobs/job-row.ts';
import { Ledger } from '../../rules/frontier/ledger.ts';
import { Settling } from '../../rules/frontier/settling.ts';
import { BusyJobs } from './busy-jobs.ts';
import { requestsOfUse, turnMs } from '../../../core/turn.ts';
import { change } from '../change/change.ts';
import type { Transaction } from '../connection/connections.ts';
import { HostLeases, type HostLeasesParts, type LeasedRow, type LeaseWish } from './host-leases.ts';
import type { RetryWhileAway } from '../connection/retry-while-away.ts';
import { DueReader, type DueRequest, type DueWork, type Wanted } from './due-work.ts';
import { roomSql } from '../change/ready-sql.ts';
import { nowSql } from '../connection/schema.ts';
import { handBack, LaneWrites } from './lane-writes.ts';
import { workTopic } from '../../rules/frontier/changes.ts';
import { mark, stillDue, takeRequests } from './take-requests.ts';
import { aliveSql } from './workers.ts';
import type { WorkingSet } from '../change/working-set.ts';

const givenUpPerStep = 1_000;
/** Condition on the row `f` of the frontier, given whether this process has a browser. */
const mayTakeSql = (hasBrowser: string): string =>
  `NOT EXISTS (SELECT FROM job WHERE seq = f.job AND (stopped_at IS NOT NULL OR (needs_browser = 1 AND NOT ${hasBrowser}::boolean)))`;
/** Suspects examined to find one that can be tried now. */
const looksMax = 50;
interface SuspectRow extends DueRequest {
  readonly host: number;
  readonly name: string;
  readonly deaths: number;
}

interface TakenWithLease {
  readonly requests: readonly Request[];
  readonly lastJob: number | undefined;
  readonly mayHaveMore: boolean;
}

/** No job has this number: rows are numbered from 1. */
const noJob = 0;
const lanesMax = 1_000_000;
const lastJob = Number.MAX_SAFE_INTEGER;

export interface PostgresFrontierParts extends HostLeasesParts {
  readonly whileAway: RetryWhileAway;
  readonly crawlJob: Frontier['crawlJob'];
  readonly endedJobs: Frontier['endedJobs'];
  readonly knownUrl: Frontier['knownUrl'];
}

export class PostgresFrontier implements Frontier {
  readonly isShared = true;
  readonly #parts: PostgresFrontierParts;
  readonly #writes: LaneWrites;
  #onlyJob: number | undefined;
  /** How far {@link giveUpForBrowser} has come: a job, and a URL of it. */
  #givenUp = { job: noJob, id: 0 };
  /** On this process's own clock. */
  #carefulUntil = 0;
  readonly #leases: HostLeases;
  readonly #due: DueReader;
  readonly #dueOfLeases = new WeakMap<readonly LeasedRow[], Promise<readonly DueWork[]>>();

  constructor(parts: PostgresFrontierParts) {
    this.#parts = parts;
    this.#due = new DueReader({
      connections: parts.connections,
      hasBrowser: () => parts.workers.hasBrowser,
      jobRange: () => this.#jobRange(),
    });
    this.#leases = new HostLeases(parts, (lease) => this.#takeBack(lease, undefined));
    this.#writes = new LaneWrites(parts, new BusyJobs(), () => this.#leases.checkWorker());
  }

  mayKeepHosts(): boolean {
    return this.#leases.mayKeep;
  }

  recover({ delayMs, onlyJob, ...own }: RecoverOptions): ReturnType<Frontier['recover']> {
    return this.#patiently(async () => {
      const { connections, facts, workers } = this.#parts;
      if (onlyJob !== undefined) await facts.learn([onlyJob]);
      this.#onlyJob = onlyJob === undefined ? undefined : (facts.of(onlyJob)?.seq ?? noJob);
      this.#leases.forget();
      const { out, isAlone } = await workers.begin(Math.ceil(delayMs), own);
      if (out > 0) this.#carefulUntil = performance.now() + carefulMs;
      // No other worker exists, so nobody knows what an earlier one had in flight on hosts that it just released.
      if (isAlone) {
        await connections.query(
          `UPDATE host_slot s SET next_at = t.at, ready_at = t.at, in_line = false, for_browser = false, plain_at = NULL
           FROM (SELECT o.host, greatest(o.next_at, ${nowSql} + greatest(h.delay_ms, $1)) AS at
                 FROM host_slot o JOIN host h ON h.id = o.host WHERE o.owner IS NULL AND o.ready_at IS NOT NULL) t
           WHERE s.host = t.host AND s.owner IS NULL`,
          [Math.ceil(delayMs)],
        );
      }
      return {
        suspects: await this.#countSuspects(),
        isAfterDeath: out > 0,
        lost: workers.lost,
        isHeld: () => workers.checkAlive(),
      };
    });
  }

  leaseHosts({ most = 1, takes = false, lanesPerOrg = lanesMax, isScarce = true }: LeaseOptions = {}): Promise<
    readonly Leased[]
  > {
    const wish = { most, isUrgentOnly: false, lanesPerOrg, isScarce, chance: Math.random() };
    return this.#patiently(() => this.#lease(wish, takes));
  }

  leaseUrgentHosts(most: number): Promise<readonly Leased[] | 'later' | 'none'> {
    const wish = { most, isUrgentOnly: true, lanesPerOrg: lanesMax, isScarce: true, chance: 0 };
    return this.#patiently(async () => {
      // With only one job, none of its hosts comes before another.
      const leased = this.#onlyJob === undefined ? await this.#lease(wish, true) : [];
      return leased.length > 0 ? leased : (await this.#leases.isAnyDue()) ? 'later' : 'none';
    });
  }

  async #lease(wish: LeaseWish, takes: boolean): Promise<readonly Leased[]> {
    const leased = await this.#leases.lease<TakenWithLease>(wish, this.#onlyJobSql(), (set, tx, rows) =>
      takes
        ? this.#takeWithLeases(set, tx, rows)
        : Promise.resolve(rows.map(() => ({ requests: [], lastJob: undefined, mayHaveMore: true }))),
    );
    return leased.map(({ lease, taken }) => {
      const { requests, mayHaveMore } = taken;
      this.#leases.noteTake(lease, taken);
      return { lease, requests, mayHaveMore };
    });
  }

  take(lease: HostLease, max: number, patience?: Patience): Promise<readonly Request[]> {
    return this.#patiently(async () => {
      const { facts, idle } = this.#parts;
      const room = performance.now() < this.#carefulUntil ? Math.min(max, takenWithCare) : max;
      for (;;) {
        const wanted = this.#leases.wantedOf(lease, room);
        if (!wanted || idle.has(lease)) return [];
        const hadNothing = idle.ask(lease);
        const due = await this.#due.ask(wanted);
        if (due.jobs.length === 0) {
          hadNothing();
          if (due.passed !== undefined) this.#leases.noteTake(lease, { requests: [], lastJob: due.passed });
          return [];
        }
        await facts.learnSeqs(due.jobs);
        const taken = await this.#writes.take({ lease, due, room }, patience);
        this.#leases.noteTake(lease, taken);
        // Others have taken or removed what was found: there can be more.
        if (taken.requests.length > 0 || !taken.isStale) return taken.requests;
      }
    });
  }

  takeSuspect(aloneDeaths: number): Promise<Suspect | 'later' | 'none'> {
    return this.#patiently(async () => {
      const { connections } = this.#parts;
      await this.#leases.dropOrphans();
      const [first, last] = this.#jobRange();
      const suspects = await connections.query<SuspectRow>(
        `SELECT f.id, f.job, f.host, f.deaths, f.priority, f.chain, h.name, l.url, l.kind, l.depth, l.self_fed, l.by_script, l.attempts, ${earlierColumns}
         FROM frontier f JOIN ledger l ON l.job = f.job AND l.id = f.id JOIN host h ON h.id = f.host
           JOIN host_slot s ON s.host = f.host
         WHERE f.fence IS NULL AND f.not_before < 0 AND f.job BETWEEN $1 AND $2 AND f.deaths <= $3 AND ${mayTakeSql('$4')}
           AND s.owner IS NULL AND s.next_at <= ${nowSql}
         ORDER BY f.deaths LIMIT ${looksMax}`,
        [first, last, stageMax(aloneDeaths), this.#parts.workers.hasBrowser],
      );
      for (const suspect of suspects) {
        const taken = await this.#takeOne(suspect);
        if (taken) return taken;
      }
      return (await this.#countSuspects()) > 0 ? 'later' : 'none';
    });
  }

  settle(
    lease: HostLease,
    settlements: readonly Settlement[],
    release?: ReleaseOptions,
    patience?: Patience,
  ): Promise<void> {
    return this.#patiently(async () => {
      const together = release && this.#leases.holds(lease) ? release : undefined;
      const isFree = await this.#settle(lease, settlements, together, patience);
      if (!isFree && release) await this.release(lease, release);
    });
  }

  release(lease: HostLease, options: ReleaseOptions = {}): Promise<void> {
    return this.#patiently(async () => {
      const mayFree = options.notice === undefined && this.#leases.holds(lease);
      if (mayFree && (await this.#settle(lease, [], options))) return;
      if (await this.#takeBack(lease, options.notice)) await this.#leases.free(lease, options);
      // The host was taken over, or released by an earlier try whose response was lost.
      else this.#leases.forgetLease(lease);
    });
  }

  /** With `release`, hands back what was taken and not settled. Returns true if the host was released. */
  async #settle(
    lease: HostLease,
    settlements: readonly Settlement[],
    release: ReleaseOptions | undefined,
    patience?: Patience,
  ): Promise<boolean> {
    const settled = new Set(settlements.map(({ request }) => request.id));
    const left = release ? this.#leases.takenUnder(lease).filter(({ id }) => !settled.has(id)) : [];
    const freed = release && this.#leases.freedOf(lease, release);
    const isFree = await this.#writes.settle({ lease, settlements, left, release: freed }, patience);
    if (isFree) this.#leases.forgetLease(lease);
    else this.#leases.noteSettled(lease, settlements);
    return isFree;
  }

  giveUp(lease: HostLease, error: CrawlError, notice: Notice, onlyJob?: string): Promise<boolean> {
    return this.#patiently(async () => {
      // First hand back what was taken, so that it counts as queued.
      if (!(await this.#takeBack(lease, undefined))) return false;
      const { connections, facts, seen } = this.#parts;
      const [first, last] = await this.#rangeOf(onlyJob);
      // One part for each partial index. Requests that another process has taken stay with that process.
      const rows = await connections.query<{ id: number; job: number }>(
        `${['fence IS NULL AND not_before = 0', 'fence IS NULL AND not_before > 0', 'fence IS NULL AND not_before < 0']
          .map(
            (part) =>
              `SELECT id, job FROM frontier WHERE host = $1 AND job BETWEEN $2 AND $3 AND ${part} AND job NOT IN (SELECT seq FROM job WHERE stopped_at IS NOT NULL)`,
          )
          .join(' UNION ALL ')} LIMIT ${givenUpPerStep}`,
        [lease.hostId, first, last],
      );
      await facts.learnSeqs(rows.map(({ job }) => job));
      await change(this.#parts, async (set) => {
        await set.read({ jobs: rows.map(({ job }) => job), requests: rows.map(({ id }) => id) });
        const settling = new Settling(set, set, new Ledger(set, seen));
        for (const { id, job } of rows) if (set.fenceOf(id) === null) settling.giveUp(id, job, error, notice);
      });
      return rows.length === givenUpPerStep;
    });
  }

  giveUpForBrowser(error: CrawlError): Promise<boolean> {
    return this.#patiently(async () => {
      const { connections, facts, seen, workers } = this.#parts;
      if (workers.hasBrowser) return false;
      const { job: from, id: after } = this.#givenUp;
      const [found] = await connections.query<{ seq: number }>(
        'SELECT seq FROM job WHERE needs_browser = 1 AND finished_at IS NULL AND stopped_at IS NULL AND seq BETWEEN greatest($1::bigint, $2::bigint) AND $3 ORDER BY seq LIMIT 1',
        [from, ...this.#jobRange()],
      );
      this.#givenUp = { job: noJob, id: 0 };
      if (!found) return false;
      const { seq } = found;
      const rows = await connections.query<{ id: number }>(
        `SELECT l.id FROM ledger l JOIN frontier f ON f.id = l.id
         WHERE l.job = $1 AND l.id > $2 AND l.state = 'queued' AND f.fence IS NULL ORDER BY l.id LIMIT ${givenUpPerStep}`,
        [seq, seq === from ? after : 0],
      );
      await facts.learnSeqs([seq]);
      await change(this.#parts, async (set) => {
        await set.read({ jobs: [seq], requests: rows.map(({ id }) => id) });
        const settling = new Settling(set, set, new Ledger(set, seen));
        for (const { id } of rows) if (set.fenceOf(id) === null) settling.giveUp(id, seq, error, undefined);
      });
      const last = rows.at(-1);
      this.#givenUp = last && rows.length === givenUpPerStep ? { job: seq, id: last.id } : { job: seq + 1, id: 0 };
      return true;
    });
  }

  noteDelay(host: string, delayMs: number): Promise<void> {
    return this.#patiently(async () => {
      const { hosts, connections } = this.#parts;
      await hosts.learn([host]);
      await connections.query('UPDATE host SET delay_ms = $2 WHERE id = $1', [hosts.of(host), Math.ceil(delayMs)]);
    });
  }

  noteNetworks(jobId: string, networks: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> {
    return this.#patiently(async () => {
      const { facts } = this.#parts;
      await facts.learn([jobId]);
      const known = facts.of(jobId);
      if (!known) return networks;
      return change(this.#parts, async (set) => {
        await set.read({ jobs: [known.seq] });
        const row = set.get(known.seq);
        if (!row) return networks;
        set.touch(row);
        return noteNetworks(row, networks);
      });
    });
  }

  crawlJob(id: string): Promise<CrawlJob | undefined> {
    return this.#patiently(() => this.#parts.crawlJob(id));
  }

  knownUrl(jobId: string, key: string): Promise<KnownUrl | undefined> {
    return this.#patiently(() => this.#parts.knownUrl(jobId, key));
  }

  endedJobs(ids: readonly string[]): Promise<readonly string[]> {
    return this.#patiently(() => this.#parts.endedJobs(ids));
  }

  waitForWork(maxMs: number, signal: AbortSignal): Promise<void> {
    return this.#parts.signals.wait(workTopic, maxMs, signal);
  }

  #patiently<Result>(run: () => Promise<Result>): Promise<Result> {
    return this.#parts.whileAway.wait(run);
  }

  /**
   * Takes one turn's requests from each host that is being leased, of jobs that no other transaction holds at the
   * moment.
   */
  async #takeWithLeases(
    set: WorkingSet,
    tx: Transaction,
    rows: readonly LeasedRow[],
  ): Promise<readonly TakenWithLease[]> {
    const isCareful = performance.now() < this.#carefulUntil;
    const wanted = rows.map(({ host: hostId, delay_ms: delayMs, next_at: nextAt, last_job: lastJob }): Wanted => {
      const most = requestsOfUse({ delayMs, isKnown: nextAt > 0 }, turnMs);
      return { hostId, lastJob, room: isCareful ? Math.min(most, takenWithCare) : most };
    });
    const due = await this.#dueOf(rows, wanted, tx);
    const takes = rows.map(({ host: hostId, fence }, place) => {
      const { room = 0 } = wanted[place] ?? {};
      const found: DueWork = due[place] ?? { jobs: [], requests: new Map() };
      // Facts of jobs are read on another connection, and this transaction must not wait for one.
      const mayTake = found.jobs.every((seq) => this.#parts.facts.ofSeq(seq) !== undefined);
      return { lease: { hostId, fence }, room, mayTake, due: mayTake ? found : { ...found, jobs: [] } };
    });
    // Does not wait: takes only of jobs that nobody holds. The leases need no check: this transaction has made them.
    const reading = set.read({ jobs: [], jobsIfFree: takes.flatMap((take) => take.due.jobs) });
    const still = stillDue(set, tx, takes);
    await reading;
    const stillDueNow = await still;
    return takes.map((take) => {
      const { requests, lastJob, isPartial } = takeRequests(set, take, stillDueNow);
      const mayHaveMore = !take.mayTake || isPartial || requests.length >= take.room;
      return { requests, lastJob: lastJob ?? take.due.passed, mayHaveMore };
    });
  }

  /** Asked once for the same leases: what to take first from a job is decided twice. */
  #dueOf(rows: readonly LeasedRow[], wanted: readonly Wanted[], tx: Transaction): Promise<readonly DueWork[]> {
    const known = this.#dueOfLeases.get(rows);
    if (known) return known;
    const asked = this.#due.of(wanted, tx);
    this.#dueOfLeases.set(rows, asked);
    return asked;
  }

  /** Takes a suspect, and its host. Undefined if another process has it, or the limits of its job do not allow it. */
  async #takeOne(suspect: SuspectRow): Promise<Suspect | undefined> {
    const worker = this.#leases.checkWorker();
    if (worker === undefined) return undefined;
    const { host: hostId, name, id } = suspect;
    await this.#parts.facts.learnSeqs([suspect.job]);
    type Taken = Pick<LeasedRow, 'fence' | 'memory' | 'age' | 'org' | 'rank' | 'job' | 'last_job'> & {
      readonly request: Request;
    };
    const take = (): Promise<Taken | undefined> =>
      change(this.#parts, async (set, tx) => {
        await set.read({ jobs: [suspect.job], requests: [id] });
        const job = set.get(suspect.job);
        if (!job || !set.entry(id)) return undefined;
        if (hasEnded(job.status)) {
          set.removePending(id);
          return undefined;
        }
        if (suspect.kind === 'page' && roomOf(job, set.now) <= 0) return undefined;
        const [leased] = await tx.query<Omit<Taken, 'request'>>(
          `${aliveSql('$2')}
         UPDATE host_slot s SET owner = $2, fence = nextval('fence'), in_line = false
         FROM (SELECT host FROM host_slot o WHERE host = $1 AND owner IS NULL AND next_at <= ${nowSql} AND EXISTS (SELECT FROM me) FOR NO KEY UPDATE SKIP LOCKED) o, host h
         WHERE s.host = o.host AND h.id = s.host RETURNING s.fence, s.org, s.rank, s.job, s.last_job, h.memory, ${nowSql} - h.memory_at AS age`,
          [hostId, worker],
        );
        if (!leased) return undefined;
        const [request] = mark(set, leased, job, [suspect]);
        if (!request) return undefined;
        tx.send('UPDATE frontier SET alone = 1 WHERE id = $1', [id]);
        return { ...leased, request };
      });
    return this.#leases.make(async () => {
      const taken = await take();
      if (!taken) return undefined;
      const { request, ...leased } = taken;
      const lease = this.#leases.note({ host: hostId, name, ...leased });
      return { lease, request, isAlone: suspect.deaths >= aloneFrom };
    });
  }

  async #countSuspects(): Promise<number> {
    const [row] = await this.#parts.connections.query<{ suspects: number }>(
      `SELECT count(*) AS suspects FROM frontier f WHERE fence IS NULL AND not_before < 0 AND job BETWEEN $1 AND $2 AND ${mayTakeSql('$3')}`,
      [...this.#jobRange(), this.#parts.workers.hasBrowser],
    );
    return row?.suspects ?? 0;
  }

  /**
   * Hands back requests taken under a lease and not settled; adds the notice to their jobs and to those due on the
   * host. False if the lease is no longer held.
   */
  async #takeBack(lease: Pick<HostLease, 'hostId' | 'fence'>, notice: Notice | undefined): Promise<boolean> {
    const { connections, facts } = this.#parts;
    const [held] = await connections.query('SELECT FROM host_slot WHERE host = $1 AND fence = $2 AND owner = $3', [
      lease.hostId,
      lease.fence,
      this.#parts.workers.id ?? null,
    ]);
    if (!held) return false;
    const taken = await connections.query<{ id: number; job: number; kind: RequestKind }>(
      'SELECT f.id, f.job, l.kind FROM frontier f JOIN ledger l ON l.job = f.job AND l.id = f.id WHERE f.fence = $1',
      [lease.fence],
    );
    const wanted = notice && this.#leases.wantedOf(lease, 0);
    const due = wanted ? (await this.#due.ask(wanted)).jobs : [];
    const told = notice ? [...due, ...taken.map(({ job }) => job)] : [];
    const jobs = [...new Set([...taken.map(({ job }) => job), ...told])];
    if (jobs.length === 0) return true;
    await facts.learnSeqs(jobs);
    const handAllBack = async (set: WorkingSet): Promise<void> => {
      await set.read({ jobs, requests: taken.map(({ id }) => id) });
      const back = taken.filter(({ id }) => set.fenceOf(id) === lease.fence);
      for (const { id } of back) handBack(set, lease, id);
      for (const seq of new Set(told)) {
        const job = set.get(seq);
        if (!job || hasEnded(job.status) || !notice) continue;
        addNotice(job, { ...notice, at: set.now });
        set.touch(job);
      }
    };
    await change(this.#parts, handAllBack, { locksLast: !notice });
    return true;
  }

  #onlyJobSql(): string | undefined {
    if (this.#onlyJob === undefined) return undefined;
    return `EXISTS (
      SELECT FROM frontier f JOIN job j ON j.seq = f.job WHERE f.host = o.host AND f.job = ${this.#onlyJob} AND f.fence IS NULL
        AND j.stopped_at IS NULL AND f.not_before BETWEEN 0 AND ${nowSql} AND (j.finished_at IS NOT NULL OR f.priority = ${controlPriority} OR ${roomSql} > 0))`;
  }

  /** The jobs that this process works on, or one of them. Empty if there is no such job. */
  async #rangeOf(job: string | undefined): Promise<[number, number]> {
    const [first, last] = this.#jobRange();
    if (job === undefined) return [first, last];
    const { facts } = this.#parts;
    await facts.learn([job]);
    const seq = facts.of(job)?.seq ?? noJob;
    return [Math.max(first, seq), Math.min(last, seq)];
  }

  #jobRange(): [number, number] {
    return [this.#onlyJob ?? 0, this.#onlyJob ?? lastJob];
  }
}
