// What is published: dist/, made from src/ and the libraries that it uses, with their licences. Nothing has to be installed
// with it. Why it is a few files rather than one, and not minified: docs/decisions/0013-one-bundled-file.md.
import { build, type Metafile } from 'esbuild';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BundledPackage, licences } from './licences.ts';

const root = path.join(import.meta.dirname, '..');
const dist = path.join(root, 'dist');

rmSync(dist, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  // Each becomes a file of this name; what several need, and what is loaded late, is parted off.
  entryPoints: [
    'src/main.ts',
    'src/program.ts',
    'src/storage/sqlite/writer-thread.ts',
    'src/storage/sqlite/reader-thread.ts',
    'src/crawl/convert/converter-thread.ts',
  ],
  entryNames: '[name]',
  outdir: dist,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: `node${oldestNode()}`,
  legalComments: 'inline',
  // Libraries that are CommonJS ask for the modules of Node by `require`, which an ES module does not have.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);",
  },
  metafile: true,
  logLevel: 'warning',
});
writeFileSync(path.join(dist, 'LICENSES.txt'), licences(packagesIn(metafile)));
for (const [file, { bytes }] of Object.entries(metafile.outputs)) {
  console.log(`${String(Math.ceil(bytes / 1024)).padStart(6)} KiB  ${file}`);
}

/** The oldest Node that the package says it runs on. */
function oldestNode(): string {
  const { engines } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    engines: { node: string };
  };
  return engines.node.replace('>=', '');
}

/** The packages of which anything is in the bundle. */
function packagesIn({ outputs }: Metafile): BundledPackage[] {
  const folders = new Set<string>();
  for (const { inputs } of Object.values(outputs)) {
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [];
      if (folder !== undefined && bytesInOutput > 0) folders.add(path.join(root, folder));
    }
  }
  return [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Omit<
      BundledPackage,
      'folder'
    >;
    return { folder, name, version, license };
  });
}
