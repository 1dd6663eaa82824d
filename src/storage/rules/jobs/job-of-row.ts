// Converts a job's row to the `Job` of the rest of the program. Store threads pass rows.
import type { Job, JobSpec } from '../../../core/job.ts';
import type { WebhookFail } from '../../../core/webhook-event.ts';
import { areResultsGone, type JobRow } from './job-row.ts';
import { changeCountsOf } from './change-counts.ts';
import { progressOf } from './requested-now.ts';
import { completeness } from './conclusion.ts';
import { sayings } from './sayings.ts';
import { talliedOf, talliesOf } from './tally.ts';

export function jobSpecOf(row: JobRow): JobSpec {
  // The expiry can have changed since the job was created.
  return { ...(JSON.parse(row.spec) as JobSpec), outputExpirySeconds: row.output_expiry };
}

/** `now`: by the store's clock, which decides when results expire. `open`: see {@link progressOf}. */
/** True if what an operation returns is the row of a job. */
export function isJobRow(value: unknown): value is JobRow {
  return typeof value === 'object' && value !== null && 'seq' in value && typeof value.seq === 'number';
}

export function jobOf(row: JobRow, now: number, open: number | undefined): Job {
  return {
    id: row.id,
    org: row.org,
    kind: row.kind,
    status: row.status,
    spec: jobSpecOf(row),
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    stoppedAt: row.stopped_at,
    progress: progressOf(row, open),
    reasons: row.reasons,
    droppedWords: Object.fromEntries(talliesOf(row, 'dropped')),
    records: { pages: talliedOf(row, 'wanted'), values: Object.fromEntries(talliesOf(row, 'field')) },
    fetchedBytes: row.fetched_bytes,
    sitemapPageCount: row.sitemap_pages,
    ...sayings(row),
    complete: completeness(row),
    erasures: row.erasures,
    isSeeding: row.seeded !== null,
    changes: changeCountsOf(row),
    retryOf: row.retry_of,
    schedule: row.schedule,
    webhookUrl: row.webhook_url,
    webhookFails: JSON.parse(row.webhook_fails) as WebhookFail[],
    resultsGoneAt: row.results_gone_at,
    areResultsGone: areResultsGone(row, now),
  };
}
