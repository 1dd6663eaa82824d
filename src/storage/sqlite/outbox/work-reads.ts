import type { WorkEntry, WorkKind, WorkListQuery } from '../../../core/ports/work.ts';
import { entryOf, type WorkRow } from '../../rules/outbox/work.ts';
import type { Database, Statement } from '../file/database.ts';

/** Reads of durable work. */
export class WorkReads {
  readonly #list: Statement<[WorkKind, string, string, number, string | null, string | null, number], WorkRow>;

  constructor(db: Database) {
    this.#list = db.prepare(`
      SELECT w.* FROM work w
      WHERE w.kind = ? AND (w.job = (SELECT seq FROM job WHERE id = ?) OR w.schedule = ?) AND w.id > ? AND (? IS NULL OR w.status = ?)
      ORDER BY w.id LIMIT ?`);
  }

  list(kind: WorkKind, owner: string, query: WorkListQuery): readonly WorkEntry[] {
    const status = query.status ?? null;
    return this.#list.all(kind, owner, owner, query.after, status, status, query.limit).map(entryOf);
  }
}
