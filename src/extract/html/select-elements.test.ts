import { describe, expect, test } from 'vitest';
import { defaultExcludeElements } from '../../core/exclude-elements.ts';
import { parseHtml } from './parse-html.ts';
import { ParseBudgetError, selectElements } from './select-elements.ts';

const item = '<div class="card x"><h2 id=a>Title</h2><p lang=en>Some <a href="/x">text</a> and <b>more</b>.</p></div>';
/** As large as the largest real pages. */
const large = parseHtml(`<main>${`<section>${item.repeat(500)}</section>`.repeat(14)}</main>`);
const flat = parseHtml(`<main>${'<i></i>'.repeat(60_000)}</main>`);
const deep = parseHtml(`${'<div>'.repeat(400)}${'<p>x</p>'.repeat(10_000)}`);

/** Processor time: time spent waiting for the processor does not count. */
function timed(select: () => unknown): { readonly ms: number; readonly error: unknown } {
  const before = process.cpuUsage();
  let error: unknown;
  try {
    select();
  } catch (thrown) {
    error = thrown;
  }
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1000, error };
}

describe('selectors of a client', () => {
  test.each([
    ['each element searches its descendants', deep, ':has(:has(:has(i)))'],
    ['each element searches its later siblings', flat, 'i:has(~ i ~ b)'],
    ['each element counts its siblings', flat, 'i:nth-last-of-type(3n + 1):nth-child(7n + 2)'],
    ['each part is tried on each ancestor', deep, `${'div '.repeat(40)}b p, ${'div '.repeat(40)}:not(p)`],
    [
      'each element reads all text in it',
      deep,
      Array.from({ length: 99 }, (_, index) => `:contains("none${index}")`).join(','),
    ],
    [
      'each element is compared with 300 selectors',
      large,
      Array.from({ length: 300 }, (_, index) => `:not(.a${index}):has(> q)`).join(','),
    ],
  ])('selectElements: rejects selectors that take too long on a page because %s', (_, page, selectors) => {
    const { ms, error } = timed(() => selectElements(page, selectors));
    expect(error).toBeInstanceOf(ParseBudgetError);
    expect(error).toMatchObject({ message: expect.stringMatching(/include_elements, exclude_elements or extract/) });
    // The clock is read only between looks, and other work of the process counts as well.
    expect(ms).toBeLessThan(3_000);
  });

  test.each([
    [defaultExcludeElements, 0],
    ['section > .card:has(a[href^="/x"]) h2', 7_000],
    ['.card:nth-child(2n + 1), #a:first-child, p:not(.x):has(> b)', 17_500],
    [Array.from({ length: 20 }, (_, index) => `main .ad-${index}, div[class*="ad${index}"]`).join(','), 0],
  ])('selectElements: selects from a page of 42,000 elements in little processor time: %s', (selectors, count) => {
    const { ms, error } = timed(() => expect(selectElements(large, selectors).size).toBe(count));
    expect(error).toBeUndefined();
    expect(ms).toBeLessThan(2_000);
  });

  test('selectElements: gives each page its own budget', () => {
    for (let page = 0; page < 20; page++) expect(selectElements(large, '.card b').size).toBe(7_000);
  });
});
