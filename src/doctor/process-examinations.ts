/** What hayrake needs from the process and its machine. */
import type { Diagnosis } from '../core/ports/diagnosis.ts';
import { diagnosesOf } from './diagnoses.ts';

/** `engines` of package.json. */
const nodeMin = [22, 18] as const;

/** `hasOldSqlite`: the SQLite of this Node can damage a database, and SQLite is used. */
export function examineNode(version: string, hasOldSqlite: boolean): Diagnosis {
  const { ok, warn, fail } = diagnosesOf('node');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < nodeMin[0] || (major === nodeMin[0] && minor < nodeMin[1]))
    return fail(
      `Node ${version} is too old.`,
      `Install Node ${nodeMin.join('.')} or later, preferably the newest release of Node 24.`,
    );
  if (hasOldSqlite)
    return warn(
      `The SQLite of Node ${version} has a rare bug that can damage the database.`,
      'Install the newest release of Node 24.',
    );
  return ok(`Node ${version}`);
}

const memoryMbMin = 512;

/** `bytes`: the memory limit of the process. */
export function examineMemory(bytes: number): Diagnosis {
  const megabytes = Math.round(bytes / 2 ** 20);
  const message = `${megabytes} MiB for this process`;
  const { ok, warn } = diagnosesOf('memory');
  return megabytes >= memoryMbMin ? ok(message) : warn(message, `Give it ${memoryMbMin} MiB or more.`);
}

/** Threads, database and log need about 50 files. */
const filesMin = 100;

/** `files`: the limit of open files. `wanted`: connections that are configured. */
export function examineOpenFiles(files: number, wanted: number): Diagnosis {
  const { ok, warn, fail } = diagnosesOf('open files');
  const message = Number.isFinite(files) ? `${files} at a time` : 'no limit';
  const enough = filesMin + wanted;
  const remedy = `Allow ${enough}: \`ulimit -n ${enough}\` in the shell, LimitNOFILE=${enough} in a systemd unit, --ulimit nofile=${enough} with a container.`;
  if (files < filesMin) return fail(`${message}, which is too few`, remedy);
  if (files < enough) return warn(`${message}, fewer than ${wanted} connections need`, remedy);
  return ok(message);
}

/** The clocks of the store and this machine can differ by this much without harm. */
const driftMaxMs = 60_000;
const oldestTime = Date.UTC(2026, 0);

/**
 * `newestMs`: the latest time of day that the store has seen; undefined if there is none. `doubtedMs`: how far the
 * clock is ahead.
 */
export function examineClock(nowMs: number, newestMs: number | undefined, doubtedMs = 0): Diagnosis {
  const { ok, warn, fail } = diagnosesOf('clock');
  const shown = new Date(nowMs).toISOString().slice(0, 19);
  const remedy = 'Set the clock, preferably by NTP: `timedatectl set-ntp true`.';
  if (nowMs < oldestTime) return fail(`${shown}Z cannot be right: no certificate is valid at that time.`, remedy);
  if (newestMs !== undefined && nowMs < newestMs - driftMaxMs)
    return fail(`${shown}Z is ${duration(newestMs - nowMs)} before the newest stored time.`, remedy);
  if (doubtedMs > 0)
    return warn(
      `${shown}Z is ${duration(doubtedMs)} after the last time that was seen: nothing expires for an hour.`,
      'If the time is right, do nothing. Otherwise set the clock, preferably by NTP: `timedatectl set-ntp true`.',
    );
  return ok(`${shown}Z`);
}

function duration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
