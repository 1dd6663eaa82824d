// An index finds the row of a job, and the row says how many pages there are. A flipped bit in either could hide a job
// or its pages, or show those of another job. So some columns are stored twice (`jobFacts`), and every read compares
// both copies. That takes 2 us.
import path from 'node:path';
import type { Database, Statement } from '../file/database.ts';
import { damaged } from '../file/faults.ts';
import { jobFacts } from '../file/schema.ts';

/** SQL condition on a row of `job`. */
export const isJobWhole = `facts IS ${jobFacts}`;

/** The comparison of {@link WholeJobs}, next to the columns of a row. */
export interface Compared {
  readonly is_whole: 0 | 1;
}

/** Reads rows of `job` by id. Throws a damage error if a row is not what was stored, or an index does not list it. */
export class WholeJobs<Row> {
  readonly #dir: string;
  readonly #byId: Statement<[string], Row & Compared>;
  readonly #byOrg: Statement<[string, string], { readonly seq: number }>;

  constructor(db: Database, columns: string) {
    this.#dir = path.dirname(db.file);
    this.#byId = db.prepare(`SELECT ${columns}, ${isJobWhole} AS is_whole FROM job WHERE id = ?`);
    this.#byOrg = db.prepare('SELECT seq FROM job INDEXED BY job_by_org WHERE org = ? AND id = ?');
  }

  get(id: string): Row | undefined {
    const row = this.#byId.get(id);
    return row && this.checked(row, id);
  }

  /** Reads a job of an org. If the index by id does not list it, checks that the index by org does not either. */
  getOf(org: string, id: string): Row | undefined {
    const row = this.get(id);
    if (!row && this.#byOrg.get(org, id)) throw damaged(this.#dir, `an index does not list job ${id}`);
    return row;
  }

  checked(row: Row & Compared, id: string): Row {
    if (row.is_whole !== 1) throw damaged(this.#dir, `the row of job ${id} differs from what was stored`);
    return row;
  }
}
