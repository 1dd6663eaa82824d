// What pages that have their text have in common.
import { items, type TestPage } from './page.ts';

export function server(
  name: string,
  html: (assets: readonly string[]) => string | Promise<string>,
  scripts: readonly string[] = [],
  more: Partial<TestPage> = {},
): TestPage {
  return { name, needsBrowser: false, html, scripts, ...more };
}

export const nextData = `<script id="__NEXT_DATA__" type="application/json">${JSON.stringify({ props: { pageProps: { items: [...items, ...items] } }, page: '/places', buildId: 'k2' })}</script>`;
export const shortText = 'The granary was closed in 1911. Its key is kept in the town hall.';
export const touch = "document.documentElement.dataset.ready = '1'; console.log(document.title);";
export const hydrate = `import { hydrateRoot } from 'react-dom/client'; import { createElement as h } from 'react';
hydrateRoot(document.getElementById('root') ?? document.getElementById('__next'), h('main', null, h('h1', null, 'The granary'), h('p', null, ${JSON.stringify(shortText)})));`;
export const page404 = `<main><h1>Page not found</h1><p>The page that you were looking for is not here. Go to the <a href="/">start page</a>.</p></main>`;
export const login = `<form method="post" action="/login"><label>Name <input name="user"></label><label>Password <input type="password" name="password"></label><button>Sign in</button><a href="/forgot">Forgotten your password?</a></form>`;
export const pictures = Array.from(
  { length: 12 },
  (_, at) => `<a href="/photo/${at}"><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt=""></a>`,
).join('');
export const fileRows = Array.from(
  { length: 9 },
  (_, at) => `<a href="file-${at}.zip">file-${at}.zip</a>   12-Mar-2026 10:0${at}   ${at}2M\n`,
).join('');
