// The URLs of a job that have no page, as the clients of this facade read them.
import { ledgerSlices } from '../jobs/list-urls.ts';
import type { Service } from '../api/service.ts';
import type { Job } from '../core/job.ts';
import type { LedgerEntry } from '../core/ports/stores.ts';
import { getKept } from '../jobs/get-job.ts';
import { ledgerError } from '../jobs/scrape-error.ts';
import { uuidOf } from './job-ids.ts';

/** URLs of each list. A client that needs all reads the ledger. */
const listedMax = 10_000;

export async function listErrors({ jobs }: Pick<Service, 'jobs'>, org: string, id: string) {
  const job = await getKept(jobs, org, id);
  const failed = await listed(jobs, job, { status: 'failed' });
  const forbidden = await listed(jobs, job, { reason: 'robots_disallowed' });
  const endedAt = job.finishedAt ?? Date.now();
  const isCut = failed.length > listedMax || forbidden.length > listedMax;
  return {
    errors: failed.slice(0, listedMax).map((entry) => {
      const { reason, detail } = ledgerError(entry);
      return {
        id: `${uuidOf(id)}-${entry.entry}`,
        timestamp: new Date(entry.attemptedAt ?? endedAt).toISOString(),
        url: entry.url,
        code: reason.toUpperCase(),
        error: detail,
      };
    }),
    robotsBlocked: forbidden.slice(0, listedMax).map(({ url }) => url),
    ...(isCut && { warning: `Only the first 10,000 are listed. GET /crawler/jobs/${id}/urls lists all.` }),
  };
}

/** One more than are listed, if there are more. */
async function listed(
  jobs: Service['jobs'],
  { id }: Job,
  filter: { readonly status?: 'failed'; readonly reason?: string },
): Promise<readonly LedgerEntry[]> {
  const found: LedgerEntry[] = [];
  for await (const entries of ledgerSlices(jobs, id, filter)) {
    found.push(...entries);
    if (found.length > listedMax) break;
  }
  return found;
}
