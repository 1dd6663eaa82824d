// What a peer needs, and how to get it.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/** Undefined when it is there; otherwise what is missing, and the line that installs it. */
export type Requirement = () => string | undefined;

export function npmPackages(...names: readonly string[]): Requirement {
  const { resolve } = createRequire(import.meta.url);
  return () => {
    const missing = names.filter((name) => !resolves(() => resolve(name)));
    if (missing.length === 0) return undefined;
    return `${missing.join(' and ')} missing: npm ci --prefix bench`;
  };
}

/** A program of a Debian package of the same name. */
export function debianProgram(name: string): Requirement {
  return () => (programFile(name) === undefined ? `${name} is missing: apt-get install ${name}` : undefined);
}

/** Debian's own Python: one that stands before it on the PATH has none of Debian's packages. */
export const debianPython = '/usr/bin/python3';

export function debianPythonModules(...names: readonly string[]): Requirement {
  return () => {
    const { status } = spawnSync(debianPython, ['-c', `import ${names.join(', ')}`]);
    if (status === 0) return undefined;
    return `${names.join(' or ')} is missing: apt-get install ${names.map((name) => `python3-${name}`).join(' ')}`;
  };
}

function programFile(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
}

function resolves(resolve: () => string): boolean {
  try {
    resolve();
    return true;
  } catch {
    return false;
  }
}
