// Pages that frameworks have rendered on a server, long and short.
import { article, documentOf, items, pageFooter, scriptTags, type TestPage, topMenu } from './page.ts';
import { server, nextData, shortText, touch, hydrate, login } from './server-page.ts';
import { preactHtml, reactHtml, svelteHtml, vueHtml } from './server-rendered.ts';

export const hydratedPages: readonly TestPage[] = [
  server('react-ssr', async (a) => documentOf(scriptTags(a), `<div id="root">${await reactHtml(items)}</div>`), [
    hydrate.replace('hydrateRoot(', 'void ('),
  ]),
  server(
    'react-ssr-short',
    async (a) => documentOf(scriptTags(a), `<div id="root"><main><h1>The granary</h1><p>${shortText}</p></main></div>`),
    [hydrate],
  ),
  server(
    'next-ssr',
    async (a) => documentOf('', `<div id="__next">${await reactHtml(items)}</div>${nextData}${scriptTags(a, 'defer')}`),
    [touch],
  ),
  server(
    'next-ssr-short',
    (a) =>
      documentOf(
        '',
        `<div id="__next"><main><h1>The granary</h1><p>${shortText}</p></main></div>${nextData}${scriptTags(a, 'defer')}`,
      ),
    [hydrate],
  ),
  server(
    'next-app-ssr-short',
    (a) =>
      documentOf(
        '',
        `${topMenu}<main><h1>The granary</h1><p>${shortText}</p></main>${pageFooter}${scriptTags(a, 'async')}<script>(self.__next_f=self.__next_f||[]).push([0])</script><script>self.__next_f.push([1,${JSON.stringify(JSON.stringify(items))}])</script>`,
      ),
    [touch],
  ),
  server(
    'vue-ssr',
    async (a) =>
      documentOf(
        '',
        `<div id="app" data-server-rendered="true">${await vueHtml(items)}</div><script>window.__INITIAL_STATE__=${JSON.stringify({ items })}</script>${scriptTags(a)}`,
      ),
    [touch],
  ),
  server(
    'vue-ssr-short',
    (a) =>
      documentOf(
        '',
        `<div id="app" data-server-rendered="true"><h1>The granary</h1><p>${shortText}</p></div><script>window.__INITIAL_STATE__=${JSON.stringify({ items })}</script>${scriptTags(a)}`,
      ),
    [touch],
  ),
  server(
    'nuxt-ssr-short',
    (a) =>
      documentOf(
        '',
        `<div id="__nuxt"><div>${topMenu}<main><h1>The granary</h1><p>${shortText}</p></main></div></div><script type="application/json" data-nuxt-data="nuxt-app" data-ssr="true" id="__NUXT_DATA__">${JSON.stringify(items)}</script>${scriptTags(a)}`,
      ),
    [touch],
  ),
  server(
    'svelte-ssr',
    async (a) =>
      documentOf(
        '',
        `<div style="display: contents">${await svelteHtml(items)}<script>{ __sveltekit_1 = { base: '' }; import("./${a[0]}"); }</script></div>`,
      ),
    [touch],
  ),
  server(
    'svelte-ssr-short',
    (a) =>
      documentOf(
        '',
        `<div style="display: contents"><h1>The granary</h1><p>${shortText}</p><script>{ __sveltekit_1 = { base: '' }; import("./${a[0]}"); }</script></div>`,
      ),
    [touch],
  ),
  server('preact-ssr', async (a) => documentOf('', `<div id="app">${await preactHtml(items)}</div>${scriptTags(a)}`), [
    touch,
  ]),
  server(
    'astro-islands',
    (a) =>
      documentOf(
        '',
        `${topMenu}<main>${article}<astro-island uid="z1" component-url="${a[0]}" ssr client="visible"><button>Like</button></astro-island></main>`,
      ),
    [touch],
  ),
  server(
    'astro-short',
    (a) =>
      documentOf(
        scriptTags(a),
        `${topMenu}<main><h1>The granary</h1><p>${shortText}</p><theme-toggle></theme-toggle></main>${pageFooter}`,
      ),
    [touch],
  ),
  server(
    'gatsby-ssr',
    async (a) =>
      documentOf(
        '',
        `<div id="___gatsby"><div id="gatsby-focus-wrapper">${await reactHtml(items)}</div></div><div id="gatsby-announcer" aria-live="assertive"></div>${scriptTags(a, 'async')}`,
      ),
    [touch],
  ),
  server(
    'docusaurus',
    async (a) =>
      documentOf(
        scriptTags(a, 'defer'),
        `<div id="__docusaurus"><div role="region" aria-label="Skip to main content"><a href="#main">Skip</a></div>${topMenu}<div class="main-wrapper">${await reactHtml(items)}</div></div>`,
      ),
    [touch],
  ),
  server(
    'vitepress',
    async (a) =>
      documentOf(
        scriptTags(a),
        `<div id="app"><div class="Layout"><div class="VPContent" id="VPContent">${await vueHtml(items)}</div></div></div>`,
      ),
    [touch],
  ),
  server(
    'inertia-ssr',
    async (a) => documentOf('', `<div id="app" data-page="{}">${await vueHtml(items)}</div>${scriptTags(a)}`),
    [touch],
  ),
  server(
    'remix-login',
    (a) =>
      documentOf(
        '',
        `<main><h1>Sign in</h1>${login}</main><script>window.__remixContext = {"state":{"loaderData":${JSON.stringify(items)}}}</script>${scriptTags(a)}`,
      ),
    [touch],
  ),
];
