import type { Database, Statement } from './database.ts';

/** The hosts of the frontier: who may be leased, and from when on. */
export class Hosts {
  readonly #ids = new Map<string, number>();
  #haveWork = false;
  readonly #insert: Statement<[string]>;
  readonly #idOf: Statement<[string], { id: number }>;
  readonly #wake: Statement<[number, number, number]>;
  readonly #due: Statement<[number], HostRow>;
  readonly #byId: Statement<[number], Omit<HostRow, 'delay_ms'>>;
  readonly #lease: Statement<[number]>;
  readonly #held: Statement<[number, number], { last_job: number }>;
  readonly #setLastJob: Statement<[number, number]>;
  readonly #setDelay: Statement<[number, number]>;
  readonly #release: Statement<[number, number, number | null, number]>;

  constructor(db: Database) {
    this.#insert = db.prepare('INSERT INTO host (name) VALUES (?) ON CONFLICT DO NOTHING');
    this.#idOf = db.prepare('SELECT id FROM host WHERE name = ?');
    this.#wake = db.prepare(
      'UPDATE host SET ready_at = max(next_at, ?) WHERE id = ? AND (ready_at IS NULL OR ready_at > max(next_at, ?))',
    );
    this.#due = db.prepare(
      'SELECT id, name, fence, delay_ms FROM host WHERE leased = 0 AND ready_at IS NOT NULL AND ready_at <= ? ORDER BY ready_at LIMIT 1',
    );
    this.#byId = db.prepare('SELECT id, name, fence FROM host WHERE id = ? AND leased = 0');
    this.#lease = db.prepare('UPDATE host SET leased = 1, fence = fence + 1 WHERE id = ?');
    this.#held = db.prepare('SELECT last_job FROM host WHERE id = ? AND fence = ? AND leased = 1');
    this.#setLastJob = db.prepare('UPDATE host SET last_job = ? WHERE id = ?');
    this.#setDelay = db.prepare('UPDATE host SET delay_ms = ? WHERE id = ?');
    this.#release = db.prepare('UPDATE host SET leased = 0, next_at = ?, delay_ms = ?, ready_at = ? WHERE id = ?');
  }

  /** The id of a host name, made on first sight. Names are remembered, since most links of a site lead to itself. */
  idOf(name: string): number {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    this.#insert.run(name);
    const id = this.#idOf.get(name)?.id;
    if (id === undefined) throw new Error(`host ${name} was not stored`);
    if (this.#ids.size >= 10_000) this.#ids.clear();
    this.#ids.set(name, id);
    return id;
  }

  /** A host has work that can be taken from `at` on. */
  wake(id: number, at: number): void {
    if (this.#wake.run(at, id, at).changes > 0) this.#haveWork = true;
  }

  /** Leases the host that has been due longest. */
  leaseDue(now: number): HostRow | undefined {
    const host = this.#due.get(now);
    if (!host) return undefined;
    this.#lease.run(host.id);
    return { ...host, fence: host.fence + 1 };
  }

  /** Leases this host, unless somebody has it. */
  lease(id: number): Omit<HostRow, 'delay_ms'> | undefined {
    const host = this.#byId.get(id);
    if (!host) return undefined;
    this.#lease.run(id);
    return { ...host, fence: host.fence + 1 };
  }

  /** Undefined when the lease is no longer held. */
  held(id: number, fence: number): { readonly last_job: number } | undefined {
    return this.#held.get(id, fence);
  }

  setLastJob(id: number, job: number): void {
    this.#setLastJob.run(job, id);
  }

  setDelay(id: number, delayMs: number): void {
    this.#setDelay.run(delayMs, id);
  }

  release(
    id: number,
    next: { readonly nextAt: number; readonly delayMs: number; readonly readyAt: number | null },
  ): void {
    this.#release.run(next.nextAt, next.delayMs, next.readyAt, id);
    if (next.readyAt !== null) this.#haveWork = true;
  }

  /** Whether a host may have become due since this was asked last. */
  takeHaveWork(): boolean {
    const haveWork = this.#haveWork;
    this.#haveWork = false;
    return haveWork;
  }

  /** What was remembered may not have been committed. */
  forget(): void {
    this.#ids.clear();
    this.#haveWork = false;
  }
}

export interface HostRow {
  readonly id: number;
  readonly name: string;
  readonly fence: number;
  readonly delay_ms: number;
}
