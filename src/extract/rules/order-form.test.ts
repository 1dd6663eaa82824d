import { describe, expect, it } from 'vitest';
import { chooseContent } from '../content/main-content.ts';
import { parseHtml } from '../html/parse-html.ts';
import { toText } from '../write/markdown/to-markdown.ts';

const prose = 'Words of the page itself, enough of them that nobody takes it for a caption or a menu. ';
const product = '<meta property=og:type content=product>';

function textOf(form: string, head = product): string {
  const html = `${head}<main><h1>Rake</h1><p>${prose.repeat(6)}</p>${form}<p>${prose.repeat(6)}</p></main>`;
  return toText(chooseContent(parseHtml(html), 'auto', null)).replace(/\s+/g, ' ');
}

const buy = '<button>Add to cart</button>';

describe('the form that puts a product into the cart', () => {
  it.each<[why: string, form: string, kept: string]>([
    [
      'what is in stock',
      `<form class=cart><p>12 in stock</p><input type=number name=quantity>${buy}</form>`,
      '12 in stock',
    ],
    [
      'sizes',
      `<form action=/cart.php><p>Size</p><input type=radio id=s name=a><label for=s>Large</label><input name=qty[] type=tel>${buy}</form>`,
      'Large',
    ],
    [
      'the sizes of a list to choose from, after their label',
      `<form action=/cart><div><label for=s>Size</label></div><select id=s><option value="">Choose<option>Small<option>Large</select>${buy}</form>`,
      'Size Small, Large',
    ],
  ])('chooseContent: keeps %s', (_why, form, kept) => {
    for (const head of [product, '']) {
      expect(textOf(form, head)).toContain(kept);
      expect(textOf(form, head)).not.toContain('Add to cart');
    }
  });

  it.each<[why: string, select: string, written: string]>([
    ['without an invitation in dashes', '<select><option>-- Size --<option>Small</select>', 'Small'],
    ['that begin like an invitation', '<select><option>Choosy<option>Selected oak</select>', 'Choosy, Selected oak'],
    ['with sizes that are numbers', '<select><option>38<option>39<option>40</select>', '38, 39, 40'],
    ['apart from what follows', '<select><option>Oak<option>Ash</select><b>wood</b>', 'Oak, Ash wood'],
  ])('chooseContent: writes choices %s', (_why, select, written) => {
    expect(textOf(`<form class=cart><p>Kind:</p><div><i>of</i>${select}</div>${buy}</form>`)).toContain(
      `Kind: of ${written} Words`,
    );
  });

  it.each<[why: string, select: string]>([
    ['of a currency', '<select name=currency><option>EUR<option>USD</select>'],
    ['of countries', '<select id=country><option>Austria<option>Norway</select>'],
    ['of pieces by their name', '<select name=quantity><option>1 piece<option>2 pieces</select>'],
    [
      'that buttons say already',
      '<label>Oak<input type=radio name=k></label><select><option value="">Choose<option>Oak</select>',
    ],
  ])('chooseContent: writes no choices %s', (_why, select) => {
    const text = textOf(`<form class=cart><p>12 in stock</p>${select}${buy}</form>`);
    expect(text).toMatch(/12 in stock (?:Oak )?Words/);
  });

  it('chooseContent: writes no long list and no list of another form', () => {
    const options = (texts: readonly string[]): string => texts.map((text) => `<option>${text}`).join('');
    const list = (texts: readonly string[], action: string): string =>
      textOf(`<form action=${action}><p>12 in stock</p><select>${options(texts)}</select><button>Go</button></form>`);
    expect(list(['Oak', 'Ash'], '/cart')).toContain('Oak');
    expect(list(Array<string>(31).fill('Oak'), '/cart')).not.toContain('Oak');
    expect(list(['Oak', 'Ash'], '/history')).not.toContain('Oak');
  });

  it.each<[why: string, form: string]>([
    ['a form for a newsletter', '<form><p>News by mail</p><input type=email name=m></form>'],
    ['a review to write', '<form><p>News of it</p><input type=radio name=stars><textarea name=r></textarea></form>'],
    ['a table of all variants', `<form><p>News</p>${'<input type=number name=q>'.repeat(3)}</form>`],
  ])('chooseContent: drops %s', (_why, form) => {
    expect(textOf(form)).not.toContain('News');
  });

  it('chooseContent: drops a poll on a page that is no product', () => {
    expect(textOf('<form><p>News</p><input type=radio name=a></form>', '')).not.toContain('News');
  });
});

it('chooseContent: keeps a form that is most of the article around it', () => {
  const menu = `<ul>${'<li><a href=/x>Another part of this shop</a>'.repeat(30)}</ul>`;
  const form = `<form><p>36 EUR</p><p>${prose}</p><input name=text></form>`;
  const page = (inner: string): string => textIn(`${menu}<article><h1>Rug</h1>${inner}</article>`);
  expect(page(form)).toContain('36 EUR');
  expect(page(`<p>${prose.repeat(9)}</p>${form}`)).not.toContain('36 EUR');
});

function textIn(html: string): string {
  return toText(chooseContent(parseHtml(html), 'auto', null));
}
