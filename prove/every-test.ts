// Runs every test, also those that `npm run test:all` leaves out, and notes how long each file takes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sampleVariable } from '../test/sampling/sample.ts';

interface Report {
  readonly numPassedTests: number;
  readonly numPendingTests: number;
}

export function everyTest(): Readonly<Record<string, number>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'hayrake-every-test-'));
  const reportFile = path.join(folder, 'report.json');
  try {
    const reporters = ['default', 'json', './test/sampling/times.ts'].map((name) => `--reporter=${name}`);
    const { status } = spawnSync('vitest', ['run', ...reporters, `--outputFile.json=${reportFile}`], {
      cwd: path.join(import.meta.dirname, '..'),
      env: { ...process.env, [sampleVariable]: undefined, TEST_RECORD: 'true' },
      stdio: 'inherit',
    });
    assert.equal(status, 0, 'the tests that failed are named above');
    const report = JSON.parse(readFileSync(reportFile, 'utf8')) as Report;
    return { passed: report.numPassedTests, skipped: report.numPendingTests };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
