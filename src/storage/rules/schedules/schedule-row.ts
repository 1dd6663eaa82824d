// The row of a schedule: the same in every store.
import { nextTime } from '../../../cron/cron.ts';
import type { NewSchedule, ScheduleChange } from '../../../core/ports/schedules.ts';
import type { Permission } from '../../../core/permissions.ts';
import type { Overlap, Pauser, RunError, Schedule, ScheduleSecrets, SecretNames } from '../../../core/schedule.ts';

/** One row of `schedule`. The names are those of the columns. */
export interface ScheduleRow {
  readonly id: string;
  readonly org: string;
  name: string;
  cron: string;
  time_zone: string;
  job: string;
  secrets: string;
  webhook_url: string | null;
  keep: number;
  overlap: Overlap;
  token: string;
  permissions: string;
  paused_by: Pauser | null;
  readonly created_at: number;
  /** When `next_run_at` was computed. */
  planned_at: number;
  next_run_at: number | null;
  last_run_at: number | null;
  last_job: string | null;
  last_error: string | null;
  version: number;
}

/** The columns, in the order in which the stores write them. */
export const scheduleColumns = [
  'id',
  'org',
  'name',
  'cron',
  'time_zone',
  'job',
  'secrets',
  'webhook_url',
  'keep',
  'overlap',
  'token',
  'permissions',
  'paused_by',
  'created_at',
  'planned_at',
  'next_run_at',
  'last_run_at',
  'last_job',
  'last_error',
  'version',
] as const satisfies readonly (keyof ScheduleRow)[];

export function valuesOf(row: ScheduleRow): (string | number | null)[] {
  return scheduleColumns.map((name) => row[name]);
}

/** The row of a new schedule, planned. */
export function newScheduleRow(schedule: NewSchedule, now: number): ScheduleRow {
  const { id, org, name, cron, timeZone, job, keep, overlap, pausedBy, webhookUrl, writer, secrets } = schedule;
  const row: ScheduleRow = {
    id,
    org,
    name,
    cron,
    time_zone: timeZone,
    job: JSON.stringify(job),
    secrets: JSON.stringify(namesOf(secrets)),
    webhook_url: webhookUrl,
    keep,
    overlap,
    token: writer.token,
    permissions: writer.permissions.join(' '),
    paused_by: pausedBy,
    created_at: schedule.createdAt,
    planned_at: now,
    next_run_at: null,
    last_run_at: null,
    last_job: null,
    last_error: null,
    version: 1,
  };
  plan(row, now);
  return row;
}

/** Applies a change. Returns true if the schedule has to be planned again: its times, or whether it is paused, changed. */
export function changeRow(row: ScheduleRow, change: ScheduleChange): boolean {
  const before = [row.cron, row.time_zone, row.paused_by];
  row.name = change.name ?? row.name;
  row.cron = change.cron ?? row.cron;
  row.time_zone = change.timeZone ?? row.time_zone;
  if (change.job) row.job = JSON.stringify(change.job);
  if (change.secrets) row.secrets = JSON.stringify(namesOf(change.secrets));
  if (change.webhookUrl !== undefined) row.webhook_url = change.webhookUrl;
  row.keep = change.keep ?? row.keep;
  row.overlap = change.overlap ?? row.overlap;
  if (change.pausedBy !== undefined) row.paused_by = change.pausedBy;
  if (change.writer) {
    row.token = change.writer.token;
    row.permissions = change.writer.permissions.join(' ');
  }
  row.version++;
  return [row.cron, row.time_zone, row.paused_by].some((value, index) => value !== before[index]);
}

/** Computes the next time, strictly after `now`: all that were missed until now are one. */
export function plan(row: ScheduleRow, now: number): void {
  row.planned_at = now;
  row.next_run_at = row.paused_by === null ? nextTime(row.cron, row.time_zone, now) : null;
}

/** A schedule that was planned by a clock so far ahead is planned again. Below it, a time could be used twice. */
export const plannedAheadMsMax = 24 * 3_600_000;

export function isEmpty({ headers, cookies }: ScheduleSecrets): boolean {
  return Object.keys(headers).length === 0 && Object.keys(cookies).length === 0;
}

export function scheduleOf(row: ScheduleRow): Schedule {
  return {
    id: row.id,
    org: row.org,
    name: row.name,
    cron: row.cron,
    timeZone: row.time_zone,
    job: JSON.parse(row.job) as Schedule['job'],
    keep: row.keep,
    overlap: row.overlap,
    pausedBy: row.paused_by,
    webhookUrl: row.webhook_url,
    writer: { token: row.token, permissions: row.permissions.split(' ').filter(Boolean) as Permission[] },
    secrets: JSON.parse(row.secrets) as SecretNames,
    createdAt: row.created_at,
    nextRunAt: row.next_run_at,
    lastRunAt: row.last_run_at,
    lastJob: row.last_job,
    lastError: row.last_error === null ? null : (JSON.parse(row.last_error) as RunError),
    version: row.version,
  };
}

export function secretsOf(stored: string | undefined): ScheduleSecrets {
  return stored === undefined ? { headers: {}, cookies: {} } : (JSON.parse(stored) as ScheduleSecrets);
}

function namesOf({ headers, cookies }: ScheduleSecrets): SecretNames {
  return { headers: Object.keys(headers), cookies: Object.keys(cookies) };
}
