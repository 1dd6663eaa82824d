import type { WorkKind, WorkListQuery, WorkQueue } from '../../core/ports/work.ts';
import { entryOf, type WorkRow } from '../rules/outbox/work.ts';
import { all, one, type OperationsOf } from './operation.ts';
import { clock, raw, sql } from './sql.ts';

export const work: OperationsOf<Pick<WorkQueue, 'list' | 'repeat'>> = {
  list: {
    kind: 'read',
    *steps(kind: WorkKind, owner: string, { after, status, limit }: WorkListQuery) {
      const rows = yield* all<WorkRow>(sql`
        SELECT * FROM work WHERE kind = ${kind} AND ${isOf(owner)} AND id > ${after}
          AND ${status === undefined ? raw('TRUE') : sql`status = ${status}`} ORDER BY id LIMIT ${limit}`);
      return rows.map(entryOf);
    },
  },
  repeat: {
    kind: 'write',
    addsWork: true,
    *steps(kind: WorkKind, owner: string, id: number) {
      const row = yield* one<WorkRow>(sql`
        UPDATE work SET status = 'pending', attempts = 0, next_at = ${clock()}, settled_at = NULL
        WHERE id = ${id} AND kind = ${kind} AND ${isOf(owner)} RETURNING *`);
      return row && entryOf(row);
    },
  },
};

/** A job or a schedule. */
function isOf(owner: string): ReturnType<typeof sql> {
  return sql`(job = (SELECT seq FROM job WHERE id = ${owner}) OR schedule = ${owner})`;
}
