// Runs operations that both stores share.
import type { Job } from '../../../core/job.ts';
import type { Each, Operation, Step, Steps } from '../../shared/operation.ts';
import { type Dialect, joined, raw, type Sql, sql, written } from '../../shared/sql.ts';
import type { Connections, Transaction } from './connections.ts';

/** How steps that want jobs show them. */
export interface ShownJobs {
  /** Of the table `job`. */
  readonly columns: string;
  jobsOf(rows: readonly object[]): Job[];
}

/** A read needs no transaction. */
export function runOperation(
  connections: Connections,
  operation: Operation,
  args: readonly unknown[],
  shown: ShownJobs,
): Promise<unknown> {
  if (operation.kind === 'read') return runSteps(connections, operation.steps(...args), shown);
  return connections.transaction(
    (tx) => runSteps(tx, operation.steps(...args), shown),
    operation.kind === 'write' ? 'READ COMMITTED' : 'REPEATABLE READ READ ONLY',
  );
}

/** `shown`: steps that want jobs need it. */
export async function runSteps<Result>(
  on: Connections | Transaction,
  steps: Steps<Result>,
  shown?: ShownJobs,
): Promise<Result> {
  const dialect: Dialect = {
    name: 'postgres',
    place: (number) => `$${number}`,
    shown: raw(shown?.columns ?? ''),
  };
  let next = steps.next();
  while (next.done !== true) next = steps.next(await resultOf(on, next.value, dialect, shown));
  return next.value;
}

function resultOf(on: Connections | Transaction, step: Step, dialect: Dialect, shown: ShownJobs | undefined): unknown {
  const { wants } = step;
  const { text, values } = written(wants === 'each' ? step.statement(unnested(step)) : step.statement, dialect);
  if (text === '') return undefined;
  if (wants === 'jobs') {
    if (!shown) throw new Error('jobs are not shown here');
    return on.query<object>(text, values).then((rows) => shown.jobsOf(rows));
  }
  if (wants === 'rows') return on.query<object>(text, values).then((rows) => rows.map(withBytes));
  // Without waiting: a transaction sends its statements together.
  if (wants === 'none' && 'send' in on) return on.send(text, values);
  return on.run(text, values);
}

/** All rows, from an array for each column. */
function unnested({ rows, columns }: Each): Sql {
  const names = Object.keys(columns);
  const arrays = names.map((name) => sql`${rows.map((row) => row[name] ?? null)}${raw(`::${columns[name]}[]`)}`);
  return sql`unnest(${joined(', ', arrays)}) AS u (${raw(names.join(', '))})`;
}

/** The driver reads bytes as a `Buffer`, which is not equal to the same bytes of the other store. */
function withBytes<Row extends object>(row: Row): Row {
  for (const [name, value] of Object.entries(row))
    if (Buffer.isBuffer(value)) Object.assign(row, { [name]: new Uint8Array(value) });
  return row;
}
