import type { Listener } from '../../../core/ports/stores.ts';
import { expiredOf, listenerName, listenerPrefix, listenersOf, listenerValue } from '../../rules/service/listeners.ts';
import type { Connections } from '../connection/connections.ts';
import { nowSql } from '../connection/schema.ts';

/** See `Store.noteListener`. */
export function noteListener(
  connections: Connections,
  own: Listener | undefined,
  keptMs: number,
): Promise<readonly Listener[]> {
  return connections.transaction(async (tx) => {
    const [clock] = await tx.query<{ now: number }>(`SELECT ${nowSql} AS now`);
    const now = clock?.now ?? 0;
    if (own) {
      await tx.query(
        'INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
        [listenerName(own), listenerValue(own, now + keptMs)],
      );
    }
    const rows = await tx.query<{ name: string; value: Uint8Array }>(
      "SELECT name, value FROM setting WHERE name LIKE $1 || '%'",
      [listenerPrefix],
    );
    const expired = expiredOf(rows, now);
    if (expired.length > 0) tx.send('DELETE FROM setting WHERE name = ANY($1::text[])', [expired]);
    return listenersOf(
      rows.map(({ value }) => value),
      now,
    );
  });
}
