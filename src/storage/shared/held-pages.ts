// Pages that wait until their site was learned, and which process learns it.
import type {
  HeldCounts,
  HeldPage,
  HeldPages,
  HeldProgress,
  HeldState,
  ListedPage,
  NewHeldPage,
} from '../../core/ports/held-pages.ts';
import { all, one, type OperationsOf, run, send, type Steps } from './operation.ts';
import { clock, isIn, raw, type Sql, sql } from './sql.ts';

const seqOf = (jobId: string): Sql => sql`(SELECT seq FROM job WHERE id = ${jobId} AND swept = 0)`;
/** A request that has ended may leave its page behind, if the process died between the two. */
const isOpen = raw('EXISTS (SELECT 1 FROM frontier f WHERE f.id = h.request)');

export const heldPages: OperationsOf<HeldPages> = {
  hold: {
    kind: 'write',
    waits: true,
    *steps(jobId: string, { request, site, url, heldAt, signature, data }: NewHeldPage) {
      const written = yield* run(
        sql`INSERT INTO held_page (request, job, site, url, held_at, state, revision, signature, data)
          SELECT CAST(${request} AS bigint), seq, CAST(${site} AS text), CAST(${url} AS text), CAST(${heldAt} AS bigint), 'new', 0, ${signature}, ${data}
          FROM job WHERE id = ${jobId} AND swept = 0 AND finished_at IS NULL
          ON CONFLICT (request) DO UPDATE SET site = excluded.site, url = excluded.url, held_at = excluded.held_at,
            state = excluded.state, revision = 0, signature = excluded.signature, data = excluded.data`,
      );
      if (written === 0) return undefined;
      return yield* one<HeldCounts>(
        sql`SELECT CAST(coalesce(sum(CASE WHEN site = ${site} THEN 1 ELSE 0 END), 0) AS int) AS "ofSite", CAST(count(*) AS int) AS "ofJob"
          FROM held_page h WHERE job = ${seqOf(jobId)} AND ${isOpen}`,
      );
    },
  },
  read: {
    kind: 'read',
    waits: true,
    steps: (jobId: string, request: number) =>
      one<HeldPage>(
        sql`SELECT held_at AS "heldAt", state, revision, data FROM held_page WHERE request = ${request} AND job = ${seqOf(jobId)}`,
      ),
  },
  list: {
    kind: 'read',
    waits: true,
    steps: (jobId: string, site: string) =>
      all<ListedPage>(
        sql`SELECT request, url, held_at AS "heldAt", state, revision, signature FROM held_page h
          WHERE job = ${seqOf(jobId)} AND site = ${site} AND ${isOpen}`,
      ),
  },
  judge: {
    kind: 'write',
    waits: true,
    steps: (jobId: string, requests: readonly number[], state: HeldState, revision: number) =>
      send(
        sql`UPDATE held_page SET state = ${state}, revision = ${revision}
          WHERE request ${isIn(requests)} AND job = ${seqOf(jobId)} AND state IN ('new', 'waiting', 'read', 'rejected')`,
      ),
  },
  remove: {
    kind: 'write',
    waits: true,
    makesRoom: true,
    steps: (requests: readonly number[]) => send(sql`DELETE FROM held_page WHERE request ${isIn(requests)}`),
  },
  progress: {
    kind: 'read',
    waits: true,
    steps: (jobId: string) =>
      one<HeldProgress>(
        sql`SELECT queued + in_flight + control AS open, scraped, fetches,
            (SELECT CAST(count(*) AS int) FROM held_page h WHERE h.job = job.seq AND h.state <> 'new' AND ${isOpen}) AS held
          FROM job WHERE id = ${jobId} AND finished_at IS NULL`,
      ),
  },
  claim: {
    kind: 'write',
    waits: true,
    *steps(jobId: string, site: string, holder: string, forMs: number) {
      const until = sql`${clock()} + CAST(${forMs} AS bigint)`;
      const written = yield* run(
        sql`INSERT INTO learner (job, site, holder, held_until)
          SELECT seq, CAST(${site} AS text), CAST(${holder} AS text), ${until} FROM job WHERE id = ${jobId} AND swept = 0
          ON CONFLICT (job, site) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
          WHERE learner.holder = excluded.holder OR learner.held_until <= ${clock()}`,
      );
      return written > 0;
    },
  },
};

/** What jobs that have ended left behind. */
export function removeHeldOfEnded(): Steps<void> {
  return send(sql`DELETE FROM held_page WHERE job IN (SELECT seq FROM job WHERE finished_at IS NOT NULL)`);
}
