import { describe, expect, it } from 'vitest';
import { chooseContent } from './main-content.ts';
import { parseHtml } from '../html/parse-html.ts';
import { toText } from '../write/markdown/to-markdown.ts';

const prose = 'Words of the article itself, enough of them that nobody takes it for a caption or a menu. ';
const article = `<article><p>${prose.repeat(3)}</p></article>`;

/** The first line of the content. */
const beginningOf = (title: string, body: string): string =>
  toText(chooseContent(parseHtml(`<head><title>${title}</title></head><body>${body}</body>`), 'auto', null)).split(
    '\n',
    1,
  )[0] ?? '';

describe('page title outside of the article', () => {
  it.each<[why: string, title: string, body: string]>([
    ['before the site in the title', 'Rakes  of ash – Hay Tools', `<h1>Rakes of <i>ash</i></h1>${article}`],
    [
      'after its subject in the title',
      'tools - Rakes of ash - Hay Tools',
      `<div><h1>Rakes of ash</h1></div>${article}`,
    ],
    ['half of the words of the title', 'Ash rakes: what to know | Hay Tools', `<h1>Rakes of ash</h1>${article}`],
    ['the whole title', 'RAKES OF ASH', `<h1>Hay Tools</h1><h1>Rakes of ash</h1>${article}`],
    ['after the site in the title', 'Hay Tools – The Rakes of ash', `<h1>Rakes of ash</h1>${article}`],
    ['the only one of a page without a title', '', `<h1>Rakes of ash</h1>${article}`],
    ['the only one, and the title says something else', 'All for the hay', `<h1>Rakes of ash</h1>${article}`],
    [
      'the only one besides that of the header of the site',
      'Hay Tools',
      `<header><h1>Hay Tools</h1><nav><a href=/a>Tools</a></nav></header><main><h1>Rakes of ash</h1>${article}</main>`,
    ],
    [
      'the only one that is not a link',
      'Hay Tools',
      `<div><h1><a href=/>Hay Tools</a></h1></div><h1>Rakes of ash</h1>${article}`,
    ],
    [
      'the nearest of several to the text',
      'All for the hay',
      `<h1>Hay Tools</h1><div><h1>Tools of wood</h1></div><main><h1>Rakes of ash</h1>${article}</main>`,
    ],
  ])('chooseContent: begins with the h1 outside of the article when it is %s', (_, title, body) => {
    expect(beginningOf(title, body)).toBe('Rakes of ash');
  });

  it.each<[why: string, title: string, body: string]>([
    ['the name of the site', 'Rakes – Hay Tools', `<h1>Hay Tools</h1>${article}`],
    ['a slogan with a menu', 'Rakes – Hay Tools', `<header><h1>All for hay</h1><nav>Tools</nav></header>${article}`],
    ['a heading of another part', 'Rakes – Hay Tools', `${article}<h1>Rakes</h1>`],
    ['a hidden heading', 'Rakes – Hay Tools', `<h1 hidden>Rakes</h1>${article}`],
  ])('chooseContent: does not begin with %s', (_, title, body) => {
    expect(beginningOf(title, body)).toBe(prose.repeat(3).trim());
  });

  it.each(['', '<title>The Daily Herald</title>', '<title>High water cuts off two villages - Herald</title>'])(
    'chooseContent: keeps heading and standfirst when the title of the page is %j',
    (title) => {
      const top = '<h1>Flood in the valley</h1><p class=intro>Two villages are cut off, and the bridge is closed.</p>';
      for (const shape of ['main', 'div'])
        for (const head of [top, `<header>${top}</header>`, `<div>${top}</div>`])
          for (const name of ['entry-content', 'article-body', 'x1']) {
            const body = `<${shape}>${head}<div class=${name}>${`<p>${prose}</p>`.repeat(6)}</div></${shape}>`;
            const text = toText(chooseContent(parseHtml(`<head>${title}</head><body>${body}</body>`), 'auto', null));
            expect(text).toMatch(/^Flood in the valley\s+Two villages are cut off, and the bridge is closed/);
          }
    },
  );

  it('chooseContent: keeps heading and standfirst of a header above the article, but no list of other pages', () => {
    const other =
      '<h3><a href=/x>Another story of the valley</a></h3><p>What happened there, told in one sentence.</p>';
    const header = `<header><h1>Flood in the valley</h1><p>Two villages are cut off, and a bridge is closed.</p><div>${other.repeat(20)}</div></header>`;
    const text = toText(
      chooseContent(parseHtml(`<body>${header}<article>${`<p>${prose}</p>`.repeat(8)}</article></body>`), 'auto', null),
    );
    expect(text).toMatch(/^Flood in the valley\s+Two villages are cut off, and a bridge is closed.\s+Words/);
  });

  it('chooseContent: writes the title once', () => {
    const body = `<h1>Rakes</h1><article><h1>Rakes of ash</h1><p>${prose.repeat(3)}</p></article>`;
    expect(beginningOf('Rakes', body)).toBe('Rakes of ash');
  });

  it.each([
    ['p', `<p class=lead>${prose}</p>`],
    ['h2', `<h2>${prose}</h2>`],
    ['div', `<div class=subtitle>${prose}</div>`],
    ['box in a header', `<div class=head><p>${prose}</p></div>`],
  ])('chooseContent: keeps the lead between the h1 and the article when it is a %s', (_, lead) => {
    const html = `<head><title>Rakes of ash</title></head><body><main><h1>Rakes of ash</h1>${lead.replace('Words', 'Leading words')}${article}</main></body>`;
    const text = toText(chooseContent(parseHtml(html), 'auto', null));
    expect(text).toMatch(/^Rakes of ash\s+Leading words of the article/);
  });

  it('chooseContent: keeps price and sizes when the description of a product is an article', () => {
    const description = `<article class="product-description entry-content"><p>${prose.repeat(6)}</p></article>`;
    const html = `<head><title>Rake</title><meta property="og:type" content="product"></head><body><main><h1>Rake</h1>
      <p class=price>12.50 €</p><div>SKU: R-12</div>${description}</main></body>`;
    const text = toText(chooseContent(parseHtml(html), 'auto', null));
    for (const fact of ['12.50 €', 'SKU: R-12', 'Words of the article']) expect(text).toContain(fact);
  });

  it('chooseContent: keeps fields between the title and the box that is named as the text, but no menu', () => {
    const fields = '<ul class=fields><li>Length: 17.4 km</li><li>Climb: 890 m</li></ul>';
    const licence = '<div>Licence: <a href=/mit>MIT of the valley</a></div>';
    const menu = '<ul><li><a href=/1>All the other trails of this valley</a></li></ul>';
    const body = `<div itemprop=articleBody><p>${prose.repeat(6)}</p></div>`;
    const html = `<head><title>Ridge trail</title></head><body><div><h1>Ridge trail</h1>${menu}${licence}${fields}${body}</div></body>`;
    const text = toText(chooseContent(parseHtml(html), 'auto', null));
    for (const fact of ['Licence: MIT', 'Length: 17.4 km', 'Climb: 890 m', 'Words of the article'])
      expect(text).toContain(fact);
    expect(text).not.toContain('other trails');
  });

  it.each([
    '<div class=summary><a class=the-author href=/ann>Ann Ash</a> | <span class=day>May 22, 2025</span></div>',
    '<div class=line><div class=summary>Ann Ash | <time>May 22, 2025</time></div></div>',
    '<p>By <a rel=author href=/ann>Ann Ash</a> <span>|</span> <span>May 22, 2025</span></p>',
  ])('chooseContent: keeps the whole line of the author or the date: %s', (line) => {
    const html = `<head><title>Rakes of ash</title><meta property=og:type content=article></head><body><div><h1>Rakes of ash</h1>${line}</div>${article}</body>`;
    const text = toText(chooseContent(parseHtml(html), 'auto', null)).replaceAll(/\s+/g, ' ');
    expect(text).toMatch(/^Rakes of ash (?:By )?Ann Ash \| May 22, 2025 Words/);
  });

  it('chooseContent: keeps a date that is a link, without the titles of other articles', () => {
    const other = '<div><a href=/x>How forks are made of ash in the valley</a> <time>May 1, 2025</time></div>';
    const linked = '<div><a href=/2025/05><time>May 22, 2025</time></a></div>';
    const html = `<head><title>Rakes of ash</title><meta property=og:type content=article></head><body><div><h1>Rakes of ash</h1>${linked}${other}</div>${article}</body>`;
    const text = toText(chooseContent(parseHtml(html), 'auto', null));
    expect(text).toContain('May 22, 2025');
    expect(text).not.toContain('How forks');
  });
});
