import type { Listener, Store } from '../../core/ports/stores.ts';
import { expiredOf, listenerName, listenerPrefix, listenersOf, listenerValue } from '../rules/service/listeners.ts';
import { all, type OperationsOf, send, timeOf } from './operation.ts';
import { isIn, sql } from './sql.ts';

export const listeners: OperationsOf<Pick<Store, 'noteListener'>> = {
  noteListener: {
    kind: 'write',
    waits: true,
    *steps(own: Listener | undefined, keptMs: number) {
      const now = yield* timeOf();
      if (own)
        yield* send(
          sql`INSERT INTO setting (name, value) VALUES (${listenerName(own)}, ${listenerValue(own, now + keptMs)})
            ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        );
      const rows = yield* all<{ name: string; value: Uint8Array }>(
        sql`SELECT name, value FROM setting WHERE name LIKE ${`${listenerPrefix}%`}`,
      );
      const expired = expiredOf(rows, now);
      if (expired.length > 0) yield* send(sql`DELETE FROM setting WHERE name ${isIn(expired)}`);
      return listenersOf(
        rows.map(({ value }) => value),
        now,
      );
    },
  },
};
