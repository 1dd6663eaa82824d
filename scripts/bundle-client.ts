// The client as it is published: one module that people can read in a stack trace, and its types.
//
//   node scripts/bundle-client.ts    prints the sizes
import { build } from 'esbuild';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import ts from 'typescript';

const root = path.join(import.meta.dirname, '..');
const source = path.join(root, 'packages/client');

export interface BuiltFile {
  readonly name: string;
  readonly contents: Uint8Array;
}

/** The module, named `index.js`. It runs in Node, Deno, Bun and browsers of 2023. */
export async function bundleClient(): Promise<BuiltFile> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [path.join(source, 'index.ts')],
    bundle: true,
    // Names and lines stay, so that an uncaught error shows the one line it is in.
    minifySyntax: true,
    format: 'esm',
    platform: 'neutral',
    target: ['es2022', 'chrome111', 'firefox115', 'safari16.4'],
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error('The client has no module.');
  return { name: 'index.js', contents: Buffer.from(withoutComments(file.text)) };
}

/** They are in the declarations, where editors read them. */
function withoutComments(source: string): string {
  const compilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    removeComments: true,
  };
  return ts.transpileModule(source, { compilerOptions }).outputText;
}

/** Declarations of the client, a file per source. */
export function declareClient(): readonly BuiltFile[] {
  const config = ts.getParsedCommandLineOfConfigFile(
    path.join(source, 'tsconfig.json'),
    { noEmit: false, declaration: true, emitDeclarationOnly: true, rootDir: source, outDir: `${source}/dist` },
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail },
  );
  if (config === undefined) throw new Error('packages/client/tsconfig.json cannot be read.');
  for (const error of config.errors) fail(error);
  const program = ts.createProgram(config.fileNames, config.options);
  const [problem] = ts.getPreEmitDiagnostics(program);
  if (problem !== undefined) fail(problem);
  const files: BuiltFile[] = [];
  program.emit(undefined, (file, text) => {
    // The compiler keeps the names of sources there, which are not published.
    const declarations = text.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'");
    files.push({ name: path.basename(file), contents: Buffer.from(declarations) });
  });
  return files;
}

function fail({ messageText }: ts.Diagnostic): never {
  throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
}

if (import.meta.main) {
  for (const { name, contents } of [await bundleClient(), ...declareClient()]) {
    console.log(`${String(gzipSync(contents, { level: 9 }).length).padStart(7)}  ${name}`);
  }
}
