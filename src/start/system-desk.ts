// The state of this service for its operator, and backups that it starts.
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Config } from '../config/config.ts';
import { UserError } from '../core/errors.ts';
import type { BackupFile, SettingRow, SystemDesk, SystemStatus } from '../core/ports/system-desk.ts';
import type { Store } from '../core/ports/stores.ts';

const run = promisify(execFile);
const mib = 2 ** 20;
/** What a failed backup says at most. */
const messageMax = 500;

export function systemDesk(
  config: Config,
  store: Pick<Store, 'hasBrowser' | 'crawlStatus'>,
  settings: readonly SettingRow[],
): SystemDesk {
  const startedAt = Date.now() - Math.round(process.uptime() * 1000);
  let isBackingUp = false;
  return {
    status: async () => ({ startedAt, ...placeOf(config), ...resources(config), settings, ...(await workOf(store)) }),
    backUp: async () => {
      if (config.databaseUrl !== undefined)
        throw new UserError('not_supported_yet', 'Back up PostgreSQL with its own tools, such as pg_dump.');
      if (isBackingUp) throw new UserError('backup_in_progress', 'A backup runs already. Wait for its end.');
      isBackingUp = true;
      try {
        return await backUp(config.data);
      } finally {
        isBackingUp = false;
      }
    },
  };
}

function placeOf({ databaseUrl, data }: Config): Pick<SystemStatus, 'place' | 'database' | 'dataBytes'> {
  if (databaseUrl === undefined) return { database: 'sqlite', place: path.resolve(data), dataBytes: sizeOfFiles(data) };
  const url = URL.parse(databaseUrl);
  return { database: 'postgresql', place: url ? `${url.host}${url.pathname}` : 'PostgreSQL', dataBytes: null };
}

/** The database and the search index, with their logs: the files directly in the directory. */
function sizeOfFiles(directory: string): number {
  let bytes = 0;
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    // A file can be removed meanwhile.
    if (entry.isFile()) bytes += statSync(path.join(directory, entry.name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}

function resources({ data, databaseUrl, diskFreeMb, memoryMb }: Config): Pick<SystemStatus, 'disk' | 'memory'> {
  const { bavail, blocks, bsize } = statfsSync(databaseUrl === undefined ? data : '.');
  return {
    disk: { freeBytes: bavail * bsize, totalBytes: blocks * bsize, pausesBelowBytes: diskFreeMb * mib },
    memory: { usedBytes: process.memoryUsage.rss(), limitBytes: memoryMb * mib },
  };
}

async function workOf({
  hasBrowser,
  crawlStatus,
}: Pick<Store, 'hasBrowser' | 'crawlStatus'>): Promise<Pick<SystemStatus, 'hasBrowser' | 'queue'>> {
  const [browser, queue] = await Promise.all([hasBrowser(), crawlStatus.load()]);
  return { hasBrowser: browser, queue };
}

/** In a process of its own, as on the command line: copying blocks, and nothing else of the service waits for it. */
async function backUp(data: string): Promise<BackupFile> {
  const folder = path.resolve(data, 'backups');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, `hayrake-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.db`);
  const program = process.argv[1] ?? '';
  try {
    await run(process.execPath, [...process.execArgv, program, 'backup', file, '--data', data]);
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error);
    throw new UserError('backup_failed', said.replace(/^hayrake: /, '').slice(0, messageMax));
  }
  return { file, bytes: statSync(file).size };
}
