import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseRobots } from './robots-rules.ts';

const site = 'https://example.com';
const parse = (body: string | Uint8Array) => parseRobots(body);
const isAllowed = (body: string, path: string): boolean => parse(body).verdict(site + path).allowed;

describe('which group speaks to us', () => {
  test.each([
    ['nothing at all', '', true],
    ['everyone', 'User-agent: *\nDisallow: /', false],
    ['us', 'User-agent: hayrake\nDisallow: /', false],
    ['us, in capitals', 'USER-AGENT: HayRake\nDISALLOW: /', false],
    ['us, with a version', 'User-agent: hayrake/1.0\nDisallow: /', false],
    ['us, with more words', 'User-agent: hayrake bot\nDisallow: /', false],
    ['another whose name begins with ours', 'User-agent: hayraker\nDisallow: /', true],
    ['another', 'User-agent: otherbot\nDisallow: /', true],
    ['us before everyone', 'User-agent: hayrake\nDisallow: /x\n\nUser-agent: *\nDisallow: /', true],
    ['everyone before us', 'User-agent: *\nDisallow: /\n\nUser-agent: hayrake\nDisallow: /x', true],
    ['us, without rules', 'User-agent: *\nDisallow: /\n\nUser-agent: hayrake', true],
    ['us, with an empty rule', 'User-agent: *\nDisallow: /\n\nUser-agent: hayrake\nDisallow:', true],
    ['us and another', 'User-agent: otherbot\nUser-agent: hayrake\nDisallow: /', false],
    ['us and another, a sitemap between', 'User-agent: hayrake\nSitemap: /s\nUser-agent: otherbot\nDisallow: /', false],
    [
      'us and another, a line of nonsense between',
      'User-agent: hayrake\nfoo: bar\nUser-agent: otherbot\nDisallow: /',
      false,
    ],
    [
      'us, twice',
      'User-agent: hayrake\nDisallow: /x\nUser-agent: *\nAllow: /\nUser-agent: hayrake\nDisallow: /',
      false,
    ],
    ['nobody, before any agent', 'Disallow: /\nUser-agent: hayrake\nDisallow: /x', true],
    ['everyone, after a group of another', 'User-agent: otherbot\nAllow: /\nUser-agent: *\nDisallow: /', false],
    [
      'us, after an empty crawl delay for everyone',
      'User-agent: *\nCrawl-delay:\nUser-agent: hayrake\nDisallow: /',
      false,
    ],
  ])('%s', (_, body, allowed) => {
    expect(isAllowed(body, '/page')).toBe(allowed);
  });
});

describe('which rule decides', () => {
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
  ])('of Disallow: %s, is %s allowed: %s', (rule, path, allowed) => {
    expect(isAllowed(`User-agent: *\nDisallow: ${rule}`, path)).toBe(allowed);
  });

  test.each([
    ['Disallow: /\nAllow: /public', '/public/a', true],
    ['Disallow: /public/secret\nAllow: /public', '/public/secret', false],
    ['Disallow: /a\nAllow: /a', '/a', true],
    ['Allow: /*\nDisallow: /a', '/a', true],
    ['Allow: /\nDisallow: /*.gif', '/a.gif', false],
  ])('of %j, is %s allowed: %s, the longest first', (rules, path, allowed) => {
    expect(isAllowed(`User-agent: *\n${rules}`, path)).toBe(allowed);
  });

  it('is told as the file has it, with its line', () => {
    const rules = parse('# hello\r\n\r\nUser-agent: *\r\nAllow: /\r\n  Disallow:  /caf\u00E9* # why\r\n');
    expect(rules.verdict(`${site}/café/a`)).toEqual({ allowed: false, rule: 'Disallow:  /caf\u00E9*', line: 5 });
    expect(rules.verdict(`${site}/a`)).toEqual({ allowed: true });
  });

  it('is told up to 500 characters', () => {
    const verdict = parse(`User-agent: *\nDisallow: /${'*'.repeat(10_000)}`).verdict(`${site}/a`);
    expect(verdict).toHaveProperty('rule', 'Disallow: /'.padEnd(500, '*'));
  });

  it('is found whatever ends the lines, and behind a byte order mark', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      expect(isAllowed(['\uFEFFUser-agent: *', 'Disallow: /'].join(end), '/')).toBe(false);
    }
  });

  it('looks at path and query alone', () => {
    const rules = parse('User-agent: *\nDisallow: /a');
    expect(rules.verdict('http://other.example:8080/a#b').allowed).toBe(false);
  });
});

describe('the crawl delay', () => {
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
  ])('of %j is %s', (body, seconds) => {
    expect(parse(body).crawlDelaySeconds).toBe(seconds);
  });
});

describe('the sitemaps', () => {
  it('are absolute http(s) URLs, each once, whoever they stand with', () => {
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

  it('are 500 at most', () => {
    const body = Array.from({ length: 600 }, (_, index) => `Sitemap: ${site}/${index}.xml`).join('\n');
    expect(parse(body).sitemaps).toHaveLength(500);
  });
});

describe('a hostile file', () => {
  const longUrl = `${site}/${'a'.repeat(8000)}`;

  it('is read up to 500 KiB, and not to the middle of a line', () => {
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

  it('does not multiply agents and rules', () => {
    const body = `${'User-agent: a\nUser-agent: *\n'.repeat(9000)}${'Disallow: /b\n'.repeat(18_000)}`;
    expect(isAllowed(body, '/b')).toBe(false);
  });

  it('is refused rather than matched when that would take too many steps', () => {
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

  it('may have a few hostile patterns, which are matched without backtracking', () => {
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
  ])('of %s allows everything', (_, body) => {
    expect(parse(body).verdict(`${site}/a`)).toEqual({ allowed: true });
  });

  it('matches as a naive matcher does', () => {
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

  it('never makes parsing or judging throw', () => {
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

describe('a sitemap that is named without its host', () => {
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
  ])('%s is %s', (written, url) => {
    expect(parseRobots(`Sitemap: ${written}`, origin).sitemaps).toEqual([url]);
  });

  test.each(['none', 'N/A', 'n/a.', 'ftp://example.com/a.xml', 'see our map.xml', '{{url}}', 'javascript:a.xml', '"'])(
    '%s names none',
    (written) => {
      expect(parseRobots(`Sitemap: ${written}`, origin).sitemaps).toEqual([]);
    },
  );

  test('is found in time that grows with the file alone', () => {
    const start = process.cpuUsage();
    parseRobots(
      `${`Sitemap: ${'.'.repeat(16_600)} x\n`.repeat(15)}${`Sitemap: ${'"'.repeat(16_600)}\n`.repeat(15)}`,
      origin,
    );
    expect(process.cpuUsage(start).user / 1e6).toBeLessThan(1);
  });
});
