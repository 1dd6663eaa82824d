import { describe, expect, it } from 'vitest';
import { chooseContent } from './main-content.ts';
import { parseHtml } from './parse-html.ts';
import { toText } from './to-text.ts';

const textOf = (html: string, content: 'auto' | 'full' = 'auto', exclude: string | null = null): string =>
  toText(chooseContent(parseHtml(html), content, exclude))
    .replace(/\s+/g, ' ')
    .trim();

const prose = 'Words of the article itself, enough of them that nobody takes it for a caption or a menu. ';

describe('content: auto', () => {
  it.each<[why: string, html: string, text: string]>([
    ['main without what surrounds it', `<nav>Menu</nav><main>${prose}</main><footer>Imprint</footer>`, prose],
    ['an article that is most of main', `<main><div>Crumbs</div><article>${prose}</article></main>`, prose],
    [
      'main when its articles are many',
      `<main><article>One two</article><article>Three four</article><article>Five six</article></main>`,
      'One two Three four Five six',
    ],
    ['the body when main is a stub', `<main>x</main><div>${prose}${prose}</div>`, `x ${prose}${prose}`],
    ['an article keeps its own header', `<article><header><h1>Title</h1></header>${prose}</article>`, `Title ${prose}`],
    [
      'a site header goes, one with the page title stays',
      `<header>Logo</header><header><h1>Title</h1></header>${prose}`,
      `Title ${prose}`,
    ],
    [
      'headings, code and tables stay, whatever their class',
      `<h2 class=menu>H</h2><pre class=sidebar>code</pre><table class=share><tr><td>cell</table>`,
      'H code cell',
    ],
    ['what is hidden goes', `<p hidden>1</p><p style="display: none">2</p><p>${prose}</p>`, prose],
    ['cookie banners go', `<div role=dialog>Cookies?</div><div class="cookie-consent">Yes</div><p>${prose}</p>`, prose],
    [
      'a question in a button stays',
      `<h3><button>Why?</button></h3><button>Copy</button><p>${prose}</p>`,
      `Why? ${prose}`,
    ],
    [
      'a box of links beside an article goes',
      `<div>${prose}${prose}${prose}</div><div><a href=/>Read this other article of ours, too</a></div>`,
      `${prose}${prose}${prose}`,
    ],
    [
      'on a page of links it stays',
      '<ul><li><a href=/>A link to somewhere else, one of many</a></ul>',
      '- A link to somewhere else, one of many',
    ],
    ['a name does not take most of the page', `<div class="with sidebar">${prose}</div>`, prose],
    ['nor does being hidden until a script has run', `<p>Loading</p><div hidden>${prose}</div>`, `Loading ${prose}`],
    ['never empty: a page of links', '<nav>Only a menu</nav>', 'Only a menu'],
    ['never empty: all is hidden', '<body style="display:none">Waiting for a script</body>', 'Waiting for a script'],
  ])('%s', (_, html, text) => {
    expect(textOf(html)).toBe(text.trim());
  });

  it('removes what the client names, and not the default list', () => {
    expect(textOf(`<article><header>Head</header><p class=x>no</p>${prose}</article>`, 'auto', '.x')).toBe(
      `Head ${prose}`.trim(),
    );
  });
});

describe('content: full', () => {
  it('is the whole page less the default list', () => {
    expect(textOf('<header>a</header><nav>b</nav><main>c</main><aside>d</aside><div role=alert>e</div>', 'full')).toBe(
      'c d',
    );
  });

  it('is the whole page less what the client names instead', () => {
    expect(textOf('<header>a</header><p class=x>b</p><main>c</main>', 'full', 'p.x, main')).toBe('a');
  });

  it('is the whole page when the client excludes nothing', () => {
    expect(
      textOf(
        '<header>a</header><nav>b</nav><script>no()</script><style>no{}</style><template>no</template>',
        'full',
        '',
      ),
    ).toBe('a b');
  });

  it('takes selectors that it does not understand for none', () => {
    expect(textOf('<p>a</p>', 'full', ':::')).toBe('a');
  });
});
