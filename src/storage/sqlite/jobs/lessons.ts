// What jobs learned from a model, and how often they asked it.
import type { Lessons, ModelCall, StoredLessons } from '../../../core/ports/lessons.ts';
import type { Database, Statement } from '../file/database.ts';

type Listed = Awaited<ReturnType<Lessons['list']>>;

const seqOfJob = 'SELECT seq FROM job WHERE id = ? AND swept = 0';

export function readLessons(db: Database, jobId: string, site: string): StoredLessons | undefined {
  return db
    .prepare<[string, string], StoredLessons>(
      `SELECT revision, data FROM lesson WHERE job = (${seqOfJob}) AND site = ?`,
    )
    .get(jobId, site);
}

export function listLessons(db: Database, jobId: string): Listed {
  return db
    .prepare<[string], Listed[number]>(
      `SELECT site, revision, data FROM lesson WHERE job = (${seqOfJob}) ORDER BY site`,
    )
    .all(jobId);
}

export class LessonWrites {
  readonly #seq: Statement<[string], { readonly seq: number }>;
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
    this.#seq = db.prepare(seqOfJob);
  }

  write(jobId: string, site: string, revision: number, data: Uint8Array): boolean {
    const job = this.#seq.get(jobId)?.seq;
    if (job === undefined) return false;
    const written =
      revision === 0
        ? this.#db
            .prepare('INSERT INTO lesson (job, site, revision, data) VALUES (?, ?, 1, ?) ON CONFLICT DO NOTHING')
            .run(job, site, data)
        : this.#db
            .prepare('UPDATE lesson SET revision = revision + 1, data = ? WHERE job = ? AND site = ? AND revision = ?')
            .run(data, job, site, revision);
    return written.changes > 0;
  }

  countCall({ jobId, org, day, jobMax, dayMax }: ModelCall): boolean {
    const job = this.#seq.get(jobId)?.seq;
    if (job === undefined) return false;
    const callsOf = (sql: string, ...values: (string | number)[]): number =>
      this.#db.prepare<(string | number)[], { readonly calls: number }>(sql).get(...values)?.calls ?? 0;
    if (callsOf('SELECT calls FROM model_calls WHERE job = ?', job) >= jobMax) return false;
    // mutant model-calls-without-limit, promise 16: `>= dayMax` -> `< 0`; sqlite/special-contracts "countCall"
    if (dayMax > 0 && callsOf('SELECT calls FROM model_day WHERE org = ? AND day = ?', org, day) >= dayMax)
      return false;
    this.#db
      .prepare('INSERT INTO model_calls (job, calls) VALUES (?, 1) ON CONFLICT (job) DO UPDATE SET calls = calls + 1')
      .run(job);
    this.#db
      .prepare(
        'INSERT INTO model_day (org, day, calls) VALUES (?, ?, 1) ON CONFLICT (org, day) DO UPDATE SET calls = calls + 1',
      )
      .run(org, day);
    return true;
  }
}
