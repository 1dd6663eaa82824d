// The dashboard as the files that the service sends: bundled, named by their content, compressed.
//
//   node scripts/bundle-dashboard.ts    prints their sizes
import { build } from 'esbuild';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { BuiltFile } from '../src/api/routes/dashboard-files.ts';
import type { Metafile } from 'esbuild';
import { readFileSync } from 'node:fs';

const root = path.join(import.meta.dirname, '..');
const source = 'packages/dashboard';

/** Builds the files, compressed with gzip, without writing them. */
export async function bundleDashboard(): Promise<readonly BuiltFile[]> {
  return (await buildDashboard()).files;
}

export async function buildDashboard(): Promise<{
  readonly files: readonly BuiltFile[];
  readonly metafile: Metafile;
}> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [`${source}/main.tsx`, `${source}/main.css`, `${source}/reading-frame.css`],
    outdir: 'dashboard',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome111', 'firefox115', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    write: false,
  });
  const names = outputFiles.map((file) => path.basename(file.path));
  const named = (pattern: RegExp): string => {
    const name = names.find((each) => pattern.test(each));
    if (name === undefined) throw new Error(`The dashboard has no file like ${String(pattern)}.`);
    return `/assets/${name}`;
  };
  const page = readFileSync(path.join(root, source, 'index.html'), 'utf8')
    .replace('MAIN_JS', named(/^main-.*\.js$/))
    .replace('MAIN_CSS', named(/^main-.*\.css$/))
    .replace('FRAME_CSS', named(/^reading-frame-.*\.css$/));
  const files = [
    { name: 'index.html', contents: Buffer.from(page) },
    ...outputFiles.map(({ path: file, contents }) => ({ name: path.basename(file), contents })),
  ];
  return { files: files.map(({ name, contents }) => ({ name, contents: gzipSync(contents, { level: 9 }) })), metafile };
}

if (import.meta.main) {
  const files = await bundleDashboard();
  for (const { name, contents } of files) console.log(`${String(contents.length).padStart(7)}  ${name}`);
  console.log(`${String(files.reduce((sum, { contents }) => sum + contents.length, 0)).padStart(7)}  in all`);
}
