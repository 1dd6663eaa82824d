// What both stores do alike. An operation is a generator: it yields statements and receives their results. SQLite runs it
// to its end in one of its threads; PostgreSQL awaits each result.
import type { Sql } from './sql.ts';

/** `rows` and `count`: the result of the statement. `none`: nobody waits for it, but if it fails, so does the transaction. */
export interface Step {
  readonly statement: Sql;
  readonly wants: 'rows' | 'count' | 'none';
}

export type Steps<Result> = Generator<Step, Result, unknown>;

export function* all<Row>(statement: Sql): Steps<Row[]> {
  return (yield { statement, wants: 'rows' }) as Row[];
}

export function* one<Row>(statement: Sql): Steps<Row | undefined> {
  return (yield* all<Row>(statement))[0];
}

/** Returns how many rows were written. */
export function* run(statement: Sql): Steps<number> {
  return (yield { statement, wants: 'count' }) as number;
}

export function* send(statement: Sql): Steps<void> {
  yield { statement, wants: 'none' };
}

export interface Operation<Args extends readonly unknown[] = readonly unknown[], Result = unknown> {
  /** `read`: one statement, or several that need not agree. `snapshot`: reads of one moment. `write`: one transaction. */
  readonly kind: 'read' | 'snapshot' | 'write';
  /** A write of the engine: it waits while nothing can be written. Others are rejected, because a client waits. */
  readonly waits?: boolean;
  /** It frees space, or needs almost none, so it runs while the disk is low on space. */
  readonly makesRoom?: boolean;
  steps(...args: Args): Steps<Result>;
}

/** The operations of a port, by the names of its methods. */
export type OperationsOf<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...args: infer Args) => Promise<infer Result>
    ? Operation<Args, Result>
    : never;
};
