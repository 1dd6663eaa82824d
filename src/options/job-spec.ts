// The stored form of a job's options.
import type { z } from 'zod';
import type { SpecField } from './option.ts';
import type { Options } from './table.ts';

/** Rows with a stored field. */
type Stored = { [Name in keyof Options as Options[Name] extends { spec: SpecField } ? Name : never]: Options[Name] };

type ValueOf<Row> = Row extends { spec: { from: (...input: never) => infer Value } }
  ? Value
  : Row extends { schema: infer Schema extends z.ZodType }
    ? z.output<Schema>
    : never;

type Frozen<Value> = Value extends readonly (infer Item)[] ? readonly Item[] : Value;

/** The effective options of a job, fixed at creation. The rows in `table.ts` explain each name. */
export type JobSpec = {
  readonly [Name in keyof Stored as Stored[Name]['spec']['field']]: Frozen<ValueOf<Stored[Name]>>;
} & {
  /** No option: the job of `since`, and whether its pages were made with the same options. Set by `jobs/since-job.ts`. */
  readonly baseline?: { readonly of: string; readonly isSame: boolean };
  /** No option: the pages are made of the raw bodies of this job. Set by `jobs/reextract-job.ts`. */
  readonly reextract?: { readonly of: string };
};

/** The options of a job for another one, which has its own relations to other jobs: `deliver` too is one to `since`. */
export function optionsIn(spec: JobSpec): JobSpec {
  const { baseline: _of, reextract: _from, ...options } = spec;
  return { ...options, deliver: 'all' };
}
