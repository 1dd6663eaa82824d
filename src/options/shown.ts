// The options of a job as the API shows them.
import type { z } from 'zod';
import type { Job } from '../core/job.ts';
import { aboutOf } from './inputs.ts';
import { type OptionName, type Options, options } from './table.ts';

type ShownName = {
  [Name in OptionName]: Options[Name] extends { shown: unknown } ? Name : never;
}[OptionName];

/** Schemas of the shown options, by name. */
export type ShownShape = { [Name in ShownName]: Options[Name]['shown']['schema'] };
type ShownOptions = { [Name in ShownName]: z.output<ShownShape[Name]> };

const rows = Object.entries(options).flatMap(([name, row]) => ('shown' in row ? [{ name, row }] : []));

export const shownShape = Object.fromEntries(
  rows.map(({ name, row }) => [name, row.shown.schema.describe(aboutOf(row))]),
) as unknown as ShownShape;

/** The options of a job with their effective values, under the names of the API. */
export function shownOptions(job: Job): ShownOptions {
  const stored: Readonly<Record<string, unknown>> = job.spec;
  const shown = rows.map(({ name, row }) => [
    name,
    'of' in row.shown ? row.shown.of(job) : stored['spec' in row ? row.spec.field : name],
  ]);
  return Object.fromEntries(shown) as ShownOptions;
}
