// Errors that cross threads, where an error loses its class.
import { ExitError, exitCodes, type StorageProblem } from '../core/errors.ts';

/** An error as data. */
export interface CarriedError {
  readonly message: string;
  readonly exitCode: number;
  readonly problem?: StorageProblem;
}

export function asData(error: unknown): CarriedError {
  if (error instanceof ExitError) return { message: error.message, exitCode: error.exitCode, problem: error.problem };
  return {
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    exitCode: exitCodes.failed,
  };
}

export function asError({ exitCode, message, problem }: CarriedError): ExitError {
  return new ExitError(exitCode, message, problem);
}
