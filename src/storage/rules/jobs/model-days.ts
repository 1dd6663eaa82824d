/** How long the calls of a day are kept. */
export const modelDaysKeptMs = 7 * 24 * 3600 * 1000;

/** The day of a time in UTC, as `2026-11-27`. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
