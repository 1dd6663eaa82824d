// Whether the sitemaps of a host tell the truth, as the row of a job with `trust_lastmod` knows it. Each job begins with
// what the one before it found out.
import type { HowUnchanged } from '../../../core/baseline.ts';
import { hostKey } from '../../../core/host-key.ts';
import type { JobSpec } from '../../../core/job.ts';
import { lastmodSays } from '../../../core/lastmod.ts';
import type { Ending, EntryRow } from './crawl-tables.ts';
import type { JobRow } from '../jobs/job-row.ts';
import { countNotice } from '../jobs/sayings.ts';

/** Hosts of a job that can be trusted. */
const hostsMax = 100;
/** Of the pages that need no request, one in so many is asked for; of few pages more, so that they are about `testedPages`. */
const everyMax = 20;
const testedPages = 50;
/** Pages that a job must have tested before the next one trusts the host. */
const testedMin = 30;
/** Changes that `lastmod` must have announced: where it always stays the same, it announces none. */
const announcedMin = 20;
/** A sitemap that no page moves in any more is perhaps not written any more: so much more is tested. */
const timesIfStuck = 4;
/** Jobs without a lie before a host that lied is trusted again. */
const jobsWithoutLie = 10;

interface HostRecord {
  /** Pages that were asked for although their `lastmod` stood still, and had not changed. */
  readonly tested: number;
  /** Pages that were not asked for. */
  readonly skipped: number;
  /** Pages that changed when their `lastmod` did, in all jobs since the host lied. */
  readonly announced: number;
  /** Pages that changed although their `lastmod` stood still. */
  readonly lied: number;
  /** Jobs without a lie that are needed still. */
  readonly wait: number;
  /** One page in so many is asked for although its `lastmod` stands still; 1: all. */
  readonly every: number;
  /** The `lastmod` of a page has moved. */
  readonly hasMoved: boolean;
  /** In the job before, one did. */
  readonly hadMoved: boolean;
}

const unknownHost: HostRecord = {
  tested: 0,
  skipped: 0,
  announced: 0,
  lied: 0,
  wait: 0,
  every: 1,
  hasMoved: false,
  hadMoved: false,
};

interface Revisits {
  /** By `name:port`. */
  readonly hosts: Readonly<Record<string, HostRecord>>;
  /** Pages differ because their options do: they say nothing of the site. */
  readonly isOther?: true;
}

/** Of a new job; null if it asks for every page. */
export function newRevisits(spec: JobSpec, since: Pick<JobRow, 'revisits'>): string | null {
  if (!spec.trustLastmod) return null;
  const next = Object.entries(revisitsIn(since).hosts).map(([host, record]) => [host, nextOf(record)] as const);
  const isOther = spec.baseline?.isSame !== true;
  return JSON.stringify({ hosts: Object.fromEntries(next), ...(isOther && { isOther }) } satisfies Revisits);
}

function nextOf({ tested, skipped, announced, lied, wait, hasMoved }: HostRecord): HostRecord {
  const begin = { ...unknownHost, hadMoved: hasMoved };
  if (lied > 0) return { ...begin, wait: jobsWithoutLie };
  const isTested = tested >= testedMin;
  const waits = isTested ? Math.max(0, wait - 1) : wait;
  const isHonest = isTested && waits === 0 && announced >= announcedMin;
  const every = Math.min(everyMax, Math.max(1, Math.floor((tested + skipped) / testedPages)));
  return { ...begin, announced, wait: waits, every: isHonest ? every : 1 };
}

/** See `CrawlJob.honestHosts`. */
export function honestHosts(job: Pick<JobRow, 'revisits'>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(revisitsIn(job).hosts).flatMap(([host, { every, hasMoved, hadMoved }]) => {
      const one = hadMoved && !hasMoved ? Math.floor(every / timesIfStuck) : every;
      return one > 1 ? [[host, one] as const] : [];
    }),
  );
}

/** Notes the hosts of pages whose `lastmod` has moved, when a sitemap says so. */
export function noteMoved(job: JobRow, moved: ReadonlySet<string>): void {
  if (job.revisits === null || moved.size === 0) return;
  const { hosts, ...rest } = revisitsIn(job);
  const known = Object.entries(hosts).filter(([host, { hasMoved }]) => moved.has(host) && !hasMoved);
  if (known.length === 0) return;
  const now = known.map(([host, record]) => [host, { ...record, hasMoved: true }] as const);
  job.revisits = JSON.stringify({ ...rest, hosts: { ...hosts, ...Object.fromEntries(now) } } satisfies Revisits);
  // Every process that has the job in memory must read it again.
  job.version++;
}

/** Notes what a page of the earlier job that has ended says of its host. */
export function noteRevisit(
  job: JobRow,
  entry: EntryRow,
  { evidence, ...ending }: Ending & { readonly evidence: HowUnchanged | undefined },
  now: number,
): void {
  if (job.revisits === null) return;
  const { hosts, isOther } = revisitsIn(job);
  const asked = entry.earlier?.asked;
  if (isOther === true || !asked) return;
  const host = hostKey(new URL(entry.url));
  const before = hosts[host] ?? unknownHost;
  if (!hosts[host] && Object.keys(hosts).length >= hostsMax) return;
  const after = recordWith(before, { says: lastmodSays(entry.lastmod, asked), evidence, became: becameOf(ending) });
  if (!after) return;
  if (after.lied > before.lied) {
    // Pages that were not asked for can have changed too.
    countNotice(job, before.every > 1 || before.skipped > 0 ? 'lastmod_untrue' : 'lastmod_ignored', entry.url, now);
    // Every process that has the job in memory must read it again.
    if (before.every > 1) job.version++;
  }
  job.revisits = JSON.stringify({ hosts: { ...hosts, [host]: after } } satisfies Revisits);
}

interface Seen {
  readonly says: ReturnType<typeof lastmodSays>;
  readonly evidence: HowUnchanged | undefined;
  readonly became: 'same' | 'other' | 'unclear';
}

function recordWith(record: HostRecord, { says, evidence, became }: Seen): HostRecord | undefined {
  if (evidence === 'lastmod') return { ...record, skipped: record.skipped + 1 };
  if (became === 'unclear' || says === 'silent') return undefined;
  if (says === 'moved')
    return became === 'other' ? { ...record, announced: record.announced + 1, hasMoved: true } : undefined;
  if (became === 'same') return { ...record, tested: record.tested + 1 };
  return { ...record, lied: record.lied + 1, every: 1 };
}

function revisitsIn({ revisits }: Pick<JobRow, 'revisits'>): Revisits {
  return revisits === null ? { hosts: {} } : (JSON.parse(revisits) as Revisits);
}

/** A page that is gone has changed. A failure, or a page that is not wanted any more, says nothing. */
function becameOf({ state, reason, change }: Ending): Seen['became'] {
  if (change === 'unchanged' || change === 'same') return 'same';
  const isGone = (state === 'failed' && (reason === 'http_404' || reason === 'http_410')) || reason === 'duplicate_of';
  return state === 'scraped' || isGone ? 'other' : 'unclear';
}
