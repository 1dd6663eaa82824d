// What is stored for a new job, and which URLs a retry begins with: the same in every store.
import { grouped } from '../../../core/grouped.ts';
import type { JobNotice } from '../../../core/job.ts';
import { hasEnded } from '../../../core/job.ts';
import type { NewJob, RetryJob, RetryRefusal } from '../../../core/ports/stores.ts';
import { areResultsGone, type JobRow } from '../jobs/job-row.ts';
import { newRevisits } from './revisits.ts';
import { rankOf } from './lease-turns.ts';

export const idempotencyKeptMs = 24 * 3600 * 1000;
/** More would block all other writes for longer: this many take about a second. */
export const failedUrlsMax = 100_000;
/** Notices that apply to every job with the same options. */
const noticesOfSpec: ReadonlySet<string> = new Set(['robots_ignored']);

export type StoredJob = Omit<NewJob, 'startLinks' | 'origins' | 'idempotency' | 'unfinishedMax'>;

/** A range of a job's failed URLs, in the order of its ledger. */
export interface FailedUrls {
  readonly from: number;
  readonly max: number;
}

/** The job that a new one is made from. */
export function madeFrom({ spec }: StoredJob, retryOf: string | null): string | undefined {
  return retryOf ?? spec.baseline?.of ?? spec.reextract?.of;
}

/** The columns of a new row, except those that are the same in all. `parent`: the job that it is made from. */
export function columnsOf(
  job: StoredJob,
  retryOf: string | null,
  parent: Pick<JobRow, 'family'> | undefined,
  since?: Pick<JobRow, 'seq' | 'revisits'>,
): Readonly<Record<string, string | number | null>> {
  return {
    id: job.id,
    org: job.org,
    kind: job.kind ?? 'crawl',
    spec: JSON.stringify(job.spec),
    output_expiry: job.spec.outputExpirySeconds,
    scope_hosts: JSON.stringify(job.scopeHosts),
    networks: JSON.stringify(job.networks ?? {}),
    created_at: job.createdAt,
    ends_by: job.createdAt + job.spec.timeLimitSeconds * 1000,
    needs_browser: Number(job.spec.useBrowser === true),
    rank: rankOf(job.spec.priority, job.isInteractive ?? false),
    page_limit: job.spec.pageLimit,
    fetch_limit: job.spec.fetchLimit,
    notices: JSON.stringify(job.notices),
    webhook_url: job.webhookUrl ?? null,
    retry_of: retryOf,
    family: parent?.family ?? job.schedule ?? job.id,
    since: since?.seq ?? null,
    seeded: since ? 0 : null,
    only_changed: Number(job.spec.deliver === 'changed'),
    revisits: since ? newRevisits(job.spec, since) : null,
    schedule: job.schedule ?? null,
    tally: JSON.stringify(Object.keys(job.headers).length > 0 ? { session: 1 } : {}),
  };
}

/** Why a job cannot be retried; undefined if it can. */
export function whyNoRetry(
  earlier: JobRow | undefined,
  org: string,
  now: number,
): Exclude<RetryRefusal, 'too_many' | 'conflict'> | undefined {
  if (!earlier || earlier.org !== org) return 'unknown';
  if (!hasEnded(earlier.status)) return 'running';
  if (areResultsGone(earlier, now)) return 'expired';
  return earlier.failed === 0 ? 'nothing_failed' : undefined;
}

/** The job that retries the failures of another, which was retried `retries` times before. */
export function retryOf(
  earlier: JobRow,
  { webhookUrl, id, createdAt, headers, spec }: RetryJob,
  retries: number,
): { readonly job: StoredJob; readonly failed: FailedUrls } {
  const notices: JobNotice[] = (JSON.parse(earlier.notices) as JobNotice[])
    .filter(({ code }) => noticesOfSpec.has(code))
    .map(({ code, message }) => ({ code, message, at: createdAt }));
  const failed = { from: failedBefore(earlier, retries), max: failedUrlsMax };
  if (earlier.failed > failed.max) {
    const [first, last] = [failed.from + 1, Math.min(failed.from + failed.max, earlier.failed)];
    const message = `A retry crawls at most ${grouped(failed.max)} URLs. Of ${grouped(earlier.failed)} failed URLs, this one crawls ${grouped(first)} to ${grouped(last)}. Retry the same job again for the next ones.`;
    notices.push({ code: 'retry_partial', message, at: createdAt });
  }
  const scopeHosts = JSON.parse(earlier.scope_hosts) as string[];
  // A host that was public for the ended job must not lead into a private network for this one.
  const networks = JSON.parse(earlier.networks) as Record<string, string>;
  const { org, kind } = earlier;
  const job: StoredJob = { id, createdAt, headers, org, kind, spec, scopeHosts, networks, notices };
  return { job: webhookUrl === undefined ? job : { ...job, webhookUrl }, failed };
}

/** If there are too many failed URLs for one retry, each retry takes the next ones. */
function failedBefore({ failed }: JobRow, retries: number): number {
  if (failed <= failedUrlsMax) return 0;
  return (retries % Math.ceil(failed / failedUrlsMax)) * failedUrlsMax;
}
