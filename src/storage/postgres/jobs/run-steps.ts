// Runs operations that both stores share.
import type { Operation, Step, Steps } from '../../shared/operation.ts';
import { type Dialect, raw, written } from '../../shared/sql.ts';
import type { Connections, Transaction } from '../connection/connections.ts';
import { type OpenPages, type ShownRow, shownSql } from './open-pages.ts';

/** A read needs no transaction. */
export function runOperation(
  connections: Connections,
  operation: Operation,
  args: readonly unknown[],
  open: OpenPages,
): Promise<unknown> {
  if (operation.kind === 'read') return runSteps(connections, operation.steps(...args), open);
  return connections.transaction(
    (tx) => runSteps(tx, operation.steps(...args), open),
    operation.kind === 'write' ? 'READ COMMITTED' : 'REPEATABLE READ READ ONLY',
  );
}

export async function runSteps<Result>(
  on: Connections | Transaction,
  steps: Steps<Result>,
  open: OpenPages,
): Promise<Result> {
  const dialect: Dialect = {
    name: 'postgres',
    place: (number) => `$${number}`,
    shown: raw(shownSql(String(open.own))),
  };
  let next = steps.next();
  while (next.done !== true) next = steps.next(await resultOf(on, next.value, dialect, open));
  return next.value;
}

function resultOf(
  on: Connections | Transaction,
  { statement, wants }: Step,
  dialect: Dialect,
  open: OpenPages,
): unknown {
  const { text, values } = written(statement, dialect);
  if (text === '') return undefined;
  if (wants === 'jobs') return on.query<ShownRow>(text, values).then((rows) => rows.map((row) => open.jobOf(row)));
  if (wants === 'rows') return on.query<object>(text, values).then((rows) => rows.map(withBytes));
  // Without waiting: a transaction sends its statements together.
  if (wants === 'none' && 'send' in on) return on.send(text, values);
  return on.run(text, values);
}

/** The driver reads bytes as a `Buffer`, which is not equal to the same bytes of the other store. */
function withBytes<Row extends object>(row: Row): Row {
  for (const [name, value] of Object.entries(row))
    if (Buffer.isBuffer(value)) Object.assign(row, { [name]: new Uint8Array(value) });
  return row;
}
