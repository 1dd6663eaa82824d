import type { Connections } from '../connection/connections.ts';
import { RecentMap } from './recent-map.ts';

/** The most recently used hosts are remembered. */
const rememberedMax = 50_000;
const perStatement = 1_000;

interface HostRow {
  readonly id: number;
  readonly name: string;
}

/** Host numbers. Created on first use, outside of any transaction: an unused host only leaves a harmless extra row. */
export class HostIds {
  readonly #connections: Connections;
  readonly #ids = new RecentMap<string, number>(rememberedMax);

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** Await before {@link of}. */
  async learn(names: Iterable<string>): Promise<void> {
    const unknown = [...new Set(names)].filter((name) => this.#ids.get(name) === undefined).toSorted();
    for (let from = 0; from < unknown.length; from += perStatement) {
      await this.#ask(unknown.slice(from, from + perStatement));
    }
  }

  of(name: string): number {
    const id = this.#ids.get(name);
    if (id === undefined) throw new Error(`the number of host ${name} was not found`);
    return id;
  }

  /** One statement in most cases, since the creation of a job on a new host waits for it. */
  async #ask(names: readonly string[]): Promise<void> {
    let rows = await this.#connections.query<HostRow>(
      `WITH known AS (SELECT id, name FROM host WHERE name = ANY($1::text[])),
         made AS (INSERT INTO host (name) SELECT u.name FROM unnest($1::text[]) AS u (name) WHERE u.name NOT IN (SELECT name FROM known)
           ON CONFLICT DO NOTHING RETURNING id, name),
         leases AS (INSERT INTO host_slot (host) SELECT id FROM made)
       SELECT id, name FROM known UNION ALL SELECT id, name FROM made`,
      [names],
    );
    if (rows.length < names.length) {
      // Another transaction has made some of them meanwhile: this statement does not see them.
      rows = await this.#connections.query<HostRow>('SELECT id, name FROM host WHERE name = ANY($1::text[])', [names]);
    }
    for (const { id, name } of rows) this.#ids.set(name, id);
  }
}
