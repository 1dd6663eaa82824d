// The unchanged program, except for two things: processes without a sign of life count as dead after three seconds, so
// that a test need not take hours; and it reports when it sent each request.
import { subscribe } from 'node:diagnostics_channel';
import { openObjects, withBlobs } from '../../src/start/open-objects.ts';
import { runProgram } from '../../src/start/program.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { openPostgresStore } from '../../src/storage/postgres/postgres-store.ts';
import { HostPace } from '../../src/crawl/pace/host-pace.ts';
import { leaseMs, sentMark } from './lease.ts';

interface Sent {
  readonly request: { readonly origin: string; readonly path: string };
}

// The request is sent between these two.
// oxlint-disable-next-line typescript/unbound-method -- called with its own object
const { sent: originalSent } = HostPace.prototype;
let from = 0n;
HostPace.prototype.sent = function sent(this: HostPace, ...args) {
  from = process.hrtime.bigint();
  originalSent.apply(this, args);
};
subscribe('undici:client:sendHeaders', (message) => {
  const { origin, path } = (message as Sent).request;
  process.stderr.write(`${sentMark} ${origin} ${path} ${from} ${process.hrtime.bigint()}\n`);
});

process.exitCode = await runProgram(process.argv.slice(2), {
  openStore: async (config, { crawling }) => {
    const { databaseUrl: url, databaseConnections: connections, logLevel } = config;
    if (url === undefined) throw new Error('HAYRAKE_DATABASE_URL is missing');
    const objects = await openObjects(config);
    const store = await openPostgresStore({ url, connections, startMs: 60_000, leaseMs, log: createLogger(logLevel) });
    return withBlobs(store, objects, config, crawling);
  },
});
