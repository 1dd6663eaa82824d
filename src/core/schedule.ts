/** A schedule: a request for a job, and the times at which it becomes one. */
import type { Permission } from './permissions.ts';

/** What happens at a time when the last run has not ended: nothing, or one run waits for its end. */
export const overlaps = ['skip', 'queue'] as const;
export type Overlap = (typeof overlaps)[number];

/** `client`: by a request. The others: its token is no longer valid, so nobody vouches for its permissions. */
export const pausers = ['client', 'token_revoked', 'token_expired'] as const;
export type Pauser = (typeof pausers)[number];

/** Headers and cookies that each run sends to its start URLs' hosts, by name. */
export interface ScheduleSecrets {
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: Readonly<Record<string, string>>;
}

/** The names of {@link ScheduleSecrets}. */
export interface SecretNames {
  readonly headers: readonly string[];
  readonly cookies: readonly string[];
}

/** Why the last due time has no run. */
export interface RunError {
  readonly code: string;
  readonly message: string;
  readonly at: number;
}

/** What a client decides. */
export interface ScheduleFields {
  readonly name: string;
  readonly cron: string;
  readonly timeZone: string;
  /** The request for each run, as for `POST /crawler/jobs`, without the values of headers and cookies. */
  readonly job: Readonly<Record<string, unknown>>;
  /** Ended runs whose results are kept. */
  readonly keep: number;
  readonly overlap: Overlap;
  /** Why no run is due; null if runs are due. */
  readonly pausedBy: Pauser | null;
  /** Of the job: receives the events of the schedule too. */
  readonly webhookUrl: string | null;
  /** The token that wrote it last: each run has its permissions. */
  readonly writer: ScheduleWriter;
}

export interface ScheduleWriter {
  /** Id of the token; empty for the owner of the machine. */
  readonly token: string;
  readonly permissions: readonly Permission[];
}

export interface Schedule extends ScheduleFields {
  /** 26 characters, sorting newest first. */
  readonly id: string;
  readonly org: string;
  readonly secrets: SecretNames;
  readonly createdAt: number;
  /** Null while it is paused. */
  readonly nextRunAt: number | null;
  /** When its last run was created. */
  readonly lastRunAt: number | null;
  /** The job of its last run. */
  readonly lastJob: string | null;
  readonly lastError: RunError | null;
  /** Rises with each change by a client. */
  readonly version: number;
}
