// The built dashboard, compressed as it is sent. Loaded by the first browser, so API clients do not pay for it.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { programFiles } from '../../core/process/program-files.ts';

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
  const files = import.meta.url.endsWith('.ts') ? await build() : read();
  return new Map(files.map((file) => [file.name, describe(file)]));
}

function read(): BuiltFile[] {
  const files = programFiles(new URL('dashboard/', import.meta.url).href);
  return files.map(({ url, contents }) => ({ name: path.posix.basename(url, '.gz'), contents }));
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
