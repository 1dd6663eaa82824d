// The script of docs/tutorial.md, taken from there and run as a reader would, against the demo site and a real service.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { startDemoSite } from '../demo/site.ts';
import { operatorToken, startService } from './service/start-service.ts';

const hindrance = whyNoPython();
if (hindrance !== undefined) console.warn(`test/tutorial.test.ts is skipped: ${hindrance}`);

describe.skipIf(hindrance !== undefined)('the tutorial (needs Python 3 with FTS5)', () => {
  test('its script reads every page of a job that still runs, and finds the passage', async () => {
    const tutorial = readFileSync(path.join(import.meta.dirname, '../docs/tutorial.md'), 'utf8');
    const script = /^```python\n([^]*?)^```/m.exec(tutorial)?.[1] ?? '';
    const question = /^python3 feed\.py \$JOB "(.*)"$/m.exec(tutorial)?.[1] ?? '';
    const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-tutorial-'));
    const [site, service] = await Promise.all([startDemoSite(), startService()]);
    try {
      writeFileSync(path.join(directory, 'feed.py'), script);
      const { id } = await service.ok<{ id: string }>('/crawler/jobs', { json: { urls: [`${site.origin}/`] } });
      const env = { ...process.env, HAYRAKE_URL: service.origin, HAYRAKE_TOKEN: operatorToken };
      const { stdout } = await promisify(execFile)('python3', ['feed.py', id, question], { cwd: directory, env });
      expect(stdout).toContain('Install the station > Raise the mast\n');
      const { data } = await service.ok<{ data: readonly unknown[] }>(`/crawler/jobs/${id}/data`);
      const sql =
        'import sqlite3; print(sqlite3.connect("passages.db").execute("SELECT count(DISTINCT url) FROM passage").fetchone()[0])';
      const counted = await promisify(execFile)('python3', ['-c', sql], { cwd: directory });
      expect(Number(counted.stdout)).toBe(data.length);
      const rows = [...tutorial.matchAll(/^\| `(\/\S+)` \| `(\w+)` \| `(\w+)` \|/gmu)];
      expect(rows).toHaveLength(3);
      for (const [, url = '', status, reason] of rows) {
        const missing = await service.ok<{ data: readonly { url: string; reason: string }[] }>(
          `/crawler/jobs/${id}/urls?status=${status}`,
        );
        expect(missing.data).toContainEqual(expect.objectContaining({ url: site.origin + url, reason }));
      }
    } finally {
      rmSync(directory, { recursive: true });
      await Promise.all([site.close(), service.close()]);
    }
  });
});

function whyNoPython(): string | undefined {
  const probe = 'import sqlite3; sqlite3.connect(":memory:").execute("CREATE VIRTUAL TABLE t USING fts5(x)")';
  const { status } = spawnSync('python3', ['-c', probe]);
  return status === 0 ? undefined : 'it needs python3 whose SQLite has FTS5.';
}
