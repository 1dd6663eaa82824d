import type { Log } from '../../../core/ports/log.ts';
import { monotonicNow } from '../../../core/process/monotonic-time.ts';
import type { Connections } from './connections.ts';

const checkEveryMs = 1_000;
/** After a failure, such as a table too large for the time limit of a statement: by then autovacuum has done it. */
const retryMs = 60_000;

/**
 * Tables with far more rows than the planner assumes. Below a thousand, even a plan that reads all of them is fast. The
 * count of rows is that of the server, which sessions update about once a second.
 */
const behindSql = `
  SELECT quote_ident(s.relname) AS name, pg_has_role(c.relowner, 'USAGE') AS is_owner
  FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
  WHERE s.schemaname = current_schema() AND s.n_live_tup > 1000 + 2 * greatest(c.reltuples, 0)`;

interface Behind {
  readonly name: string;
  readonly is_owner: boolean;
}

/**
 * Keeps the planner's statistics near the truth while tables grow. Each session plans a statement once, and keeps the
 * plan until the statistics change. A plan of an empty table can read all of it, and autovacuum takes a minute or more
 * to notice a hundred thousand new rows. ANALYZE also makes the sessions of all processes plan again.
 */
export class Statistics {
  readonly #connections: Connections;
  readonly #log: Log | undefined;
  #nextAt = 0;
  #isWarned = false;
  #updating: Promise<void> | undefined;

  constructor(connections: Connections, log?: Log) {
    this.#connections = connections;
    this.#log = log;
  }

  /** Call after rows were added. Does its work in the background. */
  noteGrowth(): void {
    const now = monotonicNow();
    if (this.#updating || now < this.#nextAt) return;
    this.#nextAt = now + checkEveryMs;
    this.#updating = this.#update()
      .catch((error: unknown) => {
        this.#nextAt = monotonicNow() + retryMs;
        this.#log?.debug('the statistics of the database were not updated', { error: String(error) });
      })
      .finally(() => {
        this.#updating = undefined;
      });
  }

  async #update(): Promise<void> {
    for (const { name, is_owner: isOwner } of await this.#connections.query<Behind>(behindSql)) {
      // Another process can be doing the same.
      if (isOwner) await this.#connections.run(`ANALYZE (SKIP_LOCKED) ${name}`);
      else this.#warn();
    }
  }

  #warn(): void {
    if (this.#isWarned) return;
    this.#isWarned = true;
    this.#log?.warn(
      'this role does not own the tables, so it cannot update their statistics: statements can be slow until autovacuum does it. Grant the role of their owner',
    );
  }
}
