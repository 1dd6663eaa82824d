// The whole check, the same everywhere: format, lint, types, arrows, dead code, documents, tests. Fastest first; the last
// line is `N passed, N failed, N skipped`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** What the output has to contain: a tool that looked at nothing must not pass. */
  readonly proof?: RegExp;
}

const steps: readonly Step[] = [
  { name: 'format', command: ['oxfmt', '--check'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'types', command: ['tsc', '--noEmit'] },
  // Three digits at least: with a wrong TypeScript the tool sees no modules and is content.
  { name: 'arrows', command: ['depcruise', 'src'], proof: /no dependency violations found \(\d{2,} modules/ },
  { name: 'dead code', command: ['knip'] },
  { name: 'documents', command: ['node', 'scripts/write-docs.ts', '--check'] },
];

const root = path.join(import.meta.dirname, '..');

for (const { name, command, proof } of steps) {
  const start = performance.now();
  const [program, ...args] = command;
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const ok = status === 0 && (proof === undefined || proof.test(stdout));
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name.padEnd(10)} ${((performance.now() - start) / 1000).toFixed(1)} s`);
  if (ok) continue;
  console.log(`${stdout}\n${stderr}`);
  console.log('0 passed, 1 failed, 0 skipped');
  process.exit(1);
}

const folder = mkdtempSync(path.join(tmpdir(), 'hayrake-check-'));
const report = path.join(folder, 'report.json');
const { status } = spawnSync(
  'vitest',
  ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
  { cwd: root, stdio: 'inherit' },
);
const result = JSON.parse(readFileSync(report, 'utf8')) as {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numFailedTestSuites: number;
};
rmSync(folder, { recursive: true });
// A file that cannot be loaded has no tests that could fail.
const failed = Math.max(result.numFailedTests, result.numFailedTestSuites > 0 ? 1 : 0, status === 0 ? 0 : 1);
console.log(`${result.numPassedTests} passed, ${failed} failed, ${result.numPendingTests} skipped`);
process.exitCode = failed === 0 ? 0 : 1;
