// Pages written by other frameworks and libraries.
import { angularScript, api, client, cra, load } from './client-page.ts';
import { documentOf, items, pageFooter, scriptTags, type TestPage, topMenu } from './page.ts';

export const frameworkPages: readonly TestPage[] = [
  client(
    'preact',
    (a) => documentOf(scriptTags(a), '<div id="app"></div>'),
    [
      `import { render } from 'preact'; ${load.replace('await (await fetch', 'await (await fetch')}
render(<main><h1>Places</h1>{items.map(({ title, text }) => <section><h2>{title}</h2><p>{text}</p></section>)}</main>, document.getElementById('app'));`,
    ],
    { jsxImportSource: 'preact' },
  ),
  client(
    'preact-body',
    (a) => documentOf('', `<body class="preload"><script>performance.mark('start')</script>${scriptTags(a)}</body>`),
    [
      `import { render } from 'preact'; ${load}
render(<main><h1>Places</h1>{items.map(({ title, text }) => <section><h2>{title}</h2><p>{text}</p></section>)}</main>, document.body);`,
    ],
    { jsxImportSource: 'preact' },
  ),
  client('svelte-vite', (a) => documentOf(scriptTags(a), '<div id="app"></div>'), [
    `import { mount } from 'svelte'; import List from './List.svelte'; mount(List, { target: document.getElementById('app') });`,
  ]),
  client(
    'sveltekit-fallback',
    (a) =>
      documentOf(
        `<link rel="modulepreload" href="${a[0]}">`,
        `<body data-sveltekit-preload-data="hover"><div style="display: contents"><script>{ __sveltekit_1 = { base: '' }; const element = document.currentScript.parentElement; window.element = element; import("./${a[0]}"); }</script></div></body>`,
      ),
    [
      `import { mount } from 'svelte'; import List from './List.svelte'; mount(List, { target: document.querySelector('body > div') });`,
    ],
  ),
  client('solid', (a) => documentOf(scriptTags(a), `${cra}<div id="root"></div>`), [
    `import { render } from 'solid-js/web'; import html from 'solid-js/html'; ${load}
render(() => html\`<main><h1>Places</h1>\${items.map(({ title, text }) => html\`<section><h2>\${title}</h2><p>\${text}</p></section>\`)}</main>\`, document.getElementById('root'));`,
  ]),
  client('angular', (a) => documentOf('<base href="./">', `<app-root></app-root>${scriptTags(a)}`), [angularScript()]),
  client(
    'angular-loading',
    (a) =>
      documentOf(
        '<base href="./">',
        `<app-root><div class="loader-wrapper"><div class="loader"></div><span>Loading application...</span></div></app-root><noscript>Please enable JavaScript to continue using this application.</noscript>${scriptTags(a)}`,
      ),
    [angularScript()],
  ),
  client(
    'angularjs-repeat',
    () =>
      documentOf(
        '<script src="angular.min.js"></script>',
        `<body ng-app="valley" ng-controller="Places as list"><h1>{{list.heading}}</h1><div ng-repeat="item in list.items"><h2>{{item.title}}</h2><p>{{item.text}}</p></div><script>angular.module('valley', []).controller('Places', function ($http) { var self = this; self.heading = 'Places'; $http.get('items.json').then(function (answer) { self.items = answer.data; }); });</script></body>`,
      ),
    [],
    { packageFiles: { 'angular.min.js': 'angular/angular.min.js' } },
  ),
  client(
    'angularjs-view',
    () =>
      documentOf(
        '<script src="angular.min.js"></script>',
        `<body ng-app="valley" ng-cloak>${topMenu}<div ng-include="'list.html'"></div>${pageFooter}<script>angular.module('valley', []).run(function ($rootScope, $http) { $http.get('items.json').then(function (answer) { $rootScope.items = answer.data; }); });</script></body>`,
      ),
    [],
    {
      packageFiles: { 'angular.min.js': 'angular/angular.min.js' },
      files: {
        ...api,
        'list.html':
          '<article ng-repeat="item in items"><h2 ng-bind="item.title"></h2><p ng-bind="item.text"></p></article>',
      },
    },
  ),
  client('lit', (a) => documentOf(scriptTags(a), `${topMenu}<valley-places></valley-places>${pageFooter}`), [
    `import { LitElement, html } from 'lit';
customElements.define('valley-places', class extends LitElement {
  static properties = { items: {} };
  createRenderRoot() { return this; }
  async connectedCallback() { super.connectedCallback(); this.items = await (await fetch('items.json')).json(); }
  render() { return html\`<h1>Places</h1>\${(this.items ?? []).map(({ title, text }) => html\`<h2>\${title}</h2><p>\${text}</p>\`)}\`; }
});`,
  ]),
  client('web-component', (a) => documentOf('', `<place-list src="items.json"></place-list>${scriptTags(a)}`), [
    `customElements.define('place-list', class extends HTMLElement { async connectedCallback() { const items = await (await fetch(this.getAttribute('src'))).json(); this.innerHTML = items.map(({ title, text }) => '<h2>' + title + '</h2><p>' + text + '</p>').join(''); } });`,
  ]),
  client('mithril', (a) => documentOf('', `<body>${scriptTags(a, '')}</body>`), [
    `import m from 'mithril'; let items = []; fetch('items.json').then((a) => a.json()).then((list) => { items = list; m.redraw.sync(); });
m.mount(document.body, { view: () => m('main', [m('h1', 'Places'), items.map(({ title, text }) => m('article', [m('h2', title), m('p', text)]))]) });`,
  ]),
  client(
    'knockout',
    (a) =>
      documentOf(
        '',
        `${topMenu}<h1>Places</h1><div data-bind="foreach: items"><h2 data-bind="text: title"></h2><p data-bind="text: text"></p></div>${pageFooter}${scriptTags(a, '')}`,
      ),
    [
      `import ko from 'knockout'; const model = { items: ko.observableArray() }; ko.applyBindings(model); fetch('items.json').then((a) => a.json()).then((list) => model.items(list));`,
    ],
  ),
  client(
    'alpine',
    (a) =>
      documentOf(
        scriptTags(a, 'defer'),
        `<main x-data="{ items: [] }" x-init="items = await (await fetch('items.json')).json()"><h1>Places</h1><p>All places of the valley, by name.</p><template x-for="item in items"><article><h2 x-text="item.title"></h2><p x-text="item.text"></p></article></template></main>`,
      ),
    [`import Alpine from 'alpinejs'; Alpine.start();`],
  ),
  client(
    'htmx-load',
    (a) =>
      documentOf(
        scriptTags(a, 'defer'),
        `${topMenu}<main><h1>Places</h1><div hx-get="list.html" hx-trigger="load" hx-swap="outerHTML">One moment please</div></main>${pageFooter}`,
      ),
    [`import 'htmx.org';`],
    { files: { 'list.html': items.map(({ title, text }) => `<h2>${title}</h2><p>${text}</p>`).join('') } },
  ),
  client(
    'jquery-json',
    (a) =>
      documentOf('', `${topMenu}<h1>Places</h1><ul id="results" class="list"></ul>${pageFooter}${scriptTags(a, '')}`),
    [
      `import $ from 'jquery'; $(() => $.getJSON('items.json', (items) => $('#results').html(items.map(({ title, text }) => '<li><b>' + title + '</b> ' + text + '</li>').join(''))));`,
    ],
  ),
  client(
    'handlebars',
    (a) =>
      documentOf(
        '',
        `<div class="page"><h1>Places</h1><div class="out"></div></div><script id="t" type="text/x-handlebars-template">{{#each items}}<h2>{{title}}</h2><p>{{text}}</p>{{/each}}</script>${scriptTags(a, '')}`,
      ),
    [
      `import Handlebars from 'handlebars/dist/handlebars.js'; (async () => { ${load} document.querySelector('.out').innerHTML = Handlebars.compile(document.getElementById('t').textContent)({ items }); })();`,
    ],
  ),
  client(
    'backbone',
    (a) =>
      documentOf(
        '',
        `<section id="todoapp"><header class="header"><h1>Places</h1></header></section><script type="text/template" id="item"><h2><%= title %></h2><p><%= text %></p></script>${scriptTags(a, '')}`,
      ),
    [
      `import Backbone from 'backbone'; import _ from 'underscore'; const template = _.template(document.getElementById('item').textContent);
const list = new (Backbone.Collection.extend({ url: 'items.json' }))(); const View = Backbone.View.extend({ el: '#todoapp', initialize() { this.listenTo(list, 'sync', this.render); }, render() { this.el.insertAdjacentHTML('beforeend', list.map((item) => template(item.attributes)).join('')); } });
import $ from 'jquery'; Backbone.$ = $; new View(); list.fetch();`,
    ],
  ),
  client(
    'mustache',
    (a) =>
      documentOf(
        '',
        `<div id="target">Loading...</div><script id="t" type="x-tmpl-mustache">{{#items}}<h2>{{title}}</h2><p>{{text}}</p>{{/items}}</script>${scriptTags(a)}`,
      ),
    [
      `import Mustache from 'mustache'; ${load} document.getElementById('target').innerHTML = Mustache.render(document.getElementById('t').innerHTML, { items });`,
    ],
  ),
];
