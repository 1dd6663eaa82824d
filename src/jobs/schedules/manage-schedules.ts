// Schedules by the API: create, list, read, change, delete, run now.
import { defined } from '../../core/defined.ts';
import { grouped } from '../../core/grouped.ts';
import { UserError } from '../../core/errors.ts';
import type { Job } from '../../core/job.ts';
import type { ScheduleChange, ScheduleStore } from '../../core/ports/schedules.ts';
import type { TokenStore } from '../../core/ports/stores.ts';
import type { Schedule, ScheduleSecrets, SecretNames } from '../../core/schedule.ts';
import { type CreateJobOptions, idempotencyOf, type JobOwner, keyReused } from '../create-job.ts';
import type { Cursors } from '../cursor.ts';
import { canonicalJobId, newJobId } from '../job-id.ts';
import { type Listed, listPage, type PageQuery } from '../list-page.ts';
import { parseInput } from '../parse-input.ts';
import { makeRun, type RunParts, runOf } from './run-of.ts';
import { checkCron, ofJob, scheduleChangeInput, type ScheduleChangeInput, scheduleInput } from './schedule-input.ts';
import { secretsOfChange, withoutSecrets } from './secrets-of-change.ts';
import { expiredWriter } from './writer.ts';

export interface ScheduleParts extends RunParts {
  readonly schedules: ScheduleStore;
  readonly tokens: TokenStore;
  readonly cursors: Cursors;
  /** Limit of schedules per org. */
  readonly schedulesPerOrg: number;
}

/** The caller, with its token. */
export interface ScheduleCaller extends JobOwner {
  /** Id of the token; empty for the owner of the machine. */
  readonly token: string;
}

/** How often a change is tried again because another came first. */
const changesMax = 10;

/** Throws a `UserError` that says what to change. */
export async function createSchedule(
  parts: ScheduleParts,
  caller: ScheduleCaller,
  body: unknown,
  options: CreateJobOptions = {},
): Promise<Schedule> {
  const input = parseInput(scheduleInput, undefined, body);
  const now = Date.now();
  checkCron(input.cron, input.time_zone, now);
  const { secrets } = secretsOfChange({}, input.job, { headers: {}, cookies: {} });
  const { paused, ...given } = input;
  const owner = { id: newJobId(now), ...writerOf(caller), org: caller.org };
  const created = await parts.schedules.create({
    ...given,
    ...owner,
    cron: input.cron.trim(),
    job: withoutSecrets(input.job),
    pausedBy: paused ? 'client' : null,
    webhookUrl: await checkedWebhook(parts, owner, input.job, secrets),
    createdAt: now,
    secrets,
    schedulesMax: parts.schedulesPerOrg,
    ...idempotencyOf(options, { schedule: input }),
  });
  if (created === 'conflict') throw keyReused();
  if (created === 'too_many')
    throw new UserError(
      'too_many_schedules',
      `The org has ${grouped(parts.schedulesPerOrg)} schedules, which is its limit. Delete one.`,
    );
  return created;
}

/** Lists the schedules of an org, newest first. */
export function listSchedules(
  { schedules, cursors }: Pick<ScheduleParts, 'schedules' | 'cursors'>,
  org: string,
  page: PageQuery,
): Promise<Listed<Schedule>> {
  const list = { kind: 'schedules', org, filter: '' } as const;
  return listPage(
    { cursors, list, ...page },
    (after, limit) => schedules.list(org, defined({ after, limit })),
    ({ id }) => id,
  );
}

export async function getSchedule(
  { schedules }: Pick<ScheduleParts, 'schedules'>,
  org: string,
  id: string,
): Promise<Schedule> {
  const found = await schedules.get(org, canonicalJobId(id));
  if (!found) throw scheduleNotFound();
  return found;
}

/** Lists the runs of a schedule, newest first. */
export function listRuns(
  { schedules, cursors }: Pick<ScheduleParts, 'schedules' | 'cursors'>,
  org: string,
  given: string,
  page: PageQuery,
): Promise<Listed<Job>> {
  const id = canonicalJobId(given);
  const list = { kind: 'runs', org, filter: id } as const;
  const read = async (after: string | undefined, limit: number): Promise<readonly Job[]> => {
    const found = await schedules.runs(org, id, defined({ after, limit }));
    if (!found) throw scheduleNotFound();
    return found;
  };
  return listPage({ cursors, list, ...page }, read, (run) => run.id);
}

/** A changed schedule, with the names of headers and cookies that were stored and are no longer. */
export interface ChangedSchedule {
  readonly schedule: Schedule;
  readonly dropped: SecretNames;
}

/**
 * Changes the given fields. The caller becomes the writer, so it needs the permissions of the job; only pausing needs none, and
 * leaves the writer. Throws a `UserError` that says what to change.
 */
export async function changeSchedule(
  parts: ScheduleParts,
  caller: ScheduleCaller,
  id: string,
  body: unknown,
): Promise<ChangedSchedule> {
  const input = parseInput(scheduleChangeInput, undefined, body);
  for (let tries = 0; tries < changesMax; tries++) {
    const known = await getSchedule(parts, caller.org, id);
    const { change, dropped } = await changeOf(parts, caller, known, input);
    const changed = await parts.schedules.change(caller.org, known.id, change);
    if (changed === undefined) throw scheduleNotFound();
    if (changed !== 'outdated') return { schedule: changed, dropped };
  }
  throw new UserError('unavailable', 'Others change this schedule at the same time. Try again.');
}

async function changeOf(
  parts: ScheduleParts,
  caller: ScheduleCaller,
  known: Schedule,
  input: ScheduleChangeInput,
): Promise<{ readonly change: ScheduleChange; readonly dropped: SecretNames }> {
  const { version } = known;
  const none = { headers: [], cookies: [] };
  if (isPause(input)) return { change: { version, pausedBy: known.pausedBy ?? 'client' }, dropped: none };
  const { job: given, paused, ...fields } = input;
  const { cron = known.cron, time_zone = known.time_zone } = fields;
  checkCron(cron, time_zone, Date.now());
  const stored = await parts.schedules.secrets(known.id);
  const { secrets, dropped } =
    given === undefined ? { secrets: stored, dropped: none } : secretsOfChange(known.job, given, stored);
  const writer = writerOf(caller);
  const webhookUrl = await checkedWebhook(parts, { ...known, ...writer }, given ?? known.job, secrets);
  const change: ScheduleChange = {
    ...defined(fields),
    version,
    ...writer,
    webhookUrl,
    cron: cron.trim(),
    ...(given !== undefined && { job: withoutSecrets(given), secrets }),
    ...(paused !== undefined && { pausedBy: paused ? (known.pausedBy ?? 'client') : null }),
  };
  return { change, dropped };
}

/** Anybody who may write can pause. */
function isPause(input: ScheduleChangeInput): boolean {
  return input.paused === true && Object.values(input).filter((value) => value !== undefined).length === 1;
}

/** Removes a schedule, and returns it as it was. Its runs stay as jobs. Throws a `UserError` if there is none. */
export async function deleteSchedule(
  { schedules }: Pick<ScheduleParts, 'schedules'>,
  org: string,
  id: string,
): Promise<Schedule> {
  const known = await getSchedule({ schedules }, org, id);
  if (!(await schedules.delete(org, known.id))) throw scheduleNotFound();
  return known;
}

/** Makes a run now, or when the last one ends. `job` is null if it waits. Throws a `UserError` if there can be none. */
export async function runSchedule(
  parts: ScheduleParts,
  org: string,
  id: string,
): Promise<{ readonly job: Job | null }> {
  const schedule = await getSchedule(parts, org, id);
  if (await expiredWriter(parts.tokens, schedule.token, Date.now()))
    throw new UserError(
      'permission_denied',
      'The token that wrote this schedule is no longer valid, so its runs have no permissions. `PATCH` it with `{"paused": false}`: then they have those of your token.',
    );
  const made = await makeRun(parts, { schedule });
  if (typeof made === 'object') return { job: made };
  if (made === 'unknown') throw scheduleNotFound();
  if (schedule.overlap === 'skip')
    throw new UserError(
      'run_in_progress',
      'The last run has not ended, and `overlap` is `skip`. Wait for its end, or cancel it.',
    );
  if (!(await parts.schedules.hasten(org, schedule.id))) throw scheduleNotFound();
  return { job: null };
}

/** Checks everything that a run would check, and returns the normal form of the job's webhook. */
async function checkedWebhook(
  parts: ScheduleParts,
  schedule: Pick<Schedule, 'id' | 'org' | 'permissions'>,
  job: Readonly<Record<string, unknown>>,
  secrets: ScheduleSecrets,
): Promise<string | null> {
  try {
    const run = await runOf(parts, { ...schedule, job: { ...job } }, { secrets });
    return run.webhookUrl ?? null;
  } catch (error) {
    throw ofJob(error);
  }
}

function writerOf({ token, permissions }: ScheduleCaller): Pick<Schedule, 'token' | 'permissions'> {
  return { token, permissions };
}

export function scheduleNotFound(): UserError {
  return new UserError(
    'schedule_not_found',
    'Your org has no schedule with this id. GET /crawler/schedules lists them.',
  );
}
