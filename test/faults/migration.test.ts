// A later version of the program, with one more migration: it happens or it does not, and what was running goes on.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { startGeneratedSite } from '../e2e/generated-site.ts';
import { TestService } from '../service/start-service.ts';
import { migrations } from '../../src/storage/shared/schema.ts';
import { afterTest } from './crawl.ts';

// The bundle has no module to which the migration could be added: these services run from the sources.
vi.hoisted(() => {
  delete process.env['TEST_PROGRAM'];
});

const pages = 60;
const later = `--import ${new URL('later-migration.ts', import.meta.url).href}`;
const killAt = `--import ${new URL('../../prove/kill-at.ts', import.meta.url).href}`;

function schemaIn(directory: string): { version: number; columns: number } {
  const db = new DatabaseSync(path.join(directory, 'hayrake.db'), { readOnly: true });
  try {
    const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
    const { columns } = db.prepare("SELECT count(*) AS columns FROM pragma_table_info('job')").get() as {
      columns: number;
    };
    return { version, columns };
  } finally {
    db.close();
  }
}

test('a kill in the middle of a migration leaves the schema before it; then the job goes on, and the earlier program refuses', async () => {
  const site = await startGeneratedSite({ pages, delayMs: 5 });
  afterTest(() => site.close());
  const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-migration-'));
  afterTest(() => rmSync(directory, { recursive: true, force: true }));
  const serviceWith = (flags: string, env: Readonly<Record<string, string>> = {}): TestService => {
    const service = new TestService(directory, {
      directory,
      env: {
        NODE_OPTIONS: `--disable-warning=ExperimentalWarning ${flags}`,
        HAYRAKE_DISK_FREE_MB: '0',
        ...env,
      },
    });
    afterTest(() => service.close());
    return service;
  };

  const first = serviceWith('');
  await first.start();
  const { id } = await first.createJob({ urls: [`${site.origin}/`] });
  await site.morePages(10);
  await first.kill();
  const before = schemaIn(directory);
  expect(before.version).toBe(migrations.length);

  const mortal = serviceWith(`${later} ${killAt}`, { KILL_AT: 'start.migrating:1' });
  await expect(mortal.start()).rejects.toThrow('exit code null');
  expect(schemaIn(directory)).toEqual(before);

  const second = serviceWith(later);
  await second.start();
  const job = await second.untilEnded(id);
  expect(job).toMatchObject({ status: 'succeeded', progress: { discovered: pages, scraped: pages } });
  await second.stop();
  expect(schemaIn(directory)).toEqual({ version: before.version + 1, columns: before.columns + 1 });

  const refused = await serviceWith('').run(['jobs']);
  expect([refused.code, refused.stderr]).toEqual([
    4,
    expect.stringContaining(`made by a newer version of hayrake (schema ${before.version + 1}`),
  ]);
});
