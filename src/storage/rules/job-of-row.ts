// A job's row as the rest of the program sees it. The threads of the store pass rows: they need not load the table of options.
import type { Job, JobNotice, JobSpec } from '../../core/job.ts';
import type { WebhookFail } from '../../core/webhook-event.ts';
import { completeSpec } from '../../options/spec-of.ts';
import type { JobRow } from './job-row.ts';

export function jobSpecOf(row: JobRow): JobSpec {
  return completeSpec(JSON.parse(row.spec) as object);
}

export function jobOf(row: JobRow): Job {
  return {
    id: row.id,
    org: row.org,
    status: row.status,
    spec: jobSpecOf(row),
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    progress: {
      queued: row.queued,
      inFlight: row.in_flight,
      scraped: row.scraped,
      discarded: row.discarded,
      failed: row.failed,
    },
    reasons: row.reasons,
    sitemapPageCount: row.sitemap_pages,
    notices: JSON.parse(row.notices) as JobNotice[],
    retryOf: row.retry_of,
    webhookUrl: row.webhook_url,
    webhookFails: JSON.parse(row.webhook_fails) as WebhookFail[],
    resultsGoneAt: row.results_gone_at,
  };
}
