// One PostgreSQL for a run of the tests. vitest's own process starts it when a test first asks, and ends it after the last one:
// a run that needs none pays nothing.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { TestProject } from 'vitest/node';
import { type PostgresServer, startPostgres } from './server.ts';

/** What who connects is told, as JSON. */
export type SharedServer = { readonly url: string } | { readonly missing: string };

declare module 'vitest' {
  interface ProvidedContext {
    /** Where to ask for the server, on 127.0.0.1. */
    sharedPostgresPort: number;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let starting: Promise<PostgresServer> | undefined;
  let told: typeof starting;
  const answer = async (): Promise<SharedServer> => {
    try {
      starting ??= startPostgres();
      return { url: (await starting).url() };
    } catch (error) {
      const missing = (error as Error).message;
      if (starting !== told)
        console.warn(`No PostgreSQL can be started, so tests that need it are skipped: ${missing}`);
      told = starting;
      return { missing };
    }
  };
  const desk = createServer((socket) => {
    // A test that is ended while it waits.
    socket.on('error', () => {});
    void answer().then((shared) => socket.end(JSON.stringify(shared)));
  });
  await once(desk.listen(0, '127.0.0.1').unref(), 'listening');
  project.provide('sharedPostgresPort', (desk.address() as AddressInfo).port);
  return async () => {
    desk.close();
    const server = await starting?.catch(() => undefined);
    await server?.remove();
  };
}
