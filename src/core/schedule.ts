/** A schedule: a request for a job, and the times at which it becomes one. */
import { permissions } from './permissions.ts';
import type { Columns, Stored } from './resource.ts';

/** What happens at a time when the last run has not ended: nothing, or one run waits for its end. */
const overlaps = ['skip', 'queue'] as const;

/** `client`: by a request. The others: its token is no longer valid, so nobody vouches for its permissions. */
const pausers = ['client', 'token_revoked', 'token_expired'] as const;
export type Pauser = (typeof pausers)[number];

/** In the order of the API. */
export const scheduleColumns = {
  // Sorts newest first.
  id: {
    sql: 'TEXT PRIMARY KEY',
    type: (z) => z.string(),
    shown: { example: '7ZSA4YN8XEM0V3T2K9QJ5RCWBE' },
  },
  org: { sql: 'TEXT NOT NULL', type: (z) => z.string(), shown: { example: 'default' } },
  name: { sql: 'TEXT NOT NULL', type: (z) => z.string(), shown: { example: 'docs, every night' } },
  cron: { sql: 'TEXT NOT NULL', type: (z) => z.string(), shown: { example: '0 3 * * *' } },
  time_zone: { sql: 'TEXT NOT NULL', type: (z) => z.string(), shown: { example: 'Europe/Berlin' } },
  job: {
    sql: 'JSON NOT NULL',
    type: (z) => z.record(z.string(), z.unknown()),
    shown: {
      about: 'The request of each run as it was given, without `headers` and `cookies`.',
      example: { urls: ['https://docs.example.org/'], page_limit: 1_000 },
    },
  },
  // Ended runs whose results are kept.
  keep: { sql: 'INT NOT NULL', type: (z) => z.int(), shown: { example: 10 } },
  overlap: { sql: 'TEXT NOT NULL', type: (z) => z.enum(overlaps), shown: { example: 'skip' } },
  paused: { type: (z) => z.boolean(), shown: { example: false } },
  pausedBy: {
    sql: 'TEXT',
    type: (z) => z.enum(pausers).nullable(),
    shown: {
      about:
        'Why it is paused: by a request, or because the token that wrote it last was revoked or has expired. `null` if it is not.',
      example: null,
    },
  },
  createdAt: { sql: 'INTEGER NOT NULL', type: (z) => z.int(), shown: { example: 1_769_860_799_000 } },
  nextRunAt: {
    sql: 'INTEGER',
    type: (z) => z.int().nullable(),
    shown: { about: '`null` while it is paused.', example: 1_769_911_200_000 },
  },
  lastRunAt: {
    sql: 'INTEGER',
    type: (z) => z.int().nullable(),
    shown: { about: 'When the last run was created; `null` if there was none.', example: null },
  },
  lastJob: {
    sql: 'TEXT',
    type: (z) => z.string().nullable(),
    shown: { about: 'The job of the last run.', example: null },
  },
  lastError: {
    sql: 'JSON',
    type: (z) => z.object({ code: z.string(), message: z.string(), at: z.int() }).nullable(),
    shown: {
      about:
        'Why the last time has no run: `run_in_progress` with `overlap: skip`, or an error that lasted for an hour. `null` once a run is created.',
      example: null,
    },
  },
  secrets: {
    sql: 'JSON NOT NULL',
    type: (z) => z.object({ headers: z.array(z.string()).readonly(), cookies: z.array(z.string()).readonly() }),
    shown: {
      about: 'Names of the headers and cookies that are kept. Their values are never returned.',
      example: { headers: ['Authorization'], cookies: [] },
    },
  },
  // Of the job: receives the events of the schedule too.
  webhookUrl: { sql: 'TEXT', type: (z) => z.string().nullable() },
  // The token that wrote it last, empty for the owner of the machine, and what it may do: each run may do the same.
  token: { sql: 'TEXT NOT NULL', type: (z) => z.string() },
  permissions: { sql: 'JSON NOT NULL', type: (z) => z.array(z.enum(permissions)).readonly() },
  // When `nextRunAt` was computed.
  plannedAt: { sql: 'INTEGER NOT NULL', type: (z) => z.int() },
  // Rises with each change by a client.
  version: { sql: 'INT NOT NULL', type: (z) => z.int() },
} as const satisfies Columns;

export type Schedule = Readonly<Stored<typeof scheduleColumns>>;

/** What a client decides. */
export type ScheduleFields = Pick<
  Schedule,
  'name' | 'cron' | 'time_zone' | 'job' | 'keep' | 'overlap' | 'pausedBy' | 'webhookUrl' | 'token' | 'permissions'
>;

/** Headers and cookies that each run sends to its start URLs' hosts, by name. */
export interface ScheduleSecrets {
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: Readonly<Record<string, string>>;
}

/** The names of {@link ScheduleSecrets}. */
export type SecretNames = Schedule['secrets'];

/** Why the last due time has no run. */
export type RunError = NonNullable<Schedule['lastError']>;
