// Fetches programs whose dependencies are too many to install: their published packages only, checked against these hashes.
//
//   node test/doors/fetch-published.ts
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { publishedFolder, publishedPackages } from './published.ts';

for (const { name, version, integrity } of publishedPackages) {
  const folder = publishedFolder(name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const packed = execFileSync('npm', ['pack', '--json', `${name}@${version}`], { cwd: folder, encoding: 'utf8' });
  const [{ filename } = { filename: '' }] = JSON.parse(packed) as { readonly filename: string }[];
  const file = path.join(folder, filename);
  const found = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
  if (found !== integrity) {
    rmSync(folder, { recursive: true });
    throw new Error(`${name}@${version} has the hash ${found}, not ${integrity}`);
  }
  execFileSync('tar', ['-xzf', file, '--strip-components=1', '-C', folder]);
  rmSync(file);
}
