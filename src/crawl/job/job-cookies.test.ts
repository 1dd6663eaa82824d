import { describe, expect, onTestFinished, test, vi } from 'vitest';
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

describe('JobCookies: one cookie', () => {
  test.each<readonly [why: string, line: string, url: string, sent: string]>([
    ['returns a cookie to its host', 'a=1', 'https://www.shop.test/x?y', 'a=1'],
    ['returns a cookie to other ports and schemes', 'a=1', 'http://www.shop.test:8080/', 'a=1'],
    ['does not send a host cookie to another host', 'a=1', 'https://shop.test/', ''],
    ['does not send a host cookie to subdomains', 'a=1', 'https://m.www.shop.test/', ''],
    ['sends a domain cookie to all hosts of the domain', 'a=1; Domain=shop.test', 'https://m.shop.test/', 'a=1'],
    ['accepts a leading dot and capitals in Domain', 'a=1; domain=.SHOP.test', 'https://shop.test/', 'a=1'],
    [
      'sends a cookie to subdomains when Domain names the own host',
      'a=1; Domain=www.shop.test',
      'https://m.www.shop.test/',
      'a=1',
    ],
    ['ignores a cookie for another domain', 'a=1; Domain=other.test', 'https://other.test/', ''],
    ['ignores a cookie for a subdomain', 'a=1; Domain=m.www.shop.test', 'https://m.www.shop.test/', ''],
    ['ignores a cookie for a domain with the same ending', 'a=1; Domain=op.test', 'https://op.test/', ''],
    ['ignores a cookie with an invalid Domain', 'a=1; Domain=\u00e4 b', site, ''],
    ['does not send a Secure cookie over http', 'a=1; Secure', 'http://www.shop.test/', ''],
    ['sends a Secure cookie over https', 'a=1; Secure; HttpOnly; SameSite=Strict', site, 'a=1'],
    ['sends a cookie below its Path', 'a=1; Path=/in', 'https://www.shop.test/in/side', 'a=1'],
    ['does not send a cookie outside its Path', 'a=1; Path=/in', 'https://www.shop.test/inside', ''],
    ['matches an encoded Path', 'a=1; Path=/a%20b', 'https://www.shop.test/a%20b/c', 'a=1'],
    ['prefers Max-Age over Expires', 'a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT', site, 'a=1'],
    ['does not send an expired cookie', 'a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT', site, ''],
    ['ignores an invalid Expires date', 'a=1; Expires=tomorrow', site, 'a=1'],
    ['keeps quotes and spaces of a value', 'a="1 2"', site, 'a="1 2"'],
    ['sends a cookie without a value', 'a=', site, 'a='],
    ['ignores a cookie without a name', '=1', site, ''],
    ['ignores an empty line', ';;;', site, ''],
    ['ignores a cookie with a control character', 'a=1\u007f', site, ''],
    ['ignores a cookie of more than 4,096 characters', `a=${'1'.repeat(4_096)}`, site, ''],
    ['ignores a __Secure- cookie without Secure', '__Secure-a=1', site, ''],
    ['accepts a __Host- cookie that meets its rules', '__Host-a=1; Secure; Path=/', site, '__Host-a=1'],
  ])('JobCookies: %s', (_, line, url, sent) => {
    expect(sentTo(url, [[site, line]])).toBe(sent);
  });

  test('JobCookies: ignores a cookie for a public suffix, unless the suffix is the host itself', () => {
    expect(sentTo('https://b.github.io/', [['https://a.github.io/', 'a=1; Domain=github.io']])).toBe('');
    expect(sentTo('https://github.io/', [['https://github.io/', 'a=1; Domain=github.io']])).toBe('a=1');
    expect(sentTo('https://b.github.io/', [['https://github.io/', 'a=1; Domain=github.io']])).toBe('');
    expect(sentTo('https://b.co.uk/', [['https://a.co.uk/', 'a=1; Domain=co.uk']])).toBe('');
  });

  test('JobCookies: returns a cookie to an IPv6 host', () => {
    expect(sentTo('http://[::1]/', [['http://[::1]:8080/', 'a=1']])).toBe('a=1');
  });

  test.each(['http://127.0.0.1:8080/', 'http://localhost/', 'http://intranet/'])(
    'JobCookies: returns host and domain cookies to %s',
    (url) => {
      const name = new URL(url).hostname;
      expect(sentTo(url, [[url, 'a=1', `b=2; Domain=${name}`]])).toBe('a=1; b=2');
    },
  );

  test('JobCookies: replaces and removes a cookie by name, domain and path', () => {
    const answers = [
      [`${site}in/`, 'a=1; Path=/', 'a=2', 'b=1; Path=/'],
      [site, 'b=2', 'a=3'],
    ] as const;
    expect(sentTo(`${site}in/`, answers)).toBe('a=2; a=3; b=2');
    expect(sentTo(`${site}in/`, [...answers, [site, 'b=; Max-Age=0']])).toBe('a=2; a=3');
  });

  test('JobCookies: sends a domain cookie to hosts outside the scope only when the host itself set it', () => {
    const answers = [
      [site, 'shop=1; Domain=shop.test'],
      ['https://login.shop.test/', 'login=1; Domain=shop.test'],
    ] as const;
    expect(sentTo('https://m.shop.test/', answers)).toBe('shop=1; login=1');
    expect(sentTo('https://login.shop.test/', answers, false)).toBe('login=1');
    expect(sentTo('https://ads.shop.test/', answers, false)).toBe('');
  });
});

describe('JobCookies: limits', () => {
  test('JobCookies: keeps the cookies of each job separately', () => {
    const cookies = new JobCookies();
    cookies.keep('one', new URL(site), ['a=1']);
    expect(headerOf(cookies, site, true, 'two')).toBe('');
  });

  test('JobCookies: keeps at most 50 cookies of a domain, and forgets the oldest', () => {
    const lines = Array.from({ length: 51 }, (_, index) => `n${index}=1`);
    const sent = sentTo(site, [[site, ...lines.slice(0, 50), 'n0=2', 'last=1']]).split('; ');
    expect(sent).toHaveLength(50);
    expect(sent).not.toContain('n1=1');
    expect(sent).toContain('n0=2');
  });

  test('JobCookies.keep: returns false when a limit drops a cookie that has not expired', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const cookies = new JobCookies(60_000);
    const keep = (job: string, ...lines: readonly string[]): boolean => cookies.keep(job, new URL(site), lines);
    expect(keep('job', ...Array.from({ length: 50 }, (_, index) => `n${index}=1; Max-Age=1`))).toBe(true);
    expect(keep('job', 'more=1')).toBe(false);
    vi.advanceTimersByTime(1_000);
    expect(keep('job', 'another=1')).toBe(true);
    expect(keep('job', `long=${'1'.repeat(4_096)}`)).toBe(false);
    expect(keep('job', `line=1; Path=/${'1'.repeat(8_192)}`)).toBe(false);
    for (let count = 0; count < 20; count++) expect(keep(`other ${count}`, `a=${'1'.repeat(4_000)}`)).toBe(true);
    expect([keep('job', 'a=1'), keep('job', 'b=1')]).toEqual([false, true]);
  });

  test('JobCookies: keeps at most 3,000 cookies of a job', () => {
    const cookies = new JobCookies();
    const hosts = Array.from({ length: 70 }, (_, index) => `https://h${index}.shop.test/`);
    const lines = Array.from({ length: 50 }, (_, index) => `n${index}=1`);
    for (const host of hosts) cookies.keep('job', new URL(host), lines);
    const counts = hosts.map((host) => cookies.cookiesFor('job', new URL(host), true).length);
    expect(counts.reduce((sum, count) => sum + count)).toBe(3_000);
    expect(counts[0]).toBe(0);
    expect(counts[69]).toBe(50);
  });

  test('JobCookies: sends at most 4 KiB of cookies with a request, the newest of them', () => {
    const lines = Array.from({ length: 5 }, (_, index) => `n${index}=${'1'.repeat(1_500)}`);
    expect(sentTo(site, [[site, ...lines]]).length).toBeLessThanOrEqual(4_096);
    expect(sentTo(site, [[site, ...lines]])).toMatch(/^n3=1+; n4=1+$/);
  });

  test('JobCookies: forgets the cookies of the least recently used job when all take too much memory', () => {
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
