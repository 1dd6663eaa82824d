import type { Database } from '../file/database.ts';

/**
 * Moves what an earlier process planned by a clock that was set back since: pauses of hosts, of requests and of webhook
 * deliveries stay as long as they were, or grow by the length of a lease. The last time that a process leased or released
 * any host tells how far the clock went. Runs before any other operation of the frontier.
 */
export function followClockBack(db: Database, now: number): void {
  const last = db.get<{ at: number | null }>('SELECT max(noted_at) AS at FROM host')?.at ?? 0;
  const byMs = last - now;
  if (byMs <= 0) return;
  db.run('UPDATE host SET next_at = next_at - @byMs WHERE next_at > @now', { now, byMs });
  db.run('UPDATE host SET noted_at = @now WHERE noted_at > @now', { now });
  db.run('UPDATE frontier SET not_before = max(1, not_before - @byMs) WHERE not_before > @now', { now, byMs });
  // Schedules fire by the time of day, whatever it is.
  const hasten =
    "UPDATE work SET next_at = next_at - @byMs WHERE kind = 'webhook' AND status = 'pending' AND next_at > @now";
  db.run(hasten, { now, byMs });
}
