// The program as a few files of JavaScript: for the package, and for tests that start it.
import { build, type Metafile, type Plugin } from 'esbuild';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { boundDecoding } from '../src/documents/pdf/bound-pdfjs.ts';
import { buildDashboard } from './bundle-dashboard.ts';

const root = path.join(import.meta.dirname, '..');

/** Read by the program as it is. */
const cmaps = 'src/documents/pdf/cmaps.br';

/** Files of Swagger UI that the program sends as they are, by the name that they have next to it. */
const swaggerUi = { 'swagger-ui.js.br': 'swagger-ui-bundle.js', 'swagger-ui.css.br': 'swagger-ui.css' };
/** Whose files those are. */
export const swaggerUiFolder = path.join(root, 'node_modules/swagger-ui-dist');

/**
 * Bundles the program and its libraries, without writing them. Files have names relative to `outdir`. `quality`: of
 * Brotli; the best takes seconds.
 */
export async function bundle(
  outdir: string,
  { quality }: { readonly quality: number },
): Promise<{
  readonly files: readonly { readonly path: string; readonly contents: Uint8Array }[];
  readonly metafile: Metafile;
}> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    // Each becomes a file of this name; what several need, and what is loaded late, is parted off.
    entryPoints: [
      'src/main.ts',
      'src/start/program.ts',
      'src/storage/sqlite/thread/writer-thread.ts',
      'src/storage/sqlite/thread/reader-thread.ts',
      'src/storage/sqlite/search/search-thread.ts',
      'src/storage/postgres/search/postgres-search-thread.ts',
      'src/export/export-thread.ts',
      'src/diff/diff-thread.ts',
      'src/crawl/convert/thread/converter-thread.ts',
      'src/crawl/convert/thread/converter-process.ts',
    ],
    entryNames: '[name]',
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: `node${oldestNode()}`,
    // Otherwise esbuild writes these as `new RegExp`, which compiles when the module loads, and again at each call.
    supported: { 'regexp-unicode-property-escapes': true, 'regexp-set-notation': true, 'regexp-dot-all-flag': true },
    legalComments: 'inline',
    // Libraries that are CommonJS ask for the modules of Node by `require`, which an ES module does not have.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);",
    },
    plugins: [boundedPdfjs],
    // The program needs no package.json next to it.
    define: { HAYRAKE_VERSION: JSON.stringify(packageVersion()) },
    metafile: true,
    logLevel: 'warning',
    write: false,
  });
  const uncounted = Object.keys(metafile.inputs).filter(
    (input) => !/(?:^|\/)(?:src|packages|node_modules)\//.test(input),
  );
  if (uncounted.length > 0) throw new Error(`scripts/lines.ts does not count ${uncounted.join(', ')}`);
  const data = { path: path.join(outdir, path.basename(cmaps)), contents: readFileSync(path.join(root, cmaps)) };
  const swagger = Object.entries(swaggerUi).map(([name, source]) => ({
    path: path.join(outdir, name),
    contents: brotliCompressSync(readFileSync(path.join(swaggerUiFolder, source)), {
      params: { [constants.BROTLI_PARAM_QUALITY]: quality },
    }),
  }));
  const dashboard = await buildDashboard();
  const pages = dashboard.files.map(({ name, contents }) => ({
    path: path.join(outdir, 'dashboard', `${name}.gz`),
    contents,
  }));
  return {
    files: [...outputFiles, data, ...swagger, ...pages],
    metafile: {
      inputs: { ...metafile.inputs, ...dashboard.metafile.inputs },
      outputs: { ...metafile.outputs, ...dashboard.metafile.outputs },
    },
  };
}

/** A build fails where pdf.js is not the one that can be bounded, or is not where it was. */
const boundedPdfjs: Plugin = {
  name: 'bounded-pdfjs',
  setup(building) {
    let isBounded = false;
    building.onLoad({ filter: /\/unpdf\/dist\/pdfjs\.mjs$/ }, ({ path: file }) => {
      const contents = boundDecoding(readFileSync(file, 'utf8'));
      isBounded = true;
      return { contents };
    });
    building.onEnd(() =>
      isBounded ? undefined : { errors: [{ text: 'The bundle has no pdf.js that limits decoded bytes.' }] },
    );
  },
};

/** Bundles are kept for this time, so that concurrent runs do not remove each other's. */
const keptMs = 24 * 3600 * 1000;

/**
 * Bundles the program for tests that start it, outside `dist`, and returns its main module. The folder is named by its content, so
 * that starts find their code in Node's compile cache.
 */
export async function bundleForTests(): Promise<string> {
  const cache = path.join(root, 'node_modules/.cache/hayrake-bundles');
  const { files } = await bundle(path.join(cache, 'dist'), { quality: 4 });
  const hash = createHash('sha256');
  for (const { path: file, contents } of files) hash.update(file).update(contents);
  const folder = path.join(cache, hash.digest('hex').slice(0, 16));
  if (!existsSync(folder)) {
    const unfinished = `${folder}.${process.pid}`;
    mkdirSync(path.join(unfinished, 'dist/dashboard'), { recursive: true });
    for (const { path: file, contents } of files) {
      writeFileSync(path.join(unfinished, path.relative(cache, file)), contents);
    }
    // The program reads its version there.
    writeFileSync(path.join(unfinished, 'package.json'), readFileSync(path.join(root, 'package.json')));
    try {
      renameSync(unfinished, folder);
    } catch (error) {
      if (!existsSync(folder)) throw error;
      // Another run has made it meanwhile.
      rmSync(unfinished, { recursive: true });
    }
  }
  for (const name of readdirSync(cache)) {
    const other = path.join(cache, name);
    if (other !== folder && statSync(other).mtimeMs < Date.now() - keptMs)
      rmSync(other, { recursive: true, force: true });
  }
  return path.join(folder, 'dist/main.js');
}

/** The oldest Node that the package says it runs on. */
function oldestNode(): string {
  return packageFields().engines.node.replace('>=', '');
}

function packageVersion(): string {
  return packageFields().version;
}

function packageFields(): { readonly version: string; readonly engines: { readonly node: string } } {
  return JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as ReturnType<typeof packageFields>;
}
