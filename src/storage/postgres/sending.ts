// Statements whose answer nobody waits for.
import { DatabaseError } from 'pg';
import type { Transaction, Value } from './connections.ts';

/** Where there is anything to write. */
export function sendSome(tx: Transaction, count: number, text: string, values: readonly Value[]): void {
  if (count > 0) tx.send(text, values);
}

/** Fails the transaction where not exactly so many rows are written: others have changed what was read. See {@link isOutdated}. */
export function sendChecked(tx: Transaction, count: number, text: string, values: readonly Value[]): void {
  sendSome(
    tx,
    count,
    `WITH written AS (${text} RETURNING 1) SELECT 1 / (count(*) = $${values.length + 1})::int AS as_expected FROM written`,
    [...values, count],
  );
}

const divisionByZero = '22012';
const uniqueViolation = '23505';
const lockNotAvailable = '55P03';

/** Whether a transaction failed since what it had read without locks was changed by others meanwhile, or is being changed. */
export function isOutdated(error: unknown): boolean {
  return (
    error instanceof DatabaseError && [divisionByZero, uniqueViolation, lockNotAvailable].includes(error.code ?? '')
  );
}
