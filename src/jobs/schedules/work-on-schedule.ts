// One piece of a schedule's work: the run that is due, or what follows the end of a run.
import { UserError } from '../../core/errors.ts';
import { failPoint } from '../../core/process/fail-point.ts';
import type { Log } from '../../core/ports/log.ts';
import type { Store } from '../../core/ports/stores.ts';
import type { ClaimedWork } from '../../core/ports/work.ts';
import type { Schedule } from '../../core/schedule.ts';
import { earlierRun } from './earlier-run.ts';
import { makeRun, type RunParts } from './run-of.ts';
import { expiredWriter } from './writer.ts';

/** A run that waits for the end of another looks again after this time, should it miss the end. */
const waitMs = 60_000;
/** The first pause after a run that could not be made; each further one is twice as long, up to the longest. */
const firstPauseMs = 5_000;
const longestPauseMs = 300_000;

export type RunOutcome = 'created' | 'skipped' | 'failed';

export interface ScheduleWorkParts extends RunParts {
  readonly store: Pick<Store, 'schedules' | 'tokens' | 'work' | 'jobs'>;
  readonly log: Log;
  /** Called for each time of a schedule that is over. */
  readonly onRun: (outcome: RunOutcome) => void;
}

/** A due run, with its schedule. */
interface DueRun {
  readonly schedule: Schedule;
  readonly piece: ClaimedWork;
  readonly now: number | undefined;
}

/** Does a claimed piece, and settles it. `now`: @default the clock of the store */
export async function workOnSchedule(parts: ScheduleWorkParts, piece: ClaimedWork, now?: number): Promise<void> {
  const { schedules, work } = parts.store;
  const schedule = await schedules.get(piece.org, piece.owner);
  if (schedule && piece.subject === 'run') {
    await make(parts, { schedule, piece, now });
    return;
  }
  if (schedule) await removeExcess(parts, schedule);
  await work.settle(piece.id, { kind: 'done' }, now);
}

async function make(parts: ScheduleWorkParts, run: DueRun): Promise<void> {
  const { store, log, onRun } = parts;
  const { schedule, piece, now } = run;
  const expired = await expiredWriter(store.tokens, schedule.token, now ?? Date.now());
  if (expired) {
    // Removes the pieces of schedules that were not paused.
    await store.schedules.pauseOf(schedule.token, expired);
    await store.work.settle(piece.id, { kind: 'done' }, now);
    log.warn('a schedule is paused, because its token is no longer valid', { schedule: schedule.id, by: expired });
    return;
  }
  failPoint('run.creating');
  try {
    const made = await makeRun({ ...parts, schedules: store.schedules }, { schedule, work: piece.id, now });
    failPoint('run.created');
    if (made === 'run_in_progress') await overlaps(parts, run);
    if (typeof made === 'string') return;
    log.info('a run of a schedule begins', { schedule: schedule.id, job: made.id });
    onRun('created');
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    await failed(parts, run, error);
  }
}

async function overlaps({ store, log, onRun }: ScheduleWorkParts, { schedule, piece, now }: DueRun): Promise<void> {
  if (schedule.overlap === 'queue') {
    await store.work.settle(piece.id, { kind: 'again', afterMs: waitMs }, now);
    return;
  }
  const message = 'The last run had not ended, so this time made none: `overlap` is `skip`.';
  await store.work.settle(piece.id, { kind: 'failed', reason: 'run_in_progress', message, retryAt: null }, now);
  log.info('a time of a schedule is skipped, because its last run has not ended', { schedule: schedule.id });
  onRun('skipped');
}

async function failed(
  { store, log, onRun }: ScheduleWorkParts,
  { schedule, piece, now }: DueRun,
  { code: reason, message }: UserError,
): Promise<void> {
  const afterMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(piece.attempts - 1, 10));
  const status = await store.work.settle(piece.id, { kind: 'again', afterMs, failure: { reason, message } }, now);
  if (status === undefined) return;
  const isOver = status === 'failed';
  log.warn(isOver ? 'a run of a schedule is given up' : 'a run of a schedule could not be made, and is tried again', {
    schedule: schedule.id,
    code: reason,
    error: message,
  });
  if (isOver) onRun('failed');
}

async function removeExcess({ store: { schedules, jobs } }: ScheduleWorkParts, { id, org }: Schedule): Promise<void> {
  const spared = await earlierRun(schedules, id);
  for (;;) {
    const some = (await schedules.excess(id)).filter((job) => job !== spared?.id);
    if (some.length === 0) return;
    for (const job of some) await jobs.retire(org, job);
  }
}
