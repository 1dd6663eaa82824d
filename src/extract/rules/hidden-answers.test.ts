import { expect, it } from 'vitest';
import { chooseContent } from '../content/main-content.ts';
import { parseHtml } from '../html/parse-html.ts';
import { toText } from '../write/markdown/to-markdown.ts';

const prose = 'Words of the page itself, enough of them that nobody takes it for a caption or a menu. ';

function textOf(part: string, head = ''): string {
  const html = `${head}<main><h1>The mill</h1><p>${prose.repeat(6)}</p>${part}<p>${prose.repeat(6)}</p></main>`;
  return toText(chooseContent(parseHtml(html), 'auto', null)).replace(/\s+/g, ' ');
}

const answers = [
  '<h3><button aria-expanded="false">Is it open?</button></h3><div style="display:none"><p>Yes, on Monday.</p></div>',
  '<div role="button" aria-expanded="false">Is it open?</div><div style="display: none">Yes, on Monday.</div>',
  '<button class="accordion">Is it open</button><div class="panel" style="display:none"><p>Yes, on Monday.</p></div>',
  '<a href="#" aria-expanded="false">Is it open?</a><div hidden>Yes, on Monday.</div>',
  '<dl><dt><button aria-expanded="false">Is it open</button></dt><dd style="display:none">Yes, on Monday.</dd></dl>',
  '<ul><li><div><button aria-expanded="false">Is it open</button></div><div hidden>Yes, on Monday.</div></ul>',
  '<div><header><button aria-expanded="false">Is it open</button></header><div class="is-hidden">Yes, on Monday.</div></div>',
  '<div class="question">Is it open?</div><div class="response hidden">Yes, on Monday.</div>',
  '<div class="entry"><h3>Is it open ? <span class="arrow"></span></h3> <div style="display: none"><p>Yes, on Monday.</p></div></div>',
];

it.each(answers)('chooseContent: keeps a hidden answer with its question: %s', (answer) => {
  for (const head of ['', '<meta property=og:type content=article>'])
    expect(textOf(answer, head)).toMatch(/Is it open ?\??\]?(?:\(#\))? (?:- )?Yes, on Monday\./);
});

it.each([0, 8, 40, 400])('chooseContent: keeps a question as a button, with %i spaces before each text', (width) => {
  const space = `\n${' '.repeat(width)}`;
  const item = (question: string, answer: string): string =>
    `<div class=item>${space}<button class=accordion-question>${space}<div>${space}${question}</div>${space}<i class=icon></i>${space}</button>${space}<div class=item-text>${space}<p>${space}${answer}</p>${space}</div>${space}</div>`;
  expect(textOf(item('Is it open?', 'Yes, on Monday.'))).toContain('Is it open? Yes, on Monday.');
});

it.each([
  '<button aria-expanded="false">Sections</button><div hidden><a href="/a">Local news</a> <a href="/b">Sport</a></div>',
  '<button aria-expanded="false">Your letter</button><div hidden>Local news by mail <input name="mail"></div>',
  '<p>Is it open?</p><div hidden>Local news</div>',
  '<h3>Is it open?</h3><div hidden><a href="/a">Local news</a></div>',
  '<h3>It is open</h3><div hidden>Local news</div>',
  '<div><input type="checkbox" id="q1"><label for="q1">Local news</label><div>Sport</div></div>',
])('chooseContent: drops a hidden menu, a hidden form, and what no button opens: %s', (part) => {
  expect(textOf(part)).not.toContain('Local news');
});

const rest = 'The second half of the story is told here: the barn burned in the night of the feast, and nobody saw it.';

it.each([
  [`<h5 class=et_pb_toggle_title>Read more</h5><div class=et_pb_toggle_content><p>${rest}</p></div>`, 'Read more'],
  [`<h3>Weiterlesen</h3><div><p>${rest}</p></div>`, 'Weiterlesen'],
])('chooseContent: keeps the prose of a closed toggle that asks to read on: %s', (inner, title) => {
  for (const name of ['et_pb_toggle et_pb_toggle_close', 'accordion-item', 'collapsible'])
    expect(textOf(`<div class="${name}">${inner}</div>`)).toContain(`${title} The second half`);
});

it('chooseContent: drops a toggle of links to read on', () => {
  const links =
    '<a href=/a>The feast of the year before, told by the miller</a> <a href=/b>How barns are built today</a>';
  expect(textOf(`<div class=accordion-item><h3>Read more</h3><div>${links}</div></div>`)).not.toContain('The feast');
});

it('chooseContent: drops a button that is the same in all like boxes', () => {
  const boxes = ['Oak', 'Ash'].map(
    (name) => `<div class=box><button>Remember</button><div>Made of ${name}.</div></div>`,
  );
  expect(textOf(boxes.join(''))).not.toContain('Remember');
});

it('chooseContent: drops a button that says only that it opens something', () => {
  const part = (label: string): string =>
    `<div><button class=card-toggle><b>\n      ${label}</b></button><div>Made of oak, in the mill.</div></div>`;
  for (const label of ['Toggle the view of details', 'Expand all']) expect(textOf(part(label))).not.toContain(label);
  expect(textOf(part('Toggles and levers'))).toContain('Toggles and levers');
});
