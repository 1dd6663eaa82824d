import type { NewRun, NewSchedule, RunRefusal, ScheduleChange, ScheduleStore } from '../../core/ports/schedules.ts';
import type { Pauser } from '../../core/schedule.ts';
import { idempotencyKeptMs } from '../rules/frontier/new-jobs.ts';
import type { JobRow } from '../rules/jobs/job-row.ts';
import { feedOfRun, runFeed } from '../rules/jobs/run-feed.ts';
import { planNext, runCreated } from '../rules/schedules/runs.ts';
import {
  changeRow,
  newScheduleRow,
  plannedAheadMsMax,
  type ScheduleRow,
  secretsOf,
} from '../rules/schedules/schedule-row.ts';
import { all, jobs, lockOrg, one, type OperationsOf, send, type Steps, timeOf } from './operation.ts';
import {
  addSchedule,
  isPendingRun,
  lockedSchedule,
  oneSchedule,
  planAgain,
  replaceSecrets,
  saveSchedule,
  schedulesWhere,
  ScheduleWork,
} from './schedule-rows.ts';
import { clock, forUpdate, shown, sql } from './sql.ts';

const excessPerStep = 100;
/** Runs that are looked at between a new one and the one with which it is compared. */
const betweenMax = 1_000;
/** More than a schedule keeps. */
const noLimit = 1_000_000_000;

interface After {
  readonly after?: string;
  readonly limit: number;
}

export const schedules: OperationsOf<Omit<ScheduleStore, 'run'>> = {
  create: {
    kind: 'write',
    addsWork: true,
    *steps(schedule: NewSchedule, given?: number) {
      const { schedulesMax, idempotency, secrets, ...fields } = schedule;
      const { org } = fields;
      yield* lockOrg(org);
      // The same request was sent again because its first response was lost.
      const sent = yield* lockedSchedule(schedule.id);
      if (sent) return sent;
      const now = yield* timeOf(given);
      const earlier = idempotency && (yield* earlierOf(org, idempotency.key, now));
      if (earlier) {
        if (earlier.body_hash !== idempotency.bodyHash || earlier.schedule === null) return 'conflict';
        const known = yield* lockedSchedule(earlier.schedule);
        if (known) return known;
      }
      const count = yield* one<{ schedules: number }>(
        sql`SELECT count(*) AS schedules FROM schedule WHERE org = ${org}`,
      );
      if ((count?.schedules ?? 0) >= schedulesMax) return 'too_many';
      const row = newScheduleRow(fields, secrets, now);
      const work = new ScheduleWork();
      yield* replaceSecrets(row.id, secrets);
      planNext(row, work, now);
      yield* work.stored();
      yield* addSchedule(row);
      if (idempotency)
        yield* send(sql`
          INSERT INTO idempotency (org, key, body_hash, schedule, created_at)
          VALUES (${org}, ${idempotency.key}, ${idempotency.bodyHash}, ${row.id}, ${now}) ON CONFLICT (org, key) DO UPDATE
          SET body_hash = excluded.body_hash, job = NULL, schedule = excluded.schedule, created_at = excluded.created_at`);
      return row;
    },
  },
  get: { kind: 'read', steps: scheduleIn },
  list: {
    kind: 'read',
    steps: (org: string, { after = '', limit }: After) =>
      schedulesWhere(sql`org = ${org} AND id > ${after} ORDER BY id LIMIT ${limit}`),
  },
  secrets: {
    kind: 'read',
    *steps(id: string) {
      const row = yield* one<{ headers: string }>(sql`SELECT headers FROM schedule_headers WHERE schedule = ${id}`);
      return secretsOf(row?.headers);
    },
  },
  change: {
    kind: 'write',
    addsWork: true,
    *steps(org: string, id: string, change: ScheduleChange, given?: number) {
      const row = yield* lockedIn(org, id);
      if (!row) return undefined;
      if (row.version !== change.version) return 'outdated';
      if (changeRow(row, change)) yield* planAgain(row, yield* timeOf(given));
      else yield* saveSchedule(row);
      if (change.secrets) yield* replaceSecrets(id, change.secrets);
      return row;
    },
  },
  pauseOf: { kind: 'write', waits: true, steps: pauseOf },
  delete: {
    kind: 'write',
    makesRoom: true,
    *steps(org: string, id: string) {
      if (!(yield* lockedIn(org, id))) return false;
      yield* replaceSecrets(id, undefined);
      yield* send(sql`DELETE FROM work WHERE schedule = ${id}`);
      yield* send(sql`DELETE FROM schedule WHERE id = ${id}`);
      // What its feed kept of swept runs is swept.
      yield* send(
        sql`UPDATE job SET feed = ${runFeed.gone}, emptied = 0
          WHERE schedule = ${id} AND feed <> ${runFeed.gone} AND emptied = 1`,
      );
      return true;
    },
  },
  runs: {
    kind: 'read',
    *steps(org: string, id: string, { after = '', limit }: After) {
      if (!(yield* scheduleIn(org, id))) return undefined;
      return yield* jobs(
        sql`SELECT ${shown} FROM job WHERE schedule = ${id} AND id > ${after} ORDER BY id LIMIT ${limit}`,
      );
    },
  },
  kept: {
    kind: 'read',
    steps: (id: string, { after, limit }: Required<After>) =>
      jobs(
        sql`SELECT ${shown} FROM job WHERE schedule = ${id} AND id > ${after} AND finished_at IS NOT NULL AND swept = 0
          ORDER BY id LIMIT ${limit}`,
      ),
  },
  hasten: {
    kind: 'write',
    addsWork: true,
    *steps(org: string, id: string, given?: number) {
      if (!(yield* lockedIn(org, id))) return false;
      const now = yield* timeOf(given);
      const pending = yield* one<{ id: number; claimed_by: number | null; next_at: number }>(
        sql`SELECT id, claimed_by, next_at FROM work WHERE schedule = ${id} AND ${isPendingRun} ${forUpdate}`,
      );
      if (!pending) {
        const work = new ScheduleWork();
        work.addWork({ schedule: id, kind: 'schedule', key: id, subject: 'run', payload: null, dueAt: now }, now);
        yield* work.stored();
      } else if (pending.claimed_by === null && pending.next_at > now)
        yield* send(sql`UPDATE work SET next_at = ${now} WHERE id = ${pending.id}`);
      return true;
    },
  },
  excess: {
    kind: 'read',
    *steps(id: string) {
      const rows = yield* all<{ id: string }>(sql`
        SELECT id FROM (SELECT id FROM job WHERE schedule = ${id} AND finished_at IS NOT NULL AND swept = 0 ORDER BY id
          LIMIT ${noLimit} OFFSET coalesce((SELECT keep FROM schedule WHERE id = ${id}), 1000000)) x
        ORDER BY id DESC LIMIT ${excessPerStep}`);
      return rows.map((row) => row.id);
    },
  },
};

/** Pauses the schedules that a token wrote. */
export function* pauseOf(token: string, by: Pauser): Steps<void> {
  const found = yield* all<{ id: string }>(
    sql`SELECT id FROM schedule WHERE token = ${token} AND paused_by IS NULL ORDER BY id`,
  );
  for (const { id } of found) {
    const row = yield* lockedSchedule(id);
    if (row?.token !== token || row.pausedBy !== null) continue;
    row.pausedBy = by;
    yield* planAgain(row, yield* timeOf());
  }
}

/** Plans those again that were planned by a clock far ahead. */
export function* planAhead(given?: number): Steps<void> {
  const isAhead = sql`planned_at > ${clock(given)} + ${plannedAheadMsMax} AND paused_by IS NULL`;
  for (const { id } of yield* all<{ id: string }>(
    sql`SELECT id FROM schedule WHERE ${isAhead} ORDER BY id LIMIT 100`,
  )) {
    const row = yield* lockedSchedule(id);
    const now = yield* timeOf(given);
    if (row && row.plannedAt > now + plannedAheadMsMax) yield* planAgain(row, now);
  }
}

/** Before the job of a run is created: the schedule, locked, or why there is no run. */
export function* mayRun({ job, work }: NewRun): Steps<ScheduleRow | RunRefusal> {
  const row = yield* lockedIn(job.org, job.schedule);
  if (!row) return 'unknown';
  if (work !== undefined && !(yield* isPending(work, row.id))) return 'settled';
  const running = yield* one(sql`SELECT 1 AS one FROM job WHERE schedule = ${row.id} AND finished_at IS NULL LIMIT 1`);
  return running ? 'run_in_progress' : row;
}

/** What the feed has of a run that was created. */
export function* feedOf({ id }: ScheduleRow, { seq, since }: Pick<JobRow, 'seq' | 'since'>): Steps<number> {
  const between = yield* all<Pick<JobRow, 'changes' | 'seeded'>>(
    sql`SELECT changes, seeded FROM job WHERE schedule = ${id} AND seq > ${since ?? 0} AND seq < ${seq}
      ORDER BY seq DESC LIMIT ${betweenMax}`,
  );
  return feedOfRun(between);
}

/** After it: settles the work that asked for the run, and stores the next. */
export function* ran(row: ScheduleRow, work: number | undefined, jobId: string, now: number): Steps<void> {
  if (work !== undefined) yield* send(sql`DELETE FROM work WHERE id = ${work}`);
  const next = new ScheduleWork();
  runCreated(row, jobId, next, { now, isDue: work !== undefined });
  yield* next.stored();
  yield* saveSchedule(row);
}

function scheduleIn(org: string, id: string): Steps<ScheduleRow | undefined> {
  return oneSchedule(sql`id = ${id} AND org = ${org}`);
}

function* lockedIn(org: string, id: string): Steps<ScheduleRow | undefined> {
  const row = yield* lockedSchedule(id);
  return row?.org === org ? row : undefined;
}

function* isPending(work: number, schedule: string): Steps<boolean> {
  const found = yield* one(
    sql`SELECT 1 AS one FROM work WHERE id = ${work} AND schedule = ${schedule} AND status = 'pending' ${forUpdate}`,
  );
  return found !== undefined;
}

function earlierOf(
  org: string,
  key: string,
  now: number,
): Steps<{ body_hash: string; schedule: string | null } | undefined> {
  return one(
    sql`SELECT body_hash, schedule FROM idempotency WHERE org = ${org} AND key = ${key} AND created_at > ${now - idempotencyKeptMs}`,
  );
}
