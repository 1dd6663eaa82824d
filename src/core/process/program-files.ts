// The program's own files. A built program reads or opens them at its start: an upgrade replaces the package under a running
// process, and what loads later would find code of another version, or none.
import { hash } from 'node:crypto';
import { type ChildProcess, fork, type ForkOptions } from 'node:child_process';
import { openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { getEnvironmentData, setEnvironmentData, Worker, type WorkerOptions } from 'node:worker_threads';

/** By URL: bytes that all threads share, or the number of an open file. */
type ProgramFiles = ReadonlyMap<string, Uint8Array | number>;

/** Threads get environment data from the thread that starts them. */
const dataKey = 'hayrake-program-files';

/** All that can load after the start. The main thread alone needs `program.js`, a quarter of the code, and has it by then. */
const loadsLate = /^(?!client|main\.js|program\.js).*\.(js|br|gz)$/;
/** From this size on a file stays open: a dozen of them have three quarters of the bytes, which would be a tenth of the memory. */
const largeBytes = 2 ** 17;

/** Holds the files in the folder of a built program. From then on, this process and its threads load what is held. */
export function holdProgram(folder: string): void {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => loadsLate.test(name));
  const files = new Map(
    names.map((name) => {
      const file = path.join(folder, name);
      const isLarge = statSync(file).size >= largeBytes;
      return [pathToFileURL(file).href, isLarge ? openSync(file, 'r') : shared(readFileSync(file))];
    }),
  );
  setEnvironmentData(dataKey, files);
  loadHeld(files, contentsOf);
}

/** A file next to the module `caller`, in a built program as it was at the start. */
export function readProgramFile(name: string, caller: string): Buffer {
  const { href } = new URL(name, caller);
  return programFiles(href)[0]?.contents ?? readFileSync(fileURLToPath(href));
}

/** Those files of a built program whose URL begins with `start`. */
export function programFiles(start: string): readonly { readonly url: string; readonly contents: Buffer }[] {
  const found = Array.from(held()).filter(([url]) => url.startsWith(start));
  return found.map(([url, file]) => ({ url, contents: contentsOf(file) }));
}

/**
 * The URL of a module next to the calling one, in the form in which it runs: TypeScript unbuilt, JavaScript built. A
 * build puts all files into one folder, and a module keeps its name there if `scripts/build.ts` names it.
 */
export function siblingModule(name: string, caller: string): URL {
  return new URL(caller.endsWith('.ts') ? `${name}.ts` : `${name}.js`, caller);
}

/**
 * Changes with the code of a module and of all that it loads: a build names each file that it loads by its content. Of
 * sources that run unbuilt, every start is another program.
 */
export function codeKey(module: URL): string {
  const code = module.href.endsWith('.ts') ? String(Date.now()) : readProgramFile(module.href, module.href);
  return hash('sha256', code, 'base64url').slice(0, 8);
}

export function startThread(module: URL, options: WorkerOptions): Worker {
  if (!held().has(module.href)) return new Worker(module, options);
  const code = `
    const { getEnvironmentData } = process.getBuiltinModule('node:worker_threads');
    (${loadHeld.toString()})(getEnvironmentData('${dataKey}'), ${contentsOf.toString()});
    await import(${JSON.stringify(module.href)});`;
  return new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), options);
}

/** A process with a channel. If the program is built, the first message to it has its files. */
export function startProcess(module: URL, { execArgv = [], ...options }: ForkOptions): ChildProcess {
  if (!held().has(module.href)) return fork(fileURLToPath(module), { ...options, execArgv });
  const code = `process.once('message', (sent) => {
    const files = new Map(Array.from(sent, ([url, contents]) => [url, (${shared.toString()})(contents)]));
    process.getBuiltinModule('node:worker_threads').setEnvironmentData('${dataKey}', files);
    (${loadHeld.toString()})(files, ${contentsOf.toString()});
    void import(${JSON.stringify(module.href)});
  });`;
  const child = fork(module.href, { ...options, execArgv: [...execArgv, '--eval', code] });
  child.send(
    Array.from(held(), ([url, file]) => [url, contentsOf(file)]),
    () => {},
  );
  return child;
}

function held(): ProgramFiles {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- set above
  return (getEnvironmentData(dataKey) ?? new Map()) as unknown as ProgramFiles;
}

// The functions below also run as text, in threads and processes that have loaded nothing: they use nothing of this module.

function shared(contents: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(new SharedArrayBuffer(contents.length));
  bytes.set(contents);
  return bytes;
}

function contentsOf(file: Uint8Array | number): Buffer {
  if (typeof file !== 'number') return Buffer.from(file.buffer);
  const { fstatSync, readSync } = process.getBuiltinModule('node:fs');
  const contents = Buffer.alloc(fstatSync(file).size);
  // Threads share the file, so none may move its position.
  readSync(file, contents, 0, contents.length, 0);
  return contents;
}

function loadHeld(files: ProgramFiles, contents: typeof contentsOf): void {
  process.getBuiltinModule('node:module').registerHooks({
    resolve: (specifier, context, next) => {
      const url = URL.parse(specifier, context.parentURL)?.href ?? '';
      return files.has(url) ? { url, format: 'module', shortCircuit: true } : next(specifier, context);
    },
    load: (url, context, next) => {
      const file = files.get(url);
      if (file === undefined) return next(url, context);
      return { format: 'module', shortCircuit: true, source: contents(file).toString() };
    },
  });
}
