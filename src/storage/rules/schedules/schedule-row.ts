// The row of a schedule: the same in every store.
import { nextTime } from '../../../cron/cron.ts';
import type { NewSchedule, ScheduleChange } from '../../../core/ports/schedules.ts';
import { scheduleColumns, type ScheduleSecrets, type SecretNames } from '../../../core/schedule.ts';
import type { Stored } from '../../../core/resource.ts';
import { nullsOf } from '../resource-rows.ts';

export type ScheduleRow = Stored<typeof scheduleColumns>;

/** A new schedule, planned. */
export function newScheduleRow(
  fields: Omit<NewSchedule, 'secrets' | 'schedulesMax' | 'idempotency'>,
  secrets: ScheduleSecrets,
  now: number,
): ScheduleRow {
  const none = nullsOf(scheduleColumns);
  const row: ScheduleRow = { ...none, ...fields, secrets: namesOf(secrets), plannedAt: now, version: 1 };
  plan(row, now);
  return row;
}

/** Applies a change. Returns true if the schedule has to be planned again: its times, or whether it is paused, changed. */
export function changeRow(row: ScheduleRow, change: ScheduleChange): boolean {
  const before = [row.cron, row.time_zone, row.pausedBy];
  const { secrets, ...fields } = change;
  Object.assign(row, fields, secrets && { secrets: namesOf(secrets) }, { version: row.version + 1 });
  return [row.cron, row.time_zone, row.pausedBy].some((value, index) => value !== before[index]);
}

/** Computes the next time, strictly after `now`: all that were missed until now are one. */
export function plan(row: ScheduleRow, now: number): void {
  row.plannedAt = now;
  row.nextRunAt = row.pausedBy === null ? nextTime(row.cron, row.time_zone, now) : null;
}

/** A schedule that was planned by a clock so far ahead is planned again. Below it, a time could be used twice. */
export const plannedAheadMsMax = 24 * 3_600_000;

export function isEmpty({ headers, cookies }: ScheduleSecrets): boolean {
  return Object.keys(headers).length === 0 && Object.keys(cookies).length === 0;
}

export function secretsOf(stored: string | undefined): ScheduleSecrets {
  return stored === undefined ? { headers: {}, cookies: {} } : (JSON.parse(stored) as ScheduleSecrets);
}

function namesOf({ headers, cookies }: ScheduleSecrets): SecretNames {
  return { headers: Object.keys(headers), cookies: Object.keys(cookies) };
}
