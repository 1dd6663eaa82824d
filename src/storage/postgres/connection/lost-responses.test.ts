// What happens to the effects of a statement whose response is lost.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, postgresMissing } from '../../../../test/postgres/test-database.ts';
import {
  createJob,
  getJob,
  hostA,
  hostB,
  lease,
  leaseHost,
  link,
  links,
  tryLease,
} from '../../../../test/storage/test-data.ts';
import type { Store } from '../../../core/ports/stores.ts';
import { openPostgresStore } from '../postgres-store.ts';

const missing = await postgresMissing();

describe.skipIf(missing !== undefined)('lost responses of PostgreSQL (needs PostgreSQL)', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let way: Awaited<ReturnType<typeof startWay>>;
  let store: Store;
  let observer: Client;
  const owned = async (): Promise<number> => {
    const { rows } = await observer.query<{ owned: number }>(
      'SELECT count(*)::int AS owned FROM host_slot WHERE owner IS NOT NULL',
    );
    return rows[0]?.owned ?? 0;
  };

  /** After new URLs, the statistics of tables can be read in the background: the next COMMIT would be that one. */
  const untilIdle = async (): Promise<void> => {
    for (let looks = 0; looks < 3;) {
      const { rows } = await observer.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'",
      );
      looks = rows.length === 0 ? looks + 1 : 0;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  beforeEach(async () => {
    database = await createTestDatabase({ keepsSchema: true });
    way = await startWay(database.url);
    store = await openPostgresStore({ url: way.url, connections: 4 });
    observer = new Client({ connectionString: database.url });
    await observer.connect();
    // With a browser: a process without one reads more before it leases.
    await store.frontier.recover({ delayMs: 0, hasBrowser: true });
  });
  afterEach(async () => {
    await store.close();
    await way.close();
    await observer.end();
    await database.remove();
  });

  it('leaseHost: releases the host of a lost response, and no other', async () => {
    await createJob(store, { startLinks: [link('/', { depth: 0, host: hostB })] });
    const held = await lease(store);
    await createJob(store, { startLinks: [link('/', { depth: 0 })] });
    await untilIdle();
    const lost = way.loseAnswerTo('COMMIT');
    const leasing = tryLease(store);
    const cut = await lost;
    // The database commits, although its response is lost.
    for (let hosts = 0; hosts < 2;) hosts = await owned();
    cut();

    const again = await leasing;
    expect(again?.host).toBe(hostA);
    expect(await store.frontier.take(held, 10)).toHaveLength(1);
    await store.frontier.release(held);
    if (again) await store.frontier.release(again);
    expect(await owned()).toBe(0);
  });

  it('leaseHost: hands back the requests of a lost response', async () => {
    const job = await createJob(store, { startLinks: links(2, '/', { depth: 0 }) });
    await untilIdle();
    const lost = way.loseAnswerTo('COMMIT');
    const leasing = leaseHost(store.frontier, { takes: true });
    const cut = await lost;
    for (let hosts = 0; hosts < 1;) hosts = await owned();
    expect((await getJob(store, job.id)).progress).toMatchObject({ queued: 0, inFlight: 2 });
    cut();

    const again = await leasing;
    expect(again).toMatchObject({ lease: { host: hostA }, requests: [{ depth: 0 }, { depth: 0 }] });
    expect((await getJob(store, job.id)).progress).toMatchObject({ queued: 0, inFlight: 2 });
    await store.frontier.release(again!.lease);
    expect((await getJob(store, job.id)).progress).toMatchObject({ queued: 2, inFlight: 0 });
  });
});

/** A proxy to the database that can lose a response. */
async function startWay(databaseUrl: string): Promise<{
  readonly url: string;
  /**
   * Drops all responses on the connection that sends the next statement with this text. Resolves when it was sent, with
   * a function that ends the connection.
   */
  loseAnswerTo(text: string): Promise<() => void>;
  close(): Promise<void>;
}> {
  const sockets = new Set<Socket>();
  let awaited: { readonly text: string; readonly sent: (cut: () => void) => void } | undefined;
  const server = createServer((near) => {
    const far = connect(Number(new URL(databaseUrl).port), new URL(databaseUrl).hostname);
    const end = (): void => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    let isSilent = false;
    far.on('data', (answer) => isSilent || near.write(answer));
    near.on('data', (statement) => {
      if (awaited && statement.toString('latin1').includes(awaited.text)) {
        isSilent = true;
        awaited.sent(end);
        awaited = undefined;
      }
      far.write(statement);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    loseAnswerTo: (text) => new Promise((sent) => (awaited = { text, sent })),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
