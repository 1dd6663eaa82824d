/**
 * Returns `Retry-After` in either form (RFC 9110, 10.2.3) as a pause in milliseconds, at most `maxMs`; undefined if
 * absent or unreadable.
 */
export function readRetryAfter(header: string, now: number, maxMs: number): number | undefined {
  const value = header.trim();
  if (value === '') return undefined;
  const ms = /^\d{1,10}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? undefined : Math.min(maxMs, Math.max(0, ms));
}
