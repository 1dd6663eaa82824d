// The ledger of a job, read to its end.
import type { TestService } from '../service/start-service.ts';

export interface LedgerRow {
  readonly url: string;
  readonly status: string;
  readonly reason?: string;
  readonly detail?: string;
  readonly statusCode?: number;
  readonly attempts: number;
  readonly page?: number;
  readonly foundBy?: string;
}

/** All URLs of a job, or those of one status or reason. */
export async function ledgerOf(
  service: TestService,
  jobId: string,
  filter: { readonly status?: string; readonly reason?: string; readonly kind?: 'page' | 'sitemap' } = {},
): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = [];
  let cursor: string | undefined;
  let found: number;
  do {
    const query = new URLSearchParams({ ...filter, wait: '0', ...(cursor !== undefined && { cursor }) });
    const answer = await service.ok<{ data: LedgerRow[]; cursor?: string }>(
      `/crawler/jobs/${jobId}/urls?${query.toString()}`,
    );
    rows.push(...answer.data);
    ({ cursor } = answer);
    found = answer.data.length;
    // While the job runs there is always a cursor.
  } while (cursor !== undefined && found > 0);
  return rows;
}

/** The ledger of a job in short, by path: `scraped`, or why not. */
export async function endingsOf(service: TestService, jobId: string): Promise<Record<string, string>> {
  const urls = await ledgerOf(service, jobId);
  return Object.fromEntries(urls.map(({ url, status, reason }) => [new URL(url).pathname, reason ?? status]));
}

/** The codes of a job's notices, and then of its findings. */
export function codesOf({
  notices,
  findings = [],
}: {
  readonly notices: readonly { readonly code: string }[];
  readonly findings?: readonly { readonly code: string }[];
}): string[] {
  return [...notices, ...findings].map(({ code }) => code);
}
