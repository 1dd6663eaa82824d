// Converts the input of a request to the stored specification, and a stored specification to the current one.
import type { JobInput } from './inputs.ts';
import type { JobSpec } from './job-spec.ts';
import { options } from './table.ts';

/** Returns the specification to store for an input. */
export function specOf(input: JobInput): JobSpec {
  const given: Readonly<Record<string, unknown>> = input;
  const fields = storedRows.map(({ name, spec }) => [spec.field, 'from' in spec ? spec.from(input) : given[name]]);
  return Object.fromEntries(fields) as JobSpec;
}

/** Completes a stored specification, possibly of an older version, with all current fields. */
export function completeSpec(stored: object): JobSpec {
  const complete: Record<string, unknown> = { ...stored };
  for (const { spec } of storedRows) {
    if ('older' in spec && !(spec.field in stored)) complete[spec.field] = spec.older(stored);
  }
  return complete as unknown as JobSpec;
}

const storedRows = Object.entries(options).flatMap(([name, row]) => ('spec' in row ? [{ name, spec: row.spec }] : []));
