// Which pages of an earlier job go without a request, and why.
import { hash } from 'node:crypto';
import type { HowUnchanged } from '../../core/baseline.ts';
import { hostKey } from '../../core/host-key.ts';
import type { CrawlJob } from '../../core/job.ts';
import { type Request, startDepth } from '../../core/request.ts';
import { isDue, isSampled, lastmodSays } from '../../core/revisit.ts';

/** How a job decides which pages it asks for. */
export interface Revisiting {
  readonly id: string;
  /** See `CrawlJob.honestHosts`. */
  readonly honestHosts: CrawlJob['honestHosts'];
  /** With `revisit: adaptive`. */
  readonly isAdaptive: boolean;
  readonly maxAgeMs: number;
  /** Its start pages name others, so they are asked for. */
  readonly followsLinks: boolean;
}

/** Undefined if the job asks for every page. */
export function revisitingOf({ id, spec, honestHosts }: CrawlJob): Revisiting | undefined {
  const isAdaptive = spec.revisit === 'adaptive';
  if (!isAdaptive && Object.keys(honestHosts).length === 0) return undefined;
  return { id, honestHosts, isAdaptive, maxAgeMs: spec.maxAgeSeconds * 1000, followsLinks: spec.maxDepth !== 0 };
}

/** Returns how it is known that a page has not changed, before any request; undefined if it must be asked for. */
export function whyUnasked(
  { id, url, depth, attempts, lastmod, earlier }: Request,
  job: Revisiting | undefined,
  now: number,
): Extract<HowUnchanged, 'lastmod' | 'not_due'> | undefined {
  const asked = earlier?.asked;
  if (!job || !asked || attempts > 0 || (depth === startDepth && job.followsLinks)) return undefined;
  // mutant max-age-ignored, promise 21: `now - asked.at >= job.maxAgeMs` -> `false`; why-unasked
  if (now - asked.at >= job.maxAgeMs) return undefined;
  const says = lastmodSays(lastmod, asked);
  if (says === 'moved') return undefined;
  const every = job.honestHosts[hostKey(new URL(url))];
  if (every !== undefined && says === 'still') {
    const hashOf = (row: number): number => hash('sha256', `${job.id} ${row}`, 'buffer').readUInt32LE();
    // mutant no-sample, promise 21: `isSampled(id, every, hashOf)` -> `false`; why-unasked
    return isSampled(id, every, hashOf) ? undefined : 'lastmod';
  }
  return job.isAdaptive && !isDue(asked, now) ? 'not_due' : undefined;
}
