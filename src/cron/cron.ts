// The times of a cron expression in a time zone. Pure: time is an argument.
import { Cron } from 'croner';

export const cronLengthMax = 100;
export const timeZoneLengthMax = 64;
/** An expression whose next time is later than this never fires, for what anybody wants. */
const yearsMax = 5;
const yearMs = 366 * 24 * 3_600_000;

/** Five fields: what every cron reads, and `L`, `W` and `#`. croner also knows `?` and `+`, which mean other things elsewhere. */
const fiveFields = /^[\dA-Za-z*,/#-]+(?: +[\dA-Za-z*,/#-]+){4}$/;
const nicknames = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)$/i;

/** Why an expression cannot be used; undefined if it can. `now`: from when on it has to fire. */
export function cronProblem(cron: string, timeZone: string, now: number): string | undefined {
  const text = cron.trim();
  if (!fiveFields.test(text) && !nicknames.test(text))
    return 'Give five fields (minute, hour, day of month, month, day of week), such as `30 2 * * *`, or one of @hourly, @daily, @weekly, @monthly, @yearly.';
  let next: number | null;
  try {
    next = nextTime(text, timeZone, now);
  } catch (error) {
    return `This is not a cron expression: ${error instanceof Error ? error.message.replace(/^CronPattern: /, '') : 'unknown'}`;
  }
  if (next === null || next - now > yearsMax * yearMs)
    return `It does not fire within the next ${yearsMax} years, so the schedule would never run. Check the day and the month.`;
  return undefined;
}

/** Why a time zone cannot be used; undefined if it can. */
export function timeZoneProblem(timeZone: string): string | undefined {
  const message = 'Give the name of an IANA time zone, such as `Europe/Berlin` or `UTC`.';
  // An offset has no daylight saving time, and not every version of Node accepts one.
  if (!/^[A-Za-z][\w+/-]*$/.test(timeZone)) return message;
  try {
    Intl.DateTimeFormat('en', { timeZone });
    return undefined;
  } catch {
    return message;
  }
}

/**
 * The first time after `after`, in milliseconds since the epoch; null if there is none. A wall-clock time that does not exist
 * on a day fires at the next time that does; one that occurs twice fires the first time, except in expressions that fire
 * every few minutes or hours, which continue.
 */
export function nextTime(cron: string, timeZone: string, after: number): number | null {
  // The constructor of an expression with a callback would start a timer.
  const pattern = new Cron(cron.trim(), { timezone: timeZone, mode: '5-part', paused: true });
  return pattern.nextRun(new Date(after))?.getTime() ?? null;
}
