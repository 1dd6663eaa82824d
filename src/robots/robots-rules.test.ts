import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseRobots } from './robots-rules.ts';

const site = 'https://example.com';
const parse = (body: string | Uint8Array) => parseRobots(body);
const isAllowed = (body: string, path: string): boolean => parse(body).verdict(site + path).allowed;

describe('parseRobots: groups', () => {
  test.each([
    ['allows everything in an empty file', '', true],
    ['applies the group of everyone', 'User-agent: *\nDisallow: /', false],
    ['applies the group of hayrake', 'User-agent: hayrake\nDisallow: /', false],
    ['ignores the case of names', 'USER-AGENT: HayRake\nDISALLOW: /', false],
    ['ignores a version after the agent name', 'User-agent: hayrake/1.0\nDisallow: /', false],
    ['ignores words after the agent name', 'User-agent: hayrake bot\nDisallow: /', false],
    ['ignores a group whose name begins with ours', 'User-agent: hayraker\nDisallow: /', true],
    ['ignores the group of another crawler', 'User-agent: otherbot\nDisallow: /', true],
    [
      'prefers the group of hayrake before that of everyone',
      'User-agent: hayrake\nDisallow: /x\n\nUser-agent: *\nDisallow: /',
      true,
    ],
    [
      'prefers the group of hayrake after that of everyone',
      'User-agent: *\nDisallow: /\n\nUser-agent: hayrake\nDisallow: /x',
      true,
    ],
    ['prefers a group of hayrake without rules', 'User-agent: *\nDisallow: /\n\nUser-agent: hayrake', true],
    [
      'prefers a group of hayrake with an empty rule',
      'User-agent: *\nDisallow: /\n\nUser-agent: hayrake\nDisallow:',
      true,
    ],
    ['applies a group of hayrake and another crawler', 'User-agent: otherbot\nUser-agent: hayrake\nDisallow: /', false],
    [
      'joins agents around a Sitemap line',
      'User-agent: hayrake\nSitemap: /s\nUser-agent: otherbot\nDisallow: /',
      false,
    ],
    ['joins agents around an unknown line', 'User-agent: hayrake\nfoo: bar\nUser-agent: otherbot\nDisallow: /', false],
    [
      'joins two groups of hayrake',
      'User-agent: hayrake\nDisallow: /x\nUser-agent: *\nAllow: /\nUser-agent: hayrake\nDisallow: /',
      false,
    ],
    ['ignores rules before any agent', 'Disallow: /\nUser-agent: hayrake\nDisallow: /x', true],
    [
      'applies the group of everyone after that of another crawler',
      'User-agent: otherbot\nAllow: /\nUser-agent: *\nDisallow: /',
      false,
    ],
    [
      'applies the group of hayrake after an empty crawl delay of everyone',
      'User-agent: *\nCrawl-delay:\nUser-agent: hayrake\nDisallow: /',
      false,
    ],
  ])('parseRobots: %s', (_, body, allowed) => {
    expect(isAllowed(body, '/page')).toBe(allowed);
  });
});

describe('verdict: rules', () => {
  test.each([
    ['/private', '/private/a', false],
    ['/private', '/privately', false],
    ['/private', '/public/private', true],
    ['/private/', '/private', true],
    ['/Private', '/private', true],
    ['/*.pdf', '/a/b.pdf?c', false],
    ['/*.pdf$', '/a/b.pdf?c', true],
    ['/*.pdf$', '/a/b.pdf', false],
    ['/a$b', '/a$b', false],
    ['/a%2Ab', '/a*b', false],
    ['/a%2ab', '/aXb', true],
    ['/a%24', '/a$', false],
    ['/a%24', '/a', true],
    ['/a*b*$', '/aXbX', false],
    ['/a*aa$', '/aaa', false],
    ['/aa*aa$', '/aaa', true],
    ['*', '/', false],
    ['/', '/robots.txt', true],
    ['*/private', '/a/private', false],
    ['/?q=', '/?q=1', false],
    ['private', '/private', true],
    ['/%7Ejoe', '/~joe', false],
    ['/~joe', '/%7ejoe', false],
    ['/caf%c3%a9', '/café', false],
    ['/café', '/caf%C3%A9', false],
    ['/a|b', '/a|b', false],
    ['/a[b]', '/a[b]', false],
    ["/a?b='c'", "/a?b='c'", false],
    ['/a b', '/a%20b', false],
    ['/a%2Fb', '/a/b', true],
    ['/a # a comment', '/a', false],
  ])('verdict: for Disallow: %s and the path %s, allowed is %s', (rule, path, allowed) => {
    expect(isAllowed(`User-agent: *\nDisallow: ${rule}`, path)).toBe(allowed);
  });

  test.each([
    ['Disallow: /\nAllow: /public', '/public/a', true],
    ['Disallow: /public/secret\nAllow: /public', '/public/secret', false],
    ['Disallow: /a\nAllow: /a', '/a', true],
    ['Allow: /*\nDisallow: /a', '/a', true],
    ['Allow: /\nDisallow: /*.gif', '/a.gif', false],
  ])('verdict: applies the longest rule of %j to %s, allowed: %s', (rules, path, allowed) => {
    expect(isAllowed(`User-agent: *\n${rules}`, path)).toBe(allowed);
  });

  it('verdict: returns the rule as written, with its line number', () => {
    const rules = parse('# hello\r\n\r\nUser-agent: *\r\nAllow: /\r\n  Disallow:  /caf\u00E9* # why\r\n');
    expect(rules.verdict(`${site}/café/a`)).toEqual({ allowed: false, rule: 'Disallow:  /caf\u00E9*', line: 5 });
    expect(rules.verdict(`${site}/a`)).toEqual({ allowed: true });
  });

  it('verdict: truncates the rule to 500 characters', () => {
    const verdict = parse(`User-agent: *\nDisallow: /${'*'.repeat(10_000)}`).verdict(`${site}/a`);
    expect(verdict).toHaveProperty('rule', 'Disallow: /'.padEnd(500, '*'));
  });

  it('parseRobots: accepts any line end and a byte order mark', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      expect(isAllowed(['\uFEFFUser-agent: *', 'Disallow: /'].join(end), '/')).toBe(false);
    }
  });

  it('verdict: matches path and query only', () => {
    const rules = parse('User-agent: *\nDisallow: /a');
    expect(rules.verdict('http://other.example:8080/a#b').allowed).toBe(false);
  });
});

describe('crawlDelaySeconds', () => {
  test.each([
    ['User-agent: *\nCrawl-delay: 5', 5],
    ['User-agent: *\nCrawl-delay: 0.5', 0.5],
    ['User-agent: *\nCrawl-delay: 5\nUser-agent: hayrake\nCrawl-delay: 2', 2],
    ['User-agent: *\nCrawl-delay: 5\nUser-agent: hayrake\nDisallow: /', undefined],
    ['User-agent: otherbot\nCrawl-delay: 5', undefined],
    ['User-agent: *\nCrawl-delay: 0', undefined],
    ['User-agent: *\nCrawl-delay: -1', undefined],
    ['User-agent: *\nCrawl-delay: soon', undefined],
    ['User-agent: *\nCrawl-delay: Infinity', undefined],
    ['User-agent: *\nCrawl-delay:', undefined],
  ])('crawlDelaySeconds: of %j is %s', (body, seconds) => {
    expect(parse(body).crawlDelaySeconds).toBe(seconds);
  });
});

describe('sitemaps of robots.txt', () => {
  it('parseRobots: returns the absolute http(s) sitemap URLs of all groups, each once', () => {
    const body = [
      'Sitemap: https://example.com/a.xml',
      'User-agent: otherbot',
      'sitemap: http://other.example/b.xml # far away',
      'SITEMAP: https://example.com/a.xml',
      'Sitemap: /relative.xml',
      'Sitemap: file:///etc/passwd',
      'Sitemap:',
    ].join('\n');
    expect(parse(body).sitemaps).toEqual(['https://example.com/a.xml', 'http://other.example/b.xml']);
  });

  it('parseRobots: returns at most 500 sitemaps', () => {
    const body = Array.from({ length: 600 }, (_, index) => `Sitemap: ${site}/${index}.xml`).join('\n');
    expect(parse(body).sitemaps).toHaveLength(500);
  });
});

describe('parseRobots: hostile files', () => {
  const longUrl = `${site}/${'a'.repeat(8000)}`;

  it('parseRobots: reads 500 KiB, and ignores a line that is cut there', () => {
    const filler = '#'.repeat(99).concat('\n').repeat(5119);
    // The limit is right after "Disallow: /pr".
    const cut = `User-agent: *\n${filler}${'#'.repeat(72)}\nDisallow: /private/a`;
    expect(isAllowed(cut, '/private/b')).toBe(true);
    // As the fetcher hands it over, which ends there.
    expect(isAllowed(cut.slice(0, 500 * 1024), '/private/b')).toBe(true);
    expect(isAllowed(`User-agent: *\nDisallow: /\n${filler}${filler}`, '/')).toBe(false);
    expect(isAllowed(`User-agent: *\n${filler}${filler}\nDisallow: /`, '/')).toBe(true);
    expect(isAllowed('User-agent: *'.padEnd(10_000_000, 'a'), '/')).toBe(true);
  });

  it('parseRobots: does not multiply agents and rules', () => {
    const body = `${'User-agent: a\nUser-agent: *\n'.repeat(9000)}${'Disallow: /b\n'.repeat(18_000)}`;
    expect(isAllowed(body, '/b')).toBe(false);
  });

  it('verdict: refuses a URL when matching needs too many steps', () => {
    const rules = 'Disallow: /*a*b\n'.repeat(20_000);
    expect(parse(`User-agent: *\n${rules}`).verdict(longUrl)).toEqual({
      allowed: false,
      rule: 'There are too many rules for a URL of this length.',
      line: 0,
    });
    expect(parse(`User-agent: *\n${rules}`).verdict(`${site}/c`).allowed).toBe(true);
    // Rules for others cost us nothing.
    expect(parse(`User-agent: otherbot\n${rules}`).verdict(longUrl).allowed).toBe(true);
  });

  it('verdict: matches hostile patterns without backtracking', () => {
    const body = `User-agent: *\n${'Disallow: /*a*a*a*a*a*a*a*a*b\n'.repeat(20)}`;
    expect(parse(body).verdict(longUrl).allowed).toBe(true);
    expect(parse(body).verdict(`${longUrl}b`).allowed).toBe(false);
  });

  it.each([
    ['an HTML page', '<!DOCTYPE html><html><body>User-agent: *<br>Disallow: /</body></html>'],
    ['NULs', '\0'.repeat(1000)],
    ['10,000 stars', `User-agent: *\nDisallow: ${'*'.repeat(10_000)}b`],
    ['UTF-16', Uint8Array.from(Buffer.from('User-agent: *\nDisallow: /', 'utf16le'))],
    ['broken UTF-8', Uint8Array.of(0xff, 0xfe, 0x0a, 0xc3)],
  ])('parseRobots: allows everything in a file of %s', (_, body) => {
    expect(parse(body).verdict(`${site}/a`)).toEqual({ allowed: true });
  });

  it('verdict: matches like a naive matcher', () => {
    const naive = (pattern: string, path: string): boolean => {
      const [head, rest] = [pattern.slice(0, 1), pattern.slice(1)];
      if (head === '') return true;
      if (head === '$' && rest === '') return path === '';
      if (head === '*') return naive(rest, path) || (path !== '' && naive(pattern, path.slice(1)));
      return path.startsWith(head) && naive(rest, path.slice(1));
    };
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '/'), maxLength: 8 });
    const path = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 10 });
    fc.assert(
      fc.property(pattern, fc.constantFrom('', '$'), path, (body, end, text) => {
        const rule = `/${body}${end}`;
        expect(isAllowed(`User-agent: *\nDisallow: ${rule}`, `/x/${text}`)).toBe(
          !naive(rule, new URL(`/x/${text}`, site).pathname),
        );
      }),
    );
  });

  it('parseRobots: never throws', () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .tuple(
          fc.constantFrom('User-agent', 'Allow', 'Disallow', 'Crawl-delay', 'Sitemap'),
          fc.string({ unit: 'binary' }),
        )
        .map(([name, value]) => `${name}: ${value}`),
    );
    fc.assert(
      fc.property(fc.array(line), fc.webUrl({ withQueryParameters: true }), (lines, url) => {
        expect(parse(['User-agent: *', ...lines].join('\n')).verdict(url)).toHaveProperty('allowed');
      }),
    );
  });
});

describe('parseRobots: relative sitemaps', () => {
  const origin = 'https://example.com';

  test.each([
    ['https://other.example/map.xml', 'https://other.example/map.xml'],
    ['/sitemap.xml', 'https://example.com/sitemap.xml'],
    ['/sitemap', 'https://example.com/sitemap'],
    ['//cdn.example/map.xml', 'https://cdn.example/map.xml'],
    ['sitemap_index.xml.gz', 'https://example.com/sitemap_index.xml.gz'],
    ['maps/news.txt', 'https://example.com/maps/news.txt'],
    ['www.example.com/sitemap.xml', 'https://www.example.com/sitemap.xml'],
    ['"https://example.com/a.xml"', 'https://example.com/a.xml'],
    ['<https://example.com/a.xml>', 'https://example.com/a.xml'],
  ])('parseRobots: resolves the sitemap %s to %s', (written, url) => {
    expect(parseRobots(`Sitemap: ${written}`, origin).sitemaps).toEqual([url]);
  });

  test.each(['none', 'N/A', 'n/a.', 'ftp://example.com/a.xml', 'see our map.xml', '{{url}}', 'javascript:a.xml', '"'])(
    'parseRobots: finds no sitemap in %s',
    (written) => {
      expect(parseRobots(`Sitemap: ${written}`, origin).sitemaps).toEqual([]);
    },
  );

  test('parseRobots: takes linear time for hostile sitemap lines', () => {
    const start = process.cpuUsage();
    parseRobots(
      `${`Sitemap: ${'.'.repeat(16_600)} x\n`.repeat(15)}${`Sitemap: ${'"'.repeat(16_600)}\n`.repeat(15)}`,
      origin,
    );
    expect(process.cpuUsage(start).user / 1e6).toBeLessThan(1);
  });
});
