import type { Listener } from '../../../core/ports/stores.ts';
import { expiredOf, listenerName, listenerPrefix, listenersOf, listenerValue } from '../../rules/service/listeners.ts';
import type { Database } from '../file/database.ts';

/** See `Store.noteListener`. */
export function noteListener(
  db: Database,
  own: Listener | undefined,
  keptMs: number,
  now: number,
): readonly Listener[] {
  if (own) {
    const set = db.prepare('INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)');
    set.run(listenerName(own), listenerValue(own, now + keptMs));
  }
  const rows = db
    .prepare<[string], { name: string; value: Uint8Array }>("SELECT name, value FROM setting WHERE name LIKE ? || '%'")
    .all(listenerPrefix);
  const remove = db.prepare('DELETE FROM setting WHERE name = ?');
  for (const name of expiredOf(rows, now)) remove.run(name);
  return listenersOf(
    rows.map(({ value }) => value),
    now,
  );
}
