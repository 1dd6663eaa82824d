// Documents, references of APIs, and pages written by scripts of their own.
import { apiDocs, client, cra, load, markdown, plainScript, reactScript } from './client-page.ts';
import {
  analytics,
  cookieBanner,
  documentOf,
  items,
  itemsJson,
  pageFooter,
  scriptTags,
  type TestPage,
  topMenu,
} from './page.ts';

export const scriptPages: readonly TestPage[] = [
  client(
    'docsify',
    () =>
      documentOf(
        '',
        `<div id="app"></div><script>window.$docsify = { name: 'Valley', repo: '' }</script><script src="docsify.min.js"></script>`,
      ),
    [],
    { files: { 'README.md': markdown }, packageFiles: { 'docsify.min.js': 'docsify/dist/docsify.min.js' } },
  ),
  client(
    'docsify-nav',
    () =>
      documentOf(
        '',
        `<nav><a href="#/">Home</a><a href="#/places">Places</a></nav><div data-app id="main-docs">Please wait...</div><script>window.$docsify = { el: '#main-docs', name: 'Valley', loadNavbar: false }</script><script src="docsify.min.js"></script>`,
      ),
    [],
    { files: { 'README.md': markdown }, packageFiles: { 'docsify.min.js': 'docsify/dist/docsify.min.js' } },
  ),
  client(
    'swagger-ui',
    () =>
      documentOf(
        '',
        `<div id="swagger-ui"></div><script src="swagger-ui-bundle.js"></script><script>window.onload = () => { window.ui = SwaggerUIBundle({ url: 'openapi.json', dom_id: '#swagger-ui' }); };</script>`,
      ),
    [],
    { files: apiDocs, packageFiles: { 'swagger-ui-bundle.js': 'swagger-ui-dist/swagger-ui-bundle.js' } },
  ),
  client(
    'redoc',
    () => documentOf('', `<redoc spec-url="openapi.json"></redoc><script src="redoc.standalone.js"></script>`),
    [],
    { files: apiDocs, packageFiles: { 'redoc.standalone.js': 'redoc/bundles/redoc.standalone.js' } },
  ),
  client(
    'redoc-init',
    () =>
      documentOf(
        '',
        `<div id="reference-target"></div><script src="redoc.standalone.js"></script><script>Redoc.init('openapi.json', {}, document.getElementById('reference-target'))</script>`,
      ),
    [],
    { files: apiDocs, packageFiles: { 'redoc.standalone.js': 'redoc/bundles/redoc.standalone.js' } },
  ),
  client(
    'rapidoc',
    () =>
      documentOf(
        '<script type="module" src="rapidoc-min.js"></script>',
        `<rapi-doc spec-url="openapi.json" render-style="read"></rapi-doc>`,
      ),
    [],
    { files: apiDocs, packageFiles: { 'rapidoc-min.js': 'rapidoc/dist/rapidoc-min.js' } },
  ),
  client('hyperapp', (a) => documentOf(scriptTags(a), '<main id="hyper"></main>'), [
    `import { app, h, text as say } from 'hyperapp'; ${load} app({ init: {}, view: () => h('main', {}, items.map(({ title, text }) => h('article', {}, [h('h2', {}, say(title)), h('p', {}, say(text))]))), node: document.getElementById('hyper') });`,
  ]),
  client(
    'inline-state',
    (a) =>
      documentOf('', `<div class="css-1q2w3e"></div><script>window.__STATE__=${itemsJson}</script>${scriptTags(a)}`),
    [plainScript('.css-1q2w3e', 'const items = window.__STATE__;')],
  ),
  client('document-write', () =>
    documentOf(
      '',
      `<script>var items=${itemsJson};for(var i=0;i<items.length;i++){document.write('<h2>'+items[i].title+'</h2><p>'+items[i].text+'</p>')}</script>`,
    ),
  ),
  client(
    'markdown-in-script',
    (a) => documentOf('', `<script type="text/markdown" id="source">${markdown}</script>${scriptTags(a)}`),
    [
      `import { marked } from 'marked'; document.body.innerHTML = marked(document.getElementById('source').textContent);`,
    ],
  ),
  client(
    'turbo-frame',
    (a) =>
      documentOf(
        scriptTags(a),
        `${topMenu}<main><h1>Places</h1><turbo-frame id="places" src="list.html"><p>Loading places…</p></turbo-frame></main>${pageFooter}`,
      ),
    [`import '@hotwired/turbo';`],
    {
      files: {
        'list.html': `<turbo-frame id="places">${items.map(({ title, text }) => `<h2>${title}</h2><p>${text}</p>`).join('')}</turbo-frame>`,
      },
    },
  ),
  client(
    'table-by-fetch',
    (a) =>
      documentOf(
        '',
        `${topMenu}<main><h1>Places of the valley</h1><table><thead><tr><th>Place</th><th>What the book tells</th></tr></thead><tbody></tbody></table></main>${pageFooter}${scriptTags(a)}`,
      ),
    [
      `${load} document.querySelector('tbody').innerHTML = items.map(({ title, text }) => '<tr><td>' + title + '</td><td>' + text + '</td></tr>').join('');`,
    ],
  ),
  client(
    'app-shell',
    (a) =>
      documentOf(
        analytics,
        `<div id="shell">${topMenu}<div class="layout"><aside class="sidebar"><a href="/a">Newest</a><a href="/b">Oldest</a></aside><main></main></div>${pageFooter}</div>${cookieBanner}${scriptTags(a)}`,
      ),
    [plainScript('main')],
  ),
  client(
    'skeleton',
    (a) =>
      documentOf(
        '',
        `${topMenu}<div class="feed" aria-busy="true">${'<div class="card skeleton"><div class="line"></div><div class="line short"></div></div>'.repeat(6)}</div>${pageFooter}${scriptTags(a)}`,
      ),
    [plainScript('.feed')],
  ),
  client(
    'loading-german',
    (a) =>
      documentOf(
        '',
        `<div class="x"><p class="hinweis">Seite wird geladen …</p></div>${scriptTags(a)}`,
        'Talarchiv',
        'lang="de"',
      ),
    [plainScript('.x')],
  ),
  client(
    'loading-japanese',
    (a) => documentOf('', `<div id="w"><span>読み込み中...</span></div>${scriptTags(a)}`, '谷', 'lang="ja"'),
    [plainScript('#w')],
  ),
  client(
    'clone-template',
    (a) =>
      documentOf(
        '',
        `<h1>Places</h1><section class="cards"></section><template id="card"><article><h2></h2><p></p></article></template>${scriptTags(a)}`,
      ),
    [
      `${load} const card = document.getElementById('card'); for (const { title, text } of items) { const one = card.content.cloneNode(true); one.querySelector('h2').textContent = title; one.querySelector('p').textContent = text; document.querySelector('.cards').append(one); }`,
    ],
  ),
  client('short-contact', (a) => documentOf(scriptTags(a, 'defer'), `${cra}<div id="root"></div>`), [
    `import { createRoot } from 'react-dom/client'; createRoot(document.getElementById('root')).render(<main><h1>Contact</h1><p>Valley Archive, Mill Lane 4, Upper Valley. Open on Tuesdays from 9 to 12. Telephone 0123 45678.</p></main>);`,
  ]),
  client('nameless', (a) => documentOf('', `<div><div></div></div>${scriptTags(a)}`), [plainScript('div')]),
  client(
    'blazor-like',
    (a) =>
      documentOf(
        '<base href="./">',
        `<div id="blazor-host"><svg class="loading-progress"><circle r="40%"/></svg><div class="loading-progress-text"></div></div><div id="blazor-error-ui">An unhandled error has occurred. <a href="" class="reload">Reload</a></div>${scriptTags(a, '')}`,
      ),
    [plainScript('#blazor-host')],
  ),
  client(
    'old-browser-notice',
    (a) =>
      documentOf(
        '',
        `<!--[if lt IE 10]><p>You are using an outdated browser.</p><![endif]--><div class="browser-notice" style="display:none">Your browser is out of date. Please update it to use this site.</div><div id="react-app"></div><div id="modal-root"></div>${scriptTags(a)}`,
      ),
    [reactScript('#react-app')],
  ),
  client(
    'search-results',
    (a) =>
      documentOf(
        '',
        `${topMenu}<main><h1>Search</h1><form action="/search"><input name="q" type="search"><button>Go</button></form><div id="search-results" class="results"></div></main>${pageFooter}${scriptTags(a)}`,
      ),
    [plainScript('#search-results')],
  ),
  client(
    'intro-and-feed',
    (a) =>
      documentOf(
        analytics,
        `${topMenu}<main><h1>News of the valley</h1><p>What has happened in the valley of late, told by those who were there and written down by the parish clerk.</p><div class="news-feed" data-url="items.json"></div></main>${pageFooter}${scriptTags(a)}`,
      ),
    [plainScript('.news-feed')],
  ),
  client('riot', (a) => documentOf('', `<places></places><div id="riot-target"></div>${scriptTags(a)}`), [
    `import { component } from 'riot'; ${load} document.getElementById('riot-target').textContent = ''; component({ css: null, exports: {}, template: (template) => template('<h1>Places</h1>' + items.map(({ title, text }) => '<h2>' + title + '</h2><p>' + text + '</p>').join(''), []) })(document.getElementById('riot-target'));`,
  ]),
];
