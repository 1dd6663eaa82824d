// From the input of a request to what is stored, and from what was stored to what is read.
import type { JobInput } from './inputs.ts';
import type { JobSpec } from './job-spec.ts';
import { options } from './table.ts';

/** The specification to be stored for an input. */
export function specOf(input: JobInput): JobSpec {
  const given: Readonly<Record<string, unknown>> = input;
  const fields = storedRows.map(({ name, spec }) => [spec.field, 'from' in spec ? spec.from(input) : given[name]]);
  return Object.fromEntries(fields) as JobSpec;
}

/** A specification as it was stored, perhaps by an older version, with all the fields of today. */
export function completeSpec(stored: object): JobSpec {
  const complete: Record<string, unknown> = { ...stored };
  for (const { spec } of storedRows) {
    if ('older' in spec && !(spec.field in stored)) complete[spec.field] = spec.older(stored);
  }
  return complete as unknown as JobSpec;
}

const storedRows = Object.entries(options).flatMap(([name, row]) => ('spec' in row ? [{ name, spec: row.spec }] : []));
