// A private network that the operator opened is entered from a start URL or a page inside it, and by nothing that the public web
// says (docs/decisions/fetching.md): asserted at the inner servers themselves.
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { canaryAddresses } from './canaries.ts';
import type { BorderReport } from './inside-border.ts';
import { publicAddress } from './names.ts';
import { runInNamespace, whyNoNamespace } from './namespace.ts';

const hindrance = whyNoNamespace();
if (hindrance !== undefined) console.warn(`test/egress/private-networks.test.ts is skipped: ${hindrance}.`);

describe.skipIf(hindrance !== undefined)('with 10.0.0.0/8 open (needs root for network namespaces)', () => {
  let all: BorderReport;
  let ports: BorderReport;

  beforeAll(async () => {
    const ofLoopback = new Set<string>(['127.0.0.1', '::1']);
    const added = [...canaryAddresses, publicAddress].filter((address) => !ofLoopback.has(address));
    const module = path.join(import.meta.dirname, 'inside-border.ts');
    const run = async (name: string): Promise<BorderReport> =>
      JSON.parse(await runInNamespace([module, name], added)) as BorderReport;
    [all, ports] = await Promise.all([run('all'), run('ports')]);
  });

  test.each([
    'redirects',
    'redirect to a name',
    'robots',
    'sitemap',
    'subdomain',
    'webhook',
    'rebinding, first',
    'scrape outside',
    'proxy, outside',
  ])('no page of a job without an inner start URL is fetched inside: %s', (name) => {
    expect(all.reached[name]).toEqual([]);
  });

  test('a public page that redirects inside fails, and says nothing of what is there', () => {
    expect(all.entries['redirects']?.length).toBe(5);
    for (const name of ['redirects', 'redirect to a name', 'robots', 'proxy, outside']) {
      expect(new Set(all.entries[name]?.map(endingOf))).toEqual(new Set(['failed destination_not_allowed']));
    }
    expect(all.scrapes['scrape outside']).toBe('failed destination_not_allowed');
  });

  test('with scope subdomains a public page leads to no name that resolves inside', () => {
    expect(all.entries['subdomain']).toContain('failed destination_not_allowed http://inner.pub.test/from-subdomain');
  });

  test.each(['inside', 'inside by name', 'proxy, inside'])('a job that starts inside crawls there: %s', (name) => {
    expect(all.reached[name]).toEqual(['GET 10.0.0.9:80/door', 'GET 10.0.0.9:80/from-inside']);
    expect(new Set(all.entries[name]?.map(endingOf))).toEqual(new Set(['scraped ', 'outside off_host']));
    expect(all.scrapes['scrape inside']).toBe('scraped');
  });

  test('in a job with start URLs on both sides, what is outside leads to nothing inside', () => {
    const name = 'outside and inside';
    expect(all.reached[name]).toEqual(['GET 10.0.0.9:80/door', 'GET 10.0.0.9:80/from-inside']);
    const entries = all.entries[name] ?? [];
    expect(entries).toContain('outside off_host http://10.0.0.9/from-outside');
    expect(entries).toContain('outside off_host http://10.0.0.9/listed');
    expect(entries).toContain('failed destination_not_allowed http://inner.pub.test/from-subdomain');
    expect(entries).toContain('scraped  http://10.0.0.9/from-inside');
    expect(entries).toContain('scraped  http://pub.test/page');
    expect(entries.filter((entry) => entry.includes('hop-outside')).map(endingOf)).toEqual([
      'failed destination_not_allowed',
    ]);
  });

  test('a sitemap that is not read since it is inside is a notice', () => {
    expect(all.notices.filter((notice) => notice.includes('http://10.0.0.9/'))).not.toEqual([]);
  });

  test('jobs outside use no connection of a job inside, at the same time', () => {
    expect(all.reached['two jobs at a time']).toEqual([
      'GET 10.0.0.9:80/door',
      'GET 10.0.0.9:80/from-inside',
      'GET 10.0.0.9:80/second',
      'GET 10.0.0.9:80/third',
    ]);
  });

  test('a webhook inside is delivered, and opens nothing to the fetches of its job', () => {
    expect(all.reached['delivery']).toEqual([]);
    expect(all.entries['webhook']?.map(endingOf)).toEqual(['failed destination_not_allowed']);
  });

  test('a name that was outside first does not lead inside in a retry after a restart', () => {
    expect(all.reached['rebinding, retried']).toEqual([]);
    expect(all.entries['rebinding, retried']?.map(endingOf)).toEqual(['failed destination_not_allowed']);
  });

  test('a proxy is asked for nothing inside by a job outside', () => {
    expect(new Set(all.proxied)).toEqual(new Set([`CONNECT ${publicAddress}:80 HTTP/1.1`]));
  });

  test('only the ports that the setting names are reached', () => {
    expect(ports.refused).toEqual(['http://10.0.0.9/', 'https://10.0.0.9/', 'http://10.0.0.9:22/']);
    expect(ports.reached['port']?.filter((request) => !request.includes(':8000/'))).toEqual([]);
    expect(ports.entries['port']).toContain('scraped  http://10.0.0.9:8000/from-inside');
    expect(ports.entries['port']).toContain('failed destination_not_allowed http://wiki.internal/door');
  });
});

function endingOf(entry: string): string {
  return entry.split(' ').slice(0, 2).join(' ');
}
