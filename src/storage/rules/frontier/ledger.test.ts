import { expect, test } from 'vitest';
import type { JobNotice } from '../../../core/job.ts';
import type { Link } from '../../../core/request.ts';
import type { CrawlTables, NewUrl } from './crawl-tables.ts';
import { type JobRow } from '../jobs/job-row.ts';
import { endJob } from '../jobs/job-end.ts';
import { Ledger } from './ledger.ts';
import { SeenUrls } from './seen-urls.ts';

test.each([1_000_000, 5_000_000])(
  'Ledger.add: lists no URL beyond jobUrlsMax %i, and counts the others in a finding',
  (jobUrlsMax) => {
    const added: NewUrl[] = [];
    const tables: Partial<CrawlTables> = {
      jobUrlsMax,
      timeOfDay: () => 7,
      known: () => undefined,
      earlierJobs: () => [],
      addUrl: (url) => added.push(url) > 0,
      wakeHosts: () => {},
    };
    const row = {
      seq: 1,
      queued: 0,
      in_flight: 0,
      scraped: jobUrlsMax - 2,
      discarded: 0,
      failed: 0,
      outside: 0,
      unlisted: 0,
    } as JobRow;
    Object.assign(row, {
      kind: 'crawl',
      notices: '[]',
      spec: '{"excludeGlobs":[],"excludePatterns":[]}',
      since: null,
      changes: '{}',
      scope_hosts: '[]',
      reasons: {},
      tally: {},
      examples: {},
    });
    const links = Array.from({ length: 5 }, (_, number): Link => {
      const url = `https://a.test/${number}`;
      return { url, key: url, host: 'a.test:443', depth: 1 };
    });
    expect(new Ledger(tables as CrawlTables, new SeenUrls()).add(row, links, 'page', null, 0)).toBe(2);
    expect(added.map(({ url }) => url)).toEqual(['https://a.test/0', 'https://a.test/1']);
    endJob(row, 'succeeded', null, 9);
    expect(JSON.parse(row.notices) as JobNotice[]).toEqual([
      {
        code: 'url_limit_reached',
        message: expect.stringContaining('3 URLs beyond the limit'),
        at: 9,
        count: 3,
        example: 'https://a.test/2',
      },
    ]);
  },
);
