import { describe, expect, test } from 'vitest';
import { dataOf, valueIn } from '../../../test/page-data.ts';

const fields = { value: { label: 'Salary' } } as const;
const page = (body: string): string => `<html lang=en><title>Job</title><h1>Job</h1>${body}</html>`;

describe('labels', () => {
  test.each([
    ['boxes', '<div class=k>Salary</div><div class=v></div><div class=k>Location</div><div class=v>Graz</div>'],
    [
      'boxes without the one of the value',
      '<div class=k>Salary</div><div class=k>Location</div><div class=v>Graz</div>',
    ],
    ['spans of one kind', '<div><span>Salary</span><span></span><span>Location</span><span>Graz</span></div>'],
    ['a row of two pairs', '<table><tr><th>Salary</th><td></td><th>Location</th><td>Graz</td></tr></table>'],
    ['a row of cells', '<table><tr><td>Salary<td><td>Location<td>Graz</table>'],
    ['lines', '<b>Salary:</b><br><b>Location:</b> Graz'],
    ['lines of text', '<p>Salary:<br>Location: Graz<br></p>'],
    ['paragraphs', '<p>Salary:</p><p>Location: Graz</p>'],
    ['a list', '<ul><li><span>Salary:</span> <span></span></li><li><span>Location:</span> <span>Graz</span></li></ul>'],
    ['a list of bold labels', '<ul><li><b>Salary</b> </li><li><b>Location</b> Graz</li></ul>'],
    ['rows of boxes', '<div class=r><i>Salary</i></div><div class=r><i>Location</i><b>Graz</b></div>'],
    ['terms', '<dl><dt>Salary<dd><dt>Location<dd>Graz</dl>'],
    ['terms without a description', '<dl><dt>Salary<dt>Location<dd>Graz</dl>'],
    ['headings', '<h3>Salary</h3><h3>Location</h3><p>Graz</p>'],
    ['the last of a list', '<ul><li>a</li><li><b>Salary:</b></li></ul><p>Text</p>'],
    ['a record before another', '<dl><dt>Salary<dd></dl><aside><dl><dt>Salary<dd>50,000</dl></aside>'],
  ])('labelIndex: gives no value to a label with an empty one in %s', (_, html) => {
    expect(valueIn(page(html), { fields })).toEqual([null, 'missing']);
  });

  test.each([
    ['a colon after its element', '<p><b>Salary</b>: 60,000</p>'],
    ['a colon in a list', '<ul><li><span>Salary</span>: 60,000</li></ul>'],
    ['a colon in the cell of the value', '<table><tr><td>Salary</td><td>: 60,000</td></tr></table>'],
    ['a colon in a cell', '<table><tr><td>Salary</td><td>:</td><td>60,000</td></tr></table>'],
    ['a dash after its element', '<p><b>Salary</b> - 60,000</p>'],
    ['a dash', '<p>Salary - 60,000</p>'],
    ['a star', '<p><b>Salary*</b> 60,000</p>'],
    ['a further label on the line', '<p>Salary: 60,000 | Location: Graz</p>'],
    ['an icon', '<p><b>Salary:</b> <i class=euro></i> 60,000</p>'],
    ['a heading', '<h3>Salary</h3><p>60,000</p>'],
  ])('labelIndex: reads the value alone beside a label with %s', (_, html) => {
    expect(valueIn(page(html), { fields })).toEqual(['60,000', undefined]);
    const asNumber = { value: { label: 'Salary', type: 'number' } } as const;
    expect(valueIn(page(html), { fields: asNumber })).toEqual([60_000, undefined]);
  });

  test.each([
    ['a form', '<label>Salary</label><select><option>1</select>'],
    ['a box to tick', '<label><input type=checkbox> Salary</label><label><input type=checkbox> Location</label>'],
    ['a navigation', '<nav><a>Salary</a><a>Location</a></nav>'],
    ['a filter', '<div class="job-filters"><h4>Salary</h4><ul><li>10 to 20</ul></div>'],
    ['an option', '<select><option>Salary</option><option>Location</option></select>'],
    ['a search form', '<form><b>Salary</b> <i>any</i><input></form>'],
  ])('labelIndex: does not count a label in %s', (_, html) => {
    expect(valueIn(page(`${html}<dl><dt>Salary<dd>60,000</dl>`), { fields })).toEqual(['60,000', undefined]);
  });
});

type Item = readonly (readonly [label: string, value: string])[];

/** Layouts of a record, by the classes of its labels and values. */
const layouts: readonly ((items: Item, k: string, v: string) => string)[] = [
  (items) => `<table>${items.map(([label, value]) => `<tr><th>${label}</th><td>${value}</td></tr>`).join('')}</table>`,
  (items) =>
    `<table>${[0, 2, 4, 6]
      .map(
        (at) =>
          `<tr>${items
            .slice(at, at + 2)
            .map(([label, value]) => `<td>${label}</td><td>${value}</td>`)
            .join('')}</tr>`,
      )
      .join('')}</table>`,
  (items) => `<dl>${items.map(([label, value]) => `<dt>${label}<dd>${value}`).join('')}</dl>`,
  (items, k, v) =>
    items.map(([label, value]) => `<div class="${k}">${label}</div><div class="${v}">${value}</div>`).join(''),
  (items) => `<p>${items.map(([label, value]) => `<b>${label}:</b> ${value}`).join('<br>')}</p>`,
  (items, k, v) =>
    `<ul>${items.map(([label, value]) => `<li><span class="${k}">${label}:</span> <span class="${v}">${value}</span></li>`).join('')}</ul>`,
  (items) => `<p>${items.map(([label, value]) => `${label}: ${value}`).join('<br>\n')}</p>`,
];

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Values that are silently wrong, and values that are missed. */
function judged(seed: number): { readonly wrong: readonly string[]; readonly missed: number } {
  const random = randomFrom(seed);
  const labels = ['Salary', 'Location', 'Working hours', 'Start', 'Reference', 'Contact'];
  const values = ['60,000', 'Graz', '38.5 a week', '2026-03-04', 'A-12/7', 'Ada Hay', '10:30', 'see below'];
  const wrong: string[] = [];
  let missed = 0;
  for (const layout of layouts)
    for (let record = 0; record < 20; record++) {
      const items = labels
        .slice(0, record % 3 === 0 ? 6 : 5)
        .map((label) => [label, random() < 0.2 ? '' : (values[Math.floor(random() * values.length)] ?? '')] as const)
        .map((item) => ({ item, order: random() }))
        .toSorted((one, other) => one.order - other.order)
        .map(({ item }) => item);
      const [k, v] = record % 2 === 0 ? ['k', 'v'] : ['spec-name c7', 'spec-text'];
      const { extracted } = dataOf(page(layout(items, k ?? '', v ?? '')), {
        when: ['/**'],
        fields: { heading: { css: 'h1' }, ...Object.fromEntries(labels.map((label) => [label, { label }])) },
      });
      for (const [label, value] of items) {
        const found = (extracted as Record<string, unknown>)[label];
        if (found === null && value !== '') missed++;
        else if (found !== (value === '' ? null : value))
          wrong.push(`layout ${layouts.indexOf(layout)}: ${label} "${value}" gives "${String(found)}"`);
      }
    }
  return { wrong, missed };
}

const seed = Date.now() % 1_000_000;

test.each([1, 2, 3, seed])('labelIndex: reads records of seven layouts with empty values, seed %d', (one) => {
  expect(judged(one)).toEqual({ wrong: [], missed: 0 });
});
