// What a transaction does with the statements that it sent when its connection breaks.
import { expect, it, onTestFinished, vi } from 'vitest';
import { createTestDatabase, postgresMissing } from '../../../../test/postgres/test-database.ts';
import { Connections } from './connections.ts';
import { isPassing } from './faults.ts';

const missing = await postgresMissing();

it.skipIf(missing !== undefined)(
  'Connections.transaction: rejects when its connection breaks, and its other statements do not end the process (needs PostgreSQL)',
  async () => {
    const { url, remove } = await createTestDatabase();
    onTestFinished(remove);
    const connections = new Connections({ url, max: 1, applicationName: 'test' });
    onTestFinished(() => connections.close());
    const unhandled = vi.fn<() => void>();
    process.on('unhandledRejection', unhandled);
    onTestFinished(() => void process.off('unhandledRejection', unhandled));

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
  'Connections.transaction: rejects with the error of the first statement when a later one is awaited first (needs PostgreSQL)',
  async () => {
    const { url, remove } = await createTestDatabase();
    onTestFinished(remove);
    const connections = new Connections({ url, max: 1, applicationName: 'test' });
    onTestFinished(() => connections.close());

    const failed = connections.transaction(async (tx) => {
      const first = tx.query('SELECT 1 / 0');
      await tx.query('SELECT 2');
      return first;
    });
    await expect(failed).rejects.toMatchObject({ code: '22012' });
  },
);
