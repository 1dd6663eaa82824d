// The program as it is, but for two things: processes that are not heard of are taken for dead after three seconds, so that
// it need not take hours to see it; and each request that it makes carries the moment at which it was begun here.
import { subscribe } from 'node:diagnostics_channel';
import { runProgram } from '../../src/program.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { openPostgresStore } from '../../src/storage/postgres/postgres-store.ts';
import { begunHeader, leaseMs } from './lease.ts';

interface Created {
  readonly request: { addHeader(name: string, value: string): void };
}

// The clock is the machine's, the same for all processes on it.
subscribe('undici:request:create', (message) => {
  (message as Created).request.addHeader(begunHeader, `${process.pid} ${process.hrtime.bigint()}`);
});

process.exitCode = await runProgram(process.argv.slice(2), {
  openStore: ({ databaseUrl, databaseConnections, logLevel }) => {
    if (databaseUrl === undefined) throw new Error('HAYRAKE_DATABASE_URL is missing');
    const log = createLogger(logLevel);
    return openPostgresStore({ url: databaseUrl, connections: databaseConnections, startMs: 60_000, leaseMs, log });
  },
});
