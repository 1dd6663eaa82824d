import { describe, expect, test } from 'vitest';
import type { JobStore, LedgerEntry } from '../core/ports/stores.ts';
import { dedupeKey } from '../url/dedupe-key.ts';
import { explainUrl } from './explain-url.ts';
import { newJobId } from './job-id.ts';

const url = 'https://example.com/a';
const id = newJobId(0);

function entryWith(changes: Partial<LedgerEntry>): LedgerEntry {
  return {
    entry: 1,
    kind: 'page',
    url,
    status: 'queued',
    reason: null,
    detail: null,
    depth: 1,
    attempts: 0,
    attemptedAt: null,
    statusCode: null,
    page: null,
    foundOn: 'https://example.com/',
    foundBy: null,
    lastmod: null,
    ...changes,
  };
}

/** A store that knows one URL of one job. */
function jobsWith(entry: LedgerEntry | undefined, areResultsGone = false): JobStore {
  const jobs: Partial<JobStore> = {
    get: async () => ({ id, areResultsGone }) as Awaited<ReturnType<JobStore['get']>>,
    findUrl: async (_, key) => (key === dedupeKey(new URL(url)) ? entry : undefined),
  };
  return jobs as JobStore;
}

describe('explainUrl', () => {
  test.each<[Partial<LedgerEntry>, string]>([
    [{ status: 'scraped', page: 7, attempts: 1 }, 'It is page 7 of the results.'],
    [{ status: 'queued' }, 'It is waiting for its turn.'],
    [{ status: 'inFlight' }, 'A worker has taken it: it is requested now, or is among the next.'],
    [
      { status: 'queued', reason: 'timeout', attempts: 1 },
      'It is waiting for its next attempt; the last one failed: timeout. The fetch did not end within its deadline.',
    ],
    [
      { status: 'outside', reason: 'excluded_by_glob', detail: '/a*' },
      'It is never to be fetched, so it was not requested: excluded_by_glob. The URL matches one of `exclude_globs`; the detail names it. (/a*)',
    ],
    [
      { status: 'failed', reason: 'http_503', detail: 'The site responded with 503.', attempts: 4 },
      'It failed after 4 attempts: http_503. The site responded with this status. (The site responded with 503.)',
    ],
  ])('explainUrl: explains the state %j', async (changes, sentence) => {
    const { sentences } = await explainUrl(jobsWith(entryWith(changes)), 'default', id, url);
    expect(sentences).toEqual([sentence, 'It was first found on https://example.com/, 1 link away from a start URL.']);
  });

  test('explainUrl: states the time of the last attempt', async () => {
    const entry = entryWith({
      status: 'queued',
      reason: 'timeout',
      attempts: 2,
      attemptedAt: Date.UTC(2026, 10, 24, 9),
    });
    const { sentences } = await explainUrl(jobsWith(entry), 'default', id, url);
    expect(sentences[1]).toBe('The last attempt ended at 2026-11-24T09:00:00.000Z.');
    expect(sentences).toHaveLength(3);
  });

  test.each<[Partial<LedgerEntry>, string]>([
    [{ depth: 0, foundOn: null }, 'It is a start URL.'],
    [
      { foundBy: 'script' },
      'Scripts made the link to it, first on https://example.com/, 1 link away from a start URL; no page as received has it.',
    ],
    [{ depth: 1, foundOn: null }, 'A sitemap names it.'],
    [{ depth: 3 }, 'It was first found on https://example.com/, 3 links away from a start URL.'],
  ])('explainUrl: states where the URL was found, for %j', async (changes, sentence) => {
    const { sentences } = await explainUrl(jobsWith(entryWith(changes)), 'default', id, url);
    expect(sentences[1]).toBe(sentence);
  });

  test('explainUrl: finds a URL in any notation that the job treats as the same', async () => {
    const jobs = jobsWith(entryWith({}));
    expect((await explainUrl(jobs, 'default', id, `${url}?utm_source=mail#top`)).entry?.url).toBe(url);
  });

  test('explainUrl: states that the job did not discover the URL, and rejects text that is no URL', async () => {
    expect(await explainUrl(jobsWith(undefined), 'default', id, url)).toEqual({
      entry: undefined,
      sentences: ['The job did not discover this URL: no page it read links to it, and no sitemap names it.'],
    });
    await expect(explainUrl(jobsWith(undefined), 'default', id, 'ftp://x')).rejects.toMatchObject({
      code: 'invalid_parameter',
    });
  });
});

test('explainUrl: rejects with job_data_expired when the results of the job are gone', async () => {
  await expect(explainUrl(jobsWith(undefined, true), 'org', id, url)).rejects.toMatchObject({
    code: 'job_data_expired',
  });
});
