// The work of schedules, the second kind of durable work: the same in every store.
import type { ScheduleEvent } from '../../../core/webhook-event.ts';
import type { WorkKind, WorkResult } from '../../../core/ports/work.ts';
import type { RunError } from '../../../core/schedule.ts';
import { plan, type ScheduleRow } from './schedule-row.ts';

/** `run`: a time has come, or a client wants a run. `ended`: a run has ended. */
type ScheduleSubject = 'run' | 'ended';

/** How long a run that cannot be created is tried. */
export const runTriedMs = 3_600_000;

/** A piece of work to store. */
export interface NewWork {
  readonly schedule: string;
  readonly kind: WorkKind;
  readonly key: string;
  readonly subject: ScheduleSubject | ScheduleEvent;
  readonly payload: string | null;
  readonly dueAt: number;
}

export interface ScheduleTables {
  addWork(work: NewWork, now: number): void;
  /** Makes runs that wait for the end of another due. */
  hastenWaiting(schedule: string, now: number): void;
}

/** The payload of a run that waits for the end of another. */
export const waitingPayload = '{"waiting":true}';

/** The payload of a claimed piece: its hour begins with its first attempt that does not wait for the end of another run. */
export function runPayload(stored: string | null, now: number): string {
  return stored === null || stored === waitingPayload ? JSON.stringify({ since: now }) : stored;
}

/** The piece of work that the next time of a schedule is. */
export function nextRun({ id, nextRunAt: dueAt }: ScheduleRow): NewWork | undefined {
  return dueAt === null ? undefined : { schedule: id, kind: 'schedule', key: id, subject: 'run', payload: null, dueAt };
}

export function endedRun(schedule: string, now: number): NewWork {
  return { schedule, kind: 'schedule', key: schedule, subject: 'ended', payload: null, dueAt: now };
}

/** A run that cannot be created is given up when its hour is over. */
export function givenUp(result: WorkResult, payload: string | null, now: number): WorkResult {
  if (result.kind !== 'again' || !result.failure || payload === null) return result;
  const { since = now } = JSON.parse(payload) as { readonly since?: number };
  if (now + result.afterMs <= since + runTriedMs) return result;
  return { kind: 'failed', retryAt: null, ...result.failure };
}

/** Changes the row after an attempt, and stores what follows. `isOver`: no attempt follows. */
export function runSettled(
  row: ScheduleRow,
  subject: string,
  result: WorkResult,
  tables: ScheduleTables,
  { now, isOver }: { readonly now: number; readonly isOver: boolean },
): void {
  if (!isOver) return;
  if (subject === 'ended') {
    tables.hastenWaiting(row.id, now);
    return;
  }
  if (result.kind === 'failed') {
    const error: RunError = { code: result.reason ?? 'internal', message: result.message, at: now };
    row.lastError = error;
    planNext(row, tables, now);
    if (error.code !== 'run_in_progress') announceFailure(row, error, tables, now);
    return;
  }
  planNext(row, tables, now);
}

/** Notes a run that was created. `isDue`: it is the run of the schedule's pending piece of work. */
export function runCreated(
  row: ScheduleRow,
  job: string,
  tables: ScheduleTables,
  { now, isDue }: { readonly now: number; readonly isDue: boolean },
): void {
  row.lastRunAt = now;
  row.lastJob = job;
  row.lastError = null;
  if (isDue) planNext(row, tables, now);
}

/** Plans the next run, and stores its work. */
export function planNext(row: ScheduleRow, tables: ScheduleTables, now: number): void {
  plan(row, now);
  const next = nextRun(row);
  if (next) tables.addWork(next, now);
}

function announceFailure(row: ScheduleRow, error: RunError, tables: ScheduleTables, now: number): void {
  if (row.webhookUrl === null) return;
  const payload = JSON.stringify({ schedule: row.id, name: row.name, error, nextRunAt: row.nextRunAt });
  tables.addWork(
    { schedule: row.id, kind: 'webhook', key: row.webhookUrl, subject: 'schedule.failed', payload, dueAt: now },
    now,
  );
}
