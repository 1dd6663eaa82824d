// What jobs learned from a model, and how often they asked it.
import type { JobSpec } from '../../core/job.ts';
import type { Lessons, ModelCall, StoredLessons } from '../../core/ports/lessons.ts';
import { all, one, type OperationsOf, run, send } from './operation.ts';
import { sql } from './sql.ts';

const jobsMax = 20;

type Listed = Awaited<ReturnType<Lessons['list']>>;

export const lessons: OperationsOf<Lessons> = {
  read: {
    kind: 'read',
    waits: true,
    steps: (jobId: string, site: string) =>
      one<StoredLessons>(
        sql`SELECT revision, data FROM lesson WHERE job = (SELECT seq FROM job WHERE id = ${jobId} AND swept = 0) AND site = ${site}`,
      ),
  },
  knowing: {
    kind: 'read',
    waits: true,
    *steps(org: string, site: string) {
      const rows = yield* all<{ id: string; spec: string }>(
        sql`SELECT j.id, j.spec FROM lesson l JOIN job j ON j.seq = l.job
          WHERE l.site = ${site} AND j.org = ${org} AND j.finished_at IS NOT NULL AND j.swept = 0
          ORDER BY j.seq DESC LIMIT ${jobsMax}`,
      );
      return rows.flatMap(({ id, spec }) => {
        const { extract } = JSON.parse(spec) as Pick<JobSpec, 'extract'>;
        return extract ? [{ id, extract }] : [];
      });
    },
  },
  list: {
    kind: 'read',
    steps: (jobId: string) =>
      all<Listed[number]>(
        sql`SELECT site, revision, data FROM lesson WHERE job = (SELECT seq FROM job WHERE id = ${jobId} AND swept = 0) ORDER BY site`,
      ),
  },
  write: {
    kind: 'write',
    waits: true,
    *steps(jobId: string, site: string, revision: number, data: Uint8Array) {
      const written = yield* run(
        revision === 0
          ? sql`INSERT INTO lesson (job, site, revision, data)
              SELECT seq, CAST(${site} AS text), 1, ${data} FROM job WHERE id = ${jobId} AND swept = 0 ON CONFLICT DO NOTHING`
          : sql`UPDATE lesson SET revision = revision + 1, data = ${data}
              WHERE job = (SELECT seq FROM job WHERE id = ${jobId} AND swept = 0) AND site = ${site} AND revision = ${revision}`,
      );
      return written > 0;
    },
  },
  countCall: {
    kind: 'write',
    waits: true,
    // Both counts grow, or none.
    *steps({ jobId, org, day, jobMax, dayMax }: ModelCall) {
      if (jobMax <= 0) return false;
      const limit = sql`${dayMax} = 0 OR model_day.calls < ${dayMax}`;
      const ofOrg = yield* run(
        sql`INSERT INTO model_day (org, day, calls) VALUES (${org}, ${day}, 1)
          ON CONFLICT (org, day) DO UPDATE SET calls = model_day.calls + 1 WHERE ${limit}`,
      );
      if (ofOrg === 0) return false;
      const ofJob = yield* run(
        sql`INSERT INTO model_calls (job, calls) SELECT seq, 1 FROM job WHERE id = ${jobId} AND swept = 0
          ON CONFLICT (job) DO UPDATE SET calls = model_calls.calls + 1 WHERE model_calls.calls < ${jobMax}`,
      );
      if (ofJob === 0) yield* send(sql`UPDATE model_day SET calls = calls - 1 WHERE org = ${org} AND day = ${day}`);
      return ofJob > 0;
    },
  },
};
