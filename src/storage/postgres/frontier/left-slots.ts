// Slots of a host that is leased as a whole again. Only its first slot is leased then, so what is due at another slot,
// such as requests that its holder handed back, must be due at the first one.
import type { Transaction } from '../connection/connections.ts';
import { nowSql } from '../connection/schema.ts';

/**
 * Makes what is due at the left slots of a host due at its first slot. The left slots no longer wait in a line. The
 * caller holds the locks of all slots. A first slot that is leased stays as it is: its release reads what is due.
 */
export function leaveToFirstSlot(tx: Transaction, hostId: number): void {
  tx.send(
    `WITH late AS (
       UPDATE host_slot l SET ready_at = NULL, in_line = false FROM host_slot o
       WHERE o.host = $1 AND o.slot >= o.slots AND o.owner IS NULL AND o.ready_at IS NOT NULL AND l.host = o.host AND l.slot = o.slot
       RETURNING o.ready_at)
     UPDATE host_slot s SET ready_at = least(s.ready_at, greatest(s.next_at, late.ready_at)), in_line = false, for_browser = false, plain_at = NULL
     FROM (SELECT min(ready_at) AS ready_at FROM late) late WHERE late.ready_at IS NOT NULL AND s.host = $1 AND s.slot = 0 AND s.owner IS NULL`,
    [hostId],
  );
}

/**
 * The same for the left slots that a dead worker held. Call it before they are released. `delayMs`: how long each host
 * rests at least.
 */
export function leaveOfDeadWorker(tx: Transaction, worker: number, delayMs: number): void {
  tx.send(
    `UPDATE host_slot s SET ready_at = least(s.ready_at, greatest(s.next_at, t.at)), in_line = false, for_browser = false, plain_at = NULL
     FROM (SELECT o.host, max(greatest(o.next_at, ${nowSql} + greatest(h.delay_ms, $2))) AS at
           FROM host_slot o JOIN host h ON h.id = o.host WHERE o.owner = -$1::bigint AND o.slot >= o.slots GROUP BY o.host) t
     WHERE s.host = t.host AND s.slot = 0 AND s.owner IS NULL`,
    [worker, delayMs],
  );
}
