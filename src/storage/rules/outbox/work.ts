// Durable work: the same in every store. That of jobs has its rules in `deliveries.ts`, that of schedules in `runs.ts`.
import type { ClaimedWork, WorkEntry, WorkKind, WorkResult, WorkStatus } from '../../../core/ports/work.ts';
import { givenUp, runPayload, runSettled, type ScheduleTables } from '../schedules/runs.ts';
import type { ScheduleRow } from '../schedules/schedule-row.ts';

/** How long an attempt can take before it counts as lost with its process. Longer than the deadline of any attempt. */
export const claimMs = 60_000;

/** One row of `work`. */
export interface WorkRow {
  readonly id: number;
  readonly kind: WorkKind;
  /** The job or the schedule whose work it is: one is null. */
  readonly job: number | null;
  readonly schedule: string | null;
  readonly key: string;
  readonly subject: string;
  readonly payload: string | null;
  readonly status: WorkStatus;
  readonly created_at: number;
  readonly attempts: number;
  readonly next_at: number | null;
  readonly settled_at: number | null;
  readonly code: number | null;
  readonly error: string | null;
}

export function entryOf(row: WorkRow): WorkEntry {
  return {
    id: row.id,
    subject: row.subject,
    status: row.status,
    createdAt: row.created_at,
    attempts: row.attempts,
    nextAt: row.next_at,
    settledAt: row.settled_at,
    code: row.code,
    error: row.error,
  };
}

/** `owner`: the job or the schedule. */
export function claimedOf(
  row: WorkRow,
  owner: { readonly id: string; readonly org: string },
  payload: string,
): ClaimedWork {
  const { id, key, subject, created_at: createdAt, attempts } = row;
  return { id, owner: owner.id, org: owner.org, key, subject, createdAt, attempts: attempts + 1, payload };
}

/** The payload of a claimed piece of a schedule. That of an event is stored with it. */
export function schedulePayload({ kind, payload }: WorkRow, now: number): string {
  return kind === 'webhook' ? (payload ?? '{}') : runPayload(payload, now);
}

/** Settles a piece of a schedule: changes the row, and stores what follows. Returns how the piece ends. */
export function settleOfSchedule(
  schedule: ScheduleRow,
  row: WorkRow,
  given: WorkResult,
  tables: ScheduleTables,
  now: number,
): SettledColumns {
  const result = givenUp(given, row.payload, now);
  const settled = settledAs(result, now);
  if (row.kind === 'schedule')
    runSettled(schedule, row.subject, result, tables, { now, isOver: settled.status !== 'pending' });
  return settled;
}

/** The columns that an attempt changes. */
export interface SettledColumns extends Pick<WorkRow, 'status' | 'next_at' | 'settled_at' | 'code' | 'error'> {
  /** It waits for the end of a run: its attempts begin anew. */
  readonly waits?: true;
}

export function settledAs(result: WorkResult, now: number): SettledColumns {
  if (result.kind === 'again') {
    const pending = { status: 'pending', next_at: now + result.afterMs, settled_at: null, code: null } as const;
    return { ...pending, error: result.failure?.message ?? null, ...(!result.failure && { waits: true as const }) };
  }
  const retryAt = result.kind === 'failed' ? result.retryAt : null;
  const status = result.kind === 'done' ? 'delivered' : retryAt === null ? 'failed' : 'pending';
  return {
    status,
    next_at: retryAt,
    settled_at: status === 'pending' ? null : now,
    code: result.code ?? null,
    error: result.kind === 'done' ? null : result.message,
  };
}

/** Scheme, host and port of a URL in its normal form, up to and including the slash after them. Of another key: what it begins with. */
export function originOf(url: string): string {
  return url.slice(0, url.indexOf('/', 8) + 1);
}

/** The values that occur at least `count` times. */
export function frequent(values: readonly string[], count: number): string[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].filter(([, times]) => times >= count).map(([value]) => value);
}
