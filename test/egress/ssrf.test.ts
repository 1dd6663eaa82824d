// Nothing that a client, a page, a redirect, a robots file, a sitemap or a name server says makes the service connect to an
// address that the operator did not allow: asserted where it would show, at the inner servers themselves.
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { canaryAddresses, type CanaryAddress, metadataAddresses, urlHost } from './canaries.ts';
import type { Entry, Report, Run } from './inside-namespace.ts';
import { publicAddress } from './names.ts';
import { runInNamespace, whyNoNamespace } from './namespace.ts';
import { canaryOrigins, redirectTraps } from './public-site.ts';

const hindrance = whyNoNamespace();
if (hindrance !== undefined) console.warn(`test/egress/ssrf.test.ts is skipped: ${hindrance}.`);

describe.skipIf(hindrance !== undefined)(
  'a service in a network of inner servers (needs root for network namespaces)',
  () => {
    let report: Report;

    beforeAll(async () => {
      const ofLoopback = new Set<string>(['127.0.0.1', '::1']);
      const added = [...canaryAddresses, publicAddress].filter((address) => !ofLoopback.has(address));
      const module = path.join(import.meta.dirname, 'inside-namespace.ts');
      // Each in a namespace of its own, so that they can run at the same time.
      const run = async <Name extends keyof Report>(name: Name): Promise<Report[Name]> =>
        JSON.parse(await runInNamespace([module, name], added)) as Report[Name];
      const [closed, ten, everything, loopback] = await Promise.all([
        run('closed'),
        run('ten'),
        run('everything'),
        run('loopback'),
      ]);
      report = { closed, ten, everything, loopback };
    });

    describe('with nothing reopened', () => {
      test('never connects to any of them', () => {
        expect(report.closed.connections).toEqual({});
      });

      test('refuses them as start URLs however they are written, with one and the same body', () => {
        const { forbidden } = report.closed;
        expect(forbidden.filter(({ status, code }) => status !== 400 || code !== 'destination_not_allowed')).toEqual(
          [],
        );
        expect(new Set(forbidden.map(({ body }) => body)).size).toBe(1);
      });

      test('refuses what two parsers may read as two hosts, and other schemes', () => {
        const { invalid } = report.closed;
        expect(invalid.filter(({ status, code }) => status !== 400 || code !== 'invalid_body')).toEqual([]);
      });

      test('fetches the public pages all the same, and ends every job', () => {
        const { jobs, siteRequests } = report.closed;
        expect(urlsOf(jobs['site']?.entries, 'scraped')).toEqual(
          ['', 'page', 'refs', 'base', 'refresh', 'canonical', 'link-header', 'hops', 'only-in-sitemap']
            .map((name) => `http://pub.test/${name}`)
            .toSorted(),
        );
        expect(jobs['site']?.status).toBe('succeeded');
        expect(siteRequests).toContain('pub.test/%0d%0aX-Injected:%201');
        expect(Object.values(jobs).map(({ status }) => status)).not.toContain('running');
      });

      test('lists what pages and sitemaps name as off_host, and nothing of it as fetched', () => {
        const entries = report.closed.jobs['site']?.entries ?? [];
        const inner = entries.filter(({ url }) => !new URL(url).hostname.endsWith('pub.test'));
        expect(new Set(inner.map(reasonOf))).toEqual(new Set(['outside off_host']));
        const paths = new Set(inner.map(({ url }) => new URL(url).pathname));
        for (const named of ['/a', '/area', '/frame', '/hreflang', '/next', '/listed', '/inner', '/latest/']) {
          expect(paths).toContain(named);
        }
        const refreshes = entries.filter(({ url }) => url.includes('/refresh-now'));
        expect(refreshes.map(reasonOf)).toEqual(['discarded off_host', 'discarded off_host']);
        const hops = entries.filter(({ url }) => url.includes('/hop/'));
        expect(hops.length).toBe(canaryOrigins.length + 1);
        expect(new Set(hops.map(reasonOf))).toEqual(new Set(['discarded off_host']));
      });

      test('follows no redirect to them, however it is written', () => {
        const hops = (report.closed.jobs['redirects']?.entries ?? []).filter(({ url }) => url.includes('/hop/'));
        const toSchemes = hops.filter(({ url }) =>
          redirectTraps.schemes.some((to) => url.endsWith(encodeURIComponent(to))),
        );
        expect(toSchemes.length).toBe(5 * redirectTraps.schemes.length);
        expect(new Set(toSchemes.map(reasonOf))).toEqual(new Set(['failed bad_redirect']));
        const others = hops.filter((entry) => !toSchemes.includes(entry));
        expect(others.length).toBe(5 * (canaryOrigins.length + redirectTraps.spellings.length));
        expect(new Set(others.map(reasonAndDetailOf)).size).toBe(1);
        expect(reasonOf(others[0])).toBe('failed destination_not_allowed');
      });

      test('follows no refresh to them either', () => {
        const refreshes = (report.closed.jobs['redirects']?.entries ?? []).filter(({ url }) =>
          url.includes('/refresh-to'),
        );
        expect(refreshes.length).toBe(canaryOrigins.length);
        expect(new Set(refreshes.map(reasonOf))).toEqual(new Set(['failed destination_not_allowed']));
      });

      test('asks no name server for names that only an inner network has', () => {
        expect(report.closed.namesAsked.filter((name) => !name.endsWith('.test'))).toEqual([]);
      });

      test('refuses names that lead to them, by any record, among public addresses, on open and closed ports alike', () => {
        const entries = report.closed.jobs['names']?.entries ?? [];
        expect(entries.length).toBe(canaryAddresses.length * 6 * 4);
        expect(new Set(entries.map(reasonAndDetailOf)).size).toBe(1);
        expect(reasonOf(entries[0])).toBe('failed destination_not_allowed');
      });

      test('fetches nothing of a site whose robots.txt leads to them', () => {
        const { jobs, siteRequests } = report.closed;
        const entries = jobs['robots']?.entries ?? [];
        expect(entries.length).toBe(canaryOrigins.length);
        expect(new Set(entries.map(reasonOf))).toEqual(new Set(['failed destination_not_allowed']));
        expect(siteRequests.filter((request) => /^robots-.*(?<!\/robots\.txt)$/.test(request))).toEqual([]);
      });

      test('crawls a site whose sitemap leads to them, without its sitemap', () => {
        const entries = report.closed.jobs['sitemaps']?.entries ?? [];
        expect(entries.length).toBe(canaryOrigins.length);
        expect(new Set(entries.map(reasonOf))).toEqual(new Set(['scraped ']));
      });

      test('is not misled by 500 names that lead now outside, now inside', () => {
        const entries = report.closed.jobs['rebinding']?.entries ?? [];
        expect(entries.length).toBe(500);
        expect(new Set(entries.map(reasonOf))).toEqual(new Set(['scraped ', 'failed destination_not_allowed']));
        expect(urlsOf(entries, 'scraped').length).toBe(250);
      });
    });

    test('with 10.0.0.0/8 reopened reaches 10.0.0.9 and nothing else', () => {
      expectReached(report.ten, ['10.0.0.9']);
      expect(report.ten.jobs['inner']?.entries.map(reasonOf)).toEqual(['scraped ', 'failed destination_not_allowed']);
    });

    test('with everything reopened never reaches the addresses where clouds hand out credentials', () => {
      expectReached(
        report.everything,
        canaryAddresses.filter((address) => !metadataAddresses.includes(address)),
      );
      expect(report.everything.refused).toContain('http://metadata.google.internal/');
      expect(report.everything.jobs['inner']?.entries.map(reasonOf)).toEqual(['scraped ', 'scraped ']);
    });

    test('with 127.0.0.0/8 reopened reaches no other family and no other network', () => {
      expectReached(report.loopback, ['127.0.0.1', '127.8.8.8']);
    });

    test.each(['ten', 'everything', 'loopback'] as const)('never fetches from itself (%s)', (name) => {
      const { refused, jobs } = report[name];
      // Every canary and localhost.
      expect(refused.filter((url) => new URL(url).port !== '').length).toBe(canaryAddresses.length + 1);
      const own = (jobs['own']?.entries ?? []).filter(
        ({ url }) => !url.includes('/listed') && !url.includes('only-in'),
      );
      // By name, by its public name, and by redirects to these and localhost.
      expect(own.length).toBe(canaryAddresses.length * 2 + 3);
      expect(new Set(own.map(reasonOf))).toEqual(new Set(['failed destination_not_allowed']));
    });
  },
);

function expectReached(run: Run, reached: readonly CanaryAddress[]): void {
  expect(Object.keys(run.connections).toSorted()).toEqual([...reached].toSorted());
  const literals = new Set(run.refused.filter((url) => new URL(url).port === ''));
  const isReached = (address: CanaryAddress): boolean => reached.includes(address);
  expect(canaryAddresses.filter((address) => !literals.has(`http://${urlHost(address)}/`))).toEqual(
    canaryAddresses.filter(isReached),
  );
  expect(run.jobs['names']?.entries.map(reasonOf)).toEqual(
    canaryAddresses.map((address) => (isReached(address) ? 'scraped ' : 'failed destination_not_allowed')),
  );
}

function reasonOf(entry: Entry | undefined): string {
  return `${entry?.status} ${entry?.reason ?? ''}`;
}

function reasonAndDetailOf(entry: Entry): string {
  return `${reasonOf(entry)} ${entry.detail}`;
}

function urlsOf(entries: readonly Entry[] | undefined, status: string): string[] {
  return (entries ?? [])
    .filter((entry) => entry.status === status)
    .map(({ url }) => url)
    .toSorted();
}
