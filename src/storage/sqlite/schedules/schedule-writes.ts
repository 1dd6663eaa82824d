import { failPoint } from '../../../core/process/fail-point.ts';
import type { NewRun, NewSchedule, RunRefusal, ScheduleChange } from '../../../core/ports/schedules.ts';
import type { Pauser } from '../../../core/schedule.ts';
import { idempotencyKeptMs } from '../../rules/frontier/new-jobs.ts';
import type { JobRow } from '../../rules/jobs/job-row.ts';
import { planNext, runCreated } from '../../rules/schedules/runs.ts';
import { changeRow, newScheduleRow, plannedAheadMsMax, type ScheduleRow } from '../../rules/schedules/schedule-row.ts';
import type { Database, Statement } from '../file/database.ts';
import type { JobRows } from '../jobs/job-rows.ts';
import type { JobWrites } from '../jobs/job-writes.ts';
import type { ScheduleRows } from './schedule-rows.ts';

interface Parts {
  readonly rows: ScheduleRows;
  readonly jobs: JobRows;
  readonly jobWrites: JobWrites;
}

/** Writes schedules and their runs. Every method runs inside a transaction of the writer. */
export class ScheduleWrites {
  readonly #parts: Parts;
  readonly #count: Statement<[string], { schedules: number }>;
  readonly #earlier: Statement<[string, string, number], { body_hash: string; schedule: string | null }>;
  readonly #remember: Statement<[string, string, string, string, number]>;
  readonly #isRunning: Statement<[string]>;
  readonly #isPending: Statement<[number, string]>;
  readonly #settle: Statement<[number]>;
  readonly #ofToken: Statement<[string], { id: string }>;
  readonly #ahead: Statement<[number], { id: string }>;
  readonly #pendingRun: Statement<[string], { id: number; claimed: number; next_at: number }>;
  readonly #dueAt: Statement<[number, number]>;
  readonly #delete: Statement<[string]>;
  readonly #dropWork: Statement<[string]>;

  constructor(db: Database, parts: Parts) {
    this.#parts = parts;
    this.#count = db.prepare('SELECT count(*) AS schedules FROM schedule WHERE org = ?');
    this.#earlier = db.prepare(
      'SELECT body_hash, schedule FROM idempotency WHERE org = ? AND key = ? AND created_at > ?',
    );
    this.#remember = db.prepare(
      'INSERT OR REPLACE INTO idempotency (org, key, body_hash, schedule, created_at) VALUES (?, ?, ?, ?, ?)',
    );
    this.#isRunning = db.prepare('SELECT 1 FROM job WHERE schedule = ? AND finished_at IS NULL LIMIT 1');
    this.#isPending = db.prepare("SELECT 1 FROM work WHERE id = ? AND schedule = ? AND status = 'pending'");
    this.#settle = db.prepare('DELETE FROM work WHERE id = ?');
    this.#ofToken = db.prepare('SELECT id FROM schedule WHERE token = ? AND paused_by IS NULL');
    this.#ahead = db.prepare('SELECT id FROM schedule WHERE planned_at > ? AND paused_by IS NULL LIMIT 100');
    this.#pendingRun = db.prepare(
      "SELECT id, claimed, next_at FROM work WHERE schedule = ? AND kind = 'schedule' AND subject = 'run' AND status = 'pending'",
    );
    this.#dueAt = db.prepare('UPDATE work SET next_at = ? WHERE id = ?');
    this.#delete = db.prepare('DELETE FROM schedule WHERE id = ?');
    this.#dropWork = db.prepare('DELETE FROM work WHERE schedule = ?');
  }

  create(schedule: NewSchedule, now: number): ScheduleRow | 'conflict' | 'too_many' {
    const { rows } = this.#parts;
    const { org, idempotency, schedulesMax } = schedule;
    const earlier = idempotency && this.#earlier.get(org, idempotency.key, now - idempotencyKeptMs);
    if (earlier) {
      if (earlier.body_hash !== idempotency.bodyHash || earlier.schedule === null) return 'conflict';
      const known = rows.get(earlier.schedule);
      if (known) return known;
    }
    if ((this.#count.get(org)?.schedules ?? 0) >= schedulesMax) return 'too_many';
    const row = newScheduleRow(schedule, now);
    rows.replaceSecrets(row.id, schedule.secrets);
    planNext(row, rows, now);
    rows.save(row);
    if (idempotency) this.#remember.run(org, idempotency.key, idempotency.bodyHash, row.id, now);
    return row;
  }

  change(org: string, id: string, change: ScheduleChange, now: number): ScheduleRow | 'outdated' | undefined {
    const { rows } = this.#parts;
    const row = this.#of(org, id);
    if (!row) return undefined;
    if (row.version !== change.version) return 'outdated';
    if (changeRow(row, change)) this.#planAgain(row, now);
    if (change.secrets) rows.replaceSecrets(id, change.secrets);
    rows.save(row);
    return row;
  }

  pauseOf(token: string, by: Pauser, now: number): void {
    for (const { id } of this.#ofToken.all(token)) {
      const row = this.#parts.rows.get(id);
      if (!row) continue;
      row.paused_by = by;
      this.#planAgain(row, now);
      this.#parts.rows.save(row);
    }
  }

  /** Plans those again that were planned by a clock far ahead of this time. */
  planAhead(now: number): void {
    // mutant clock-set-back-silences-schedules, promise 19: `now + plannedAheadMsMax` -> `9e15`; sqlite/special-contracts "a clock that was far ahead"
    for (const { id } of this.#ahead.all(now + plannedAheadMsMax)) {
      const row = this.#parts.rows.get(id);
      if (!row) continue;
      this.#planAgain(row, now);
      this.#parts.rows.save(row);
    }
  }

  delete(org: string, id: string): boolean {
    if (!this.#of(org, id)) return false;
    this.#parts.rows.replaceSecrets(id, undefined);
    this.#dropWork.run(id);
    this.#delete.run(id);
    return true;
  }

  run({ job, work }: NewRun, now: number): JobRow | RunRefusal {
    const { rows, jobs, jobWrites } = this.#parts;
    const row = this.#of(job.org, job.schedule);
    if (!row) return 'unknown';
    // mutant run-created-twice, promise 19: `work !== undefined &&` -> `false &&`; sqlite/special-contracts "creates one job for one time"
    if (work !== undefined && !this.#isPending.get(work, row.id)) return 'settled';
    // Jobs that ended in this transaction can still be unwritten.
    jobs.save();
    // mutant runs-overlap, promise 19: `if (this` -> `if (false && this`; sqlite/special-contracts "while the last one has not ended"
    if (this.#isRunning.get(row.id)) return 'run_in_progress';
    const made = jobWrites.create(job);
    if (made === 'gone') return made;
    if (typeof made === 'string') throw new Error(`a run of schedule ${row.id} was refused: ${made}`);
    failPoint('run.writing');
    if (work !== undefined) this.#settle.run(work);
    runCreated(row, made.id, rows, { now, isDue: work !== undefined });
    rows.save(row);
    return made;
  }

  hasten(org: string, id: string, now: number): boolean {
    const row = this.#of(org, id);
    if (!row) return false;
    const pending = this.#pendingRun.get(id);
    if (!pending)
      this.#parts.rows.addWork(
        { schedule: id, kind: 'schedule', key: id, subject: 'run', payload: null, dueAt: now },
        now,
      );
    else if (pending.claimed === 0 && pending.next_at > now) this.#dueAt.run(now, pending.id);
    return true;
  }

  #planAgain(row: ScheduleRow, now: number): void {
    this.#parts.rows.dropRuns(row.id);
    planNext(row, this.#parts.rows, now);
  }

  #of(org: string, id: string): ScheduleRow | undefined {
    const row = this.#parts.rows.get(id);
    // mutant any-org-changes-schedule, security: `row?.org === org` -> `row`; sqlite/special-contracts "another org cannot"
    return row?.org === org ? row : undefined;
  }
}
