import { present } from '../../core/defined.ts';
import { discovered, type Job } from '../../core/job.ts';
import type { LedgerEntry } from '../../core/ports/stores.ts';
import { shownOptions } from '../../options/shown.ts';

/** A job as the API shows it: inputs in snake_case with their effective values, computed fields in camelCase. */
export function viewJob(job: Job) {
  const { progress } = job;
  return {
    id: job.id,
    org: job.org,
    kind: job.kind,
    status: job.status,
    createdAt: job.createdAt,
    finishedAt: job.finishedAt,
    stoppedAt: job.stoppedAt,
    complete: job.complete,
    findings: job.findings,
    ...shownOptions(job),
    expiresAt: job.resultsGoneAt,
    expired: job.areResultsGone,
    sitemapPageCount: job.sitemapPageCount,
    fetchedBytes: job.fetchedBytes,
    progress: { discovered: discovered(progress), ...progress },
    reasons: job.reasons,
    droppedWords: job.droppedWords,
    notices: job.notices,
    webhookFails: job.webhookFails,
    ...present({ changes: job.changes, retryOf: job.retryOf, schedule: job.schedule }),
    ...(job.spec.reextract && { reextractOf: job.spec.reextract.of }),
    costCents: 0,
  };
}

/** A ledger entry as the API shows it; fields that do not apply are left out. */
export function viewUrl(entry: LedgerEntry) {
  const { entry: _, ...shown } = entry;
  return present(shown);
}
