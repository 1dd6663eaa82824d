import type { Connections } from '../connection/connections.ts';
import { RecentMap } from './recent-map.ts';

/** The most recently used hosts are remembered. */
const rememberedMax = 50_000;
const perStatement = 1_000;

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

  async #ask(names: readonly string[]): Promise<void> {
    const find = (): Promise<{ id: number; name: string }[]> =>
      this.#connections.query('SELECT id, name FROM host WHERE name = ANY($1::text[])', [names]);
    let rows = await find();
    if (rows.length < names.length) {
      await this.#connections.query(
        `WITH made AS (INSERT INTO host (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING RETURNING id)
         INSERT INTO host_slot (host, slot) SELECT id, 0 FROM made`,
        [names],
      );
      rows = await find();
    }
    for (const { id, name } of rows) this.#ids.set(name, id);
  }
}
