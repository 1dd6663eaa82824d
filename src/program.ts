// What commands are given: the only place that builds adapters, with `start-engine.ts` (the crawl) and `listen.ts` (the API).
import { type Settings, settings } from './config.ts';
import type { Program } from './cli/program.ts';
import { runCli } from './cli/cli.ts';
import { parseCidrs } from './fetch/address-policy.ts';
import { Cursors } from './jobs/cursor.ts';
import { listen } from './listen.ts';
import { createLogger } from './observe/logger.ts';
import { egressOf } from './outgoing.ts';
import { type ReadConfig, readConfig } from './read-config.ts';
import { startEngine } from './start-engine.ts';
import { backUp } from './storage/sqlite/backup.ts';
import { hasWalBug, walBugWarning } from './storage/sqlite/open-database.ts';
import { restore } from './storage/sqlite/restore.ts';
import { openSqliteStore } from './storage/sqlite/sqlite-store.ts';
import { version } from './version.ts';

/** Processes that share a host with much to do. */
const hostSlotsMax = 4;
/** How long a database that is only just starting is waited for. */
const databaseStartMs = 60_000;

const settingsTable: Settings = settings({ checkCidrs: (text) => void parseCidrs(text) });

/** Runs the command line, with other parts in the place of its own where some are given; answers the exit code. */
export function runProgram(args: readonly string[], parts: Partial<Program> = {}): Promise<number> {
  return runCli({ ...program, ...parts }, args);
}

const program: Program = {
  version,
  command: process.env['npm_lifecycle_event'] === 'hayrake' ? 'npm run hayrake --' : 'hayrake',
  settings: settingsTable,
  readConfig: (flags): ReadConfig => {
    const file = typeof flags['config'] === 'string' ? flags['config'] : process.env['HAYRAKE_CONFIG'];
    const read = readConfig(settingsTable, { flags, env: process.env, ...(file !== undefined && { file }) });
    for (const warning of read.warnings) process.stderr.write(`hayrake: ${warning}\n`);
    return read;
  },
  openStore: async (config, { crawling, waiting = false }) => {
    const { databaseUrl, databaseConnections } = config;
    if (databaseUrl !== undefined) {
      // Only here: with the driver a start takes 20 ms of processor time more.
      const { openPostgresStore } = await import('./storage/postgres/postgres-store.ts');
      return openPostgresStore({
        url: databaseUrl,
        connections: databaseConnections,
        // Where a delay is asked for, one process at a time keeps it.
        hostSlots: config.hostDelayMs > 0 ? 1 : Math.min(hostSlotsMax, config.hostConcurrency),
        startMs: waiting ? databaseStartMs : 0,
        log: createLogger(config.logLevel),
      });
    }
    if (crawling && hasWalBug(process.versions['sqlite'] ?? '')) process.stderr.write(`hayrake: ${walBugWarning}\n`);
    const { data, diskFreeMb, logLevel } = config;
    return openSqliteStore(data, { crawling, diskFreeMb, log: createLogger(logLevel) });
  },
  backUp: (config, file, options) => backUp(config.data, file, options),
  restore: (config, file) => restore(file, config.data),
  migrate: async (from, url, onStep) => {
    const { moveToPostgres } = await import('./storage/move/move-to-postgres.ts');
    return moveToPostgres({ from, url, onStep });
  },
  createLog: (config) => createLogger(config.logLevel),
  createDestinations: (config) => egressOf(config),
  cursorsOf: (store) => new Cursors(store.secret),
  startEngine,
  listen,
};
