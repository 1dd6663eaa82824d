// What the database knows of objects outside of it: the statements that are the same on both stores.
import type { ObjectsIdentity, SegmentObjects } from '../../core/ports/object-store.ts';
import {
  identityBytes,
  identityIn,
  identitySetting,
  isAliveSql,
  objectsPerStep,
} from '../rules/pages/segment-objects.ts';
import { all, one, type OperationsOf, run, send, type Steps } from './operation.ts';
import { clock, isIn, raw, type Sql, sql } from './sql.ts';

type Methods = 'areAlive' | 'dead' | 'lost' | 'forget' | 'known' | 'live' | 'identity' | 'setIdentity';

export const objectRows: OperationsOf<Pick<SegmentObjects, Methods>> = {
  areAlive: {
    kind: 'read',
    waits: true,
    *steps(names: readonly string[]) {
      const alive = yield* namesOf(sql`name ${isIn(names)} AND ${raw(isAliveSql)}`);
      return alive.length === new Set(names).size;
    },
  },
  dead: { kind: 'read', steps: (sinceMs: number) => namesOf(sql`state = 'dead' AND ${isSince(sinceMs)}`) },
  lost: { kind: 'read', steps: (sinceMs: number) => namesOf(sql`state = 'lost' AND ${isSince(sinceMs)}`) },
  forget: {
    kind: 'write',
    makesRoom: true,
    *steps(names: readonly string[]) {
      const gone = sql`name ${isIn(names)} AND state IN ('dead', 'lost')`;
      yield* send(sql`DELETE FROM raw_object_job WHERE object IN (SELECT name FROM raw_object WHERE ${gone})`);
      yield* send(sql`DELETE FROM raw_object WHERE ${gone}`);
    },
  },
  known: { kind: 'read', steps: (names: readonly string[]) => namesOf(sql`name ${isIn(names)}`) },
  live: {
    kind: 'read',
    steps: (after: string) =>
      all<{ readonly name: string; readonly bytes: number }>(
        sql`SELECT name, bytes FROM raw_object WHERE name > ${after} AND state = 'live' ORDER BY name LIMIT ${objectsPerStep}`,
      ),
  },
  identity: {
    kind: 'read',
    *steps() {
      const row = yield* one<{ readonly value: Uint8Array }>(
        sql`SELECT value FROM setting WHERE name = ${identitySetting}`,
      );
      return identityIn(row?.value);
    },
  },
  setIdentity: {
    kind: 'write',
    *steps(identity: ObjectsIdentity, replaces: boolean) {
      const change = raw(replaces ? 'UPDATE SET value = excluded.value' : 'NOTHING');
      yield* run(
        sql`INSERT INTO setting (name, value) VALUES (${identitySetting}, ${identityBytes(identity)}) ON CONFLICT (name) DO ${change}`,
      );
    },
  },
};

function isSince(sinceMs: number): Sql {
  return sql`at <= ${clock()} - CAST(${sinceMs} AS bigint) LIMIT ${objectsPerStep}`;
}

function* namesOf(condition: Sql): Steps<readonly string[]> {
  const rows = yield* all<{ readonly name: string }>(sql`SELECT name FROM raw_object WHERE ${condition}`);
  return rows.map(({ name }) => name);
}
