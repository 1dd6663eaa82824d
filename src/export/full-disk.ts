// A full disk while an export writes its file: an error with a remedy, which clients see as 507.
import { ExitError, exitCodes } from '../core/errors.ts';
import type { FileRoom } from './export-format.ts';

/** SQLite's own result code for a full disk. */
const sqliteFull = 13;

/** True for an error of the file system or of SQLite that says that the disk is full, or the quota of its user. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('errcode' in error && error.errcode === sqliteFull) return true;
  return 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

/** `has`: what the disk has, such as `no free space`. */
export function fullDisk({ directory }: FileRoom, has: string): ExitError {
  return new ExitError(
    exitCodes.storageFailed,
    `The disk of ${directory} has ${has}, so the export was not written. Free space, or use a format that needs no file.`,
    'insufficient_storage',
  );
}
