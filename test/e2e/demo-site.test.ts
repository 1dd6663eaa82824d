// The demo site through the real service: the whole ledger, against what its author says a right crawl finds.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DemoSite, expectedOutcomes, startDemoSite } from '../../demo/site.ts';
import { type JobAnswer, startService, type TestService } from '../service/start-service.ts';

interface Row {
  readonly meta: {
    readonly page: number;
    readonly url: string;
    readonly fetchedUrl: string;
    readonly meta: { readonly title: string };
  };
  readonly text: string;
}

interface Entry {
  readonly url: string;
  readonly status: string;
  readonly reason?: string;
  readonly detail?: string;
  readonly attempts: number;
  readonly page?: number;
}

let site: DemoSite;
let service: TestService;
let job: JobAnswer;
let ledger: readonly Entry[];
let rows: readonly Row[];

beforeAll(async () => {
  site = await startDemoSite();
  service = await startService({ env: { HAYRAKE_CONTACT: 'https://operator.example/bot' } });
  job = await service.crawl({ urls: [`${site.origin}/`] });
  ledger = (await service.ok<{ data: Entry[] }>(`/crawler/jobs/${job.id}/urls`)).data;
  rows = (await service.ok<{ data: Row[] }>(`/crawler/jobs/${job.id}/data`)).data;
});

afterAll(async () => {
  await service.close();
  await site.close();
});

const whole = (url: string): string => (url.startsWith('/') ? site.origin + url : url);

describe('the ledger of a crawl of the demo site', () => {
  test('lists exactly the URLs that are expected, each once', () => {
    const expected = expectedOutcomes.map(({ url }) => whole(url));
    expect(ledger.map(({ url }) => url).toSorted()).toEqual(expected.toSorted());
  });

  test.each(expectedOutcomes.map((expected) => [`${expected.url} ${expected.outcome}`, expected] as const))(
    '%s',
    (_, expected) => {
      const { status, reason, detail, page } = ledger.find(({ url }) => url === whole(expected.url))!;
      const row = rows.find(({ meta }) => meta.url === whole(expected.url));
      const found = {
        url: expected.url,
        outcome: status,
        ...(reason !== undefined && { reason }),
        ...(reason === 'duplicate_of' && { of: detail?.replace(site.origin, '') }),
        ...(row && { title: row.meta.meta.title }),
        ...(row && row.meta.fetchedUrl !== row.meta.url && { fetched: row.meta.fetchedUrl.replace(site.origin, '') }),
      };
      expect(found).toEqual(expected);
      expect(page).toBe(row?.meta.page);
      expect(row?.text).not.toBe('');
    },
  );

  test('has counters that add up to it', () => {
    const count = (status: string): number => ledger.filter((entry) => entry.status === status).length;
    expect(job.status).toBe('succeeded');
    expect(job.progress).toEqual({
      discovered: ledger.length,
      queued: 0,
      inFlight: 0,
      scraped: count('scraped'),
      discarded: count('discarded'),
      failed: count('failed'),
      outside: count('outside'),
    });
  });
});

describe('the pages', () => {
  test('are numbered from 1, without gaps, each URL once', () => {
    expect(rows.map(({ meta }) => meta.page)).toEqual(rows.map((_, index) => index + 1));
    expect(new Set(rows.map(({ meta }) => meta.url)).size).toBe(rows.length);
    expect(new Set(rows.map(({ meta }) => meta.fetchedUrl)).size).toBe(rows.length);
  });

  test.each([
    [
      'said by the header',
      '/stories/normandie.html',
      '« Avant, je tordais une poignée de foin et j’espérais », raconte Hélène',
    ],
    ['said by the page', '/stories/hokkaido.html', '十勝の夏は短く、晴れた日は貴重です。'],
    [
      'said by the byte order mark',
      '/stories/vestland.html',
      'Her regner det annenhver dag, og graset tørker ikke på bakken.',
    ],
    ['UTF-8', '/reports/network.html', 'Hokkaidō'],
  ])('are read in the right charset: %s', (_, url, sentence) => {
    expect(rows.find(({ meta }) => meta.url === whole(url))!.text).toContain(sentence);
  });
});

describe("the site's own log", () => {
  test('begins with robots.txt and shows nothing that it forbids', () => {
    expect(site.requests[0]!.path).toBe('/robots.txt');
    expect(site.requests.filter(({ path }) => path.startsWith('/private/'))).toEqual([]);
  });

  test('shows no URL that was discarded for its own sake', () => {
    const unwanted = ledger.filter(({ reason }) => reason === 'nofollow' || reason === 'robots_disallowed');
    const asked = new Set(site.requests.map(({ path }) => whole(path)));
    expect(unwanted.filter(({ url }) => asked.has(url))).toEqual([]);
  });

  test('shows robots.txt and the sitemap once, and a page again only where it answered 500', () => {
    const times = new Map<string, number>();
    // What a redirect leads to may be linked as well.
    const targets = new Set(['/install.html', '/guide/radio.html', '/guide/radio', '/releases.html']);
    for (const { path } of site.requests) if (!targets.has(path)) times.set(path, (times.get(path) ?? 0) + 1);
    expect(Object.fromEntries([...times].filter(([, count]) => count > 1))).toEqual({ '/status.html': 2 });
    expect(ledger.find(({ url }) => url.endsWith('/status.html'))!.attempts).toBe(2);
  });

  test('names who is asking, and whom to write to', () => {
    const agents = new Set(site.requests.map(({ userAgent }) => userAgent));
    expect([...agents]).toEqual([
      expect.stringMatching(/^hayrake\/\d+\.\d+\.\d+ \(\+https:\/\/operator\.example\/bot\)$/),
    ]);
  });
});
