// A pause that a host asked for holds for all parts of the host, whichever of their holders was asked.
import type { HostLease } from '../../../core/ports/frontier.ts';
import type { Connections, Transaction } from '../connection/connections.ts';
import { nowSql } from '../connection/schema.ts';

/** Nobody contacts the host before `until`, by the clock of the database. The caller holds the locks of all slots. */
export function pauseSlots(tx: Transaction, hostId: number, until: number): void {
  tx.send(
    `UPDATE host_slot SET next_at = greatest(next_at, $2), in_line = false,
       ready_at = CASE WHEN ready_at IS NOT NULL THEN greatest(ready_at, $2) END WHERE host = $1`,
    [hostId, until],
  );
}

/** See `Frontier.sharePause`. */
export async function sharePause(
  connections: Connections,
  worker: number | undefined,
  { hostId, fence, share }: HostLease,
  pauseMs: number,
): Promise<number> {
  if (share === 1) return 0;
  const held = `SELECT next_at, ${nowSql} AS now FROM host_slot WHERE host = $1 AND fence = $2 AND owner = $3`;
  const values = [hostId, fence, worker ?? null];
  if (pauseMs <= 0) return restOf(await connections.query<Held>(held, values));
  return connections.transaction(async (tx) => {
    tx.send('SELECT FROM host_slot WHERE host = $1 ORDER BY slot FOR NO KEY UPDATE', [hostId]);
    const rows = await tx.query<Held>(held, values);
    const [row] = rows;
    if (!row) return 0;
    pauseSlots(tx, hostId, row.now + Math.ceil(pauseMs));
    return Math.max(restOf(rows), pauseMs);
  });
}

interface Held {
  readonly next_at: number;
  readonly now: number;
}

/** 0 if the lease is no longer held. */
function restOf([row]: readonly Held[]): number {
  return row ? Math.max(0, row.next_at - row.now) : 0;
}
