import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { ExitError, exitCodes, type StorageProblem } from '../../../core/errors.ts';

/** No such user, a wrong password, no such database. At the start the program does not wait for these to change. */
const settingClasses = ['28', '3D'] as const;
/**
 * SQLSTATE classes that do not mean that the statement is wrong, only that it cannot run now: no connection, no
 * resources, operator intervention, a disk fault (postgresql.org/docs/current/errcodes-appendix.html). Access errors
 * are among them: during a crawl, a password can be changing or another server can be taking over.
 */
const passingClasses: ReadonlySet<string> = new Set(['08', '53', '57', '58', ...settingClasses]);
const otherCodes = [
  '40001',
  '40P01', // a deadlock: one of the two continues
  '55P03', // a lock was not available in time
];
const passingCodes: ReadonlySet<string> = new Set([
  '25006', // read-only: a standby, or a server that is being promoted
  '25P03', // we were idle in a transaction: the process was suspended
  ...otherCodes,
]);
const passingSystemCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT', // of a Unix socket
]);
/** Messages of the driver when a connection was lost or nothing was received. */
const passingMessages =
  /terminat|timeout|not queryable|connection error|Connection ended|client was closed|socket|after calling end/i;

/** True if the same operation can succeed later, unchanged. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof ExitError) return false;
  if (error instanceof AggregateError) return error.errors.every(isPassing);
  if (error instanceof DatabaseError) {
    const code = error.code ?? '';
    return passingClasses.has(code.slice(0, 2)) || passingCodes.has(code) || wasPreparedBefore(error);
  }
  if ('code' in error && typeof error.code === 'string') return passingSystemCodes.has(error.code);
  return passingMessages.test(error.message);
}

/** A statement was prepared before a newer version changed a table. It works on another connection. */
function wasPreparedBefore({ code, routine }: DatabaseError): boolean {
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}

/** True if another transaction was in the way, and the database itself is healthy. */
export function isOfOthers(error: unknown): boolean {
  return error instanceof DatabaseError && otherCodes.includes(error.code ?? '');
}

/** True if the cause can be a wrong database URL in the settings. */
export function isOfSetting(error: unknown): boolean {
  return error instanceof DatabaseError && settingClasses.some((start) => error.code?.startsWith(start));
}

/** Why the program cannot start with this database; the error itself if it is a defect. */
export function explainedAtStart(error: unknown): unknown {
  const known = explained(error);
  if (known instanceof ExitError || !(error instanceof Error)) return known;
  // The driver and the server explain the problem in one sentence. Neither includes the password.
  if (!(error instanceof DatabaseError) && error.constructor !== Error) return error;
  return new ExitError(exitCodes.storageFailed, `The database cannot be used: ${error.message.replace(/\.?$/, '.')}`);
}

/** The error for clients while nothing can be stored; the original error if storage is not the reason. */
export function explained(error: unknown): unknown {
  if (!isPassing(error)) return error;
  const [problem, why] = problemOf(error);
  return new ExitError(exitCodes.storageFailed, `The database cannot be used now: ${why}`, problem);
}

/** Never includes the address or the user name, which the message can contain. */
function problemOf(error: unknown): readonly [StorageProblem, string] {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === '53100') return ['insufficient_storage', 'its disk is full.'];
  if (code === '25006') return ['storage_read_only', 'it is read-only, such as a standby.'];
  if (code === '53300') return ['unavailable', 'it has no connection left.'];
  if (code.startsWith('57P')) return ['unavailable', 'it is starting or stopping.'];
  if (code.startsWith('28')) return ['unavailable', 'it refuses the user or the password of HAYRAKE_DATABASE_URL.'];
  if (code.startsWith('3D')) return ['unavailable', 'its server has no database of this name.'];
  if (code === '40P01' || code === '55P03' || code === '57014' || code === '40001')
    return ['unavailable', 'it did not respond in time.'];
  if (code === '' && error instanceof Error && /timeout/i.test(error.message))
    return ['unavailable', 'it did not respond in time.'];
  return ['unavailable', `it cannot be reached${code === '' ? '' : ` (${code})`}.`];
}

/** Rejects if there is no response within `ms`. If the network is cut, silence can be the only symptom. */
export async function inTime<Result>(asked: Promise<Result>, ms: number): Promise<Result> {
  const ended = new AbortController();
  const late = sleep(ms, undefined, { signal: ended.signal, ref: false }).then(() => {
    throw new Error('timeout: the database did not respond');
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    late.catch(() => {});
    asked.catch(() => {});
    ended.abort();
  }
}
