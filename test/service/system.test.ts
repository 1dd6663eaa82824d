// What an operator sees of the service, and backups that it starts.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectProblem } from './expect-problem.ts';
import { startService, type TestService } from './start-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: { HAYRAKE_PROXY: 'http://user:hidden@127.0.0.1:9/' } });
});
afterAll(() => service.close());

test('GET /service: shows disk, data, memory, queue and settings, and no secret', async () => {
  const text = await (await service.api('/service')).text();
  expect(JSON.parse(text)).toMatchObject({
    version: expect.any(String),
    database: 'sqlite',
    dataBytes: expect.any(Number),
    disk: { freeBytes: expect.any(Number), totalBytes: expect.any(Number) },
    memory: { usedBytes: expect.any(Number), limitBytes: expect.any(Number) },
    queue: { running: 0, queued: 0 },
    settings: expect.arrayContaining([
      expect.objectContaining({ name: 'HAYRAKE_PROXY', value: '(set)' }),
      expect.objectContaining({ name: 'HAYRAKE_SEARCH', origin: 'default' }),
    ]),
  });
  expect(text).not.toContain('hidden');
});

test('POST /service/backup: writes a checked backup into the data directory', async () => {
  const { file, bytes } = await service.ok<{ file: string; bytes: number }>('/service/backup', { method: 'POST' });
  expect(path.basename(path.dirname(file))).toBe('backups');
  expect(existsSync(file)).toBe(true);
  expect(bytes).toBeGreaterThan(0);
});

test('GET /service and POST /service/backup: need the permission operate', async () => {
  const { token } = await service.createToken({ org: 'plain', permissions: 'read,write,tokens,metrics' });
  expectProblem(await service.raw('/service', { token }), 403, 'permission_denied');
  expectProblem(await service.raw('/service/backup', { method: 'POST', token }), 403, 'permission_denied');
});
