import type { ScheduleSecrets } from '../../../core/schedule.ts';
import { type JobRow, jobRowOf, type StoredJobRow } from '../../rules/jobs/job-row.ts';
import { type ScheduleRow, secretsOf } from '../../rules/schedules/schedule-row.ts';
import type { Database, Statement } from '../file/database.ts';

const excessPerStep = 100;

export class ScheduleReads {
  readonly #get: Statement<[string, string], ScheduleRow>;
  readonly #list: Statement<[string, string, number], ScheduleRow>;
  readonly #secrets: Statement<[string], { headers: string }>;
  readonly #runs: Statement<[string, string, number], StoredJobRow>;
  readonly #kept: Statement<[string, string, number], StoredJobRow>;
  readonly #excess: Statement<[string, string, number], { id: string }>;

  constructor(db: Database) {
    this.#get = db.prepare('SELECT * FROM schedule WHERE id = ? AND org = ?');
    this.#list = db.prepare('SELECT * FROM schedule WHERE org = ? AND id > ? ORDER BY id LIMIT ?');
    this.#secrets = db.prepare('SELECT headers FROM schedule_headers WHERE schedule = ?');
    this.#runs = db.prepare('SELECT * FROM job WHERE schedule = ? AND id > ? ORDER BY id LIMIT ?');
    this.#kept = db.prepare(
      'SELECT * FROM job WHERE schedule = ? AND id > ? AND finished_at IS NOT NULL AND swept = 0 ORDER BY id LIMIT ?',
    );
    this.#excess = db.prepare(`
      SELECT id FROM (SELECT id FROM job WHERE schedule = ? AND finished_at IS NOT NULL AND swept = 0 ORDER BY id
        LIMIT -1 OFFSET coalesce((SELECT keep FROM schedule WHERE id = ?), 1000000)) ORDER BY id DESC LIMIT ?`);
  }

  get(org: string, id: string): ScheduleRow | undefined {
    return this.#get.get(id, org);
  }

  list(
    org: string,
    { after = '', limit }: { readonly after?: string; readonly limit: number },
  ): readonly ScheduleRow[] {
    return this.#list.all(org, after, limit);
  }

  secrets(id: string): ScheduleSecrets {
    return secretsOf(this.#secrets.get(id)?.headers);
  }

  runs(id: string, { after = '', limit }: { readonly after?: string; readonly limit: number }): readonly JobRow[] {
    return this.#runs.all(id, after, limit).map(jobRowOf);
  }

  kept(id: string, { after, limit }: { readonly after: string; readonly limit: number }): readonly JobRow[] {
    return this.#kept.all(id, after, limit).map(jobRowOf);
  }

  excess(id: string): readonly string[] {
    return this.#excess.all(id, id, excessPerStep).map((row) => row.id);
  }
}
