import type { ChildNode, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { findAll } from 'domutils';
import { describe, expect, it } from 'vitest';
import { chooseContent } from '../content/main-content.ts';
import { parseHtml } from '../html/parse-html.ts';
import { toText } from '../write/markdown/to-markdown.ts';

const textOf = (html: string, url?: string): string =>
  toText(chooseContent(parseHtml(html), 'auto', null, url))
    .replace(/\s+/g, ' ')
    .trim();

const prose = 'Words of the page itself, enough of them that nobody takes it for a caption or a menu. ';
const isKept = (node: Element, skipped: ReadonlySet<ChildNode>): boolean =>
  !skipped.has(node) && (node.parent === null || !isTag(node.parent) || isKept(node.parent, skipped));

const article = '<meta property=og:type content=article>';
const picture = '<img src=/p.jpg width=300 height=300>';

describe('parts that are like kept parts', () => {
  it.each<[why: string, html: string, kept: readonly string[]]>([
    [
      'a linked title of any length above the text of an entry',
      `<ul>${['Rakes', 'A very long title of an entry about rakes', 'Forks'].map((title) => `<li><div><a href=/x>${title}</a></div><p>${prose}</p></li>`).join('')}</ul>`,
      ['Rakes', 'A very long title of an entry about rakes', 'Forks'],
    ],
    [
      'a linked title that is a heading, in an article too',
      `${article}<main>${`<div><div><h3><a href=/x>A very long title of an entry about rakes</a></h3></div><p>${prose.repeat(3)}</p></div>`.repeat(9)}</main>`,
      ['A very long title of an entry about rakes'],
    ],
    [
      'a written address of any length',
      `<main><h1>Rakes</h1><p>${prose.repeat(3)}</p><div class=url>→ <a href=https://rakes.example/search.php>https://rakes.example/search.php</a></div></main>`,
      ['https://rakes.example/search.php'],
    ],
    [
      'date and author of each entry of a list',
      `<ul>${[1, 2, 3, 4].map((day) => `<li><div class=entry-date>${day} May 2025</div><p class=byline>by Ann ${day}</p><p>${prose}</p></li>`).join('')}</ul>`,
      ['1 May 2025', '4 May 2025', 'by Ann 3'],
    ],
    [
      'a time of each entry of a list',
      `<div>${['May', 'June'].map((month) => `<article><h2>Fair</h2><time>${month} 28-29</time><p>${prose}</p></article>`).join('')}</div>`,
      ['May 28-29', 'June 28-29'],
    ],
    [
      'a rating of each card',
      `<div>${[1, 2, 3, 4].map((stars) => `<div class=c><h3>Rake ${stars}</h3><div class=cli-ratings>${stars}.5 of 5</div><p>${prose}</p></div>`).join('')}</div>`,
      ['1.5 of 5', '4.5 of 5'],
    ],
    [
      'who wrote each comment that stays',
      `<main><h1>Bells</h1><div class=my-comments>${['Ann', 'Bo', 'Cy'].map((one) => `<div class=my-comment><div class=my-comment-header><span class=my-author>${one}</span> <a href=#c>2 weeks ago</a></div><p>${prose}</p></div>`).join('')}</div></main>`,
      ['Ann', 'Cy'],
    ],
    [
      'the author of an article, above its text',
      `<article><h1>Ferries</h1><div class=byline><span class=author>By <a href=/ann>Ann Rake</a></span><span class=role>Transport reporter</span></div><p>${prose.repeat(5)}</p></article>`,
      ['By Ann Rake', 'Transport reporter'],
    ],
    [
      'the value of a term, whatever its name',
      `<article><h1>Walk</h1><p>${prose.repeat(5)}</p><dl><dt>Event category:</dt><dd class=event-categories><a href=/family>Family</a></dd></dl></article>`,
      ['Event category: Family'],
    ],
    [
      'a linked value below its label',
      `${article}<article><h1>Mosses</h1><p>${prose.repeat(5)}</p><section class=doi><h2>DOI:</h2><span><a href=https://doi.example/10.5555/1187>https://doi.example/10.5555/1187</a></span></section></article>`,
      ['DOI: https://doi.example/10.5555/1187'],
    ],
    [
      'author and date between the title and the box of the text',
      `${article}<title>Peat</title><main><h1>Peat</h1><div><div class=post-date><time><a href=/2026>8 May 2026</a></time></div><div class=post-author><a href=/ann>Ann Rake</a></div></div><div class=entry-content>${`<p>${prose}</p>`.repeat(9)}</div></main>`,
      ['Peat 8 May 2026 Ann Rake'],
    ],
    [
      'an answer below a question that is a link and opens it, in a box named as a menu',
      `<main><h1>Dog tax</h1><p>${prose.repeat(5)}</p><div class=type-menu><h3><a role=button href=#a1 aria-expanded=false>Must I register a guest?</a></h3><div id=a1 class="panel collapse">Only after two months.</div></div></main>`,
      ['Must I register a guest? Only after two months.'],
    ],
    [
      'a contact in a box that is named as a sidebar',
      `<main><h1>Parking</h1><p>${prose.repeat(5)}</p><div class=region-sidebar><p>Parking office</p><p><a href=tel:123>04 99 00</a></p><p>Monday: 8 to 12</p></div></main>`,
      ['Parking office', 'Monday: 8 to 12'],
    ],
    [
      'parts of a list with different second names',
      `<div>${['a', 'b', 'c', 'd'].map((name) => `<div class="cmp sidebar ${name}"><h3>Service ${name}</h3><p>${prose.repeat(2)}</p></div>`).join('')}</div><p>${prose.repeat(4)}</p>`,
      ['Service a', 'Service d'],
    ],
    [
      'the closing section of a manual',
      `<article><section><h2>Reference</h2><p>${prose.repeat(20)}</p></section><section><h2>Ordering</h2><p>${prose}</p></section></article>`,
      ['Reference', 'Ordering'],
    ],
    [
      'linked titles above the prose of a list',
      `<main><h1>Science</h1><div><div>${Array.from({ length: 12 }, (_, at) => `<div class=top><h3><a href=/${at}>Bear ${at} is counted from the air, and this title says more than most of the others</a></h3></div>`).join('')}</div><div>${Array.from({ length: 9 }, (_, at) => `<div class=film><a href=/f${at}>Film ${at}: ${prose.repeat(2)}</a><p>${at} ${prose.repeat(2)}</p></div>`).join('')}</div></div></main>`,
      ['Bear 0 is counted', 'Bear 11 is counted', 'Film 8'],
    ],
    [
      'linked titles that are named as promotions in a list of news',
      `<main><h1>Science</h1>${['Bears', 'Moons', 'Rakes'].map((one) => `<div class=PagePromo><h3><a href=/${one}>${one} are counted from the air</a></h3></div>`).join('')}</main>`,
      ['Bears are counted', 'Rakes are counted'],
    ],
    [
      'all products of a list with texts of any length',
      `<main><ul><li><article class=p><h3>Rake</h3><p>A tool.</p></article><li><article class=p><h3>Fork</h3><p>Another tool.</p></article></ul></main>`,
      ['Rake', 'Fork'],
    ],
  ])('chooseContent: keeps %s', (_, html, kept) => {
    const text = textOf(html);
    for (const part of kept) expect(text).toContain(part);
  });

  it('chooseContent: keeps an entry of a list that was an entry of another list', () => {
    const list = (...names: string[]): string =>
      `<ul>${names.map((one) => `<li>${prose.repeat(2)}${one}. </li>`).join('')}</ul>`;
    const offers = `<h2>Small</h2>${list('Rakes', 'Forks')}<h2>Large</h2>${list('Rakes', 'Spades', 'Scythes')}`;
    expect(textOf(offers).match(/Rakes/g)).toHaveLength(2);
  });

  it.each<[why: string, card: (one: number) => string, last: string]>([
    [
      'a combination of texts from several cards',
      (one) => `<p>Best of the best: field ${one % 3}</p><p>A rake of ash wood, number ${one % 4}</p>`,
      'Best of the best: field 1 A rake of ash wood, number 3',
    ],
    [
      'a card with a new number only',
      (one) => `<p>${one}</p><p>Hours saved in each week with such a rake</p>`,
      '7 Hours saved in each week with such a rake',
    ],
  ])('chooseContent: keeps %s', (_, card, last) => {
    const cards = [0, 1, 2, 3, 4, 5, 6, 7].map((one) => `<section><div>${card(one)}</div></section>`);
    expect(textOf(`<main><p>${prose}</p>${cards.join('')}</main>`)).toContain(last);
  });

  it('chooseContent: drops a copy of a whole list for narrow screens', () => {
    const list = (name: string): string =>
      `<div class=${name}>${['Rakes', 'Forks', 'Spades'].map((one) => `<div class=card>${prose}${one}. </div>`).join('')}</div>`;
    expect(textOf(`<main>${list('wide')}${list('narrow')}</main>`).match(/Rakes/g)).toHaveLength(1);
  });
});

describe('parts named like boilerplate', () => {
  it.each<[why: string, html: string, kept: string]>([
    [
      'the text of a heading',
      `<p>${prose.repeat(4)}</p><h3><span class="dots nav-icon">Customers</span></h3><p>${prose}</p>`,
      'Customers',
    ],
    [
      'a term whose id is the name of a function',
      `<p>${prose.repeat(4)}</p><dl><dt id=app.models.LoginForm.get_login_url>get_login_url()</dt><dd>${prose}</dd></dl>`,
      'get_login_url()',
    ],
    [
      'a note whose class is its title',
      `<p>${prose.repeat(4)}</p><div class="admonition-share-your-login-with-nobody admonition"><p>Share nothing. </p></div>`,
      'Share nothing.',
    ],
    [
      'an offer with a heading',
      `<h1>Coupons</h1><p>${prose.repeat(4)}</p><div class=promo><h3>Save 50</h3><p>Use code RAKE. </p></div>`,
      'Use code RAKE.',
    ],
    [
      'navigation without a link',
      `<p>${prose.repeat(4)}</p><div class=tab-nav><ul><li>Automated raking</li><li>Custom tines</li><li>Surveys</li></ul></div>`,
      'Automated raking',
    ],
    [
      'an answer that a script opens',
      `<p>${prose.repeat(4)}</p><div class=accordion__dropdown role=region>${prose}The answer. </div>`,
      'The answer.',
    ],
    [
      'a review in the text of an article',
      `${article}<article><h1>Rakes, tried</h1><p>${prose.repeat(9)}</p><section class=individual-review><h3>Ann</h3><p>Her verdict. </p></section></article>`,
      'Her verdict.',
    ],
    [
      'a field whose class hides its label',
      `<p>${prose.repeat(4)}</p><div class="field field--label-visually_hidden">Price: 30 marks</div>`,
      '30 marks',
    ],
    [
      'a note at the top of a wiki article',
      `<div class="hatnote navigation-not-searchable">Not to be confused with a fork. </div><p>${prose.repeat(4)}</p>`,
      'Not to be confused',
    ],
    [
      'the title of an answer that a button opens',
      `<p>${prose.repeat(4)}</p><ul><li><button aria-expanded=false>Who teaches it?</button><div>${prose}</div></ul>`,
      'Who teaches it?',
    ],
    [
      'the services of a company',
      `<main><p>${prose.repeat(4)}</p>${['Audit', 'Tax'].map((one) => `<div class="card teaser"><h3><a href=/x>${one} and more</a></h3><p>We do it.</p></div>`).join('')}</main>`,
      'Tax and more We do it.',
    ],
    [
      'price and stock of a product with the role status',
      `<meta property=og:type content=product><h1>Rake</h1><div id=price-main role=status>$39.99</div><p role=status>Low stock: 4 left</p><p>${prose.repeat(9)}</p>`,
      '$39.99 Low stock: 4 left',
    ],
  ])('chooseContent: keeps a part named like boilerplate: %s', (_, html, kept) => {
    expect(textOf(html)).toContain(kept);
  });

  it('chooseContent: keeps parts of one link each', () => {
    const links = ['Xbox Controllers', 'DualShock Controllers (cable only)', 'DualSense'];
    const html = `<p>${prose.repeat(4)}</p>${links.map((one) => `<div class=c><a href=/x><div>Yes</div><div>${one}</div></a></div>`).join('')}`;
    for (const one of links) expect(textOf(html)).toContain(one);
  });

  it.each(['product', 'article', 'website'])('chooseContent: keeps linked choices of any length of a %s', (type) => {
    const choices = ['Black', 'Leather of Chicago in a rustic brown, 41 marks', 'Silicone band'];
    const html = `<meta property=og:type content=${type}><main><h1>Band</h1><ul>${choices.map((one) => `<li><span>In stock</span><a href=/x><div>${one}</div></a></li>`).join('')}</ul><p>${prose.repeat(6)}</p></main>`;
    for (const one of choices) expect(textOf(html)).toContain(one);
  });

  it('chooseContent: drops a menu with pictures', () => {
    const menu = `<div class=navbar>${picture.repeat(5)}${'<a href=/x>Another part of this shop</a> '.repeat(60)}</div>`;
    expect(textOf(`${menu}<h1>Shelves</h1><p>${prose.repeat(3)}</p>`)).not.toContain('Another part');
  });
});

it('chooseContent: keeps code below names for jumps that nobody closed', () => {
  const code = '<div class=highlight><pre>kind: Rake\nteeth: 12\nhandle: of ash wood</pre></div>';
  expect(
    textOf(
      `${article}<h1>Rakes</h1><p>${prose.repeat(9)}</p><a id=old-name><h2>Files</h2><p>${prose}</p>${code}<p>${prose}</p>`,
    ),
  ).toContain('teeth: 12');
});

describe('parts between title and prose', () => {
  const page = `<div><h1>Rake</h1><div>$ 30</div><div>${picture}<label><input type=radio name=s>Large</label></div><p>A lead.</p></div><div><p>${prose.repeat(20)}</p></div><div>Imprint</div>`;

  it('chooseContent: keeps price and options between the title and the prose of a product', () => {
    expect(textOf(page, 'https://a.example/products/rake')).toContain('Rake $ 30 Large A lead. Words');
  });

  it('chooseContent: keeps the price of a product next to its button', () => {
    const product = `<meta property=og:type content=product><h1>Rake</h1><p>${prose.repeat(9)}</p>`;
    const price = '<div class=buy-button-box><p>$1,646.00, ships from Oslo</p><button>Buy</button></div>';
    expect(textOf(product + price)).toContain('$1,646.00');
  });

  it('chooseContent: keeps the picture above an article', () => {
    const html = `${article}<article><header><h1>Rakes</h1></header>${picture}<div><p>${prose.repeat(20)}</p></div></article>`;
    const { nodes, skipped } = chooseContent(parseHtml(html), 'auto', null);
    expect(findAll(({ name }) => name === 'img', [...nodes]).some((image) => isKept(image, skipped))).toBe(true);
  });

  it('chooseContent: writes a title that is repeated below the pictures once', () => {
    const html = page.replace('<div>$ 30', `<div>${picture}Ash and steel</div><h1>Rake</h1><div>$ 30`);
    expect(textOf(html, 'https://a.example/products/rake').match(/Rake/g)).toHaveLength(1);
  });

  it('chooseContent: keeps the lead of an article, and drops its share counts', () => {
    const text = textOf(
      `${article}<div><h1>Rakes</h1><div>12 shares</div><div>${prose}Lead. </div></div><div><p>${prose.repeat(20)}</p></div>`,
    );
    expect(text).toContain('Lead.');
    expect(text).not.toContain('12 shares');
  });

  it('chooseContent: takes an h2 as the title of a page without an h1', () => {
    expect(
      textOf(`<div><h2>Best rakes</h2><div>By vote.</div></div>${page.slice(page.indexOf('</div><div><p>') + 6)}`),
    ).toContain('Best rakes By vote.');
  });
});

describe('buttons around pictures', () => {
  const imagesOf = (part: string, type: string): number => {
    const html = `<meta property=og:type content=${type}><main><h1>Rakes</h1><p>${prose.repeat(6)}</p>${part}<p>${prose.repeat(6)}</p></main>`;
    const { nodes, skipped } = chooseContent(parseHtml(html), 'auto', null);
    return findAll(({ name }) => name === 'img', [...nodes]).filter((image) => isKept(image, skipped)).length;
  };
  const large = '<img src=/l.png alt="A rake" width=3840 height=2160>';
  const small = '<img src=/s.png width=24 height=24>';

  it.each(['article', 'website'])(
    'chooseContent: keeps a picture that a button enlarges, on a page of type %s',
    (type) => {
      expect(
        imagesOf(
          `<div class=block><button class=open>${large}</button><p>White ash</p><button class=close>×</button></div>`,
          type,
        ),
      ).toBe(1);
      expect(imagesOf(`<figure><button class=open><img src=/l.png></button></figure>`, type)).toBe(1);
      expect(imagesOf(`<div><button><figure><img src=/l.png></figure></button></div>`, type)).toBe(1);
      expect(imagesOf(`<div><button>${small}</button></div>`, type)).toBe(0);
      expect(imagesOf(`<div>${`<button>${large}</button>`.repeat(3)}</div>`, type)).toBe(0);
    },
  );

  it('chooseContent: keeps the caption in a button around a figure', () => {
    const caption = 'The parts of a rake: the handle of ash, the head, and twelve tines of spring steel.';
    const figure = `<div><button><figure>${large}<figcaption>${caption}</figcaption></figure></button></div>`;
    expect(textOf(`${article}<main><h1>Rakes</h1><p>${prose.repeat(6)}</p>${figure}</main>`)).toContain(caption);
  });
});
