// The built dashboard, compressed as it is sent. Loaded by the first browser, so API clients do not pay for it.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

export interface DashboardFile {
  readonly gzipped: Buffer;
  readonly type: string;
  readonly tag: string;
  /** Its name has a hash of its content. */
  readonly isImmutable: boolean;
}

/** A built file; `contents` is compressed with gzip. */
export interface BuiltFile {
  readonly name: string;
  readonly contents: Uint8Array;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Loads the files by name. A published program has them in a folder next to it. From the sources they are built now, so
 * they are never older than the sources; this takes half a second.
 */
export async function loadDashboard(): Promise<ReadonlyMap<string, DashboardFile>> {
  const files = import.meta.url.endsWith('.ts') ? await build() : await read();
  return new Map(files.map((file) => [file.name, describe(file)]));
}

async function read(): Promise<BuiltFile[]> {
  const folder = path.join(import.meta.dirname, 'dashboard');
  const names = await readdir(folder);
  return Promise.all(
    names.map(async (name) => ({ name: name.replace(/\.gz$/, ''), contents: await readFile(path.join(folder, name)) })),
  );
}

async function build(): Promise<readonly BuiltFile[]> {
  // A computed name, so that no bundle contains the build.
  const script = new URL('../../../scripts/bundle-dashboard.ts', import.meta.url).href;
  const { bundleDashboard } = (await import(script)) as { bundleDashboard: () => Promise<readonly BuiltFile[]> };
  return bundleDashboard();
}

function describe({ name, contents }: BuiltFile): DashboardFile {
  const gzipped = Buffer.from(contents);
  return {
    gzipped,
    type: types[path.extname(name)] ?? 'application/octet-stream',
    tag: `W/"${createHash('sha256').update(gzipped).digest('base64url').slice(0, 22)}"`,
    isImmutable: /-[A-Z0-9]{8}\./.test(name),
  };
}
