// Statements whose result nobody waits for.
import { DatabaseError } from 'pg';
import type { Transaction, Value } from '../connection/connections.ts';

/** Sends the statement if there is anything to write. */
export function sendSome(tx: Transaction, count: number, text: string, values: readonly Value[]): void {
  if (count > 0) tx.send(text, values);
}

/** Fails the transaction unless it writes `count` rows: others changed what it had read. See {@link isOutdated}. */
export function sendChecked(tx: Transaction, count: number, text: string, values: readonly Value[]): void {
  sendSome(
    tx,
    count,
    `WITH written AS (${text} RETURNING 1) SELECT 1 / (count(*) = $${values.length + 1})::int AS as_expected FROM written`,
    [...values, count],
  );
}

/** One row unless the worker `$1` was taken for dead, which nobody does until this transaction has ended. */
export const isAliveSql = 'SELECT FROM worker WHERE id = $1 AND NOT dead FOR SHARE';

const divisionByZero = '22012';
const uniqueViolation = '23505';
const lockNotAvailable = '55P03';

/** True if a transaction failed because others changed, or are changing, what it had read without locks. */
export function isOutdated(error: unknown): boolean {
  return (
    error instanceof DatabaseError && [divisionByZero, uniqueViolation, lockNotAvailable].includes(error.code ?? '')
  );
}
