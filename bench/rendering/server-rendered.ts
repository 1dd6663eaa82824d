// What frameworks render on a server: the same list of places by each.
import { writeFileSync } from 'node:fs';
import type { Item } from './page.ts';

export async function reactHtml(items: readonly Item[]): Promise<string> {
  const { createElement: h } = await import('react');
  const { renderToString } = await import('react-dom/server');
  return renderToString(
    h(
      'main',
      null,
      h('h1', null, 'Places'),
      items.map(({ id, title, text }) => h('article', { key: id }, h('h2', null, title), h('p', null, text))),
    ),
  );
}

export async function preactHtml(items: readonly Item[]): Promise<string> {
  const { h } = await import('preact');
  const { renderToString } = await import('preact-render-to-string');
  return renderToString(
    h(
      'main',
      null,
      h('h1', null, 'Places'),
      items.map(({ title, text }) => h('article', null, h('h2', null, title), h('p', null, text))),
    ),
  );
}

export async function vueHtml(items: readonly Item[]): Promise<string> {
  const { createSSRApp, h } = await import('vue');
  const { renderToString } = await import('@vue/server-renderer');
  return renderToString(
    createSSRApp({
      render: () =>
        h('main', [h('h1', 'Places'), ...items.map(({ title, text }) => h('article', [h('h2', title), h('p', text)]))]),
    }),
  );
}

export async function svelteHtml(items: readonly Item[]): Promise<string> {
  const { compile } = await import('svelte/compiler');
  const { js } = compile(
    '<script>let { items } = $props();</script><main><h1>Places</h1>{#each items as item}<article><h2>{item.title}</h2><p>{item.text}</p></article>{/each}</main>',
    { generate: 'server', filename: 'List.svelte' },
  );
  const file = new URL('node_modules/.list-server.mjs', import.meta.url);
  writeFileSync(file, js.code);
  const { default: List } = (await import(file.href)) as { default: never };
  const { render } = await import('svelte/server');
  const { body } = render(List, { props: { items } as never });
  return body;
}
