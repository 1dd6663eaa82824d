import type {
  Frontier,
  HostLease,
  Leased,
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
import { aloneFrom, carefulMs, takenWithCare } from '../../rules/frontier/deaths.ts';
import { addNotice, roomOf } from '../../rules/jobs/job-row.ts';
import { Ledger } from '../../rules/frontier/ledger.ts';
import { Settling } from '../../rules/frontier/settling.ts';
import { requestsOfUse, turnMs } from '../../../core/turn.ts';
import { change } from '../change/change.ts';
import type { Transaction } from '../connection/connections.ts';
import { HostLeases, type HostLeasesParts, type LeasedRow, type LeaseWish } from './host-leases.ts';
import {
  countSuspects,
  ForBrowser,
  type JobRange,
  type Pending,
  pendingOn,
  type SuspectRow,
  suspects,
} from '../../shared/frontier-rows.ts';
import { runSteps } from '../connection/run-steps.ts';
import type { RetryWhileAway } from '../connection/retry-while-away.ts';
import { DueReader, type DueWork, type Wanted } from './due-work.ts';
import { roomSql } from '../change/ready-sql.ts';
import { nowSql } from '../connection/schema.ts';
import { handBack, LaneWrites } from './lane-writes.ts';
import { workTopic } from '../../rules/frontier/changes.ts';
import { mark, stillDue, takeRequests } from './take-requests.ts';
import { aliveSql } from './workers.ts';
import type { WorkingSet } from '../change/working-set.ts';

interface TakenWithLease {
  readonly requests: readonly Request[];
  readonly lastJob: number | undefined;
  readonly mayHaveMore: boolean;
}

/** No job has this number: rows are numbered from 1. */
const noJob = 0;
const lanesMax = 1_000_000;

/** While the database is away, each method waits. */
export function frontierOf(
  parts: HostLeasesParts,
  away: RetryWhileAway,
): Omit<Frontier, 'crawlJob' | 'knownUrl' | 'noteNetworks' | 'endedJobs'> {
  const frontier = new PostgresFrontier(parts);
  return {
    isShared: true,
    mayKeepHosts: () => frontier.mayKeepHosts(),
    recover: (...args) => away.wait(() => frontier.recover(...args)),
    leaseHosts: (...args) => away.wait(() => frontier.leaseHosts(...args)),
    leaseUrgentHosts: (...args) => away.wait(() => frontier.leaseUrgentHosts(...args)),
    take: (...args) => away.wait(() => frontier.take(...args)),
    takeSuspect: (...args) => away.wait(() => frontier.takeSuspect(...args)),
    settle: (...args) => away.wait(() => frontier.settle(...args)),
    release: (...args) => away.wait(() => frontier.release(...args)),
    giveUp: (...args) => away.wait(() => frontier.giveUp(...args)),
    giveUpForBrowser: (...args) => away.wait(() => frontier.giveUpForBrowser(...args)),
    noteDelay: (...args) => away.wait(() => frontier.noteDelay(...args)),
    waitForWork: (maxMs, signal) => parts.signals.wait(workTopic, maxMs, signal),
  };
}

class PostgresFrontier {
  readonly #parts: HostLeasesParts;
  readonly #writes: LaneWrites;
  #onlyJob: number | undefined;
  readonly #forBrowser = new ForBrowser();
  /** On this process's own clock. */
  #carefulUntil = 0;
  readonly #leases: HostLeases;
  readonly #due: DueReader;
  readonly #dueOfLeases = new WeakMap<readonly LeasedRow[], Promise<readonly DueWork[]>>();

  constructor(parts: HostLeasesParts) {
    this.#parts = parts;
    this.#due = new DueReader({ connections: parts.connections, range: () => this.#range() });
    this.#leases = new HostLeases(parts, (lease) => this.#takeBack(lease, undefined));
    this.#writes = new LaneWrites(parts, () => this.#leases.checkWorker());
  }

  mayKeepHosts(): boolean {
    return this.#leases.mayKeep;
  }

  async recover({ delayMs, onlyJob, ...own }: RecoverOptions): ReturnType<Frontier['recover']> {
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
  }

  leaseHosts({ most = 1, takes = false, lanesPerOrg = lanesMax, isScarce = true }: LeaseOptions = {}): Promise<
    readonly Leased[]
  > {
    const wish = { most, isUrgentOnly: false, lanesPerOrg, isScarce, chance: Math.random() };
    return this.#lease(wish, takes);
  }

  async leaseUrgentHosts(most: number): Promise<readonly Leased[] | 'later' | 'none'> {
    const wish = { most, isUrgentOnly: true, lanesPerOrg: lanesMax, isScarce: true, chance: 0 };
    // With only one job, none of its hosts comes before another.
    const leased = this.#onlyJob === undefined ? await this.#lease(wish, true) : [];
    return leased.length > 0 ? leased : (await this.#leases.isAnyDue()) ? 'later' : 'none';
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

  async take(lease: HostLease, max: number, patience?: Patience): Promise<readonly Request[]> {
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
  }

  async takeSuspect(aloneDeaths: number): Promise<Suspect | 'later' | 'none'> {
    const { connections } = this.#parts;
    await this.#leases.dropOrphans();
    const found = await runSteps(connections, suspects(this.#range(), aloneDeaths));
    for (const suspect of found) {
      const taken = await this.#takeOne(suspect);
      if (taken) return taken;
    }
    return (await this.#countSuspects()) > 0 ? 'later' : 'none';
  }

  async settle(
    lease: HostLease,
    settlements: readonly Settlement[],
    release?: ReleaseOptions,
    patience?: Patience,
  ): Promise<void> {
    const together = release && this.#leases.holds(lease) ? release : undefined;
    const isFree = await this.#settle(lease, settlements, together, patience);
    if (!isFree && release) await this.release(lease, release);
  }

  async release(lease: HostLease, options: ReleaseOptions = {}): Promise<void> {
    const mayFree = options.notice === undefined && this.#leases.holds(lease);
    if (mayFree && (await this.#settle(lease, [], options))) return;
    if (await this.#takeBack(lease, options.notice)) await this.#leases.free(lease, options);
    // The host was taken over, or released by an earlier try whose response was lost.
    else this.#leases.forgetLease(lease);
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

  async giveUp(lease: HostLease, error: CrawlError, notice: Notice, onlyJob?: string): Promise<boolean> {
    // First hand back what was taken, so that it counts as queued.
    if (!(await this.#takeBack(lease, undefined))) return false;
    const pending = pendingOn(lease.hostId, await this.#rangeOf(onlyJob));
    const { requests, mayHaveMore } = await runSteps(this.#parts.connections, pending);
    await this.#giveUp(requests, error, notice);
    return mayHaveMore;
  }

  async giveUpForBrowser(error: CrawlError): Promise<boolean> {
    if (this.#parts.workers.hasBrowser) return false;
    const found = await runSteps(this.#parts.connections, this.#forBrowser.next(this.#range()));
    if (!found) return false;
    await this.#giveUp(found.requests, error, undefined);
    this.#forBrowser.pass(found);
    return true;
  }

  /** Requests that another process has taken stay with that process. */
  async #giveUp(requests: readonly Pending[], error: CrawlError, notice: Notice | undefined): Promise<void> {
    const { facts, seen } = this.#parts;
    const jobs = requests.map(({ job }) => job);
    await facts.learnSeqs(jobs);
    await change(this.#parts, async (set) => {
      await set.read({ jobs, requests: requests.map(({ id }) => id) });
      const settling = new Settling(set, set, new Ledger(set, seen));
      for (const { id, job } of requests) if (set.fenceOf(id) === null) settling.giveUp(id, job, error, notice);
    });
  }

  async noteDelay(host: string, delayMs: number): Promise<void> {
    const { hosts, connections } = this.#parts;
    await hosts.learn([host]);
    await connections.query('UPDATE host SET delay_ms = $2 WHERE id = $1', [hosts.of(host), Math.ceil(delayMs)]);
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

  #countSuspects(): Promise<number> {
    return runSteps(this.#parts.connections, countSuspects(this.#range()));
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
  async #rangeOf(job: string | undefined): Promise<JobRange> {
    const range = this.#range();
    if (job === undefined) return range;
    const { facts } = this.#parts;
    await facts.learn([job]);
    const seq = facts.of(job)?.seq ?? noJob;
    return { ...range, first: Math.max(range.first, seq), last: Math.min(range.last, seq) };
  }

  #range(): JobRange {
    const { hasBrowser } = this.#parts.workers;
    return { first: this.#onlyJob ?? 0, last: this.#onlyJob ?? Number.MAX_SAFE_INTEGER, hasBrowser };
  }
}
