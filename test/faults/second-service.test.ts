// What happens to the files of a data directory behind the back of the program: a lock file that is deleted, a log that is lost.
import { chmod, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { TestService } from '../service/start-service.ts';
import { createTestStore, isOnPostgres } from '../service/test-store.ts';
import { afterTest } from './crawl.ts';

const loss = /hayrake\.db-wal is missing/;

async function createService(): Promise<TestService> {
  const service = new TestService(await createTestStore(), {});
  afterTest(() => service.close());
  return service;
}

/** A commit that is in the log, and in no file else. */
async function commit(service: TestService): Promise<void> {
  await service.createToken({ org: 'acme' });
}

describe.skipIf(isOnPostgres())('a data directory (needs the embedded database)', () => {
  test('whose lock was deleted is left by the first service, with exit code 6, once a second crawls with it', async () => {
    const first = await createService();
    await first.start();
    await rm(path.join(first.directory, 'crawling.lock'));
    const second = new TestService(first.directory, { directory: first.directory });
    afterTest(() => second.stop());
    await second.start();
    await first.api('/crawler/jobs', { json: { urls: ['http://127.0.0.1:9/'] } }).catch(() => undefined);
    expect(await first.exited).toBe(6);
    expect(first.stderr).toContain('Another hayrake process has started to crawl with');
    expect(first.stderr).toContain('crawling.lock');
    expect((await second.createJob({ urls: ['http://127.0.0.1:9/'] })).id).toBeTypeOf('string');
    expect(await second.stop()).toBe(0);
  });

  test('whose log is lost after a crash is reported, once', async () => {
    const service = await createService();
    await service.start();
    await commit(service);
    await service.kill();
    await rm(path.join(service.directory, 'hayrake.db-wal'));
    await service.start();
    expect(service.stderr).toMatch(loss);
    expect(service.stderr).toContain('restore a backup');
    const said = service.stderr.length;
    await service.restart();
    expect(service.stderr.slice(said)).not.toMatch(loss);
  });

  test('whose log is lost is reported by the next start, whatever reads it before', async () => {
    const service = await createService();
    await service.start();
    await commit(service);
    await service.kill();
    await rm(path.join(service.directory, 'hayrake.db-wal'));
    expect((await service.run(['jobs'])).code).toBe(0);
    expect((await service.run(['jobs'])).code).toBe(0);
    await service.start();
    expect(service.stderr).toMatch(loss);
  });

  test('is not reported after a crash, with or without commands that read it, nor from a backup of it', async () => {
    const service = await createService();
    await service.start();
    await service.kill();
    await service.start();
    await commit(service);
    await service.kill();
    expect((await service.run(['jobs'])).code).toBe(0);
    expect(existsSync(path.join(service.directory, 'hayrake.db-wal'))).toBe(false);
    await service.start();
    await commit(service);
    const file = path.join(service.directory, 'backup.db');
    expect((await service.run(['backup', file])).code).toBe(0);
    await service.kill();
    expect((await service.run(['backup', '--force', file])).code).toBe(0);
    await service.restart();
    expect(service.stderr).not.toMatch(loss);

    const other = await createService();
    const restored = await other.run(['restore', file]);
    expect(restored).toMatchObject({ code: 0 });
    await other.start();
    expect(other.stderr).not.toMatch(loss);
  });

  test('loses what a killed restore has left, and nothing else', async () => {
    const service = await createService();
    await service.start();
    await service.stop();
    const names = ['.restore.0123456789abcdef.new', '.restore.0123456789abcdef.new-wal', '.restore.notes.new', 'notes'];
    const files = names.map((name) => path.join(service.directory, name));
    await Promise.all(files.map((file) => writeFile(file, 'x')));
    await service.start();
    expect(files.map((file) => existsSync(file))).toEqual([false, false, true, true]);
  });

  test('that others can read is a warning', async () => {
    const service = await createService();
    await service.start();
    expect(service.stderr).not.toContain('chmod');
    await service.stop();
    await chmod(service.directory, 0o755);
    await service.start();
    expect(service.stderr).toContain(`chmod -R go-rwx ${service.directory}`);
  });
});

test('fewer open files than crawling needs are refused at the start, with what to do', async () => {
  const starter = ['sh', '-c', 'ulimit -n 64 && exec "$@"', 'sh'];
  const service = new TestService(await createTestStore(), { starter });
  afterTest(() => service.close());
  await expect(service.start()).rejects.toThrow('exit code 2');
  expect(service.stderr).toContain('needs 128');
  expect(service.stderr).toContain('ulimit -n 1024');
});
