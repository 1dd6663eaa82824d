// What jobs learned from a model, and how often they asked it.
import type { Lessons, ModelCall } from '../../../core/ports/lessons.ts';
import type { Connections } from '../connection/connections.ts';

interface LessonRow {
  readonly site: string;
  readonly revision: number;
  readonly data: Uint8Array;
}

const seqOfJob = 'SELECT seq FROM job WHERE id = $1 AND NOT swept';

export function lessonsOf(connections: Connections): Lessons {
  const rows = async (where: string, values: readonly string[]): Promise<readonly LessonRow[]> => {
    const found = await connections.query<LessonRow>(
      `SELECT site, revision, data FROM lesson WHERE job = (${seqOfJob})${where} ORDER BY site`,
      [...values],
    );
    return found.map(({ site, revision, data }) => ({ site, revision, data: new Uint8Array(data) }));
  };
  return {
    read: async (jobId, site) => (await rows(' AND site = $2', [jobId, site]))[0],
    list: (jobId) => rows('', [jobId]),
    write: async (jobId, site, revision, data) => {
      const sql =
        revision === 0
          ? `INSERT INTO lesson (job, site, revision, data) SELECT seq, $2, $3::int + 1, $4 FROM job WHERE id = $1 AND NOT swept
             ON CONFLICT DO NOTHING RETURNING revision`
          : `UPDATE lesson SET revision = revision + 1, data = $4 WHERE job = (${seqOfJob}) AND site = $2 AND revision = $3
             RETURNING revision`;
      return (await connections.query(sql, [jobId, site, revision, data])).length > 0;
    },
    countCall: (call) => countCall(connections, call),
  };
}

/** Both counts grow, or none. */
async function countCall(connections: Connections, { jobId, org, day, jobMax, dayMax }: ModelCall): Promise<boolean> {
  if (jobMax <= 0) return false;
  return connections.transaction(async (tx) => {
    const [ofOrg] = await tx.query<{ calls: number }>(
      `INSERT INTO model_day (org, day, calls) VALUES ($1, $2, 1)
       ON CONFLICT (org, day) DO UPDATE SET calls = model_day.calls + 1 WHERE $3::int = 0 OR model_day.calls < $3::int
       RETURNING calls`,
      [org, day, dayMax],
    );
    if (!ofOrg) return false;
    const [ofJob] = await tx.query<{ calls: number }>(
      `INSERT INTO model_calls (job, calls) SELECT seq, 1 FROM job WHERE id = $1 AND NOT swept
       ON CONFLICT (job) DO UPDATE SET calls = model_calls.calls + 1 WHERE model_calls.calls < $2::int
       RETURNING calls`,
      [jobId, jobMax],
    );
    if (ofJob) return true;
    await tx.query('UPDATE model_day SET calls = calls - 1 WHERE org = $1 AND day = $2', [org, day]);
    return false;
  });
}
