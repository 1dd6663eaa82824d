import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseHttpUrl, resolveLink, urlLengthMax } from './parse-url.ts';

describe('parseHttpUrl', () => {
  test.each([
    ['https://example.com/', 'https://example.com/'],
    ['https://example.com', 'https://example.com/'],
    ['  https://example.com/a \n', 'https://example.com/a'],
    ['HTTPS://EXAMPLE.COM:443/A?b=C', 'https://example.com/A?b=C'],
    ['http://example.com:8080/', 'http://example.com:8080/'],
    ['https://example.com/a#part', 'https://example.com/a'],
    ['https://example.com/a?#', 'https://example.com/a?'],
    ['https://example.com/@user', 'https://example.com/@user'],
    ['https://bücher.example/straße', 'https://xn--bcher-kva.example/stra%C3%9Fe'],
    ['http://[::1]:8080/', 'http://[::1]:8080/'],
    ['http://2130706433/', 'http://127.0.0.1/'],
    ['http://１２７.０.０.１/', 'http://127.0.0.1/'],
  ])('parseHttpUrl: reads %j as %s', (input, href) => {
    expect(parseHttpUrl(input)).toMatchObject({ url: { href } });
  });

  test.each([
    ['', /is empty/],
    ['   ', /is empty/],
    ['example.com', /not absolute.*https:\/\/example\.com\//],
    ['/path', /not absolute/],
    ['//example.com/', /not absolute/],
    ['#top', /not absolute/],
    ['ftp://example.com/', /begins with "ftp:"/],
    [' FILE:///etc/passwd', /begins with "file:"/],
    ['javascript:alert(1)', /begins with "javascript:"/],
    ['view-source:https://example.com/', /begins with "view-source:"/],
    ['localhost:3000', /begins with "localhost:"/],
    ['http:', /no host/],
    ['http://', /no host/],
    ['http:///example.com/', /no host/],
    ['http:example.com', /no host/],
    ['http://?a', /no host/],
    ['http:\\\\10.0.0.9', /backslash/],
    ['http://10.0.0.9\\@pub.test/', /backslash/],
    ['http://user:password@example.com/', /user name or password/],
    ['http://pub.test@10.0.0.9/', /user name or password/],
    ['http://@example.com/', /user name or password/],
    ['http://example.com/a b', /white space/],
    ['http://exa\tmple.com/', /white space/],
    ['http://example.com/\r\nHost: evil', /white space/],
    ['http://example.com/\u0000', /control character/],
    ['http://example.com/\u0085', /control character/],
    ['http://example.com:65536/', /not valid/],
    ['http://exa%00mple.com/', /not valid/],
    ['http://[fe80::1%25eth0]/', /not valid/],
    [`http://example.com/${'a'.repeat(urlLengthMax)}`, /longer than 8,192/],
    [`http://example.com/${'ü'.repeat(2000)}`, /longer than 8,192/],
  ])('parseHttpUrl: returns a problem for %j that says what to write', (input, problem) => {
    const parsed = parseHttpUrl(input);
    expect(parsed).toHaveProperty('problem', expect.stringMatching(problem));
    expect(parsed).toHaveProperty('problem', expect.stringMatching(/Write .*\.$/));
  });

  it('parseHttpUrl: accepts at most 8,192 characters', () => {
    const longest = 'https://example.com/'.padEnd(urlLengthMax, 'a');
    expect(parseHttpUrl(longest)).toMatchObject({ url: { href: longest } });
    expect(parseHttpUrl(`${longest}a`)).toHaveProperty('problem');
  });

  it('parseHttpUrl: reads its own result unchanged', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (input) => {
        const parsed = parseHttpUrl(input);
        if (!('url' in parsed)) throw new Error(parsed.problem);
        expect(parseHttpUrl(parsed.url.href)).toEqual(parsed);
      }),
    );
  });
});

describe('resolveLink', () => {
  const base = 'https://example.com/docs/a?b=c#d';

  test.each([
    ['', 'https://example.com/docs/a?b=c'],
    ['#top', 'https://example.com/docs/a?b=c'],
    ['e#f', 'https://example.com/docs/e'],
    ['?g', 'https://example.com/docs/a?g'],
    ['../h/./i', 'https://example.com/h/i'],
    ['/../../j', 'https://example.com/j'],
    ['//other.example/k', 'https://other.example/k'],
    ['https:l', 'https://example.com/docs/l'],
    ['\\m', 'https://example.com/m'],
    ['  n\n o ', 'https://example.com/docs/n%20o'],
    ['a b #c', 'https://example.com/docs/a%20b%20'],
    ['http://user:password@example.com/', 'http://example.com/'],
    ['http://user@example.com/', 'http://example.com/'],
    ['https://BÜCHER.example/', 'https://xn--bcher-kva.example/'],
  ])('resolveLink: resolves %j to %s', (href, target) => {
    expect(resolveLink(href, base)?.href).toBe(target);
  });

  test.each([
    'mailto:a@b.c',
    'tel:123',
    'javascript:void(0)',
    'data:text/html,x',
    'ftp://a/',
    'file:///a',
    'http://',
    '//',
  ])('resolveLink: returns undefined for %j', (href) => {
    expect(resolveLink(href, base)).toBeUndefined();
  });

  it('resolveLink: returns undefined when the base is no URL', () => {
    expect(resolveLink('a', 'not a URL')).toBeUndefined();
    expect(resolveLink('https://example.com/', 'not a URL')).toBeUndefined();
  });

  it('resolveLink: returns no fragment and no user name for any link', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.webUrl({ withFragments: true })), (href) => {
        const url = resolveLink(href, base);
        if (url === undefined) return;
        expect(url.href).not.toContain('#');
        expect([url.username, url.password]).toEqual(['', '']);
        expect(['http:', 'https:']).toContain(url.protocol);
      }),
    );
  });
});
