import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { JobCookies } from './job-cookies.ts';

/** The `Cookie` header for a URL after answers that set cookies. */
function sentTo(
  url: string,
  answers: readonly (readonly [url: string, ...lines: string[]])[],
  isInScope = true,
): string {
  const cookies = new JobCookies();
  for (const [from, ...lines] of answers) cookies.keep('job', new URL(from), lines);
  return headerOf(cookies, url, isInScope);
}

function headerOf(cookies: JobCookies, url: string, isInScope = true, job = 'job'): string {
  return cookies
    .cookiesFor(job, new URL(url), isInScope)
    .map(({ pair }) => pair)
    .join('; ');
}

const site = 'https://www.shop.test/';

describe('a cookie', () => {
  test.each<readonly [why: string, line: string, url: string, sent: string]>([
    ['goes back to its host', 'a=1', 'https://www.shop.test/x?y', 'a=1'],
    ['goes to other ports and schemes', 'a=1', 'http://www.shop.test:8080/', 'a=1'],
    ['of a host does not go to another', 'a=1', 'https://shop.test/', ''],
    ['of a host does not go to its subdomains', 'a=1', 'https://m.www.shop.test/', ''],
    ['of a domain goes to its hosts', 'a=1; Domain=shop.test', 'https://m.shop.test/', 'a=1'],
    ['of a domain with a dot', 'a=1; domain=.SHOP.test', 'https://shop.test/', 'a=1'],
    [
      'of its own host goes to subdomains where it says so',
      'a=1; Domain=www.shop.test',
      'https://m.www.shop.test/',
      'a=1',
    ],
    ['of another domain is ignored', 'a=1; Domain=other.test', 'https://other.test/', ''],
    ['of a subdomain is ignored', 'a=1; Domain=m.www.shop.test', 'https://m.www.shop.test/', ''],
    ['of a domain that ends the same is ignored', 'a=1; Domain=op.test', 'https://op.test/', ''],
    ['of a domain that is no name is ignored', 'a=1; Domain=\u00e4 b', site, ''],
    ['with Secure does not go over http', 'a=1; Secure', 'http://www.shop.test/', ''],
    ['with Secure goes over https', 'a=1; Secure; HttpOnly; SameSite=Strict', site, 'a=1'],
    ['of a path goes there', 'a=1; Path=/in', 'https://www.shop.test/in/side', 'a=1'],
    ['of a path goes nowhere else', 'a=1; Path=/in', 'https://www.shop.test/inside', ''],
    ['of an encoded path', 'a=1; Path=/a%20b', 'https://www.shop.test/a%20b/c', 'a=1'],
    ['with Max-Age', 'a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT', site, 'a=1'],
    ['that has expired', 'a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT', site, ''],
    ['with a date that cannot be read', 'a=1; Expires=tomorrow', site, 'a=1'],
    ['with quotes and spaces', 'a="1 2"', site, 'a="1 2"'],
    ['without a value', 'a=', site, 'a='],
    ['without a name', '=1', site, ''],
    ['without anything', ';;;', site, ''],
    ['with a control character', 'a=1\u007f', site, ''],
    ['of 4,097 characters', `a=${'1'.repeat(4_096)}`, site, ''],
    ['that promises to be secure and is not', '__Secure-a=1', site, ''],
    ['that keeps its promise', '__Host-a=1; Secure; Path=/', site, '__Host-a=1'],
  ])('%s', (_, line, url, sent) => {
    expect(sentTo(url, [[site, line]])).toBe(sent);
  });

  test('of a public suffix is ignored, unless the host is one', () => {
    expect(sentTo('https://b.github.io/', [['https://a.github.io/', 'a=1; Domain=github.io']])).toBe('');
    expect(sentTo('https://github.io/', [['https://github.io/', 'a=1; Domain=github.io']])).toBe('a=1');
    expect(sentTo('https://b.github.io/', [['https://github.io/', 'a=1; Domain=github.io']])).toBe('');
    expect(sentTo('https://b.co.uk/', [['https://a.co.uk/', 'a=1; Domain=co.uk']])).toBe('');
  });

  test('of an IPv6 address goes back to it', () => {
    expect(sentTo('http://[::1]/', [['http://[::1]:8080/', 'a=1']])).toBe('a=1');
  });

  test.each(['http://127.0.0.1:8080/', 'http://localhost/', 'http://intranet/'])('of %s', (url) => {
    const name = new URL(url).hostname;
    expect(sentTo(url, [[url, 'a=1', `b=2; Domain=${name}`]])).toBe('a=1; b=2');
  });

  test('is replaced and removed by its name, domain and path', () => {
    const answers = [
      [`${site}in/`, 'a=1; Path=/', 'a=2', 'b=1; Path=/'],
      [site, 'b=2', 'a=3'],
    ] as const;
    expect(sentTo(`${site}in/`, answers)).toBe('a=2; a=3; b=2');
    expect(sentTo(`${site}in/`, [...answers, [site, 'b=; Max-Age=0']])).toBe('a=2; a=3');
  });

  test('of a whole domain goes to hosts of the job, and besides only to the host that set it', () => {
    const answers = [
      [site, 'shop=1; Domain=shop.test'],
      ['https://login.shop.test/', 'login=1; Domain=shop.test'],
    ] as const;
    expect(sentTo('https://m.shop.test/', answers)).toBe('shop=1; login=1');
    expect(sentTo('https://login.shop.test/', answers, false)).toBe('login=1');
    expect(sentTo('https://ads.shop.test/', answers, false)).toBe('');
  });
});

describe('cookies', () => {
  test('are kept for one job', () => {
    const cookies = new JobCookies();
    cookies.keep('one', new URL(site), ['a=1']);
    expect(headerOf(cookies, site, true, 'two')).toBe('');
  });

  test('are at most 50 of a domain: the first that was set is forgotten', () => {
    const lines = Array.from({ length: 51 }, (_, index) => `n${index}=1`);
    const sent = sentTo(site, [[site, ...lines.slice(0, 50), 'n0=2', 'last=1']]).split('; ');
    expect(sent).toHaveLength(50);
    expect(sent).not.toContain('n1=1');
    expect(sent).toContain('n0=2');
  });

  test('that a limit costs are told of, expired ones are not', async () => {
    const cookies = new JobCookies(60_000);
    const keep = (job: string, ...lines: readonly string[]): boolean => cookies.keep(job, new URL(site), lines);
    expect(keep('job', ...Array.from({ length: 50 }, (_, index) => `n${index}=1; Max-Age=1`))).toBe(true);
    expect(keep('job', 'more=1')).toBe(false);
    await sleep(1_010);
    expect(keep('job', 'another=1')).toBe(true);
    expect(keep('job', `long=${'1'.repeat(4_096)}`)).toBe(false);
    expect(keep('job', `line=1; Path=/${'1'.repeat(8_192)}`)).toBe(false);
    for (let count = 0; count < 20; count++) expect(keep(`other ${count}`, `a=${'1'.repeat(4_000)}`)).toBe(true);
    expect([keep('job', 'a=1'), keep('job', 'b=1')]).toEqual([false, true]);
  });

  test('are at most 3,000 of a job', () => {
    const cookies = new JobCookies();
    const hosts = Array.from({ length: 70 }, (_, index) => `https://h${index}.shop.test/`);
    const lines = Array.from({ length: 50 }, (_, index) => `n${index}=1`);
    for (const host of hosts) cookies.keep('job', new URL(host), lines);
    const counts = hosts.map((host) => cookies.cookiesFor('job', new URL(host), true).length);
    expect(counts.reduce((sum, count) => sum + count)).toBe(3_000);
    expect(counts[0]).toBe(0);
    expect(counts[69]).toBe(50);
  });

  test('are at most 8 KiB of one request', () => {
    const lines = Array.from({ length: 5 }, (_, index) => `n${index}=${'1'.repeat(2_500)}`);
    expect(sentTo(site, [[site, ...lines]]).length).toBeLessThanOrEqual(8_192);
    expect(sentTo(site, [[site, ...lines]])).toMatch(/^n0=1+; n1=/);
  });

  test('of the job that was used least recently are forgotten where all take too much', () => {
    const cookies = new JobCookies(16_000);
    const line = `a=${'1'.repeat(4_000)}`;
    for (const job of ['one', 'two', 'three']) cookies.keep(job, new URL(site), [line]);
    headerOf(cookies, site, true, 'one');
    cookies.keep('four', new URL(site), [line]);
    expect(['one', 'two', 'three', 'four'].map((job) => headerOf(cookies, site, true, job) !== '')).toEqual([
      true,
      false,
      true,
      true,
    ]);
    // One that takes too much alone.
    for (let count = 0; count < 50; count++) cookies.keep('five', new URL(`${site}${count}/`), [line]);
    expect(headerOf(cookies, `${site}49/`, true, 'five')).not.toBe('');
  });
});
