import { describe, expect, it, test } from 'vitest';
import { compileGlob, globLengthMax, globProblem } from './glob.ts';

const matches = (glob: string, url: string): boolean => compileGlob(glob)(new URL(url));

describe('compileGlob: matches', () => {
  test.each([
    ['**', 'https://a.example/'],
    ['/', 'https://a.example/'],
    ['/docs/*', 'https://a.example/docs/one'],
    ['/docs/*', 'https://a.example/docs/'],
    ['/docs/**', 'https://a.example/docs/one/two'],
    ['/docs/**', 'http://other.example:8080/docs/one?two/three'],
    ['/**/print', 'https://a.example/one/two/print'],
    ['/a?c', 'https://a.example/abc'],
    ['/a?c', 'https://a.example/a/c'],
    ['/search?q=*', 'https://a.example/search?q=one'],
    ['/search**', 'https://a.example/search?q=one/two'],
    ['**.pdf', 'https://a.example/one/two.pdf'],
    ['**/private/**', 'https://a.example/one/private/two'],
    ['https://a.example/**', 'https://a.example/one'],
    ['HTTPS://A.Example/**', 'https://a.example/one'],
    ['*://*.example/*', 'http://a.example/one'],
    ['**://a.example/**', 'http://a.example/one'],
    ['https://a.example:8443/*', 'https://a.example:8443/one'],
    ['https://**One', 'https://a.example/One'],
    ['/one', 'https://a.example/one#two'],
    ['https://a.example/one', 'https://a.example/one#two'],
    ['/straße/*', 'https://a.example/straße/one'],
    ['/stra%C3%9Fe/*', 'https://a.example/straße/one'],
    ['https://bücher.example/**', 'https://bücher.example/one'],
    ['https://*.Bücher.example/**', 'https://www.bücher.example/one'],
    ['http://[::1]:8080/**', 'http://[::1]:8080/one'],
    ['/{a,b}', 'https://a.example/{a,b}'],
    ['/*?q={a}', 'https://a.example/{}?q={a}'],
    ["/a b?q='c'", "https://a.example/a b?q='c'"],
    ['/%7b**/{', 'https://a.example/{/{'],
    ['/[a]', 'https://a.example/[a]'],
    ['/+(a|aa)', 'https://a.example/+(a|aa)'],
    ['/!(a)', 'https://a.example/!(a)'],
    ['/a.b', 'https://a.example/a.b'],
  ])('compileGlob: %s matches %s', (glob, url) => {
    expect(matches(glob, url)).toBe(true);
  });
});

describe('compileGlob: no matches', () => {
  test.each([
    ['/docs/*', 'https://a.example/docs/one/two'],
    ['/docs/*', 'https://a.example/docs'],
    ['/docs', 'https://a.example/docs/one'],
    ['/Docs/*', 'https://a.example/docs/one'],
    ['/one', 'https://a.example/one?two'],
    ['/a?c', 'https://a.example/ac'],
    ['/a.b', 'https://a.example/axb'],
    ['/{a,b}', 'https://a.example/a'],
    ['/[ab]', 'https://a.example/a'],
    ['docs/*', 'https://a.example/docs/one'],
    ['*', 'https://a.example/'],
    ['https://a.example/*', 'http://a.example/one'],
    ['https://a.example/*', 'https://a.example:8443/one'],
    ['https://*.example/**', 'https://evil.test/.example/one'],
    ['https://a.example/ONE', 'https://a.example/one'],
  ])('compileGlob: %s does not match %s', (glob, url) => {
    expect(matches(glob, url)).toBe(false);
  });
});

describe('globProblem', () => {
  test.each(['/a', '**', '[', '{a,{b,{c', '+(a|aa)', '**/'.repeat(100), 'a'.repeat(globLengthMax)])(
    'globProblem: returns undefined for $0',
    (glob) => {
      expect(globProblem(glob)).toBeUndefined();
    },
  );

  test.each([
    ['', /empty/],
    ['a'.repeat(globLengthMax + 1), /longer than 512/],
    ['/\uD800', /lone surrogate/],
  ])('globProblem: returns what to write instead of "$0"', (glob, problem) => {
    expect(globProblem(glob)).toMatch(problem);
    expect(globProblem(glob)).toMatch(/Write .*\.$/);
  });

  it('compileGlob: does not throw for a glob with a problem', () => {
    expect(() => compileGlob('https://\uD800.example/\uDC00')(new URL('https://a.example/'))).not.toThrow();
  });
});
