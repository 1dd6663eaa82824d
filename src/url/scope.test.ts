import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { JobSpec } from '../core/job.ts';
import { dedupeKey } from './dedupe-key.ts';
import {
  compileJob,
  directoriesOf,
  inScope,
  isDelivered,
  judgeLink,
  judgeStart,
  scopeHostOf,
  type ScopedJob,
} from './scope.ts';
import { jobSpec } from '../../test/job-spec.ts';

const spec = jobSpec();

function job(changes: Partial<JobSpec> = {}, scopeHosts: readonly string[] = ['example.com']): ScopedJob {
  const whole = { ...spec, ...changes };
  return { spec: whole, scopeHosts, directories: directoriesOf(whole) };
}

function discardOf(url: string, changes: Partial<JobSpec> = {}, link: { nofollow?: boolean; depth?: number } = {}) {
  return judgeLink({ url: new URL(url), nofollow: false, depth: 1, ...link }, compileJob(job(changes))).discard;
}

describe('inScope', () => {
  test.each([
    ['https://example.com/a', 'example.com'],
    ['http://example.com/a', 'example.com'],
    ['https://example.com:8443/a', 'example.com:8443'],
    ['https://www.example.com:8443/a', 'example.com:8443'],
    ['https://example.com:443/a', 'example.com'],
    ['https://www.example.com/', 'example.com'],
    ['https://example.com/', 'www.example.com'],
    ['https://www.example.com/', 'www.example.com'],
    ['https://example.com./', 'example.com'],
    ['https://www.www.example.com/', 'www.www.example.com'],
    ['https://www.com/', 'www.com'],
    ['http://[::1]:8080/', '[::1]:8080'],
    ['http://127.0.0.1/', '127.0.0.1'],
    ['http://localhost:3000/', 'localhost:3000'],
    ['https://bücher.example/', 'xn--bcher-kva.example'],
  ])('inScope: contains %s for the host %s', (url, host) => {
    expect(inScope(new URL(url), compileJob(job({}, [host])))).toBe(true);
  });

  test.each([
    ['https://blog.example.com/', 'example.com'],
    ['https://notexample.com/', 'example.com'],
    ['https://example.com.evil.test/', 'example.com'],
    ['https://com/', 'example.com'],
    ['https://com/', 'www.com'],
    ['http://[::2]/', '[::1]'],
    ['https://example.org/', 'example.com'],
    ['https://example.com:8443/', 'example.com'],
    ['https://example.com/', 'example.com:8443'],
    ['http://127.0.0.1:8001/', '127.0.0.1:8002'],
  ])('inScope: does not contain %s for the host %s', (url, host) => {
    expect(inScope(new URL(url), compileJob(job({}, [host])))).toBe(false);
  });

  test.each([
    ['https://blog.example.com/', true],
    ['https://a.b.example.com/', true],
    ['https://example.com/', true],
    ['https://blog.example.com./', true],
    ['https://notexample.com/', false],
    ['https://example.com.evil.test/', false],
    ['https://com/', false],
    ['http://[::1]/', false],
  ])('inScope: with scope subdomains, for %s returns %s', (url, isIn) => {
    for (const host of ['example.com', 'www.example.com']) {
      expect(inScope(new URL(url), compileJob(job({ scope: 'subdomains' }, [host])))).toBe(isIn);
    }
  });

  it('inScope: does not treat .com as the subdomains of www.com', () => {
    expect(inScope(new URL('https://example.com/'), compileJob(job({ scope: 'subdomains' }, ['www.com'])))).toBe(false);
  });

  it('inScope: contains every scope host of the job, as scopeHostOf returns it', () => {
    const url = new URL('https://www.other.example.:8443/');
    expect(scopeHostOf(url)).toBe('www.other.example:8443');
    expect(inScope(url, compileJob(job({}, ['example.com', scopeHostOf(url)])))).toBe(true);
  });
});

describe('judgeLink', () => {
  it('judgeLink: returns URL, key, host and depth of a link to crawl', () => {
    const url = new URL('https://example.com/a?utm_source=b');
    expect(judgeLink({ url, nofollow: false, depth: 2 }, compileJob(job()))).toEqual({
      url: 'https://example.com/a?utm_source=b',
      key: dedupeKey(new URL('https://example.com/a')),
      host: 'example.com:443',
      depth: 2,
    });
  });

  test.each([
    ['longer than 8,192 characters', `https://example.com/${'a'.repeat(8200)}`, {}, {}, 'url_too_long'],
    ['to another host', 'https://other.example/', {}, {}, 'off_host'],
    ['that matches an exclude glob', 'https://example.com/a', { excludeGlobs: ['/b', '/*'] }, {}, 'excluded_by_glob'],
    ['that matches no include glob', 'https://example.com/a', { includeGlobs: ['/b', '/c'] }, {}, 'not_included'],
    ['beyond maxDepth', 'https://example.com/a', { maxDepth: 2 }, { depth: 3 }, 'depth'],
    ['with nofollow', 'https://example.com/a', {}, { nofollow: true }, 'nofollow'],
  ] as const)('judgeLink: discards a link %s', (_, url, changes, link, reason) => {
    expect(discardOf(url, changes, link)).toHaveProperty('reason', reason);
  });

  it('judgeLink: returns the glob or depth as detail of a discarded link', () => {
    expect(discardOf('https://example.com/a', { excludeGlobs: ['/b', '/*'] })).toHaveProperty('detail', '/*');
    expect(discardOf('https://example.com/a', { maxDepth: 0 })).toHaveProperty('detail', '0');
  });

  it('judgeLink: accepts a link exactly at the limits', () => {
    expect(discardOf('https://example.com/'.padEnd(8192, 'a'))).toBeUndefined();
    expect(discardOf('https://example.com/a', { maxDepth: 1 })).toBeUndefined();
    expect(discardOf('https://example.com/a', { includeGlobs: ['/b', '/a'], excludeGlobs: ['/c'] })).toBeUndefined();
  });

  it('judgeLink: returns the first reason that applies', () => {
    const tooLong = `/${'a'.repeat(8200)}`;
    const changes = { excludeGlobs: ['/x**'], includeGlobs: ['/x', '/y'], maxDepth: 0 };
    const reasons = [
      `https://other.example${tooLong}`,
      'https://other.example/x',
      'https://example.com/x',
      'https://example.com/z',
      'https://example.com/y',
    ];
    expect(reasons.map((url) => discardOf(url, changes, { nofollow: true })?.reason)).toEqual([
      'url_too_long',
      'off_host',
      'excluded_by_glob',
      'not_included',
      'depth',
    ]);
  });

  it('judgeLink: truncates the URL of a long link, and makes the key from the whole URL', () => {
    const url = new URL(`https://example.com/${'a'.repeat(1_000_000)}`);
    const link = judgeLink({ url, nofollow: false, depth: 1 }, compileJob(job()));
    expect(link.url).toHaveLength(8192);
    expect(link.key).toBe(dedupeKey(url));
  });

  it('judgeLink: never throws', () => {
    const globs = fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { maxLength: 3 });
    fc.assert(
      fc.property(
        fc.webUrl(),
        globs,
        globs,
        fc.array(fc.string()),
        fc.constantFrom('host' as const, 'subdomains' as const),
        (url, excludeGlobs, includeGlobs, hosts, scope) => {
          const judged = compileJob(job({ excludeGlobs, includeGlobs, scope }, [...hosts, new URL(url).hostname]));
          const link = judgeLink({ url: new URL(url), nofollow: false, depth: 1 }, judged);
          expect(link.key).toBe(dedupeKey(new URL(url)));
          expect(link.discard?.reason).not.toBe('off_host');
        },
      ),
    );
  });
});

describe('judgeLink with scope: path', () => {
  const judgedIn = (urls: readonly string[], url: string, hosts = ['example.com']): string | undefined =>
    judgeLink({ url: new URL(url), nofollow: false, depth: 1 }, compileJob(job({ scope: 'path', urls }, hosts))).discard
      ?.reason;

  test.each([
    ['https://example.com/tutorial/', 'https://example.com/tutorial/1', undefined],
    ['https://example.com/tutorial/', 'https://example.com/tutorial/', undefined],
    ['https://example.com/tutorial/', 'http://www.example.com/tutorial/a/b?c', undefined],
    ['https://example.com/tutorial/', 'https://example.com/', 'off_path'],
    ['https://example.com/tutorial/', 'https://example.com/tutorials', 'off_path'],
    ['https://example.com/tutorial/', 'https://other.example/tutorial/', 'off_host'],
    ['https://example.com/docs/intro.html', 'https://example.com/docs/next.html', undefined],
    ['https://example.com/docs/intro.html', 'https://example.com/blog/', 'off_path'],
    ['https://example.com/', 'https://example.com/anything', undefined],
  ])('judgeLink with scope path: for the start URL %s, the reason of %s is %s', (start, url, reason) => {
    expect(judgedIn([start], url)).toBe(reason);
  });

  it('judgeLink with scope path: applies the start directories of each host, and all of them to a joined host', () => {
    const starts = ['https://a.example/docs/', 'https://b.example/blog/'];
    const hosts = ['a.example', 'b.example', 'c.example'];
    expect(judgedIn(starts, 'https://a.example/docs/x', hosts)).toBeUndefined();
    expect(judgedIn(starts, 'https://a.example/blog/x', hosts)).toBe('off_path');
    expect(judgedIn(starts, 'https://c.example/blog/x', hosts)).toBeUndefined();
    expect(judgedIn(starts, 'https://c.example/x', hosts)).toBe('off_path');
  });
});

test('judgeLink: accepts a nofollow link when the job follows nofollow', () => {
  const link = { url: new URL('https://example.com/a'), nofollow: true, depth: 1 };
  expect(judgeLink(link, compileJob(job())).discard?.reason).toBe('nofollow');
  expect(judgeLink(link, compileJob(job({ followNofollow: true }))).discard).toBeUndefined();
});

describe('judgeStart', () => {
  it('judgeStart: returns depth 0 and no reason', () => {
    expect(judgeStart(new URL('http://[::1]:8080/a'))).toEqual({
      url: 'http://[::1]:8080/a',
      key: dedupeKey(new URL('http://[::1]:8080/a')),
      host: '[::1]:8080',
      depth: 0,
    });
  });
});

describe('judgeLink: patterns, external hosts, queries', () => {
  test.each<[string, Partial<JobSpec>, string | undefined]>([
    [
      'https://example.com/private/x',
      { excludePatterns: ['^/private/'], patternTarget: 'path' },
      'excluded_by_pattern',
    ],
    ['https://example.com/public/x', { excludePatterns: ['^/private/'], patternTarget: 'path' }, undefined],
    ['https://example.com/a', { includePatterns: ['^/b'], patternTarget: 'path' }, 'not_included'],
    ['https://example.com/b', { includePatterns: ['^/a', '^/b'], patternTarget: 'path' }, undefined],
    // Globs and patterns must both match.
    ['https://example.com/docs/a', { includeGlobs: ['/docs**'], includePatterns: ['a$'] }, undefined],
    ['https://example.com/docs/b', { includeGlobs: ['/docs**'], includePatterns: ['a$'] }, 'not_included'],
    ['https://example.com/a', { includeGlobs: ['/docs**'], includePatterns: ['a$'] }, 'not_included'],
    ['https://elsewhere.test/', { allowExternal: true }, undefined],
    ['https://elsewhere.test/', {}, 'off_host'],
    ['https://elsewhere.test/x', { allowExternal: true, excludePatterns: ['elsewhere'] }, 'excluded_by_pattern'],
    ['https://elsewhere.test/x', { allowExternal: true, maxDepth: 0 }, 'depth'],
  ])('judgeLink: for %s with %j, the reason is %s', (url, changes, reason) => {
    expect(discardOf(url, changes)?.reason).toBe(reason);
  });

  test('judgeLink: applies the directory of a start URL to its own host only', () => {
    const changes = { urls: ['https://example.com/docs/'], scope: 'path' as const, allowExternal: true };
    expect(discardOf('https://example.com/blog/', changes)?.reason).toBe('off_path');
    expect(discardOf('https://elsewhere.test/blog/', changes)).toBeUndefined();
  });

  test('judgeLink: removes the query when the job ignores queries', () => {
    const judged = compileJob(job({ ignoreQuery: true, excludePatterns: ['secret'] }));
    const link = judgeLink({ url: new URL('https://example.com/a?b=secret'), nofollow: false, depth: 1 }, judged);
    expect(link).toMatchObject({ url: 'https://example.com/a' });
    expect(link.discard).toBeUndefined();
    expect(link.key).toBe(dedupeKey(new URL('https://example.com/a')));
  });
});

describe('isDelivered', () => {
  test.each<[string, readonly string[], boolean]>([
    ['https://example.com/post/1', [], true],
    ['https://example.com/post/1', ['/post/**'], true],
    ['https://example.com/list/1', ['/post/**'], false],
    ['https://example.com/list/1', ['/post/**', '/list/*'], true],
  ])('isDelivered: for %s with deliver_globs %j, returns %s', (url, deliverGlobs, expected) => {
    expect(isDelivered(new URL(url), compileJob(job({ deliverGlobs })))).toBe(expected);
  });
});
