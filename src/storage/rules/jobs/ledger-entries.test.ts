import { expect, test } from 'vitest';
import type { LedgerQuery } from '../../../core/ports/stores.ts';
import { entriesLeft } from './ledger-entries.ts';
import type { JobRow } from './job-row.ts';

const job = { status: 'running', queued: 5, in_flight: 1, scraped: 7, discarded: 2, failed: 3 } as JobRow;
job.reasons = { off_host: 2, http_404: 3 };

test.each<[string, Partial<JobRow>, Partial<LedgerQuery>, number]>([
  ['a status', {}, { status: 'failed' }, 3],
  ['a status and a reason', {}, { status: 'failed', reason: 'http_404' }, 3],
  ['a status and a reason that nothing has', {}, { status: 'failed', reason: 'http_500' }, 0],
  ['a reason, while URLs are queued that may have it', {}, { reason: 'http_500' }, 100],
  ['a reason, when the job has ended', { status: 'succeeded' }, { reason: 'http_404' }, 3],
  ['a reason that nothing has, when the job has ended', { status: 'succeeded' }, { reason: 'http_500' }, 0],
  ['a reason of pages, in a job of reextract', { status: 'succeeded', kind: 'reextract' }, { reason: 'no_raw' }, 100],
  ['sitemaps, which the job does not count', { status: 'succeeded' }, { kind: 'sitemap', reason: 'http_404' }, 100],
  ['everything', {}, {}, 100],
])('entriesLeft: for %s, returns at most what the job counts', (_, fields, query, left) => {
  expect(entriesLeft({ ...job, ...fields }, { after: 0, limit: 100, ...query })).toBe(left);
});
