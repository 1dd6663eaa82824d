import { ExitError, exitCodes, UserError } from '../../core/errors.ts';
import type { ChangesOf } from './verbs.ts';

/** Ids of jobs and schedules look alike, so both are asked for. */
export async function jobOrSchedule(
  job: () => Promise<ChangesOf>,
  schedule: () => Promise<ChangesOf>,
): Promise<ChangesOf> {
  try {
    return await job();
  } catch (error) {
    if (!isCode(error, 'job_not_found')) throw error;
  }
  try {
    return await schedule();
  } catch (error) {
    if (!isCode(error, 'schedule_not_found')) throw error;
    const message = 'There is no job or schedule with this id. `hayrake jobs` and `hayrake schedule list` list them.';
    throw new ExitError(exitCodes.failed, message);
  }
}

function isCode(error: unknown, code: UserError['code']): boolean {
  return error instanceof UserError && error.code === code;
}
