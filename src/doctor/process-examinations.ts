/** What hayrake needs from the process and its machine. */
import type { Diagnosis } from '../core/ports/diagnosis.ts';

/** `engines` of package.json. */
const nodeMin = [22, 18] as const;

/** `hasOldSqlite`: the SQLite of this Node can damage a database, and SQLite is used. */
export function examineNode(version: string, hasOldSqlite: boolean): Diagnosis {
  const name = 'node';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < nodeMin[0] || (major === nodeMin[0] && minor < nodeMin[1]))
    return {
      name,
      state: 'fail',
      message: `Node ${version} is too old.`,
      remedy: `Install Node ${nodeMin.join('.')} or later, preferably the newest release of Node 24.`,
    };
  if (hasOldSqlite)
    return {
      name,
      state: 'warn',
      message: `The SQLite of Node ${version} has a rare bug that can damage the database.`,
      remedy: 'Install the newest release of Node 24.',
    };
  return { name, state: 'ok', message: `Node ${version}` };
}

const memoryMbMin = 512;

/** `bytes`: the memory limit of the process. */
export function examineMemory(bytes: number): Diagnosis {
  const megabytes = Math.round(bytes / 2 ** 20);
  const message = `${megabytes} MiB for this process`;
  if (megabytes >= memoryMbMin) return { name: 'memory', state: 'ok', message };
  return { name: 'memory', state: 'warn', message, remedy: `Give it ${memoryMbMin} MiB or more.` };
}

/** Threads, database and log need about 50 files. */
const filesMin = 100;

/** `files`: the limit of open files. `wanted`: connections that are configured. */
export function examineOpenFiles(files: number, wanted: number): Diagnosis {
  const name = 'open files';
  const message = Number.isFinite(files) ? `${files} at a time` : 'no limit';
  const enough = filesMin + wanted;
  const remedy = `Allow ${enough}: \`ulimit -n ${enough}\` in the shell, LimitNOFILE=${enough} in a systemd unit, --ulimit nofile=${enough} with a container.`;
  if (files < filesMin) return { name, state: 'fail', message: `${message}, which is too few`, remedy };
  if (files < enough)
    return { name, state: 'warn', message: `${message}, fewer than ${wanted} connections need`, remedy };
  return { name, state: 'ok', message };
}

/** The clocks of the store and this machine can differ by this much without harm. */
const driftMaxMs = 60_000;
const oldestTime = Date.UTC(2026, 0);

/**
 * `newestMs`: the latest time of day that the store has seen; undefined if there is none. `doubtedMs`: how far the
 * clock is ahead.
 */
export function examineClock(nowMs: number, newestMs: number | undefined, doubtedMs = 0): Diagnosis {
  const name = 'clock';
  const shown = new Date(nowMs).toISOString().slice(0, 19);
  const remedy = 'Set the clock, preferably by NTP: `timedatectl set-ntp true`.';
  if (nowMs < oldestTime)
    return { name, state: 'fail', message: `${shown}Z cannot be right: no certificate is valid at that time.`, remedy };
  if (newestMs !== undefined && nowMs < newestMs - driftMaxMs)
    return {
      name,
      state: 'fail',
      message: `${shown}Z is ${duration(newestMs - nowMs)} before the newest stored time.`,
      remedy,
    };
  if (doubtedMs > 0)
    return {
      name,
      state: 'warn',
      message: `${shown}Z is ${duration(doubtedMs)} after the last time that was seen: nothing expires for an hour.`,
      remedy:
        'If the time is right, do nothing. Otherwise set the clock, preferably by NTP: `timedatectl set-ntp true`.',
    };
  return { name, state: 'ok', message: `${shown}Z` };
}

function duration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
