import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import path from 'node:path';
import { ExitError, exitCodes, type StorageProblem, UserError } from '../../../core/errors.ts';
import { extendedCode, extendedCodes, sqliteCode, sqliteCodes } from './database.ts';

/** Why nothing can be written for now. The writer waits for a fault to pass. */
export type Fault = 'disk_full' | 'disk_low' | 'read_only' | 'locked';

/** System errors with an unclear cause. Writing a test file finds it out. */
const unclear: ReadonlySet<number> = new Set([
  extendedCodes.ioWrite,
  extendedCodes.ioTruncate,
  extendedCodes.ioShmOpen,
  extendedCodes.ioShmSize,
  extendedCodes.ioShmMap,
  extendedCodes.ioDelete,
  extendedCodes.ioAccess,
]);
const probeBytes = 2 ** 20;
/** A log grows by more than this at a time. */
const littleRoomBytes = 16 * 2 ** 20;

/** The fault that a database error shows; undefined for any other error. */
export function faultOf(error: unknown, dir: string): Fault | undefined {
  const code = sqliteCode(error);
  const extended = extendedCode(error);
  if (code === sqliteCodes.busy || code === sqliteCodes.locked) return 'locked';
  if (code === sqliteCodes.full) return 'disk_full';
  // The file was moved away while it was open: waiting does not help.
  if (code === sqliteCodes.readOnly) return extended === extendedCodes.readOnlyMoved ? undefined : 'read_only';
  if (code === sqliteCodes.cannotOpen || (extended !== undefined && unclear.has(extended))) return tryToWrite(dir);
  return undefined;
}

/**
 * True if writing must end for good. After a failed fsync, the system can count data as written that is not on the
 * disk, and the next fsync succeeds silently. Any other error that is not known to be a {@link Fault} is treated alike.
 * Writing also ends if a row is damaged, because writing it again would hide the damage, and if another process crawls.
 */
export function endsWriting(error: unknown): boolean {
  if (error instanceof ExitError) return endingCodes.has(error.exitCode);
  const code = sqliteCode(error);
  return code !== undefined && !ofTheRequest.has(code);
}

const endingCodes: ReadonlySet<number> = new Set([exitCodes.databaseDamaged, exitCodes.directoryInUse]);

/** Errors of one request that do not harm the database. */
const ofTheRequest: ReadonlySet<number> = new Set([
  sqliteCodes.error,
  sqliteCodes.tooBig,
  sqliteCodes.constraint,
  sqliteCodes.mismatch,
  sqliteCodes.range,
]);

/** A storage error as one sentence, with its documented exit code. */
export function explained(error: unknown, dir: string): unknown {
  if (!(error instanceof Error) || error instanceof UserError) return error;
  const code = sqliteCode(error);
  if (code === undefined) return 'code' in error ? unusable(error, dir) : error;
  if (code === sqliteCodes.corrupt || code === sqliteCodes.notADatabase) return damaged(dir, error.message);
  // All statements are the program's own, so they fail only if the stored schema is not what the program wrote.
  if (code === sqliteCodes.error && otherSchema.test(error.message)) return damaged(dir, error.message);
  return new ExitError(
    exitCodes.storageFailed,
    `The database in ${dir} cannot be used: ${error.message} (SQLite ${extendedCode(error) ?? code}).`,
  );
}

const otherSchema = /^(?:no such (?:column|table|index)|unrecognized token|near "|incomplete input)/;

export function damaged(dir: string, how: string): ExitError {
  return new ExitError(
    exitCodes.databaseDamaged,
    `The database in ${dir} is damaged (${how}). Restore it from a backup, or use another data directory.`,
  );
}

/** The error for a fault, for clients and for the user of a command. */
export function faultError(fault: Fault, dir: string): ExitError {
  const { problem, message } = faultMeanings[fault];
  return new ExitError(exitCodes.storageFailed, `Nothing can be written to ${dir}: ${message}.`, problem);
}

const faultMeanings: Readonly<Record<Fault, { readonly problem: StorageProblem; readonly message: string }>> = {
  disk_full: { problem: 'insufficient_storage', message: 'its disk is full' },
  disk_low: {
    problem: 'insufficient_storage',
    message: 'its disk has less free space than HAYRAKE_DISK_FREE_MB requires',
  },
  read_only: { problem: 'storage_read_only', message: 'its disk is read-only' },
  locked: { problem: 'unavailable', message: 'another process holds the lock of its database' },
};

function tryToWrite(dir: string): Fault | undefined {
  const file = path.join(dir, 'write-test');
  try {
    const descriptor = openSync(file, 'w', 0o600);
    try {
      writeSync(descriptor, Buffer.alloc(probeBytes), 0, probeBytes, 0);
    } finally {
      closeSync(descriptor);
      rmSync(file, { force: true });
    }
    const { bavail, bsize } = statfsSync(dir);
    return bavail * bsize < littleRoomBytes ? 'disk_full' : undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOSPC' || code === 'EDQUOT') return 'disk_full';
    return code === 'EROFS' ? 'read_only' : undefined;
  }
}

function unusable(error: Error, dir: string): ExitError {
  return new ExitError(exitCodes.storageFailed, `The data directory ${dir} cannot be used: ${error.message}.`);
}
