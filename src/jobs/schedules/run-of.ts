import type { Job } from '../../core/job.ts';
import type { RunRefusal, ScheduleStore } from '../../core/ports/schedules.ts';
import type { NewJob } from '../../core/ports/stores.ts';
import type { Schedule, ScheduleSecrets } from '../../core/schedule.ts';
import { type CreateJobParts, newJobOf } from '../create-job.ts';
import { earlierRun } from './earlier-run.ts';
import { parseJob } from './schedule-input.ts';

/** What it takes to make jobs of schedules. There is no limit of jobs: a schedule has one unfinished run at most. */
export type RunParts = Omit<CreateJobParts, 'jobs' | 'jobsPerOrg'>;

/** How often another earlier run is looked for, because somebody removed the one that was found. */
const lookUpsMax = 3;

/** What is asked for: a run of a schedule. `work`, `now`: see `ScheduleStore.run`. */
export interface RunRequest {
  readonly schedule: Schedule;
  readonly work?: number;
  readonly now?: number | undefined;
}

/** Creates a run, with `since` if an earlier one can be compared with. Throws as {@link runOf}. */
export async function makeRun(
  { schedules, ...parts }: RunParts & { readonly schedules: ScheduleStore },
  { schedule, work, now }: RunRequest,
): Promise<Job | Exclude<RunRefusal, 'gone'>> {
  const secrets = await schedules.secrets(schedule.id);
  for (let lookUps = 0; ; lookUps++) {
    const earlier = lookUps < lookUpsMax ? await earlierRun(schedules, schedule.id) : undefined;
    const job = await runOf(parts, schedule, { secrets, ...(earlier && { earlier }) });
    const made = await schedules.run({ job, ...(work !== undefined && { work }) }, now);
    if (made !== 'gone') return made;
  }
}

/** The run of a schedule, not yet stored. `earlier`: the one with which it is compared. Throws a `UserError` if its writer may not have it, or a URL is not allowed. */
export async function runOf(
  parts: RunParts,
  { id, org, job, permissions }: Pick<Schedule, 'id' | 'org' | 'job' | 'permissions'>,
  { secrets, earlier }: { readonly secrets: ScheduleSecrets; readonly earlier?: Job },
): Promise<NewJob & { readonly schedule: string }> {
  const owner = { org, permissions };
  const input = parseJob(withSecrets(job, secrets));
  if (!earlier) return { ...(await newJobOf(parts, owner, { ...input, deliver: 'all' })), schedule: id };
  return { ...(await newJobOf(parts, owner, input, { earlier })), schedule: id };
}

/** The request with its headers and cookies. */
function withSecrets(
  job: Readonly<Record<string, unknown>>,
  { headers, cookies }: ScheduleSecrets,
): Readonly<Record<string, unknown>> {
  return {
    ...job,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(cookies).length > 0 && { cookies }),
  };
}
