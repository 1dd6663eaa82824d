import { hostname } from 'node:os';
import { Client } from 'pg';
import type { Log } from '../../../core/ports/log.ts';
import type { RecoverOptions } from '../../../core/ports/frontier.ts';
import type { RequestKind } from '../../../core/request.ts';
import { deathsAfter, poisonFrom, poisonMessage, sharedDeathsMax } from '../../rules/frontier/deaths.ts';
import { returnToQueue } from '../../rules/frontier/taking.ts';
import { Ledger } from '../../rules/frontier/ledger.ts';
import { Settling } from '../../rules/frontier/settling.ts';
import { change } from '../change/change.ts';
import type { StoreParts } from '../change/parts.ts';
import { type RowStatement, sendEach } from '../../shared/operation.ts';
import { raw, sql } from '../../shared/sql.ts';
import { sendSteps } from '../connection/run-steps.ts';
import { nowSql } from '../connection/schema.ts';
import { clientConfig, prepareSession, type SessionOptions } from '../connection/sessions.ts';
import { giveBackWork } from '../outbox/work-queue.ts';

/** A process that is silent for this long is taken for dead. */
const usualLeaseMs = 30_000;
/** How long the session of a killed process can remain visible. */
const nameWaitMs = 300;
/** Names per machine. */
const namesMax = 1_000;
/** The key of an advisory lock has two numbers: this one, and the hash of the name. */
const nameLock = 834_021;

/**
 * Begins a statement that leases something and has `EXISTS (SELECT FROM me)` in its condition. The statement has no
 * effect once the process with this id was taken for dead: it can have been suspended right before it sent the
 * statement.
 */
export const aliveSql = (id: string): string =>
  `WITH RECURSIVE me AS MATERIALIZED (SELECT id FROM worker WHERE id = ${id} AND NOT dead FOR SHARE)`;

const givenBack: RowStatement = {
  columns: { id: 'bigint', deaths: 'int' },
  statement: (u) => sql`UPDATE frontier f SET fence = NULL, alone = 0, deaths = u.deaths,
      not_before = CASE WHEN u.deaths >= ${raw(String(sharedDeathsMax))} THEN -1 ELSE f.not_before END
    FROM ${u} WHERE f.id = u.id`,
};

interface OutRow {
  readonly id: number;
  readonly job: number;
  readonly fence: number;
  readonly kind: RequestKind;
  readonly url: string;
  readonly deaths: number;
  readonly alone: 0 | 1;
}

export interface WorkersOptions extends SessionOptions {
  /** How long a silent process keeps its leases. Must be the same for all that share a database. @default 30 s */
  readonly leaseMs?: number | undefined;
  readonly log?: Log;
}

/**
 * This process among those that crawl. While it renews every few seconds, its leases are its own. When it stops, others
 * end them in two steps: first nothing more can be taken under them, then what was taken goes back. Between processes
 * only the clock of the database counts. Each process also watches its own deadline on its own clock, and stops a
 * little earlier.
 *
 * The name of a process is its machine's name and a number. An advisory lock holds the name while the session lives. A
 * process that finds a name free, but a worker registered under it, knows without waiting that this worker is dead.
 */
export class Workers {
  readonly #parts: StoreParts;
  readonly #options: WorkersOptions;
  readonly #leaseMs: number;
  readonly #renewEveryMs: number;
  /** A process stops this long before its lease ends by the clock of the database. */
  readonly #marginMs: number;
  readonly #renewTimeoutMs: number;
  /** After an outage of the database, a process gives the others this time to return before it takes them for dead. */
  readonly #settledMs: number;
  #id: number | undefined;
  #hasBrowser = false;
  #openPages: ReadonlyMap<string, number> | undefined;
  /** Id of the previous life until what it held was given back. Kept if that fails, so it never counts as a death. */
  #earlierId: number | undefined;
  #name: string | undefined;
  #delayMs = 0;
  #client: Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** On this process's own clock: when the last successful renewal was sent, and since when all have succeeded. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  #heardSince = Number.POSITIVE_INFINITY;
  #renewing: Promise<void> | undefined;
  #life = new AbortController();
  #closed = false;

  constructor(parts: StoreParts, options: WorkersOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? usualLeaseMs;
    this.#renewEveryMs = this.#leaseMs / 6;
    this.#marginMs = this.#leaseMs / 6;
    this.#renewTimeoutMs = this.#leaseMs / 6;
    this.#settledMs = this.#leaseMs / 3;
  }

  get id(): number | undefined {
    return this.#id;
  }

  /** Pages that this process requests now, by job; undefined if it does not count them. */
  get openPages(): ReadonlyMap<string, number> | undefined {
    return this.#openPages;
  }

  /** True if this process can render pages. */
  get hasBrowser(): boolean {
    return this.#hasBrowser;
  }

  /** True if the leases of this process are certainly its own, so that it can fetch. */
  checkAlive(): boolean {
    if (this.#id === undefined || this.#life.signal.aborted) return false;
    if (performance.now() - this.#renewedAt < this.#leaseMs - this.#marginMs) return true;
    this.#lose('its lease could not be renewed in time');
    return false;
  }

  /** Fires when this process was taken for dead, or could not renew in time. Each life has its own signal. */
  get lost(): AbortSignal {
    return this.#life.signal;
  }

  /**
   * Registers this process as a worker. Gives back what its previous life held, and what dead processes held. Returns
   * how many requests were out when workers with this name died. Call while nothing is in flight here.
   */
  async begin(
    delayMs: number,
    { hasBrowser = false, openPages }: Pick<RecoverOptions, 'hasBrowser' | 'openPages'> = {},
  ): Promise<{ readonly out: number; readonly isAlone: boolean }> {
    this.#delayMs = delayMs;
    this.#hasBrowser = hasBrowser;
    this.#openPages = openPages;
    this.#earlierId = this.#id ?? this.#earlierId;
    this.#id = undefined;
    if (this.#earlierId !== undefined) await this.#bury(this.#earlierId, { isForced: true, isDeath: false });
    this.#earlierId = undefined;
    const client = await this.#session();
    let out = 0;
    // Only workers that renewed since the database started: its restart frees all names, so an older worker can be
    // alive.
    const earlier = await client.query<{ id: number }>(
      `SELECT id FROM worker WHERE name = $1
       AND lease_until - ${this.#leaseMs} > (extract(epoch FROM pg_postmaster_start_time()) * 1000)::bigint`,
      [this.#name],
    );
    for (const { id } of earlier.rows) out += await this.#bury(id, { isForced: true, isDeath: true });
    await this.#buryDead();
    const sentAt = performance.now();
    const { rows } = await client.query<{ id: number; others: number }>(
      `INSERT INTO worker (name, lease_until, has_browser, open_pages) VALUES ($1, ${nowSql} + ${this.#leaseMs}, $2, $3)
       RETURNING id, (SELECT count(*) FROM worker) AS others`,
      [this.#name, hasBrowser, this.#openPagesNow],
    );
    this.#id = rows[0]?.id;
    this.#renewedAt = sentAt;
    this.#heardSince = sentAt;
    this.#life = new AbortController();
    this.#timer ??= setInterval(() => this.#tick(), this.#renewEveryMs / 5).unref();
    return { out, isAlone: rows[0]?.others === 0 };
  }

  /** True if any live process can render pages. */
  async haveBrowser(): Promise<boolean> {
    const [row] = await this.#parts.connections.query<{ have: boolean }>(
      `SELECT EXISTS (SELECT FROM worker WHERE has_browser AND NOT dead AND lease_until > ${nowSql}) AS have`,
    );
    return row?.have ?? false;
  }

  /** Leaves in order: a worker that holds no host is removed, so that nobody waits for its lease to end. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#renewing?.catch(() => {});
    const client = this.#client;
    this.#client = undefined;
    if (!client) return;
    const sql = 'DELETE FROM worker WHERE id = $1 AND NOT EXISTS (SELECT FROM host_slot WHERE owner = $1)';
    if (this.#id !== undefined) await client.query(sql, [this.#id]).catch(() => {});
    // The session lives a little longer than the connection.
    await client.query('SELECT pg_advisory_unlock_all()').catch(() => {});
    await client.end().catch(() => {});
  }

  #tick(): void {
    if (this.#id === undefined || this.#renewing) return;
    if (!this.checkAlive()) return;
    // Without its session the process has no name, so it renews at once.
    if (this.#client && performance.now() - this.#renewedAt < this.#renewEveryMs) return;
    this.#renewing = this.#renew()
      .catch(() => {
        this.#heardSince = Number.POSITIVE_INFINITY;
      })
      .finally(() => {
        this.#renewing = undefined;
      });
  }

  async #renew(): Promise<void> {
    const client = await this.#session();
    const id = this.#id;
    if (id === undefined) return;
    const sentAt = performance.now();
    const { rowCount } = await client.query(
      `UPDATE worker SET lease_until = ${nowSql} + ${this.#leaseMs}, open_pages = $2 WHERE id = $1 AND NOT dead`,
      [id, this.#openPagesNow],
    );
    if (rowCount === 0) {
      this.#lose('another process declared this one dead');
      return;
    }
    this.#renewedAt = sentAt;
    this.#heardSince = Math.min(this.#heardSince, sentAt);
    if (sentAt - this.#heardSince >= this.#settledMs) await this.#buryDead();
  }

  /** At most as many jobs as this process can request pages at a time. */
  get #openPagesNow(): string | null {
    return this.#openPages ? JSON.stringify(Object.fromEntries(this.#openPages)) : null;
  }

  #lose(why: string): void {
    if (this.#life.signal.aborted) return;
    this.#options.log?.warn('this process lost its leases and registers again', { worker: this.#id, why });
    this.#life.abort();
  }

  /** The connection that holds the name and renews the lease. */
  async #session(): Promise<Client> {
    if (this.#client) return this.#client;
    const { url, applicationName } = this.#options;
    const config = clientConfig({ url, applicationName: `${applicationName} lease` });
    const client = new Client({
      ...config,
      query_timeout: this.#renewTimeoutMs,
    });
    const lost = (): void => {
      if (this.#client === client) this.#client = undefined;
    };
    client.on('error', lost);
    client.on('end', lost);
    await client.connect();
    try {
      await prepareSession(client, { idle_in_transaction_session_timeout: 0 });
      await this.#takeName(client);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    if (this.#closed) {
      await client.end();
      throw new Error('client was closed');
    }
    this.#client = client;
    return client;
  }

  /** Takes the previous name if it is free; otherwise the first free one. */
  async #takeName(client: Client): Promise<void> {
    const isFree = async (name: string): Promise<boolean> => {
      const { rows } = await client.query<{ free: boolean }>('SELECT pg_try_advisory_lock($1, hashtext($2)) AS free', [
        nameLock,
        name,
      ]);
      return rows[0]?.free === true;
    };
    if (this.#id !== undefined && this.#name !== undefined && (await isFree(this.#name))) return;
    for (let number = 0; number < namesMax; number++) {
      const name = `${hostname()} ${number}`;
      const until = performance.now() + (number === 0 ? nameWaitMs : 0);
      let free = await isFree(name);
      while (!free && performance.now() < until) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        free = await isFree(name);
      }
      if (!free) continue;
      this.#name = name;
      // Another process has the previous name. When that name is free again, it must not lead to this worker.
      if (this.#id !== undefined) await client.query('UPDATE worker SET name = $2 WHERE id = $1', [this.#id, name]);
      return;
    }
    throw new Error(`more than ${namesMax} processes of this machine crawl with one database`);
  }

  /** Ends what silent processes held. Just after a start of the database, none counts as silent. */
  async #buryDead(): Promise<void> {
    const dead = await this.#parts.connections.query<{ id: number }>(
      `SELECT id FROM worker WHERE (dead OR (lease_until < ${nowSql} AND pg_postmaster_start_time() < now() - interval '${this.#leaseMs} ms'))
       AND id IS DISTINCT FROM $1 ORDER BY id LIMIT 10`,
      [this.#id ?? null],
    );
    for (const { id } of dead) await this.#bury(id, { isForced: false, isDeath: true });
  }

  /** Returns how many requests were out. Repeatable, and safe in several processes at once. */
  async #bury(id: number, options: { readonly isForced: boolean; readonly isDeath: boolean }): Promise<number> {
    const { connections, signals } = this.#parts;
    // From here on nothing can be taken under its leases: a take holds the lock of its slot.
    const isDead = await connections.transaction(async (tx) => {
      const count = await tx.run(
        `UPDATE worker SET dead = true WHERE id = $1 AND (dead OR $2 OR lease_until < ${nowSql})`,
        [id, options.isForced],
      );
      if (count === 0) return false;
      tx.send('SELECT FROM host_slot WHERE owner = $1 ORDER BY host FOR NO KEY UPDATE', [id]);
      tx.send('UPDATE host_slot SET owner = -$1::bigint WHERE owner = $1', [id]);
      return true;
    });
    if (!isDead) return 0;
    const out = await this.#giveBack(id, options.isDeath);
    signals.announce({ jobs: [], haveWork: true, haveEvents: true });
    if (out > 0) this.#options.log?.warn('returned the requests of a dead process', { worker: id, requests: out });
    return out;
  }

  async #giveBack(worker: number, isDeath: boolean): Promise<number> {
    const { facts } = this.#parts;
    const outSql = `
      SELECT f.id, f.job, f.fence, f.deaths, f.alone, l.kind, l.url
      FROM host_slot s JOIN frontier f ON f.fence = s.fence AND f.host = s.host JOIN ledger l ON l.job = f.job AND l.id = f.id
      WHERE s.owner = -$1::bigint`;
    const before = await this.#parts.connections.query<OutRow>(outSql, [worker]);
    await facts.learnSeqs(before.map(({ job }) => job));
    return change(this.#parts, async (set, tx) => {
      const [known] = await tx.query('SELECT FROM worker WHERE id = $1 FOR UPDATE', [worker]);
      // Another process was faster.
      if (!known) return 0;
      await set.read({ jobs: before.map(({ job }) => job), requests: before.map(({ id }) => id) });
      // Leaves out requests settled, postponed or given back meanwhile by a worker that was alive: that work is valid.
      const out = before.filter(({ id, fence }) => set.fenceOf(id) === fence);
      const settling = new Settling(set, set, new Ledger(set, this.#parts.seen));
      const isAlone = out.length === 1;
      const after = out.map(({ id, deaths, alone }) => ({
        id,
        deaths: isDeath ? deathsAfter({ deaths, isSuspect: alone === 1, isAlone }) : deaths,
      }));
      // Sent first, so that requests given up are removed after it.
      sendSteps(tx, sendEach({ ...givenBack, rows: after }));
      for (const [index, { id, job: seq, kind, url }] of out.entries()) {
        const isPoison = (after[index]?.deaths ?? 0) >= poisonFrom;
        returnToQueue(set, set.get(seq), kind, isPoison ? undefined : set.now);
        if (isPoison) settling.giveUp(id, seq, { reason: 'poison', message: poisonMessage(url) }, undefined);
      }
      giveBackWork(tx, worker);
      tx.send('SELECT FROM host_slot WHERE owner = -$1::bigint ORDER BY host FOR NO KEY UPDATE', [worker]);
      tx.send(
        `UPDATE host_slot s SET owner = NULL, next_at = t.at, ready_at = t.at, for_browser = false, plain_at = NULL
         FROM (SELECT o.host, greatest(o.next_at, ${nowSql} + greatest(h.delay_ms, $2)) AS at
               FROM host_slot o JOIN host h ON h.id = o.host WHERE o.owner = -$1::bigint) t
         WHERE s.host = t.host`,
        [worker, this.#delayMs],
      );
      tx.send('DELETE FROM worker WHERE id = $1', [worker]);
      return out.length;
    });
  }
}
