// Runs operations that both stores share, on the connection of one thread.
import type { SQLInputValue } from 'node:sqlite';
import type { Cells, Each, JobTransaction, Step, Steps } from '../../shared/operation.ts';
import { type Dialect, raw, sql, written } from '../../shared/sql.ts';
import type { Database } from './database.ts';

const dialect: Dialect = { name: 'sqlite', place: () => '?', worker: 0 };

interface RunOptions {
  /** By job, those that are requested now. Jobs show them. */
  readonly openPages?: ReadonlyMap<string, number> | undefined;
  /** For operations that change jobs. */
  readonly jobs?: JobTransaction;
}

export function runSteps<Result>(db: Database, steps: Steps<Result>, options: RunOptions = {}): Result {
  let next = steps.next();
  while (next.done !== true) next = steps.next(resultOf(db, next.value, options));
  return next.value;
}

function resultOf(db: Database, step: Step, { openPages, jobs }: RunOptions): unknown {
  if (step.wants === 'turn') {
    if (!jobs) throw new Error('no job can be changed here');
    return step.of(jobs);
  }
  if (step.wants === 'here') return openPages;
  if ('rows' in step) return eachOf(db, step);
  const { wants } = step;
  const { text, values } = written(step.statement, dialect);
  if (text === '') return undefined;
  const bound = values as readonly SQLInputValue[];
  return wants === 'rows' || wants === 'bytes' ? db.all(text, ...bound) : db.run(text, ...bound).changes;
}

/** One statement, prepared once, for one row after the other. Its values are numbered: those of the row come first. */
function eachOf(db: Database, { rows, columns, statement, wants }: Extract<Step, Each>): unknown {
  const names = Object.keys(columns);
  const cells = raw(names.map((name, index) => `?${index + 1} AS ${name}`).join(', '));
  const numbered = { ...dialect, place: (number: number) => `?${names.length + number}` };
  const { text, values } = written(statement(sql`(SELECT ${cells}) AS u`), numbered);
  const bound = rows.map((row) => [...names.map((name) => (row as Cells)[name] ?? null), ...values] as SQLInputValue[]);
  if (wants === 'found') return bound.flatMap((row) => db.all(text, ...row));
  const changes = bound.reduce((sum, row) => sum + db.run(text, ...row).changes, 0);
  if (wants === 'checked' && changes < rows.length)
    throw new Error(`only ${changes} of ${rows.length} rows were written`);
  return changes;
}
