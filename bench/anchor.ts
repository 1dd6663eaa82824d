// The commit that costs are compared with, built as users get it. bench/anchor.json names it and says why.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

export interface Anchor {
  readonly commit: string;
  readonly reason: string;
}

export function readAnchor(): Anchor {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a file of this repository
  return JSON.parse(readFileSync(path.join(root, 'bench/anchor.json'), 'utf8')) as Anchor;
}

/** Returns the program. The build is kept in node_modules, so that only the first run of a clone builds. */
export function builtAnchor({ commit }: Anchor): string {
  const kept = path.join(root, 'node_modules/.cache/hayrake-anchor', commit);
  if (!existsSync(kept)) {
    const checkout = mkdtempSync(path.join(tmpdir(), 'hayrake-anchor-'));
    try {
      build(commit, checkout);
      // Renamed last: a build that is cut short is not kept.
      const copy = `${kept}.${process.pid}`;
      for (const part of ['dist', 'package.json'])
        cpSync(path.join(checkout, part), path.join(copy, part), { recursive: true });
      renameSync(copy, kept);
    } finally {
      rmSync(checkout, { recursive: true });
    }
  }
  return path.join(kept, 'dist/main.js');
}

function build(commit: string, checkout: string): void {
  const archive = path.join(checkout, 'anchor.tar');
  run('git', ['archive', '--output', archive, commit], root);
  run('tar', ['xf', archive], checkout);
  const lock = (folder: string): string => readFileSync(path.join(folder, 'package-lock.json'), 'utf8');
  if (lock(checkout) === lock(root)) symlinkSync(path.join(root, 'node_modules'), path.join(checkout, 'node_modules'));
  else run('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], checkout);
  run(process.execPath, ['scripts/build.ts'], checkout);
}

function run(program: string, args: readonly string[], cwd: string): void {
  const { status, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr}`);
}
