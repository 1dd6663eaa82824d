// Parts for the commands: the only place that builds adapters, with `start-engine.ts` (the crawl) and `listen.ts` (the
// API).
import type { Config, Settings } from '../config/config.ts';
import { settings } from '../config/settings.ts';
import type { Program } from '../cli/program.ts';
import { openFilesMax } from '../api/guard/connection-limits.ts';
import { ExitError, exitCodes } from '../core/errors.ts';
import { type CheckSummary, Damage, damagedNamedMax } from '../core/ports/check.ts';
import type { ObjectStore } from '../core/ports/object-store.ts';
import type { Store } from '../core/ports/stores.ts';
import { runCli } from '../cli/cli.ts';
import { parsePrivateNetworks } from '../fetch/guard/address-policy.ts';
import { askHealth, hasApi } from '../fetch/http/ask-health.ts';
import { postToService } from '../fetch/http/post-to-service.ts';
import { createLogger } from '../observe/logger.ts';
import { openObjects, withBlobs } from './open-objects.ts';
import { type ReadConfig, readConfig } from '../config/read-config.ts';
import { checkObjects } from '../storage/objects/check-objects.ts';
import { adoptObjects, explainedAtStart } from '../storage/objects/owner.ts';
import { withObjects } from '../storage/objects/with-objects.ts';
import { backUp } from '../storage/sqlite/maintain/backup.ts';
import { check } from '../storage/sqlite/maintain/check.ts';
import { hasWalBug, walBugWarning } from '../storage/sqlite/file/open-database.ts';
import { restore } from '../storage/sqlite/maintain/restore.ts';
import { isCrawled } from '../storage/sqlite/file/crawl-lock.ts';
import { hasDatabase } from '../storage/sqlite/file/database-file.ts';
import { openSqliteStore } from '../storage/sqlite/sqlite-store.ts';
import { version } from '../version.ts';

/** How long to wait for a database that is starting. */
const databaseStartMs = 60_000;
/** A response has at most 80,000 characters. */
const mcpBytesMax = 2 * 2 ** 20;

const settingsTable: Settings = settings({ checkNetworks: (text) => void parsePrivateNetworks(text) });

/** Runs the command line, with `parts` replacing its own, and returns the exit code. */
export function runProgram(args: readonly string[], parts: Partial<Program> = {}): Promise<number> {
  return runCli({ ...program, ...parts }, args);
}

/** Open files that a crawling process needs: threads, database, log and its own files take about 65 of them. */
const openFilesMin = 128;

function refuseFewFiles(filesMax: number): void {
  if (filesMax >= openFilesMin) return;
  throw new ExitError(
    exitCodes.usage,
    `This process may have ${filesMax} files open at a time, but needs ${openFilesMin}. Allow more with \`ulimit -n 1024\` in the shell that starts it, LimitNOFILE=1024 in a systemd unit, or --ulimit nofile=1024 with a container.`,
  );
}

async function checkDatabase(config: Config, options: { readonly isQuick: boolean }): Promise<CheckSummary> {
  if (config.databaseUrl === undefined) return check(config.data, options);
  const { checkPostgres } = await import('../storage/postgres/maintain/check.ts');
  return checkPostgres(config.databaseUrl, options);
}

async function withCheckedObjects(
  summary: CheckSummary,
  config: Config,
  objects: ObjectStore,
  { isQuick }: { readonly isQuick: boolean },
): Promise<CheckSummary> {
  const opened = await openDatabase(config, { crawling: false, mayCreate: false });
  const store = withObjects(opened, objects, { keptMs: 0 });
  const damage = new Damage();
  try {
    const checked = await checkObjects(store, objects, isQuick ? undefined : damage);
    return {
      ...summary,
      damaged: [...summary.damaged, ...damage.damaged].slice(0, damagedNamedMax),
      damagedParts: summary.damagedParts + damage.damagedParts,
      objects: checked,
    };
  } catch (error) {
    throw explainedAtStart(error);
  } finally {
    await store.close();
  }
}

async function openDatabase(
  config: Config,
  { crawling, waiting = false, mayCreate = true }: Parameters<Program['openStore']>[1],
): Promise<Store> {
  const { databaseUrl, databaseConnections, jobUrls: jobUrlsMax } = config;
  if (crawling) refuseFewFiles(openFilesMax());
  if (databaseUrl !== undefined) {
    // Imported only here: the driver adds 20 ms of CPU time to a start.
    const { openPostgresStore } = await import('../storage/postgres/postgres-store.ts');
    return openPostgresStore({
      url: databaseUrl,
      directUrl: config.databaseDirectUrl,
      connections: databaseConnections,
      jobUrlsMax,
      startMs: waiting ? databaseStartMs : 0,
      log: createLogger(config.logLevel),
    });
  }
  if (crawling && hasWalBug(process.versions['sqlite'] ?? '')) process.stderr.write(`hayrake: ${walBugWarning}\n`);
  const { data, diskFreeMb, logLevel } = config;
  if (!mayCreate && !hasDatabase(data))
    throw new ExitError(
      exitCodes.usage,
      `There is no data in ${data}. Name another directory with --data, or crawl first: \`hayrake crawl https://example.com\`.`,
    );
  return openSqliteStore(data, { crawling, diskFreeMb, jobUrlsMax, log: createLogger(logLevel) });
}

const program: Program = {
  version,
  command: process.env['npm_lifecycle_event'] === 'hayrake' ? 'npm run -s hayrake --' : 'hayrake',
  settings: settingsTable,
  readConfig: (flags, keepsBadToken = false): ReadConfig => {
    const file = typeof flags['config'] === 'string' ? flags['config'] : process.env['HAYRAKE_CONFIG'];
    const read = readConfig(settingsTable, {
      flags,
      env: process.env,
      keepsBadToken,
      ...(file !== undefined && { file }),
    });
    for (const warning of read.warnings) process.stderr.write(`hayrake: ${warning}\n`);
    return read;
  },
  openStore: async (config, options) => {
    const objects = await openObjects(config);
    const store = await openDatabase(config, options).catch(async (error: unknown) => {
      await objects?.close();
      throw error;
    });
    return withBlobs(store, objects, config, options.crawling);
  },
  isCrawled: ({ databaseUrl, data }) => databaseUrl !== undefined || isCrawled(data),
  backUp: (config, file, options) => backUp(config.data, file, options),
  check: async (config, options) => {
    const summary = await checkDatabase(config, options);
    const objects = await openObjects(config);
    return objects ? withCheckedObjects(summary, config, objects, options) : summary;
  },
  restore: (config, file) => restore(file, config.data),
  adoptBlobs: async (config) => {
    const objects = await openObjects(config);
    if (!objects) throw new ExitError(exitCodes.usage, 'HAYRAKE_BLOBS is not set, so there is nothing to adopt.');
    try {
      const store = await openDatabase(config, { crawling: false, mayCreate: false });
      try {
        await adoptObjects(objects, store.objects);
      } finally {
        await store.close();
      }
      return objects.place;
    } finally {
      await objects.close();
    }
  },
  migrate: async (from, url, onStep) => {
    const { moveToPostgres } = await import('../storage/move/move-to-postgres.ts');
    return moveToPostgres({ from, url, onStep });
  },
  examine: async (...given) => (await import('./examine-installation.ts')).examineInstallation(...given),
  askHealth,
  postToMcp: (server, token, { body, headers, signal }) =>
    postToService(new URL(`${server.href.replace(/\/$/, '')}/mcp`), {
      headers: { ...headers, authorization: `Bearer ${token}` },
      body,
      signal,
      bytesMax: mcpBytesMax,
    }),
  hasApi,
  createLog: (config) => createLogger(config.logLevel),
  // What only some commands need is loaded by them: the crawl takes 80 ms of processor time, the API 100.
  startEngine: async (...given) => (await import('./start-engine.ts')).startEngine(...given),
  openDoor: async (...given) => (await import('./open-door.ts')).openDoor(...given),
  listen: async (...given) => (await import('./listen.ts')).listen(...given),
};
