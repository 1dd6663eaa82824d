import { expect, test } from 'vitest';
import type { CrawlJob } from '../../core/job.ts';
import { clientHeadersFor, withCookies } from './client-headers.ts';

const headers = { authorization: 'Bearer secret', cookie: 'session=1' };

function headersOf(urls: readonly string[], url: string, given: CrawlJob['headers'] = headers) {
  return clientHeadersFor({ headers: given, spec: { urls } } as unknown as CrawlJob)(new URL(url));
}

test.each([
  ['the start URL', 'https://site.example/', 'https://site.example/', true],
  ['any other URL of its host', 'https://site.example/a/', 'https://site.example/b?c=1', true],
  ['the bare host of www', 'https://www.site.example/', 'https://site.example/', true],
  ['www of the bare host', 'https://site.example/', 'https://www.site.example/', true],
  ['www with a dot at its end', 'https://site.example/', 'https://www.site.example./', true],
  ['https, where the site was named with http', 'http://site.example/', 'https://site.example/', true],
  ['the default port, spelt out', 'https://site.example/', 'https://site.example:443/', true],
  ['http, where https was meant', 'https://site.example/', 'http://site.example/', false],
  ['https on a port of its own', 'http://site.example:8080/', 'https://site.example:8080/', false],
  ['another port', 'https://site.example/', 'https://site.example:8443/', false],
  ['the default port, where another was named', 'http://site.example:8080/', 'http://site.example/', false],
  ['a subdomain', 'https://site.example/', 'https://api.site.example/', false],
  ['the domain above', 'https://api.site.example/', 'https://site.example/', false],
  ['www.www', 'https://site.example/', 'https://www.www.site.example/', false],
  ['a name that ends the same', 'https://site.example/', 'https://evilsite.example/', false],
  ['a name that begins the same', 'https://site.example/', 'https://site.example.evil.example/', false],
  ['a name before an @', 'https://site.example/', 'https://site.example@evil.example/', false],
])('the headers of a client, for %s', (_, start, url, expected) => {
  expect(headersOf([start], url)).toEqual(expected ? headers : undefined);
});

test('every start URL counts', () => {
  const starts = ['https://a.example/', 'http://b.example:8080/'];
  expect(headersOf(starts, 'https://a.example/x')).toEqual(headers);
  expect(headersOf(starts, 'http://b.example:8080/x')).toEqual(headers);
  expect(headersOf(starts, 'https://b.example/x')).toBeUndefined();
});

test('none are nothing to send', () => {
  expect(headersOf(['https://site.example/'], 'https://site.example/', {})).toBeUndefined();
});

test.each<
  readonly [why: string, given: CrawlJob['headers'] | undefined, kept: readonly string[], sent: string | undefined]
>([
  ['none', undefined, [], undefined],
  ['those of the site', undefined, ['a=1', 'b=2'], 'a=1; b=2'],
  ['those of the client', { cookie: 'a=1; b=2' }, [], 'a=1; b=2'],
  ['both, and of one name that of the client', { cookie: 'a=1; b==' }, ['b=2', 'c=3', 'a=3'], 'a=1; b==; c=3'],
  ['none of the site where the client gave all', { cookie: 'a=1' }, ['a=2'], 'a=1'],
])('cookies to be sent: %s', (_, given, kept, sent) => {
  const cookies = kept.map((pair) => ({ name: pair.split('=', 1)[0] ?? '', pair }));
  expect(withCookies(given, cookies)?.['cookie']).toBe(sent);
});

test('cookies leave the other headers as they are', () => {
  expect(withCookies({ authorization: 'x' }, [{ name: 'a', pair: 'a=1' }])).toEqual({
    authorization: 'x',
    cookie: 'a=1',
  });
});
