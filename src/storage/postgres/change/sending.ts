// What a transaction relies on that decides without locks.
import { DatabaseError } from 'pg';
import { type Sql, sql } from '../../shared/sql.ts';

/** One row unless the worker was taken for dead, which nobody does until this transaction has ended. */
export function isAlive(worker: number): Sql {
  return sql`SELECT FROM worker WHERE id = ${worker} AND NOT dead FOR SHARE`;
}

const divisionByZero = '22012';
const uniqueViolation = '23505';
const lockNotAvailable = '55P03';

/** True if a transaction failed because others changed, or are changing, what it had read without locks. */
export function isOutdated(error: unknown): boolean {
  return (
    error instanceof DatabaseError && [divisionByZero, uniqueViolation, lockNotAvailable].includes(error.code ?? '')
  );
}
