import { expect, it } from 'vitest';
import { chooseContent } from '../content/main-content.ts';
import { parseHtml } from '../html/parse-html.ts';
import { toText } from '../write/markdown/to-markdown.ts';

const prose = 'Words of the page itself, enough of them that nobody takes it for a caption or a menu. ';
const textOf = (part: string): string =>
  toText(chooseContent(parseHtml(`<main><h1>The mill</h1><p>${prose.repeat(6)}</p>${part}</main>`), 'auto', null))
    .replace(/\s+/g, ' ')
    .trim();

it.each([
  '<button><span>DELETE</span><a href="#drop">/items/{id}</a></button>',
  '<button><span>get</span><span>/items/{id}</span></button>',
  '<button><b>200</b><div><p>/items/{id} is gone</p></div></button>',
])('chooseContent: keeps a button around a part of the text: %s', (html) => {
  expect(textOf(html)).toContain('/items/{id}');
});

it('chooseContent: keeps a button that is a sentence alone in its paragraph', () => {
  expect(textOf('<p><button>Prices with tax, without shipping</button></p>')).toContain('Prices with tax');
  expect(textOf('<p><button>Add it to the cart</button></p>')).not.toContain('the cart');
});

it.each(['<button>Oak</button>', '<button><span>Oak</span><span class=n>3</span></button>'])(
  'chooseContent: drops a button with a label: %s',
  (html) => {
    expect(textOf(html)).not.toContain('Oak');
  },
);

it('chooseContent: drops a heading for programs alone, unless it is the title of the page', () => {
  const page = (title: string): string =>
    toText(
      chooseContent(
        parseHtml(`<title>${title}</title><h2 class=visually-hidden>Rakes of ash</h2><p>${prose.repeat(6)}</p>`),
        'auto',
        null,
      ),
    );
  expect(page('Tools')).not.toContain('Rakes of ash');
  expect(page('Rakes of ash - Tools')).toContain('Rakes of ash');
});
