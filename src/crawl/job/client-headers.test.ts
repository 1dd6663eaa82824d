import { expect, test } from 'vitest';
import type { CrawlJob } from '../../core/job.ts';
import { clientHeadersFor, withCookies } from './client-headers.ts';

const headers = { authorization: 'Bearer secret', cookie: 'session=1' };

function headersOf(urls: readonly string[], url: string, given: CrawlJob['headers'] = headers) {
  return clientHeadersFor({ headers: given, spec: { urls } } as unknown as CrawlJob)(new URL(url));
}

test.each([
  ['returns the headers for the start URL', 'https://site.example/', 'https://site.example/', true],
  ['returns the headers for any other URL of its host', 'https://site.example/a/', 'https://site.example/b?c=1', true],
  ['returns the headers for the bare host of a www host', 'https://www.site.example/', 'https://site.example/', true],
  ['returns the headers for www of a bare host', 'https://site.example/', 'https://www.site.example/', true],
  ['returns the headers for www with a trailing dot', 'https://site.example/', 'https://www.site.example./', true],
  ['returns the headers for https when the start URL is http', 'http://site.example/', 'https://site.example/', true],
  ['returns the headers for the explicit default port', 'https://site.example/', 'https://site.example:443/', true],
  ['returns nothing for http when the start URL is https', 'https://site.example/', 'http://site.example/', false],
  ['returns nothing for https on a port of its own', 'http://site.example:8080/', 'https://site.example:8080/', false],
  ['returns nothing for another port', 'https://site.example/', 'https://site.example:8443/', false],
  [
    'returns nothing for the default port when the start URL names another',
    'http://site.example:8080/',
    'http://site.example/',
    false,
  ],
  ['returns nothing for a subdomain', 'https://site.example/', 'https://api.site.example/', false],
  ['returns nothing for the parent domain', 'https://api.site.example/', 'https://site.example/', false],
  ['returns nothing for www.www', 'https://site.example/', 'https://www.www.site.example/', false],
  ['returns nothing for a host name with the same ending', 'https://site.example/', 'https://evilsite.example/', false],
  [
    'returns nothing for a host name with the same beginning',
    'https://site.example/',
    'https://site.example.evil.example/',
    false,
  ],
  [
    'returns nothing when the host name is only the user name of the URL',
    'https://site.example/',
    'https://site.example@evil.example/',
    false,
  ],
])('clientHeadersFor: %s', (_, start, url, expected) => {
  expect(headersOf([start], url)).toEqual(expected ? headers : undefined);
});

test('clientHeadersFor: returns the headers for the host of every start URL', () => {
  const starts = ['https://a.example/', 'http://b.example:8080/'];
  expect(headersOf(starts, 'https://a.example/x')).toEqual(headers);
  expect(headersOf(starts, 'http://b.example:8080/x')).toEqual(headers);
  expect(headersOf(starts, 'https://b.example/x')).toBeUndefined();
});

test('clientHeadersFor: returns nothing when the job has no headers', () => {
  expect(headersOf(['https://site.example/'], 'https://site.example/', {})).toBeUndefined();
});

test.each<
  readonly [why: string, given: CrawlJob['headers'] | undefined, kept: readonly string[], sent: string | undefined]
>([
  ['sends no cookie when there is none', undefined, [], undefined],
  ['sends the cookies of the site', undefined, ['a=1', 'b=2'], 'a=1; b=2'],
  ['sends the cookie of the client', { cookie: 'a=1; b=2' }, [], 'a=1; b=2'],
  [
    'prefers the cookie of the client over a cookie of the site with the same name',
    { cookie: 'a=1; b==' },
    ['b=2', 'c=3', 'a=3'],
    'a=1; b==; c=3',
  ],
  ['sends no cookie of the site when the client gave all names', { cookie: 'a=1' }, ['a=2'], 'a=1'],
])('withCookies: %s', (_, given, kept, sent) => {
  const cookies = kept.map((pair) => ({ name: pair.split('=', 1)[0] ?? '', pair }));
  expect(withCookies(given, cookies)?.['cookie']).toBe(sent);
});

test('withCookies: leaves the other headers unchanged', () => {
  expect(withCookies({ authorization: 'x' }, [{ name: 'a', pair: 'a=1' }])).toEqual({
    authorization: 'x',
    cookie: 'a=1',
  });
});
