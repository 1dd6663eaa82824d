// The columns of a job that change after it was created, with their types in PostgreSQL.
import type { JobRow } from '../rules/jobs/job-row.ts';
import { columns } from './operation.ts';

/** Columns that count. */
const counterColumns = {
  ...columns('bigint', 'fetches', 'fetched_bytes', 'queued', 'in_flight', 'scraped', 'discarded', 'failed'),
  ...columns('bigint', 'outside', 'control', 'sitemap_pages'),
} satisfies Partial<Record<keyof JobRow, 'bigint'>>;
export const counters = Object.keys(counterColumns) as (keyof typeof counterColumns)[];

export const stateColumns = {
  ...columns('text', 'status', 'end_reason', 'notices', 'webhook_state', 'webhook_fails', 'changes', 'revisits'),
  ...columns('bigint', 'finished_at', 'stopped_at', 'results_gone_at', 'webhook_open', 'seeded'),
  ...columns('int', 'version', 'output_expiry', 'swept', 'sitemaps', 'unlisted'),
  ...columns('int', 'webhook_page', 'schedule_told', 'feed'),
} satisfies Partial<Record<keyof JobRow, string>>;
export const stateNames = Object.keys(stateColumns) as (keyof typeof stateColumns)[];

/** Can be as long as the list of start URLs: not written if unchanged. */
export const longNames = ['moved_starts', 'networks'] as const satisfies readonly (keyof JobRow)[];
