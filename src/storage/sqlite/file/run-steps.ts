// Runs operations that both stores share, on the connection of one thread.
import type { Step, Steps } from '../../shared/operation.ts';
import { type Dialect, type Value, written } from '../../shared/sql.ts';
import type { Database } from './database.ts';

const dialect: Dialect = { name: 'sqlite', place: () => '?' };

export function runSteps<Result>(db: Database, steps: Steps<Result>): Result {
  let next = steps.next();
  while (next.done !== true) next = steps.next(resultOf(db, next.value));
  return next.value;
}

function resultOf(db: Database, { statement, wants }: Step): unknown {
  const { text, values } = written(statement, dialect);
  const prepared = db.prepareOnce(text);
  const bound = values.map(bindable);
  return wants === 'rows' ? prepared.all(...bound) : prepared.run(...bound).changes;
}

/** The driver refuses booleans. */
function bindable(value: Value): Value {
  return typeof value === 'boolean' ? Number(value) : value;
}
