// What pages that are written by scripts have in common.
import { items, itemsJson, type TestPage } from './page.ts';

export const api = { 'items.json': itemsJson };
export const load = `const items = await (await fetch('items.json')).json();`;

/** React with a router, written into the element of a selector. */
export function reactScript(selector: string, loading = ''): string {
  return `
import { createRoot } from 'react-dom/client';
import { useEffect, useState } from 'react';
import { HashRouter, Routes, Route, Link } from 'react-router';
export function List() {
  const [items, setItems] = useState();
  useEffect(() => { fetch('items.json').then((answer) => answer.json()).then(setItems); }, []);
  if (!items) return <p>${loading}</p>;
  return <main><h1>Places</h1>{items.map(({ id, title, text }) => <article key={id}><h2><Link to={'/' + id}>{title}</Link></h2><p>{text}</p></article>)}</main>;
}
createRoot(document.querySelector(${JSON.stringify(selector)})).render(<HashRouter><Routes><Route path="*" element={<List />} /></Routes></HashRouter>);`;
}

export function vueScript(selector: string): string {
  return `
import { createApp, h, ref, onMounted } from 'vue';
import { createRouter, createWebHashHistory, RouterView } from 'vue-router';
export const List = { setup() {
  const items = ref([]);
  onMounted(async () => { items.value = await (await fetch('items.json')).json(); });
  return () => h('main', [h('h1', 'Places'), ...items.value.map(({ title, text }) => h('article', [h('h2', title), h('p', text)]))]);
} };
export const router = createRouter({ history: createWebHashHistory(), routes: [{ path: '/:rest(.*)*', component: List }] });
createApp({ render: () => h(RouterView) }).use(router).mount(${JSON.stringify(selector)});`;
}

/** Without a framework. */
export function plainScript(selector: string, body = load): string {
  return `(async () => { ${body}
document.querySelector(${JSON.stringify(selector)}).innerHTML = '<h1>Places</h1>' + items.map(({ title, text }) => '<h2>' + title + '</h2><p>' + text + '</p>').join(''); })();`;
}

export function client(
  name: string,
  html: (assets: readonly string[]) => string,
  scripts: readonly string[] = [],
  more: Partial<TestPage> = {},
): TestPage {
  return { name, needsBrowser: true, html, scripts, files: api, ...more };
}

const openApi = JSON.stringify({
  openapi: '3.0.0',
  info: { title: 'Places of the valley', version: '1', description: items.map(({ text }) => text).join(' ') },
  paths: Object.fromEntries(
    items.map(({ id, title, text }) => [
      `/places/${id}`,
      { get: { summary: title, description: text, responses: { 200: { description: 'The place' } } } },
    ]),
  ),
});
export const apiDocs = { 'openapi.json': openApi };
export const markdown = `# Places\n\n${items.map(({ title, text }) => `## ${title}\n\n${text}\n`).join('\n')}`;

export const cra = '<noscript>You need to enable JavaScript to run this app.</noscript>';
export const vueCli =
  "<noscript><strong>We're sorry but valley doesn't work properly without JavaScript enabled. Please enable it to continue.</strong></noscript>";

export function angularScript(): string {
  return `import 'zone.js'; import '@angular/compiler'; import { Component, ChangeDetectorRef } from '@angular/core'; import { CommonModule } from '@angular/common'; import { bootstrapApplication } from '@angular/platform-browser';
class App { items = []; static ctorParameters = () => [{ type: ChangeDetectorRef }]; static parameters = [ChangeDetectorRef];
  constructor(changes) { fetch('items.json').then((a) => a.json()).then((list) => { this.items = list; changes.detectChanges(); }); } }
export const Root = Component({ selector: 'app-root', standalone: true, imports: [CommonModule], template: '<h1>Places</h1><article *ngFor="let item of items"><h2>{{ item.title }}</h2><p>{{ item.text }}</p></article>' })(App) ?? App;
bootstrapApplication(Root);`;
}
