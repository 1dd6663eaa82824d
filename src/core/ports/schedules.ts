import type { Job } from '../job.ts';
import type { Pauser, Schedule, ScheduleFields, ScheduleSecrets } from '../schedule.ts';
import type { Idempotency, NewJob } from './new-job.ts';

export interface NewSchedule extends ScheduleFields, Pick<Schedule, 'id' | 'org' | 'createdAt'> {
  readonly secrets: ScheduleSecrets;
  /** Limit of schedules of the org, this one included. */
  readonly schedulesMax: number;
  readonly idempotency?: Idempotency;
}

/** Absent fields stay as they are. */
export interface ScheduleChange extends Partial<ScheduleFields> {
  /** The version that the change was made for. */
  readonly version: number;
  /** Replaces all of them. */
  readonly secrets?: ScheduleSecrets;
}

/** A run to create. */
export interface NewRun {
  readonly job: NewJob & { readonly schedule: string };
  /** The claimed piece of work that asks for it. Absent: a client does. */
  readonly work?: number;
}

/**
 * In order: there is no such schedule; its last run has not ended; the piece of work was settled by another process, so the
 * run exists; the run with which it is compared is gone.
 */
export type RunRefusal = 'unknown' | 'run_in_progress' | 'settled' | 'gone';

/**
 * The schedules of one store. Each that is not paused has one pending piece of durable work of the kind `schedule`, due at its
 * next time by the clock of the store (see `work.ts`). The transaction that settles the piece stores the next one, so no time
 * is lost or used twice, and a time that passed while no process ran is made up once.
 *
 * A schedule that was planned by a clock more than a day ahead of now is planned again (`Store.sweep`). A clock that is set
 * back by less runs no time twice: the schedule waits until its next time comes again.
 *
 * `now`: @default the clock of the store
 */
export interface ScheduleStore {
  /** Idempotency keys work as in `JobStore.create`. */
  create(schedule: NewSchedule, now?: number): Promise<Schedule | 'conflict' | 'too_many'>;
  get(org: string, id: string): Promise<Schedule | undefined>;
  /** Newest first, after this id. */
  list(org: string, query: { readonly after?: string; readonly limit: number }): Promise<readonly Schedule[]>;
  /** The values of its headers and cookies. */
  secrets(id: string): Promise<ScheduleSecrets>;
  /** `outdated`: the schedule has another version. Undefined if there is none. */
  change(org: string, id: string, change: ScheduleChange, now?: number): Promise<Schedule | 'outdated' | undefined>;
  /** Pauses the schedules that this token wrote. */
  pauseOf(token: string, by: Pauser): Promise<void>;
  /** Removes it with its pending work. Its jobs stay. Returns false if there is none. */
  delete(org: string, id: string): Promise<boolean>;
  /** Its runs, newest first, after this id. Undefined if there is no such schedule. */
  runs(
    org: string,
    id: string,
    query: { readonly after?: string; readonly limit: number },
  ): Promise<readonly Job[] | undefined>;
  /** Its ended runs whose results were not removed yet, newest first, after this id. */
  kept(id: string, query: { readonly after: string; readonly limit: number }): Promise<readonly Job[]>;
  /**
   * Creates a run, settles the piece of work that asks for it, and stores the next one, in one transaction. `job`: as in
   * `JobStore.create`, without idempotency and limit: a schedule has one unfinished run, and the number of schedules is limited.
   */
  run(run: NewRun, now?: number): Promise<Job | RunRefusal>;
  /** Makes a run due now, if none is due already. Returns false if there is no such schedule. */
  hasten(org: string, id: string, now?: number): Promise<boolean>;
  /** Ended runs with results beyond those that the schedule keeps, oldest first, 100 at most. */
  excess(id: string): Promise<readonly string[]>;
}
