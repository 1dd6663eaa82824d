// Runs operations that both stores share, on the connection of one thread.
import { jobOf } from '../../rules/jobs/job-of-row.ts';
import { jobRowOf, type StoredJobRow } from '../../rules/jobs/job-row.ts';
import { openOf } from '../../rules/jobs/requested-now.ts';
import type { Each, Step, Steps } from '../../shared/operation.ts';
import { type Dialect, joined, raw, sql, written } from '../../shared/sql.ts';
import type { Database } from './database.ts';

const dialect: Dialect = { name: 'sqlite', place: () => '?', shown: raw('job.*') };

/** `openPages`: by job, those that are requested now. Only jobs show them. */
export function runSteps<Result>(db: Database, steps: Steps<Result>, openPages?: ReadonlyMap<string, number>): Result {
  let next = steps.next();
  while (next.done !== true) next = steps.next(resultOf(db, next.value, openPages));
  return next.value;
}

function resultOf(db: Database, step: Step, openPages: ReadonlyMap<string, number> | undefined): unknown {
  if (step.wants === 'each') return eachOf(db, step);
  const { wants } = step;
  const { text, values } = written(step.statement, dialect);
  if (text === '') return undefined;
  const prepared = db.prepareOnce(text);
  if (wants === 'rows') return prepared.all(...values);
  if (wants !== 'jobs') return prepared.run(...values).changes;
  const rows = prepared.all(...values) as StoredJobRow[];
  return rows.map((row) => jobOf(jobRowOf(row), Date.now(), openOf(openPages, row.id)));
}

/** The text of the statement is that of the row before, so it is prepared once. */
function eachOf(db: Database, { rows, columns, statement }: Each): number {
  let changes = 0;
  for (const row of rows) {
    const cells = Object.keys(columns).map((name) => sql`${row[name] ?? null} AS ${raw(name)}`);
    const { text, values } = written(statement(sql`(SELECT ${joined(', ', cells)}) AS u`), dialect);
    changes += db.prepareOnce(text).run(...values).changes;
  }
  return changes;
}
