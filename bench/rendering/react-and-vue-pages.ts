// Pages written by React and Vue, with the elements around them that their tools make.
import { client, cra, reactScript, vueCli, vueScript } from './client-page.ts';
import {
  analytics,
  cookieBanner,
  documentOf,
  items,
  pageFooter,
  scriptTags,
  tagManager,
  tagManagerNoscript,
  type TestPage,
  topMenu,
} from './page.ts';

export const reactAndVuePages: readonly TestPage[] = [
  client('react-vite', (a) => documentOf(scriptTags(a), '<div id="root"></div>'), [reactScript('#root')]),
  client(
    'react-cra',
    (a) => documentOf(tagManager + scriptTags(a, 'defer'), `${tagManagerNoscript}${cra}<div id="root"></div>`),
    [reactScript('#root', 'Loading')],
  ),
  client(
    'react-in-page',
    (a) => documentOf(analytics, `${topMenu}<div id="root"></div>${pageFooter}${scriptTags(a)}`),
    [reactScript('#root')],
  ),
  client(
    'react-splash',
    (a) =>
      documentOf(
        '<style>.spin{animation:x 1s}</style>',
        `<div id="root"><div class="splash"><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt=""><svg viewBox="0 0 9 9"><circle r="4"/></svg><p>Loading…</p></div></div>${scriptTags(a)}`,
      ),
    [reactScript('#root')],
  ),
  client('react-own-id', (a) => documentOf('', `<div id="shop-frontend-7f3"></div>${scriptTags(a)}`), [
    reactScript('#shop-frontend-7f3'),
  ]),
  client(
    'react-on-rails',
    (a) =>
      documentOf(
        scriptTags(a, 'defer'),
        `${topMenu}<div class="wrap"><div data-react-class="PlaceList" data-react-props="{&quot;page&quot;:1}"></div></div>${pageFooter}`,
      ),
    [reactScript('[data-react-class]')],
  ),
  client(
    'next-client-only',
    (a) =>
      documentOf(
        scriptTags(a, 'defer'),
        `<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{"props":{"pageProps":{}},"page":"/","query":{},"buildId":"k2","nextExport":true,"autoExport":true,"isFallback":false}</script>`,
      ),
    [reactScript('#__next')],
  ),
  client(
    'next-bailout',
    (a) =>
      documentOf(
        '',
        `${topMenu}<div id="view"><template data-dgst="BAILOUT_TO_CLIENT_SIDE_RENDERING"></template></div>${scriptTags(a, 'async')}<script>(self.__next_f=self.__next_f||[]).push([0])</script>`,
      ),
    [reactScript('#view')],
  ),
  client(
    'gatsby-client-route',
    (a) =>
      documentOf(
        '',
        `<div id="___gatsby"><div style="outline:none" tabindex="-1" id="gatsby-focus-wrapper"></div></div>${scriptTags(a, 'async')}`,
      ),
    [reactScript('#gatsby-focus-wrapper')],
  ),
  client(
    'inertia',
    (a) =>
      documentOf(
        '',
        `<div id="app" data-page="${JSON.stringify({ component: 'Places', props: { items } }).replaceAll('"', '&quot;')}"></div>${scriptTags(a)}`,
      ),
    [vueScript('#app')],
  ),
  client('vue-cli', (a) => documentOf(scriptTags(a, 'defer'), `${vueCli}<div id="app"></div>`), [vueScript('#app')]),
  client(
    'vue-vite-cookie-banner',
    (a) => documentOf(analytics, `${cookieBanner}<div id="app"></div>${scriptTags(a)}`),
    [vueScript('#app')],
  ),
  client(
    'vue-in-dom',
    () =>
      documentOf(
        '<script src="vue.global.prod.js"></script>',
        `<div id="places"><h1>{{ heading }}</h1><article v-for="item in items" :key="item.id"><h2>{{ item.title }}</h2><p>{{ item.text }}</p></article></div><script>Vue.createApp({ data: () => ({ heading: 'Places', items: [] }), async created() { this.items = await (await fetch('items.json')).json(); } }).mount('#places')</script>`,
      ),
    [],
    { packageFiles: { 'vue.global.prod.js': 'vue/dist/vue.global.prod.js' } },
  ),
  client(
    'nuxt-spa',
    (a) =>
      documentOf(
        '',
        `<div id="__nuxt"></div><div id="__nuxt-loader"><svg viewBox="0 0 9 9"></svg></div>${scriptTags(a)}<script>window.__NUXT__={};window.__NUXT__.config={public:{},app:{baseURL:"/",buildId:"9c"}}</script><script type="application/json" data-nuxt-data="nuxt-app" data-ssr="false" id="__NUXT_DATA__">[{"serverRendered":1},false]</script>`,
      ),
    [vueScript('#__nuxt')],
  ),
  client(
    'petite-vue',
    () =>
      documentOf(
        '',
        `<div v-scope="{ items: [] }" @vue:mounted="fetch('items.json').then((a) => a.json()).then((list) => (items = list))"><article v-for="item in items"><h2 v-text="item.title"></h2><p v-text="item.text"></p></article></div><script src="petite-vue.js" defer init></script>`,
      ),
    [],
    { packageFiles: { 'petite-vue.js': 'petite-vue/dist/petite-vue.iife.js' } },
  ),
];
