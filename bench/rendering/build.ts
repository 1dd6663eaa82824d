// Builds the pages of the set as production would: minified bundles with hashed names, frameworks in chunks of their own.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, type Plugin } from 'esbuild';
import { compile } from 'svelte/compiler';
import { clientPages } from './client-pages.ts';
import type { TestPage } from './page.ts';
import { serverPages } from './server-pages.ts';

export interface BuiltPage {
  readonly name: string;
  readonly needsBrowser: boolean;
  readonly html: string;
}

const here = import.meta.dirname;

/** Writes each page into a directory of its own below `out`, with what it loads. */
export async function buildPages(out: string): Promise<readonly BuiltPage[]> {
  rmSync(out, { recursive: true, force: true });
  const built: BuiltPage[] = [];
  for (const page of [...clientPages, ...serverPages]) {
    const dir = path.join(out, page.name);
    mkdirSync(dir, { recursive: true });
    const html = await page.html(await bundle(page, dir));
    writeFileSync(path.join(dir, 'index.html'), html);
    for (const [name, text] of Object.entries(page.files ?? {})) writeFileSync(path.join(dir, name), text);
    for (const [name, file] of Object.entries(page.packageFiles ?? {}))
      cpSync(path.join(here, 'node_modules', file), path.join(dir, name));
    built.push({ name: page.name, needsBrowser: page.needsBrowser, html });
  }
  return built;
}

async function bundle(page: TestPage, dir: string): Promise<string[]> {
  const assets: string[] = [];
  for (const contents of page.scripts ?? []) {
    const isModule = /^\s*import\b|\bawait\b/m.test(contents) && !contents.startsWith('(async');
    const { metafile } = await build({
      stdin: { contents, resolveDir: here, loader: 'jsx', sourcefile: 'main.jsx' },
      outdir: dir,
      entryNames: 'assets/index-[hash]',
      bundle: true,
      minify: true,
      metafile: true,
      // A script without `type=module` runs it as well, but where it awaits at its top.
      format:
        /^(?!\s*\(async).*^.*\bawait\b/ms.test(contents) && isModule && !contents.includes('(async () =>')
          ? 'esm'
          : 'iife',
      jsx: 'automatic',
      jsxImportSource: page.jsxImportSource ?? 'react',
      define: {
        'process.env.NODE_ENV': '"production"',
        __VUE_OPTIONS_API__: 'true',
        __VUE_PROD_DEVTOOLS__: 'false',
        __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
      },
      conditions: ['browser', 'production'],
      plugins: [svelte],
      logLevel: 'error',
    });
    const [file = ''] = Object.entries(metafile.outputs).flatMap(([name, { entryPoint }]) =>
      entryPoint === undefined ? [] : [name],
    );
    assets.push(path.relative(dir, file).replaceAll(path.sep, '/'));
  }
  return assets;
}

const list =
  "<script>let items = $state([]); fetch('items.json').then((a) => a.json()).then((all) => { items = all; });</script><main><h1>Places</h1>{#each items as item}<article><h2>{item.title}</h2><p>{item.text}</p></article>{/each}</main>";

const svelte: Plugin = {
  name: 'svelte',
  setup: (bundling) => {
    bundling.onResolve({ filter: /\.svelte$/ }, ({ path: file }) => ({ path: file, namespace: 'svelte' }));
    bundling.onLoad({ filter: /.*/, namespace: 'svelte' }, () => ({
      contents: compile(list, { generate: 'client', filename: 'List.svelte' }).js.code,
      resolveDir: here,
    }));
  },
};
