import { describe, expect, it } from 'vitest';
import { chooseContent } from './main-content.ts';
import { parseHtml } from '../html/parse-html.ts';
import { toText } from '../write/markdown/to-markdown.ts';

const textOf = (html: string, content: 'auto' | 'full' = 'auto', exclude: string | null = null): string =>
  toText(chooseContent(parseHtml(html), content, exclude))
    .replace(/\s+/g, ' ')
    .trim();

const prose = 'Words of the article itself, enough of them that nobody takes it for a caption or a menu. ';

/** As a site says it. */
const article = '<meta property=og:type content=article>';

describe('content: auto', () => {
  it.each<[why: string, html: string, text: string]>([
    ['takes main without its surroundings', `<nav>Menu</nav><main>${prose}</main><footer>Imprint</footer>`, prose],
    ['takes an article that is most of main', `<main><div>Crumbs</div><article>${prose}</article></main>`, prose],
    [
      'takes the box that is named as the text of an article',
      `<div><h2>T</h2><div class=entry-content><p>${prose.repeat(3)}</p></div><div><p>${prose}</p></div></div>`,
      prose.repeat(3),
    ],
    [
      'takes all of several boxes named as the text of an article',
      `<div class=post-content>${prose.repeat(2)}</div><div class=post-content>${prose}</div>`,
      prose.repeat(3),
    ],
    [
      'takes an article next to a little text that is not prose in main',
      `<main><article>${prose.repeat(9)}</article><div>${prose.repeat(2)}</div></main>`,
      prose.repeat(9),
    ],
    [
      'takes all articles that are parts of a page, one with its title',
      `<main><article><h1>Cake</h1></article><article><h2>You need</h2><p>${prose}</p></article><article><h2>Do</h2><p>${prose.repeat(9)}</p></article></main>`,
      `Cake You need ${prose}Do ${prose.repeat(9)}`,
    ],
    [
      'takes all of main when half of it stands beside the article',
      `<main><article>${prose.repeat(6)}</article><div>${prose.repeat(5)}</div></main>`,
      prose.repeat(11),
    ],
    [
      'takes main when it has many articles',
      `<main><article>One two</article><article>Three four</article><article>Five six</article></main>`,
      'One two Three four Five six',
    ],
    ['takes the body when main is a stub', `<main>x</main><div>${prose}${prose}</div>`, `x ${prose}${prose}`],
    ['keeps the header of an article', `<article><header><h1>Title</h1></header>${prose}</article>`, `Title ${prose}`],
    [
      'drops the site header and keeps one with the page title',
      `<header>Logo</header><header><h1>Title</h1></header>${prose}`,
      `Title ${prose}`,
    ],
    [
      'keeps headings, code and tables of any class',
      `<h2 class=menu>H</h2><pre class=sidebar>code</pre><table class=share><tr><td>cell</table>`,
      'H code cell',
    ],
    [
      'drops navigation that is most of a short page',
      `<div class=navbar>${'<a href=/x>Another page of this site</a> '.repeat(20)}</div><p>${prose}</p>`,
      prose,
    ],
    [
      'keeps a box named menu that is mostly text',
      `<div class=with-it><div class=menu>${prose.repeat(5)}<a href=/x>More</a></div></div>`,
      `${prose.repeat(5)}More`,
    ],
    [
      'keeps a section whose id is its heading',
      `<main><p>${prose.repeat(8)}</p><section id="copyright-notes"><h2>2.3. Copyright notes</h2><p>${prose.repeat(4)}</p></section></main>`,
      `${prose.repeat(8)}2.3. Copyright notes ${prose.repeat(4)}`,
    ],
    [
      'drops a section named newsletter with another heading',
      `<main><p>${prose.repeat(8)}</p><section id="newsletter"><h2>Stay in touch</h2><p>${prose}</p></section></main>`,
      prose.repeat(8),
    ],
    [
      'keeps a chapter whose heading links to itself',
      `<main><p>${prose.repeat(8)}</p><div id=s-x><h2>Join the project<a href="#join-the-project">¶</a></h2>${prose.repeat(4)}</div></main>`,
      `${prose.repeat(8)}Join the project ${prose.repeat(4)}`,
    ],
    [
      'keeps a list of links after a sentence that introduces it',
      `<main><p>${prose.repeat(8)}</p><p>There are two methods:</p><div class=itemizedlist><ul><li><a href=#a>One of the methods</a></li><li><a href=#b>The other method</a></li></ul></div></main>`,
      `${prose.repeat(8)}There are two methods: - One of the methods - The other method`,
    ],
    [
      'keeps a sidebar between the paragraphs of a chapter',
      `<div><p>${prose.repeat(8)}</p><a id=x></a><div class=sidebar><p>TIP</p><p>${prose.repeat(2)}</p></div></div>`,
      `${prose.repeat(8)}TIP ${prose.repeat(2)}`,
    ],
    [
      'drops a sidebar next to the content',
      `<div><div>${`<p>${prose}</p>`.repeat(8)}</div><div class=sidebar><h3>About</h3><p>${prose.repeat(2)}<a href=/about>More</a></p></div></div>`,
      prose.repeat(8),
    ],
    ['drops hidden elements', `<p hidden>1</p><p style="display: none">2</p><p>${prose}</p>`, prose],
    [
      'drops short elements that a class hides',
      `<b class="d-none count">3</b><i class=hidden>Sold out</i><div class=hidden>${prose}</div>`,
      prose,
    ],
    [
      'keeps elements that are hidden on narrow screens only',
      `<p class="d-none d-md-block">One</p><p class="hidden lg:flex">Two</p><div class="hide faq-answer">Three</div><div class="hide faq-answer">${prose}</div>`,
      `One Two Three ${prose}`,
    ],
    [
      'drops cookie banners',
      `<div role=dialog>Cookies?</div><div class="cookie-consent">Yes</div><p>${prose}</p>`,
      prose,
    ],
    [
      'keeps a question in a button',
      `<h3><button>Why?</button></h3><button>Copy</button><p>${prose}</p>`,
      `Why? ${prose}`,
    ],
    [
      'drops a box of links next to an article',
      `<div>${prose.repeat(9)}</div><div><a href=/>Read this other article of ours, too</a></div>`,
      prose.repeat(9),
    ],
    [
      'keeps a box of links on a page of links',
      '<ul><li><a href=/>A link to somewhere else, one of many</a></ul>',
      '- A link to somewhere else, one of many',
    ],
    ['keeps a box named sidebar that is most of the page', `<div class="with sidebar">${prose}</div>`, prose],
    ['keeps a hidden box that is most of the page', `<p>Loading</p><div hidden>${prose}</div>`, `Loading ${prose}`],
    ['keeps a menu when nothing else is there', '<nav>Only a menu</nav>', 'Only a menu'],
    [
      'keeps hidden text when nothing else is there',
      '<body style="display:none">Waiting for a script</body>',
      'Waiting for a script',
    ],
    [
      'drops what follows an article under a heading of related articles',
      `<div>${prose.repeat(3)}</div><div><h3>Related articles</h3><p>Another text of ours</p></div>`,
      prose.repeat(3),
    ],
    [
      'drops the heading at the end of a dropped list of links',
      `<p>${prose.repeat(8)}</p><div><h2>Tools of ours</h2><div>${'<a href=/x>Another page of this site</a> '.repeat(6)}</div></div>`,
      prose.repeat(8),
    ],
    [
      'keeps a heading at the end above little that was dropped',
      `<p>${prose.repeat(3)}</p><h2>Rakes are tools</h2><div class=share>Tell others</div>`,
      `${prose.repeat(3)}Rakes are tools`,
    ],
    [
      'keeps links under a heading of the text',
      `<article><p>${prose.repeat(8)}</p><h2>References</h2><ul><li><a href=/a>A long history of raking</a><li><a href=/b>Rakes</a><ul><li><a href=/c>Tines of iron and of ash wood, by their length</a></ul></ul></article>`,
      `${prose.repeat(8)}References - A long history of raking - Rakes - Tines of iron and of ash wood, by their length`,
    ],
    [
      'keeps links after a sentence that introduces them',
      `<article><p>${prose.repeat(8)}</p><ul><li>Read these: <ul><li><a href=/a>A long history of raking</a><li><a href=/b>Rakes and forks</a></ul></ul></article>`,
      `${prose.repeat(8)}- Read these: - A long history of raking - Rakes and forks`,
    ],
    [
      'drops links after a line that leads to related articles, with the line',
      `<article><p>${prose.repeat(8)}</p><p>Related articles:</p><ul><li><a href=/a>A long history of raking</a><li><a href=/b>Rakes and forks</a></ul></article>`,
      prose.repeat(8),
    ],
    [
      'drops links under a heading that ends the article',
      `<article><p>${prose.repeat(8)}</p><h2>Related articles</h2><ul><li><a href=/a>A long history of raking</a><li><a href=/b>Rakes and forks</a></ul></article>`,
      prose.repeat(8),
    ],
    [
      'drops a heading that repeats the one above it',
      `<h1>Rakes</h1><div><h2><a href=/r>Rakes</a></h2></div><p>${prose}</p><h2>Rakes</h2><h3>Forks</h3><p>${prose}</p>`,
      `Rakes ${prose}Rakes Forks ${prose}`,
    ],
    [
      'drops comments and buttons, and keeps the byline',
      `<p class=byline>By <a href=/ann>Ann</a></p><div>${prose}</div><a class=btn href=/>Buy</a><div id=comments><p><b class=author>Ben</b> ${prose}Nice!</p></div>`,
      `By Ann ${prose}`,
    ],
    [
      'keeps the cards of a list of any name',
      `<ul>${Array.from({ length: 9 }, (_, n) => `<li class="promo">Offer ${n} of this week`).join('')}</ul>`,
      Array.from({ length: 9 }, (_, n) => `- Offer ${n} of this week`).join(' '),
    ],
    [
      'keeps the closed part of an accordion',
      `<h2>Why?</h2><div role=region hidden>${prose}</div><p>${prose}`,
      `Why? ${prose} ${prose}`.replace(/ {2}/g, ' '),
    ],
    [
      'keeps short closed answers next to long ones',
      `<p>${prose}</p>${['Yes, until noon.', `No. ${prose}`].map((text) => `<h3>Why?</h3><div class="faq-answer" style="display:none">${text}</div>`).join('')}`,
      `${prose}Why? Yes, until noon. Why? No. ${prose}`,
    ],
    ['keeps a part that is streamed late', `<p>${prose}<div hidden id="S:3">Streamed</div>`, `${prose}Streamed`],
    [
      'drops reader comments when the page is mostly comments in code',
      `<p>${prose}</p><pre><span class=comment>${'# code '.repeat(300)}</span></pre><div class=comment><b class=author>Ben</b><p>Nice!</p></div>`,
      `${prose}${'# code '.repeat(300)}`,
    ],
    [
      'keeps highlight spans of code named comment',
      `<p>${prose}<pre><span class="token comment"># add</span>\n<span class=label>a:</span></pre>`,
      `${prose}# add a:`,
    ],
    ['drops an item of which nothing is left', `<ul><li><button>Copy</button><li>${prose}</ul>`, `- ${prose}`],
    [
      'writes a repeated box once',
      `<div class=wide><p>${prose}${prose}</p></div><div class=narrow> <p>${prose}  ${prose}</p></div>`,
      `${prose}${prose}`,
    ],
    [
      'writes a card that is repeated in other boxes once',
      `<div class=wide><h3>A title of this card</h3><p>${prose}</p></div><div class=narrow><div><div>A title of this card</div><div><p>${prose}</p></div></div></div>`,
      `A title of this card ${prose}`,
    ],
    [
      'keeps a sentence that starts like such a line, and what documentation names',
      `<p>${prose.repeat(4)}</p><p>Read more slowly than you would, as <a href=/a>Ann</a> does.</p><p>See also: <a href=/b>map()</a></p>`,
      `${prose.repeat(4)}Read more slowly than you would, as Ann does. See also: map()`,
    ],
    [
      'keeps an inline element of any name in a sentence',
      `<p>We went on to <a class=textTag href=/x>space travel</a>, but on <time>May 2</time> we were back on the ground.</p>`,
      'We went on to space travel, but on May 2 we were back on the ground.',
    ],
    [
      'keeps an inline element named tag in a line of text',
      `<p>${prose}</p><p>Rakes and other tools of the farm | <a class=tag href=/x>Hay</a> | all that is needed for hay</p>`,
      `${prose}Rakes and other tools of the farm | Hay | all that is needed for hay`,
    ],
    [
      'keeps prose when one word of a compound name matches',
      `<p>${prose.repeat(12)}</p><div class=read-more-content><p>${prose.repeat(4)}</p></div><div class=tutor-bio__text>${prose}<a href=/tutor>More</a></div>`,
      prose.repeat(16),
    ],
    [
      'keeps the only box named as comments that is the text of the page',
      `<div class=comment_content><p>${prose.repeat(6)}</p></div><div><p>${prose.repeat(3)}</p></div>`,
      prose.repeat(9),
    ],
    [
      'drops an aside of an article by its name',
      `<article>${prose.repeat(3)}<aside class=share-bar>Tell others</aside><aside>A note</aside></article>`,
      `${prose.repeat(3)}A note`,
    ],
    [
      'keeps a table that repeats itself',
      `<table><tr><td><div>${prose}${prose}</div><tr><td><div>${prose}${prose}</div></table>`,
      prose.repeat(4),
    ],
    [
      'drops further prose next to the text of an article without a mark of its own',
      `${article}<div><h1>Title</h1><div class=text>${`<p>${prose}</p>`.repeat(9)}</div></div><div class=more>${`<p>${prose.slice(1)}</p>`.repeat(4)}</div>`,
      `Title ${prose.repeat(9)}`,
    ],
    [
      'keeps an article in several boxes of one class',
      `${article}<div><h1>Title</h1><div class=text>${`<p>${prose}</p>`.repeat(9)}</div><div class=ad>Buy</div><div class=text><p>${prose.slice(1)}</p></div></div>`,
      `Title ${prose.repeat(9)}Buy ${prose.slice(1)}`.trim(),
    ],
    [
      'keeps paragraphs next to a box with most of the prose',
      `${article}<div><h1>Title</h1><p>${prose}</p><div class=text>${`<p>${prose}</p>`.repeat(9)}</div><p>${prose.slice(1)}</p></div>`,
      `Title ${prose.repeat(10)}${prose.slice(1)}`.trim(),
    ],
    [
      'drops what stands next to the prose of an article, and keeps title and lead',
      `${article}<div><h1>Title</h1><p>The lead.</p><div>12 shares</div></div><div><p>${prose.repeat(12)}</p></div><div>Imprint</div>`,
      `Title The lead. ${prose.repeat(12)}`,
    ],
    [
      'takes the noscript of a page that needs scripts',
      `<div id=app>Loading</div><noscript><h1>T</h1><p>${prose.repeat(3)}</p></noscript>`,
      `T ${prose.repeat(3)}`,
    ],
    [
      'takes the largest noscript',
      `<div id=app>Loading</div><noscript><i>a</i><i>b</i></noscript><noscript><div><p>${prose.repeat(3)}</p></div></noscript>`,
      prose.repeat(3),
    ],
    [
      'keeps a list of tabs with their panels in it',
      `<main><h1>T</h1><p>${prose}</p><div role=tablist><a role=tab>Text</a><div role=tabpanel><p>${prose.repeat(5)}</p></div></div></main>`,
      `T ${prose}Text ${prose.repeat(5)}`,
    ],
    [
      'drops a list of tabs without panels',
      `<main><p>${prose}</p><div role=tablist><span>One</span><span>Two</span></div></main>`,
      prose,
    ],
    [
      'drops a link under a heading of related articles',
      `<main><h1>T</h1><p>${prose.repeat(5)}</p><h3>Related articles</h3><p><a href=/a>How to dry hay in the rain</a> in 5 min</p></main>`,
      `T ${prose.repeat(5)}`,
    ],
    [
      'keeps prose under a heading that ends an article',
      `<main><h1>T</h1><p>${prose.repeat(5)}</p><h3>Ready to start?</h3><p>${prose}</p></main>`,
      `T ${prose.repeat(5)}Ready to start? ${prose}`,
    ],
    [
      'keeps a chapter after a heading of related articles',
      `<main><h2>T</h2><p>${prose.repeat(5)}</p><h3>Related articles</h3><p><a href=/a>How to dry hay</a></p><h2>Notes</h2><p>${prose}</p></main>`,
      `T ${prose.repeat(5)}Notes ${prose}`,
    ],
    [
      'drops a noscript that asks for JavaScript',
      `<p>${prose}</p><noscript>Please enable JavaScript</noscript>`,
      prose,
    ],
  ])('content: auto %s', (_, html, text) => {
    expect(textOf(html)).toBe(text.trim());
  });

  describe('threads', () => {
    const post = (name: string, text: string): string =>
      `<div class=post><div class=userinfo>Posts: 12</div><span class=author>${name}</span><div class=comment>${text}</div><a class=btn href=/>Reply</a></div>`;
    const posts = post('Ann', prose) + post('Ben', `No. ${prose}`) + post('Cem', `Yes. ${prose}`);

    it('content: auto keeps all posts of a thread with their authors', () => {
      expect(textOf(`<div itemtype="https://schema.org/DiscussionForumPosting">${posts}</div>`)).toBe(
        `Ann ${prose}Ben No. ${prose}Cem Yes. ${prose}`.trim(),
      );
    });

    it('content: auto reads a thread from noscript', () => {
      const thread = `<div itemtype="https://schema.org/QAPage">${posts}</div>`;
      expect(textOf(`<div id=app></div><noscript>${thread}</noscript>`)).toContain(`Ben No. ${prose.trim()}`);
    });
  });

  it('content: auto drops the reviews of a product if they have a control, and keeps plain ones', () => {
    const html = `<meta property="og:type" content="product"><h1>Kettle</h1><p>${prose}</p>`;
    const reviews = `<p>${prose}Great!</p>`.repeat(8);
    expect(textOf(`${html}<div class=reviews>${reviews}<button>Report</button></div>`)).toBe(`Kettle ${prose}`.trim());
    expect(textOf(`${html}<div class=reviews>${reviews}</div>`)).toContain('Great!');
  });

  it('content: auto keeps testimonials of a company, also on a product page', () => {
    const html = `<h1>Rakes</h1><p>${prose.repeat(4)}</p><div class=testimonials><p>They rake well.</p></div>`;
    expect(textOf(html)).toContain('They rake well.');
    expect(textOf(`<meta property="og:type" content="product">${html}`)).toContain('They rake well.');
  });

  it('content: auto keeps dates and tags in a list of links, and beside prose on a page that is no article', () => {
    const entry = '<a href=/1>Gardener for the park</a><span class=date>May 1</span><ul class=tags><li>4 days</ul>';
    expect(textOf(`<div>${`<div>${entry}</div>`.repeat(9)}</div>`)).toContain('Gardener for the park May 1 - 4 days');
    expect(textOf(`<p>${prose.repeat(9)}</p><div>${entry}</div>`)).toContain('Gardener for the park May 1 - 4 days');
  });

  it('content: auto keeps hidden parts when all text is hidden', () => {
    const hidden = (text: string): string => `<div style="display:none"><p>${text}</p></div>`;
    expect(textOf(`<nav>Menu</nav>${hidden(`A ${prose}`)}${hidden(`B ${prose}`)}<footer>Imprint</footer>`)).toBe(
      `A ${prose}B ${prose}`.trim(),
    );
    expect(textOf(`<p>${prose}</p>${hidden(`A ${prose}`)}${hidden(`B ${prose}`)}`)).toBe(prose.trim());
  });

  it('content: auto keeps a hidden region, but not one that is named as a banner about cookies', () => {
    const region = (names: string, text: string): string => `<div role=region hidden class="${names}">${text}</div>`;
    const text = textOf(
      `<main><p>${prose}</p>${region('answer', 'In May.')}${region('cookie-consent', 'We bake.')}</main>`,
    );
    expect(text).toContain('In May.');
    expect(text).not.toContain('We bake.');
  });

  it('content: auto keeps a banner in the content, and drops that of the site', () => {
    const banner = `<div role=banner><p>${prose}</p></div>`;
    expect(textOf(`${banner}<main><p>Text. ${prose}</p>${banner}</main>`)).toBe(`Text. ${prose}${prose}`.trim());
  });

  it('content: auto takes the whole page when a list in main is only half of its text', () => {
    const list = `<main><ul>${'<li>A rake of ash</li>'.repeat(20)}</ul></main>`;
    const text = textOf(`${list}<div><h2>Rakes</h2><p>${prose.repeat(4)}</p></div>`);
    expect(text).toMatch(/^- A rake of ash .* Rakes Words of the article/);
  });

  it('content: auto takes the main with the article when that of the comments is longer', () => {
    const comments = Array.from({ length: 40 }, (_, at) => `<li>What reader ${at} thinks: ${prose}</li>`).join('');
    const text = textOf(
      `${article}<div role=main><h1>The mill</h1><article><p>${prose.repeat(6)}</p><p>The end.</p></article></div><div role=main><ul>${comments}</ul></div>`,
    );
    expect(text).toMatch(/ The end\.$/);
    expect(text).not.toContain('What reader');
  });

  it('content: auto keeps linked cards next to prose on a page of links', () => {
    const card = (n: number): string => `<div><a href=/${n}><h3>Rake ${n}</h3><p>${n} ${prose}</p></a></div>`;
    const cards = Array.from({ length: 30 }, (_, n) => card(n)).join('');
    const text = textOf(`<div><p>${prose.repeat(12)}</p></div><section>${cards}</section>`);
    expect(text).toContain('Rake 29');
  });

  it.each([
    '<p>Lee también:</p><div><a href=/a>Rechen aus Esche und Stahl</a></div>',
    '<div><div>Das könnte dich auch interessieren</div><ul><li><a href=/a>Rechen aus Esche</a></li></ul></div>',
  ])('content: auto drops from an article %s', (html) => {
    const head = '<head><meta property=og:type content=article></head>';
    expect(textOf(`${head}<article><h1>Rakes</h1><p>${prose.repeat(4)}</p>${html}<p>${prose}</p></article>`)).toBe(
      textOf(`${head}<article><h1>Rakes</h1><p>${prose.repeat(4)}</p><p>${prose}</p></article>`),
    );
  });

  it.each(['<p><a href=/a>Back to Black</a></p>', '<p>Get started</p><p>Words of the end.</p>'])(
    'content: auto keeps in an article %s',
    (html) => {
      const text = html
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim();
      const head = '<head><meta property=og:type content=article></head>';
      expect(textOf(`${head}<article><p>${prose.repeat(4)}</p>${html}</article>`).replaceAll(/\s+/g, ' ')).toContain(
        text,
      );
    },
  );

  it('content: auto drops closed parts that are comments, and keeps others', () => {
    const part = (title: string): string => `<details><summary>${title}</summary><p>x ${prose}</p></details>`;
    expect(textOf(`<main><p>${prose.repeat(3)}</p>${part('Comments (3)')}${part('Sizes')}</main>`)).toBe(
      `${prose.repeat(3)}Sizes x ${prose}`.trim(),
    );
  });

  it('content: auto keeps linked cards with paragraphs, except in an article', () => {
    const html = `<p>${prose.repeat(9)}</p><div><a href=/1><h3>Rake</h3><p>${prose}</p></a></div>`;
    expect(textOf(html)).toContain(`Rake ${prose}`.trim());
    expect(textOf(`<meta property="og:type" content="article">${html}`)).not.toContain('Rake');
  });

  it.each(['toggle__content', 'expander', 'disclosure panel-2'])(
    'content: auto keeps the closed text of a box named %s',
    (name) => {
      expect(textOf(`<p>${prose}</p><div class="${name}" style="display:none">${prose}</div>`)).toBe(
        prose.repeat(2).trim(),
      );
    },
  );

  it('content: auto drops the list of other products on a product page', () => {
    const others = Array.from({ length: 9 }, (_, n) => `<li><a href=/${n}>Another kettle of number ${n}</a></li>`);
    const html = `<h1>Kettle</h1><p>${prose.repeat(4)}</p><ul>${others.join('')}</ul>`;
    expect(textOf(html)).toContain('number 8');
    expect(textOf(`<meta property="og:type" content="product">${html}`)).toBe(`Kettle ${prose.repeat(4)}`.trim());
  });

  it.each<[method: string, html: string]>([
    ['article', `<article>${prose}</article>`],
    ['main', `<main>${prose}</main>`],
    ['body', `<div>${prose}</div>`],
    ['noscript', `<noscript>${prose.repeat(3)}</noscript>`],
    ['whole', '<nav>Only a menu</nav>'],
  ])('content: auto reports the method %s', (method, html) => {
    expect(chooseContent(parseHtml(html), 'auto', null).method).toBe(method);
  });

  it('content: auto rates prose higher than links or little text', () => {
    const qualityOf = (html: string): number => chooseContent(parseHtml(html), 'auto', null).quality;
    expect(qualityOf(`<p>${prose.repeat(20)}`)).toBe(1);
    expect(qualityOf(`<p>${prose}`)).toBeLessThan(0.2);
    expect(qualityOf(`<ul>${`<li><a href=/>${prose}</a>`.repeat(20)}</ul>`)).toBeLessThan(0.1);
    expect(qualityOf('')).toBe(0);
  });

  it('content: auto is confident about a short article, and not about a small part of a page', () => {
    const confidenceOf = (html: string): number => chooseContent(parseHtml(html), 'auto', null).confidence;
    expect(confidenceOf(`<article><p>${prose}</p></article>`)).toBeGreaterThan(0.9);
    const lines = `<div>${'Short line. <br>'.repeat(40)}</div>`;
    expect(confidenceOf(`<article><p>${prose}</p></article>${lines}`)).toBeLessThan(0.9);
    expect(confidenceOf(`<ul>${`<li><a href=/>Hay</a>`.repeat(90)}</ul>`)).toBeLessThan(0.6);
    expect(confidenceOf('')).toBe(0);
  });

  it('content: auto removes what exclude_elements names instead of the default list', () => {
    expect(textOf(`<article><header>Head</header><p class=x>no</p>${prose}</article>`, 'auto', '.x')).toBe(
      `Head ${prose}`.trim(),
    );
  });
});

describe('content: full', () => {
  it('content: full takes the whole page without the default list', () => {
    expect(textOf('<header>a</header><nav>b</nav><main>c</main><aside>d</aside><div role=alert>e</div>', 'full')).toBe(
      'c d',
    );
  });

  it('content: full keeps the title in the header of an article', () => {
    const html =
      '<header>Site</header><main><article><header><h1>Title</h1></header><nav>b</nav><p>Text</p></article></main>';
    expect(textOf(html, 'full')).toBe('Title Text');
  });

  it('content: full removes what exclude_elements names instead of the default list', () => {
    expect(textOf('<header>a</header><p class=x>b</p><main>c</main>', 'full', 'p.x, main')).toBe('a');
  });

  it('content: full takes the whole page when exclude_elements is empty', () => {
    expect(
      textOf(
        '<header>a</header><nav>b</nav><script>no()</script><style>no{}</style><template>no</template>',
        'full',
        '',
      ),
    ).toBe('a b');
  });

  it('content: full ignores invalid selectors', () => {
    expect(textOf('<p>a</p>', 'full', ':::')).toBe('a');
  });
});

describe('tables that set out the page', () => {
  const layout = (text: string): string =>
    `<center><table><tr><td colspan=2><a href=/>The Mill</a></td></tr><tr><td><a href=/1>News</a><br><a href=/2>Sport</a></td><td>${text}</td></tr><tr><td>Imprint</td></tr></table></center>`;

  it.each([4, 30])('chooseContent: takes the cell with the prose, %s sentences long', (length) => {
    const text = textOf(layout(`<font><b>Barn burned</b></font><br>3 March<br>${prose.repeat(length)}`));
    expect(text).toBe(`Barn burned 3 March ${prose.repeat(length)}`.trim());
  });

  it('chooseContent: keeps a table of values whole', () => {
    const rows = [1, 2, 3].map((row) => `<tr><td>Row ${row}</td><td>${prose.repeat(4)}</td></tr>`);
    expect(textOf(`<main><h1>Barns</h1><table>${rows.join('')}</table></main>`)).toContain('Row 1');
  });

  it('chooseContent: keeps the references of a chapter', () => {
    const page = `<div><section><h1>Barns</h1><p>${prose.repeat(20)}</p></section><section class=bibliography><h2>References</h2><ul><li>Rake, A.: Barns.</li></ul></section></div>`;
    expect(textOf(page)).toContain('Rake, A.: Barns.');
  });

  it('chooseContent: keeps words of the box around the prose', () => {
    const page = `<div>Imprint<div>20 December 2025 <div><p>${prose.repeat(20)}</p></div></div></div>`;
    expect(textOf(page)).toContain('20 December 2025');
  });
});
