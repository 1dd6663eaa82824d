// Runs the guard of a page's cost with a tighter bound than the check does, and more pairs.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';

export function costOfAPage(pairs: number): Readonly<Record<string, number>> {
  const { status } = spawnSync(process.execPath, ['bench/guard.ts', '--small', '--bound', '1.04', String(pairs)], {
    cwd: path.join(import.meta.dirname, '..'),
    stdio: 'inherit',
  });
  assert.equal(status, 0, 'what is too dear is named above');
  return { pairs };
}
