// Runs operations that both stores share.
import type { Cells, Columns, Each, JobTransaction, Operation, Step, Steps } from '../../shared/operation.ts';
import { type Dialect, raw, type Scalar, type Sql, type Value, written } from '../../shared/sql.ts';
import type { Connections, Transaction } from './connections.ts';

/** This process among those that crawl. */
export interface OwnWorker {
  readonly id: number | undefined;
  /** See `Step`. */
  readonly openPages: ReadonlyMap<string, number> | undefined;
}

const plainDialect: Dialect = { name: 'postgres', place: (number) => `$${number}`, worker: 0 };
const noPages: ReadonlyMap<string, number> = new Map();

/** A read needs no transaction. */
export function runOperation(
  connections: Connections,
  operation: Operation,
  args: readonly unknown[],
  worker: OwnWorker,
): Promise<unknown> {
  if (operation.kind === 'read') return runSteps(connections, operation.steps(...args), worker);
  return connections.transaction(
    (tx) => runSteps(tx, operation.steps(...args), worker),
    operation.kind === 'write' ? 'READ COMMITTED' : 'REPEATABLE READ READ ONLY',
  );
}

/** `worker`: what shows jobs needs it. `jobs`: what changes them does. */
export async function runSteps<Result>(
  on: Connections | Transaction,
  steps: Steps<Result>,
  worker?: OwnWorker,
  jobs?: JobTransaction,
): Promise<Result> {
  const dialect = worker?.id === undefined ? plainDialect : { ...plainDialect, worker: worker.id };
  let next = steps.next();
  const perform = (step: Step): unknown => {
    if (step.wants === 'here') return worker?.id === undefined ? noPages : worker.openPages;
    if (step.wants !== 'turn') return resultOf(on, step, dialect);
    if (!jobs) throw new Error('no job can be changed here');
    return step.of(jobs);
  };
  while (next.done !== true) next = steps.next(await perform(next.value));
  return next.value;
}

/** Steps whose results nobody waits for. */
export function sendSteps(tx: Transaction, steps: Steps<void>): void {
  for (const step of steps) if ('statement' in step) void resultOf(tx, step, plainDialect);
}

type Statement = Exclude<Step, { readonly wants: 'turn' | 'here' }>;

function resultOf(on: Connections | Transaction, step: Statement, dialect: Dialect): unknown {
  const { wants } = step;
  const isOfRows = 'rows' in step;
  const { text, values } = isOfRows ? ofRows(step) : written(step.statement, dialect);
  if (text === '') return undefined;
  if (wants === 'bytes') return on.queryBytes<object>(text, values);
  if (wants === 'rows') return on.query<object>(text, values).then((rows) => rows.map(withBytes));
  if (wants === 'found') return on.query<object>(text, values);
  // Without waiting: a transaction sends its statements together.
  if ((wants === 'none' || wants === 'sent') && 'send' in on) return on.send(text, values);
  if (wants === 'checked' && 'send' in on) return sendChecked(on, text, values, step.rows.length);
  return on.run(text, values);
}

/** Fails the transaction unless it writes `count` rows: others changed what it had read. See {@link isOutdated}. */
function sendChecked(tx: Transaction, text: string, values: readonly Value[], count: number): void {
  const place = `$${values.length + 1}`;
  const checked = `WITH written AS (${text} RETURNING 1) SELECT 1 / (count(*) = ${place})::int AS as_expected FROM written`;
  tx.send(checked, [...values, count]);
}

interface Written {
  readonly text: string;
  readonly values: readonly Value[];
}

/** Those without values of their own: what a page writes has many statements, and their texts are long. */
const known = new WeakMap<Each['statement'], string>();

/** For all rows: an array for each column. */
function ofRows({ rows, columns, statement }: Each): Written {
  const arrays = Object.entries(columns).flatMap(([name, type]): Value[] => {
    const cells = rows.map((row) => (row as Cells)[name] ?? null);
    return type === 'bytea' ? inOne(cells as (Uint8Array | null)[]) : [cells as Scalar[]];
  });
  const text = known.get(statement);
  if (text !== undefined) return { text, values: arrays };
  const place = (number: number): string => `$${arrays.length + number}`;
  const made = written(statement(unnested(columns)), { ...plainDialect, place });
  if (made.values.length === 0) known.set(statement, made.text);
  return { text: made.text, values: [...arrays, ...made.values] };
}

/**
 * Rows from arrays, which are the first values, and the `place` of each. All bytes of a column form one value, which is
 * sent in binary: an array would be sent as text.
 */
function unnested(columns: Columns): Sql {
  const [arrays, names, shown]: [string[], string[], string[]] = [[], [], []];
  let places = 0;
  const add = (name: string, type: string): void => {
    arrays.push(`$${++places}::${type}[]`);
    names.push(name);
  };
  for (const [name, type] of Object.entries(columns)) {
    if (type === 'bytea') {
      shown.push(`substring($${++places}::bytea FROM ${name}_start FOR ${name}_bytes) AS ${name}`);
      add(`${name}_start`, 'int');
      add(`${name}_bytes`, 'int');
    } else {
      shown.push(name);
      add(name, type);
    }
  }
  const ofArrays = `unnest(${arrays.join(', ')}) WITH ORDINALITY AS r (${names.join(', ')}, place)`;
  return raw(`(SELECT ${shown.join(', ')}, place FROM ${ofArrays}) AS u`);
}

/** Bytes as one value, with the start of each part, from 1, and its length: null where there are no bytes, not even none. */
function inOne(parts: readonly (Uint8Array | null)[]): [Uint8Array, readonly number[], readonly (number | null)[]] {
  let at = 1;
  const starts = parts.map((part) => {
    const start = at;
    at += part?.length ?? 0;
    return start;
  });
  const bytes = Buffer.concat(parts.filter((part) => part !== null));
  return [bytes, starts, parts.map((part) => part?.length ?? null)];
}

/** The driver reads bytes as a `Buffer`, which is not equal to the same bytes of the other store. */
function withBytes<Row extends object>(row: Row): Row {
  for (const [name, value] of Object.entries(row))
    if (Buffer.isBuffer(value)) Object.assign(row, { [name]: new Uint8Array(value) });
  return row;
}
