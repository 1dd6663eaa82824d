import { describe, expect, test } from 'vitest';
import { TemplateWatch } from './template-watch.ts';
import { watchedTemplates } from './watched-templates.ts';

const job = (names: readonly string[], allowExternal = false): Parameters<typeof watchedTemplates>[1] => ({
  parentNames: new Set(names),
  allowExternal,
});
const withNames = job(['shop.example']);

describe('watchedTemplates', () => {
  test.each([
    ['https://n1.shop.example/', '*.shop.example:443/'],
    ['https://a.n1.shop.example/', '*.shop.example:443/'],
    ['http://n1.shop.example:8080/p/17?lang=en', '*.shop.example:8080/p/#?lang'],
    ['http://n1.shop.co.uk/', '*.shop.co.uk:80/'],
    ['https://shop.example/', undefined],
    ['https://www.shop.example/', undefined],
    ['https://n1.github.io/', undefined],
    ['http://127.0.0.1/', undefined],
  ])('watchedTemplates: writes all names of %s as %s', (url, template) => {
    expect(watchedTemplates(new URL(url), withNames).names?.template).toBe(template);
  });

  test('watchedTemplates: watches names only for jobs that lead to others', () => {
    const url = new URL('https://n1.shop.example/');
    expect(watchedTemplates(url, job([])).names).toBeUndefined();
    expect(watchedTemplates(url, job([], true)).names).toBeDefined();
  });
});

describe('TemplateWatch: names', () => {
  /** The number of pages fetched before their template ended. */
  function fetched(pages: readonly (readonly [url: string, lines: readonly number[]])[], selfFed = false): number {
    const watch = new TemplateWatch();
    const seen = pages.filter(([url, lines]) => {
      const templates = watchedTemplates(new URL(url), withNames);
      if (watch.endedTemplate('job', templates) !== undefined) return false;
      watch.observe('job', templates, Uint32Array.from(lines), selfFed);
      return true;
    });
    return seen.length;
  }
  const numbers = Array.from({ length: 1_000 }, (_, at) => at);
  const line = (at: number): number => Math.imul(at + 1, 0x9e3779b1) >>> 0;

  test('TemplateWatch: ends the names of a domain after a hundred that show one page', () => {
    // The first pages of a template are not remembered.
    expect(fetched(numbers.map((at) => [`http://n${at}.shop.example/`, [1, 2]]))).toBe(105);
  });

  test('TemplateWatch: does not end names that each bring a text', () => {
    expect(fetched(numbers.map((at) => [`http://n${at}.shop.example/`, [1, 2, line(at)]]))).toBe(1_000);
  });

  test('TemplateWatch: does not end fifty names, however many pages show the same', () => {
    expect(fetched(numbers.map((at) => [`http://n${at % 50}.shop.example/p/${at}`, [1, 2]]))).toBe(1_000);
  });

  test('TemplateWatch: does not end unrelated domains that show one page', () => {
    expect(fetched(numbers.map((at) => [`http://n1.shop${at}.example/`, [1, 2]]))).toBe(1_000);
  });

  test('TemplateWatch: counts names again after one that brought a text', () => {
    const pages = numbers.map((at) => [`http://n${at}.shop.example/`, at % 90 === 0 ? [1, line(at)] : [1]] as const);
    expect(fetched(pages)).toBe(1_000);
  });
});
