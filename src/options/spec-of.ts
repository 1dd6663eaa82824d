// Converts the input of a request to the stored specification.
import type { JobInput } from './inputs.ts';
import type { JobSpec } from './job-spec.ts';
import { options } from './table.ts';

/** Returns the specification to store for an input. */
export function specOf(input: JobInput): JobSpec {
  const given: Readonly<Record<string, unknown>> = input;
  const fields = storedRows.map(({ name, spec }) => [spec.field, 'from' in spec ? spec.from(input) : given[name]]);
  return Object.fromEntries(fields) as JobSpec;
}

const storedRows = Object.entries(options).flatMap(([name, row]) => ('spec' in row ? [{ name, spec: row.spec }] : []));
