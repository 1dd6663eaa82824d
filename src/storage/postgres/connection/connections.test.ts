// What a transaction does with the statements that it sent when its connection breaks.
import { expect, it, onTestFinished, vi } from 'vitest';
import { createTestDatabase, postgresMissing } from '../../../../test/postgres/test-database.ts';
import { Connections } from './connections.ts';
import { isPassing } from './faults.ts';

const missing = await postgresMissing();

it.skipIf(missing !== undefined)(
  'Connections.transaction: rejects when its connection breaks, and its other statements do not end the process (needs PostgreSQL)',
  async () => {
    const connections = await connect();
    const unhandled = unhandledRejections();

    const broken = connections.transaction(async (tx) => {
      const first = tx.query('SELECT pg_terminate_backend(pg_backend_pid())');
      const rows = tx.query('SELECT 1');
      const changed = tx.run('SELECT 2');
      await first;
      return [await rows, await changed];
    });
    await expect(broken).rejects.toSatisfy(isPassing);
    // A round trip: Node reports rejections that nobody handles at the end of a turn of its event loop.
    expect(await connections.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(unhandled).not.toHaveBeenCalled();
  },
);

it.skipIf(missing !== undefined)(
  'Connections.transaction: ends no process by what its function derived from statements when its connection breaks (needs PostgreSQL)',
  async () => {
    const connections = await connect();
    const unhandled = unhandledRejections();

    const broken = connections.transaction(async (tx) => {
      const rowsOf = async (sql: string): Promise<number> => (await tx.query(sql)).length;
      const first = rowsOf('SELECT pg_terminate_backend(pg_backend_pid())');
      const second = rowsOf('SELECT 1');
      return (await first) + (await second);
    });
    await expect(broken).rejects.toSatisfy(isPassing);
    expect(await connections.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(unhandled).not.toHaveBeenCalled();
  },
);

it.skipIf(missing !== undefined)(
  'Connections.transaction: sends nothing more for its function after it has ended (needs PostgreSQL)',
  async () => {
    const connections = await connect();
    await connections.run('CREATE TABLE noted (word text)');
    const later = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();

    const failed = connections.transaction(async (tx) => {
      tx.send('SELECT 1 / 0');
      await later.promise;
      tx.send("INSERT INTO noted VALUES ('later')");
      ended.resolve();
    });
    await expect(failed).rejects.toMatchObject({ code: '22012' });
    later.resolve();
    await ended.promise;
    expect(await connections.query('SELECT word FROM noted')).toEqual([]);
  },
);

it.skipIf(missing !== undefined)(
  'Connections.transaction: rejects with the error of the first statement when a later one is awaited first (needs PostgreSQL)',
  async () => {
    const connections = await connect();

    const failed = connections.transaction(async (tx) => {
      const first = tx.query('SELECT 1 / 0');
      await tx.query('SELECT 2');
      return first;
    });
    await expect(failed).rejects.toMatchObject({ code: '22012' });
  },
);

/** One connection to an empty database. */
async function connect(): Promise<Connections> {
  const { url, remove } = await createTestDatabase();
  onTestFinished(remove);
  const connections = new Connections({ url, max: 1, applicationName: 'test' });
  onTestFinished(() => connections.close());
  return connections;
}

function unhandledRejections(): () => void {
  const unhandled = vi.fn<() => void>();
  process.on('unhandledRejection', unhandled);
  onTestFinished(() => void process.off('unhandledRejection', unhandled));
  return unhandled;
}
