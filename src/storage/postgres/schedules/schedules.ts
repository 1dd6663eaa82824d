import { failPoint } from '../../../core/process/fail-point.ts';
import type { Job } from '../../../core/job.ts';
import type { NewRun, NewSchedule, RunRefusal, ScheduleChange, ScheduleStore } from '../../../core/ports/schedules.ts';
import type { Pauser, Schedule, ScheduleSecrets } from '../../../core/schedule.ts';
import { idempotencyKeptMs } from '../../rules/frontier/new-jobs.ts';
import { planNext, runCreated } from '../../rules/schedules/runs.ts';
import {
  changeRow,
  newScheduleRow,
  plannedAheadMsMax,
  type ScheduleRow,
  scheduleOf,
  secretsOf,
} from '../../rules/schedules/schedule-row.ts';
import type { StoreParts } from '../change/parts.ts';
import type { Transaction } from '../connection/connections.ts';
import { givenNow } from '../connection/schema.ts';
import type { JobWrites } from '../jobs/jobs.ts';
import { type OpenPages, type ShownRow, shownSql } from '../jobs/open-pages.ts';
import { runSteps } from '../connection/run-steps.ts';
import { revokeToken } from '../../shared/tokens.ts';
import { ScheduleRows } from './schedule-rows.ts';

const excessPerStep = 100;
/** First number of advisory locks; the second is a hash of the org. */
const orgLock = 834_023;

export class PostgresSchedules implements ScheduleStore {
  readonly #parts: StoreParts;
  readonly #jobs: JobWrites;
  readonly #open: OpenPages;

  constructor(parts: StoreParts, jobs: JobWrites, open: OpenPages) {
    this.#parts = parts;
    this.#jobs = jobs;
    this.#open = open;
  }

  create(schedule: NewSchedule, given?: number): Promise<Schedule | 'conflict' | 'too_many'> {
    const { org, idempotency, schedulesMax } = schedule;
    return this.#parts.connections.transaction(async (tx) => {
      const rows = new ScheduleRows(tx);
      await tx.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [orgLock, org]);
      const { row: sent, now: clock } = await rows.lock(schedule.id);
      // The same request was sent again because its first response was lost.
      if (sent) return scheduleOf(sent);
      const now = given ?? clock;
      const earlier = idempotency && (await earlierOf(tx, org, idempotency.key, now));
      if (earlier) {
        if (earlier.body_hash !== idempotency.bodyHash || earlier.schedule === null) return 'conflict';
        const { row } = await rows.lock(earlier.schedule);
        if (row) return scheduleOf(row);
      }
      const [count] = await tx.query<{ schedules: number }>(
        'SELECT count(*)::int AS schedules FROM schedule WHERE org = $1',
        [org],
      );
      if ((count?.schedules ?? 0) >= schedulesMax) return 'too_many';
      const row = newScheduleRow(schedule, now);
      rows.replaceSecrets(row.id, schedule.secrets);
      planNext(row, rows, now);
      rows.add(row);
      if (idempotency)
        tx.send(
          `INSERT INTO idempotency (org, key, body_hash, schedule, created_at) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (org, key) DO UPDATE SET body_hash = excluded.body_hash, job = NULL, schedule = excluded.schedule, created_at = excluded.created_at`,
          [org, idempotency.key, idempotency.bodyHash, row.id, now],
        );
      return scheduleOf(row);
    });
  }

  async get(org: string, id: string): Promise<Schedule | undefined> {
    const [row] = await this.#parts.connections.query<ScheduleRow>(
      'SELECT * FROM schedule WHERE id = $1 AND org = $2',
      [id, org],
    );
    return row && scheduleOf(row);
  }

  async list(
    org: string,
    { after = '', limit }: { readonly after?: string; readonly limit: number },
  ): Promise<readonly Schedule[]> {
    const rows = await this.#parts.connections.query<ScheduleRow>(
      'SELECT * FROM schedule WHERE org = $1 AND id > $2 ORDER BY id LIMIT $3',
      [org, after, limit],
    );
    return rows.map(scheduleOf);
  }

  async secrets(id: string): Promise<ScheduleSecrets> {
    const [row] = await this.#parts.connections.query<{ headers: string }>(
      'SELECT headers FROM schedule_headers WHERE schedule = $1',
      [id],
    );
    return secretsOf(row?.headers);
  }

  change(org: string, id: string, change: ScheduleChange, given?: number): Promise<Schedule | 'outdated' | undefined> {
    return this.#locked(org, id, undefined, given, (row, rows, now) => {
      if (row.version !== change.version) return 'outdated' as const;
      if (changeRow(row, change)) planAgain(row, rows, now);
      if (change.secrets) rows.replaceSecrets(id, change.secrets);
      rows.save(row);
      return scheduleOf(row);
    });
  }

  async pauseOf(token: string, by: Pauser): Promise<void> {
    const { connections } = this.#parts;
    await connections.transaction((tx) => pauseOf(tx, token, by));
  }

  /** See `TokenStore.revoke`. */
  revokeToken(id: string, now: number, org?: string): Promise<boolean> {
    return this.#parts.connections.transaction(async (tx) => {
      const isRevoked = await runSteps(tx, revokeToken(id, now, org));
      if (isRevoked) await pauseOf(tx, id, 'token_revoked');
      return isRevoked;
    });
  }

  /** Plans those again that were planned by a clock far ahead. */
  async planAhead(given?: number): Promise<void> {
    const { connections } = this.#parts;
    const ahead = await connections.query<{ id: string; org: string }>(
      `SELECT id, org FROM schedule WHERE planned_at > ${givenNow('$1')} + $2 AND paused_by IS NULL LIMIT 100`,
      [given ?? null, plannedAheadMsMax],
    );
    for (const { id, org } of ahead)
      await this.#locked(org, id, undefined, given, (row, rows, now) => {
        if (row.planned_at <= now + plannedAheadMsMax) return;
        planAgain(row, rows, now);
        rows.save(row);
      });
  }

  delete(org: string, id: string): Promise<boolean> {
    return this.#locked(org, id, false, undefined, (row, rows, _, tx) => {
      rows.replaceSecrets(row.id, undefined);
      tx.send('DELETE FROM work WHERE schedule = $1', [row.id]);
      tx.send('DELETE FROM schedule WHERE id = $1', [row.id]);
      return true;
    });
  }

  async runs(
    org: string,
    id: string,
    { after = '', limit }: { readonly after?: string; readonly limit: number },
  ): Promise<readonly Job[] | undefined> {
    if (!(await this.get(org, id))) return undefined;
    const rows = await this.#parts.connections.query<ShownRow>(
      `SELECT ${shownSql('$4')} FROM job WHERE schedule = $1 AND id > $2 ORDER BY id LIMIT $3`,
      [id, after, limit, this.#open.own],
    );
    return rows.map((row) => this.#open.jobOf(row));
  }

  async kept(
    id: string,
    { after, limit }: { readonly after: string; readonly limit: number },
  ): Promise<readonly Job[]> {
    const rows = await this.#parts.connections.query<ShownRow>(
      `SELECT ${shownSql('$4')} FROM job
       WHERE schedule = $1 AND id > $2 AND finished_at IS NOT NULL AND NOT swept ORDER BY id LIMIT $3`,
      [id, after, limit, this.#open.own],
    );
    return rows.map((row) => this.#open.jobOf(row));
  }

  async run({ job, work }: NewRun, given?: number): Promise<Job | RunRefusal> {
    let locked: ScheduleRow | undefined;
    const made = await this.#jobs.createWith<RunRefusal>(job, {
      before: async (tx) => {
        const { row } = await new ScheduleRows(tx).lock(job.schedule);
        locked = row;
        if (row?.org !== job.org) return 'unknown';
        if (work !== undefined && !(await isPending(tx, work, row.id))) return 'settled';
        const running = await tx.query('SELECT 1 FROM job WHERE schedule = $1 AND finished_at IS NULL LIMIT 1', [
          row.id,
        ]);
        return running.length > 0 ? 'run_in_progress' : undefined;
      },
      after: (tx, id, clock) => {
        if (!locked) throw new Error(`schedule ${job.schedule} is not locked`);
        failPoint('run.writing');
        const rows = new ScheduleRows(tx);
        if (work !== undefined) tx.send('DELETE FROM work WHERE id = $1', [work]);
        runCreated(locked, id, rows, { now: given ?? clock, isDue: work !== undefined });
        rows.save(locked);
      },
    });
    if (made === 'conflict' || made === 'too_many')
      throw new Error(`a run of schedule ${job.schedule} was refused: ${made}`);
    return made;
  }

  async hasten(org: string, id: string, given?: number): Promise<boolean> {
    const isKnown = await this.#locked(org, id, false, given, async (row, rows, now, tx) => {
      const [pending] = await tx.query<{ id: number; claimed_by: number | null; next_at: number }>(
        "SELECT id, claimed_by, next_at FROM work WHERE schedule = $1 AND kind = 'schedule' AND subject = 'run' AND status = 'pending' FOR UPDATE",
        [row.id],
      );
      if (!pending)
        rows.addWork({ schedule: id, kind: 'schedule', key: id, subject: 'run', payload: null, dueAt: now }, now);
      else if (pending.claimed_by === null && pending.next_at > now)
        tx.send('UPDATE work SET next_at = $2 WHERE id = $1', [pending.id, now]);
      return true;
    });
    if (isKnown) this.#parts.signals.announce({ jobs: [], haveWork: false, haveEvents: true });
    return isKnown;
  }

  async excess(id: string): Promise<readonly string[]> {
    const rows = await this.#parts.connections.query<{ id: string }>(
      `SELECT id FROM (SELECT id FROM job WHERE schedule = $1 AND finished_at IS NOT NULL AND NOT swept ORDER BY id
         OFFSET coalesce((SELECT keep FROM schedule WHERE id = $1), 1000000)) x ORDER BY id DESC LIMIT $2`,
      [id, excessPerStep],
    );
    return rows.map((row) => row.id);
  }

  /** Runs under the lock of a schedule of this org. */
  #locked<Result, None>(
    org: string,
    id: string,
    none: None,
    given: number | undefined,
    run: (row: ScheduleRow, rows: ScheduleRows, now: number, tx: Transaction) => Result | Promise<Result>,
  ): Promise<Result | None> {
    return this.#parts.connections.transaction(async (tx): Promise<Result | None> => {
      const rows = new ScheduleRows(tx);
      const { row, now } = await rows.lock(id);
      return row?.org === org ? run(row, rows, given ?? now, tx) : none;
    });
  }
}

/** Pauses the schedules that a token wrote. */
async function pauseOf(tx: Transaction, token: string, by: Pauser): Promise<void> {
  const found = await tx.query<{ id: string }>(
    'SELECT id FROM schedule WHERE token = $1 AND paused_by IS NULL ORDER BY id',
    [token],
  );
  const rows = new ScheduleRows(tx);
  for (const { id } of found) {
    const { row, now } = await rows.lock(id);
    if (row?.token !== token || row.paused_by !== null) continue;
    row.paused_by = by;
    planAgain(row, rows, now);
    rows.save(row);
  }
}

function planAgain(row: ScheduleRow, rows: ScheduleRows, now: number): void {
  rows.dropRuns(row.id);
  planNext(row, rows, now);
}

async function isPending(tx: Transaction, work: number, schedule: string): Promise<boolean> {
  const found = await tx.query("SELECT 1 FROM work WHERE id = $1 AND schedule = $2 AND status = 'pending' FOR UPDATE", [
    work,
    schedule,
  ]);
  return found.length > 0;
}

async function earlierOf(
  tx: Transaction,
  org: string,
  key: string,
  now: number,
): Promise<{ readonly body_hash: string; readonly schedule: string | null } | undefined> {
  const [earlier] = await tx.query<{ body_hash: string; schedule: string | null }>(
    'SELECT body_hash, schedule FROM idempotency WHERE org = $1 AND key = $2 AND created_at > $3',
    [org, key, now - idempotencyKeptMs],
  );
  return earlier;
}
