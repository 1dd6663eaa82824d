// Where processes listen, stored as settings of the database: one row per listener, valid until a time.
import type { Listener, Store } from '../../core/ports/stores.ts';
import { all, type OperationsOf, send, timeOf } from './operation.ts';
import { isIn, sql } from './sql.ts';

const prefix = 'listener ';

interface Noted extends Listener {
  readonly until: number;
}

export const listeners: OperationsOf<Pick<Store, 'noteListener'>> = {
  noteListener: {
    kind: 'write',
    waits: true,
    *steps(own: Listener | undefined, keptMs: number) {
      const now = yield* timeOf();
      if (own) {
        const { machine, addresses, port } = own;
        const value = new TextEncoder().encode(JSON.stringify({ ...own, until: now + keptMs } satisfies Noted));
        yield* send(
          sql`INSERT INTO setting (name, value) VALUES (${`${prefix}${machine} ${addresses.join(',')} ${port}`}, ${value})
            ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        );
      }
      const rows = yield* all<{ name: string; value: Uint8Array }>(
        sql`SELECT name, value FROM setting WHERE name LIKE ${`${prefix}%`}`,
      );
      const noted = rows.map(({ name, value }) => ({ name, of: JSON.parse(new TextDecoder().decode(value)) as Noted }));
      // They were not renewed in time.
      const expired = noted.filter(({ of }) => of.until <= now).map(({ name }) => name);
      if (expired.length > 0) yield* send(sql`DELETE FROM setting WHERE name ${isIn(expired)}`);
      return noted.map(({ of }) => of).filter(({ until }) => until > now);
    },
  },
};
