import { hash } from 'node:crypto';
import type { JobSpec } from './job.ts';

/** Stored options that change neither a page nor which URLs there are. */
const apartFromPages: ReadonlySet<string> = new Set<keyof JobSpec>([
  'outputExpirySeconds',
  'pageLimit',
  'fetchLimit',
  'timeLimitSeconds',
  'hostDelayMs',
  'hostConcurrency',
  'unreachableSeconds',
  'urlTimeoutSeconds',
  'priority',
  'deliver',
  'confirmRuns',
  'trustLastmod',
  'baseline',
]);

/** Equal if the page of two jobs is the same where the site sends the same, and its links lead to the same URLs. */
export function optionsKey(spec: JobSpec): string {
  const made = Object.entries(spec).filter(([name, value]) => value !== undefined && !apartFromPages.has(name));
  const inOrder = made.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return hash('sha256', JSON.stringify(inOrder), 'base64url').slice(0, 8);
}
