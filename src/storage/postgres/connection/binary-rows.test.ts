import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, postgresMissing } from '../../../../test/postgres/test-database.ts';
import { Connections } from './connections.ts';

const missing = await postgresMissing();

describe.skipIf(missing !== undefined)('rows in binary (needs PostgreSQL)', () => {
  let connections: Connections;

  beforeEach(async () => {
    const { url, remove } = await createTestDatabase();
    onTestFinished(remove);
    connections = new Connections({ url, max: 1, applicationName: 'test' });
    onTestFinished(() => connections.close());
  });

  it.each([0, 1, 3_000, 8_191, 70_000, 3_000_000])('queryBytes: returns %i bytes as they were sent', async (size) => {
    const bytes = randomBytes(size);
    const sql = 'SELECT n, $1::bytea AS bytes FROM generate_series(1, 3) n';
    const rows = await connections.queryBytes<{ n: number; bytes: Buffer }>(sql, [bytes]);
    // `toEqual` compares one byte after the other.
    expect(rows.map((row) => [row.n, row.bytes.equals(bytes)])).toEqual([1, 2, 3].map((n) => [n, true]));
  });

  it('queryBytes: returns numbers, texts, truth values and nulls as query does', async () => {
    const sql = `SELECT 2147483647 AS int, -1 AS less, 9007199254740991 AS big, -4294967296 AS small, 'Grüße 🌾'::text AS text,
      ''::text AS empty, true AS yes, false AS no, NULL::bytea AS bytes, NULL::bigint AS none`;
    const [row] = await connections.queryBytes(sql);
    expect(row).toEqual((await connections.query(sql))[0]);
    expect(row).toMatchObject({ int: 2_147_483_647, big: 9_007_199_254_740_991, small: -4_294_967_296, bytes: null });
  });

  it('queryBytes: leaves statements of the same transaction as they are, sent before and after it', async () => {
    const bytes = Buffer.from([0, 0x80, 0xff, 0x5c, 0x78]);
    const rows = await connections.transaction((tx) =>
      Promise.all([
        tx.query("SELECT 'ü' AS text, 5::bigint AS big"),
        tx.queryBytes('SELECT $1::bytea AS bytes', [bytes]),
        tx.query('SELECT $1::bytea AS bytes, now() > to_timestamp(0) AS later', [bytes]),
        tx.queryBytes('SELECT 1 AS one WHERE false'),
        tx.query("SELECT ARRAY['a', 'b'] AS list"),
      ]),
    );
    expect(rows).toEqual([[{ text: 'ü', big: 5 }], [{ bytes }], [{ bytes, later: true }], [], [{ list: ['a', 'b'] }]]);
  });

  it('queryBytes: rejects a column of another type, and the connection serves the next statement', async () => {
    await expect(connections.queryBytes('SELECT now() AS now')).rejects.toThrow('cannot be read in binary');
    expect(await connections.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});
