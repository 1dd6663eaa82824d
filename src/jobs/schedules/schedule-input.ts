// What a client says of a schedule.
import { z } from 'zod';
import { cronLengthMax, cronProblem, timeZoneLengthMax, timeZoneProblem } from '../../cron/cron.ts';
import { UserError } from '../../core/errors.ts';
import { scheduleColumns } from '../../core/schedule.ts';
import { jobInput } from '../../options/inputs.ts';
import { invalidBody, parseInput } from '../parse-input.ts';

const nameLengthMax = 100;
const keepMax = 1_000;

const fields = {
  name: z
    .string()
    .trim()
    .min(1)
    .max(nameLengthMax)
    .refine((text) => /^\P{C}*$/u.test(text), 'Give a name without control characters.')
    .describe('What it is for. Need not be unique.'),
  cron: z
    .string()
    .max(cronLengthMax)
    .describe(
      'Five fields: minute, hour, day of month, month, day of week; or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`. Names (`MON`, `JAN`), lists, ranges, steps, and `L`, `W`, `#` are understood. With a day of month and a day of week, either is enough.',
    ),
  time_zone: z
    .string()
    .max(timeZoneLengthMax)
    .refine((zone) => timeZoneProblem(zone) === undefined, {
      error: ({ input }) => timeZoneProblem(String(input)) ?? 'It is not valid.',
    })
    .describe('IANA name of the time zone in which `cron` is read, such as `Europe/Berlin`.'),
  job: z
    .record(z.string(), z.unknown(), { error: 'Send a JSON object with at least `urls`, as for POST /crawler/jobs.' })
    .describe(
      'The request of each run, as for `POST /crawler/jobs`, without `since`: each is compared with the last one. `headers` and `cookies` are kept and never returned.',
    ),
  keep: z
    .int()
    .min(1)
    .max(keepMax)
    .describe(
      'Ended runs whose results are kept, beside the one that the next is compared with. Those of older runs are deleted.',
    ),
  overlap: scheduleColumns.overlap
    .type(z)
    .describe('When the last run has not ended: `skip` makes no run; `queue` makes one when it ends.'),
  paused: z.boolean().describe('No run is due while it is true.'),
};

export const scheduleInput = z.strictObject(
  {
    ...fields,
    time_zone: fields.time_zone.default('UTC'),
    keep: fields.keep.default(10),
    overlap: fields.overlap.default('skip'),
    paused: fields.paused.default(false),
  },
  {
    error: (issue) => (issue.code === 'invalid_type' ? 'Send a JSON object with `name`, `cron` and `job`.' : undefined),
  },
);

export const scheduleChangeInput = z
  .strictObject(fields, {
    error: (issue) => (issue.code === 'invalid_type' ? 'Send a JSON object with the fields to change.' : undefined),
  })
  .partial();
export type ScheduleChangeInput = z.output<typeof scheduleChangeInput>;

/** For the document of the API: `job` as its own schema. {@link parseJob} validates it. */
export const scheduleBody = scheduleInput.extend({ job: jobInput.describe(fields.job.description ?? '') });
export const scheduleChangeBody = scheduleChangeInput.extend({
  job: jobInput.optional().describe(fields.job.description ?? ''),
});

/** Parses the request of each run. */
export function parseJob(job: Readonly<Record<string, unknown>>): z.output<typeof jobInput> {
  if (typeof job['since'] === 'string')
    throw invalidBody([
      { field: 'since', message: 'Each run of a schedule is compared with the last one by itself. Leave it out.' },
    ]);
  // What needs `since` elsewhere needs nothing here.
  const { deliver, ...others } = job;
  return deliver === 'changed'
    ? { ...parseInput(jobInput, 'crawl', others), deliver }
    : parseInput(jobInput, 'crawl', job);
}

/** The error of a job, as that of the schedule. */
export function ofJob(error: unknown): unknown {
  if (!(error instanceof UserError)) return error;
  const { code, message, members } = error;
  const named = error.fields.map((one) => ({ ...one, field: one.field === 'body' ? 'job' : `job.${one.field}` }));
  const [first] = error.fields;
  const text = first === undefined ? message : message.replace(`\`${first.field}`, `\`${named[0]?.field}`);
  return new UserError(code, text, named, members);
}

/** Throws a `UserError` for an expression that cannot be used. */
export function checkCron(cron: string, timeZone: string, now: number): void {
  const problem = cronProblem(cron, timeZone, now);
  if (problem !== undefined)
    throw new UserError('invalid_cron', `\`cron\`: ${problem}`, [{ field: 'cron', message: problem }]);
}
