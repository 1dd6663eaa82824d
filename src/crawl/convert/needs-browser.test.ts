import { describe, expect, it, test } from 'vitest';
import { extractPage } from '../../extract/extract-page.ts';
import { betterOf, type BrowserNeed, needsBrowser } from './needs-browser.ts';

const prose = 'The granary was closed in 1911, and its key is kept in the town hall to this day. ';
const app = '<script type=module src=/assets/index-4f2a.js></script>';
const cookies = `<div id=cookie-banner role=dialog><p>${'We and our partners store and read information on a device. '.repeat(12)}</p><button>Accept</button></div>`;
const menu = '<header><nav><a href=/a>Places</a><a href=/b>People</a></nav></header>';
const picture = '<img src=a.jpg alt="">';

function needOf(body: string, content: 'auto' | 'full' = 'auto', includeElements: string | null = null): BrowserNeed {
  const page = extractPage(`<!doctype html><title>Valley</title>${body}`, {
    url: 'https://site.example/',
    headers: { link: '', refresh: '', contentLanguage: '' },
    robotsTag: new Set(),
    outputFormat: 'text',
    content,
    excludeElements: null,
    includeElements,
  });
  return needsBrowser(page, content);
}

describe('needsBrowser: render', () => {
  it.each([
    ['an empty mount', `<div id=root></div>${app}`, 'empty mount #root'],
    [
      'a mount with a logo and a spinner',
      `<div id=app><div class=spinner></div>${picture}</div>${app}`,
      'empty mount #app',
    ],
    ['a mount with a loading text', `<div id=app>Loading…</div>${app}`, 'empty mount #app'],
    [
      'a mount that asks for JavaScript',
      `<div id=root><noscript>Please enable JavaScript</noscript></div>${app}`,
      'empty mount #root',
    ],
    [
      'a mount between menu and footer',
      `${menu}<div id=root></div><footer>© 2026 Valley</footer>${app}`,
      'empty mount #root',
    ],
    ['a mount and a long cookie banner', `${cookies}<div id=root></div>${app}`, 'empty mount #root'],
    ['an empty main', `${menu}<main></main><footer>© 2026</footer>${app}`, 'empty mount <main>'],
    ['a custom element as mount', `<app-root></app-root>${app}`, 'empty mount <app-root>'],
    [
      'an API reference',
      `<redoc spec-url=openapi.json></redoc><script src=redoc.standalone.js></script>`,
      'empty mount <redoc>',
    ],
    ['a server component', `${menu}<div data-react-class=List></div>${app}`, 'empty mount <div>'],
    ['template placeholders', `<div id=list><h1>{{ title }}</h1></div>${app}`, 'placeholders in the text'],
    [
      'a list in a template',
      `<main><h1>Places</h1><template x-for="p in places"><p></p></template></main>${app}`,
      'binding x-for',
    ],
    [
      'a list that a binding requests',
      `<main><h1>Places</h1><div hx-get=/list hx-trigger=load>Wait</div></main>${app}`,
      'binding hx-get',
    ],
    ['a loading text in another language', `<p>Wird geladen …</p>${app}`, 'waits with "Wird geladen …"'],
    ['a loading text in another script', `<p>読み込み中...</p>${app}`, 'waits with "読み込み中..."'],
    [
      'a noscript that asks for JavaScript',
      `<noscript>This site needs JavaScript.</noscript><i class=x></i>${app}`,
      'asks for JavaScript',
    ],
    ['only scripts', `<body><script src=/main.js></script></body>`, 'no text'],
    ['only an inline script', `<script>document.write("<p>Text</p>")</script>`, 'no text'],
    ['a script that redirects', `<p>See there</p><script>location.replace("/de/")</script>`, 'script redirects'],
    [
      'hidden fields and a mount',
      `<form hidden name=contact><input name=a><input name=b></form><div id=root></div>${app}`,
      'empty mount #root',
    ],
  ])('needsBrowser: returns render for a page with %s', (_, body, sign) => {
    expect(needOf(body)).toEqual({ verdict: 'render', sign });
  });
});

describe('needsBrowser: try', () => {
  it.each([
    ['a short text and a mount', `<p>${prose.repeat(3)}</p><div id=app></div>${app}`, 'empty mount #app'],
    [
      'a heading and an empty list',
      `<main><h1>Places</h1><p>${prose}</p><ul id=results></ul></main>${app}`,
      'empty element #results',
    ],
    [
      'a table without rows',
      `<main><h1>Places</h1><table class=list><tr><th>Place<tbody id=rows></tbody></table></main>${app}`,
      'empty element #rows',
    ],
    [
      'templates in scripts',
      `<p>${prose}</p><script type=text/x-handlebars-template>{{x}}</script>${app}`,
      'templates',
    ],
    ['little text', `<p>Soon more</p>${app}`, 'little text'],
  ])('needsBrowser: returns try for a page with %s', (_, body, sign) => {
    expect(needOf(body)).toEqual({ verdict: 'try', sign });
  });
});

describe('needsBrowser: no', () => {
  it.each([
    ['that has its text', `<div id=root></div><p>${prose.repeat(10)}</p>${app}`],
    ['without scripts', '<div id=root></div>'],
    ['without content', ''],
    [
      'with only an analytics script',
      '<div id=root></div><script async src=https://www.googletagmanager.com/gtag/js?id=G-1></script><script>window.dataLayer=[];function gtag(){dataLayer.push(arguments)}gtag("js",new Date())</script>',
    ],
    [
      'with only data scripts',
      '<div id=root></div><script type=application/json>{"a":1}</script><script type=importmap>{}</script>',
    ],
    [
      'that is short and rendered on the server',
      `<div id=__next><main><h1>Granary</h1><p>${prose}</p></main></div><script id=__NEXT_DATA__ type=application/json>{"props":{}}</script>${app}`,
    ],
    [
      'with a login form',
      `<noscript>JavaScript is required.</noscript><form><input name=user><input type=password></form>${app}`,
    ],
    ['with pictures', `<div class=grid>${picture.repeat(9)}</div><div id=lightbox></div>${app}`],
    ['with frames', `<frameset><frame src=a.html></frameset><script src=/a.js></script>`],
    ['that shows an iframe', `<iframe src=/inner.html></iframe>${app}`],
    ['about placeholders', `<h1>Text</h1><p>${prose}</p><pre><code>&lt;p>{{ message }}&lt;/p></code></pre>${app}`],
    [
      'with widgets',
      `<main><h1>Mill</h1><p>${prose}</p><lite-youtube videoid=a></lite-youtube></main><df-messenger></df-messenger><div id=chat-root></div>${app}`,
    ],
    [
      'that works best with JavaScript',
      `<noscript>This site works best with JavaScript.</noscript><p>${prose}</p>${app}`,
    ],
    [
      'with a list of links',
      `<main>${[1, 2, 3, 4, 5, 6].map((n) => `<a href=/${n}>Photo ${n}</a> `).join('')}</main>${app}`,
    ],
  ])('needsBrowser: returns no for a page %s', (_, body) => {
    expect(needOf(body)).toEqual({ verdict: 'no', sign: '' });
  });
});

describe('needsBrowser with content options', () => {
  const shell = `<nav>${'<a href=/a>Places of the valley</a> '.repeat(40)}</nav><div id=root></div>${app}`;

  test('needsBrowser: does not count menus as text when the job keeps the full page', () => {
    expect(needOf(shell, 'full')).toEqual({ verdict: 'render', sign: 'empty mount #root' });
    expect(needOf(`${shell}<p>${prose.repeat(10)}</p>`, 'full')).toEqual({ verdict: 'no', sign: '' });
  });

  test('needsBrowser: returns no when the page has the included elements', () => {
    const body = `<b id=price>12 €</b><div id=root></div>${app}`;
    expect(needOf(body, 'auto', '#price')).toEqual({ verdict: 'no', sign: '' });
    expect(needOf(body, 'auto', '#stock').verdict).toBe('render');
  });
});

test('needsBrowser: truncates a hostile element name and keeps the sign printable', () => {
  const { sign } = needOf(`<app-\u0007${'x'.repeat(9_000)}></app-x>${app}`);
  expect(sign).toMatch(/^empty mount [\x21-\x7e]{1,40}$/);
});

describe('betterOf', () => {
  it.each([
    ['render', 0, 104, true],
    ['render', 20, 45, false],
    ['render', 114, 8, false],
    ['render', 78, 78, false],
    ['try', 78, 150, false],
    ['try', 78, 300, true],
    ['try', 500, 720, false],
    ['try', 500, 750, true],
    ['try', 0, 0, false],
  ] as const)(
    'betterOf: for %s, with %i characters fetched and %i rendered, chooses the rendered page: %s',
    (verdict, before, after, isRendered) => {
      const fetched: { readonly ownLength: number } = { ownLength: before };
      const rendered: typeof fetched = { ownLength: after };
      expect(betterOf(verdict, fetched, rendered)).toBe(isRendered ? rendered : fetched);
    },
  );
});
