// A data directory that is not there, or cannot be: one sentence, and nothing is made by a command that only reads.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { isOnPostgres } from '../service/test-store.ts';
import { newDirectory, removeDirectories, run } from './program.ts';

afterEach(removeDirectories);

describe.skipIf(isOnPostgres())('the data directory (embedded database)', () => {
  const id = '7YBQ0000000000000000000000';
  const reading = [['jobs'], ['get', id], ['why', id, 'http://a.test/'], ['search', id, 'word'], ['cancel', id]];

  test.each(reading)('hayrake %s: makes no directory when it is missing, and names it', async (...args) => {
    const missing = path.join(newDirectory(), 'mistyped');
    const { code, stdout, stderr } = await run([...args, '--data', missing]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`There is no data in ${missing}. Name another directory with --data`);
    expect(existsSync(missing)).toBe(false);
  });

  // Node's own recursive mkdir never returns there.
  test.skipIf(process.platform !== 'linux').each([
    ['--data', 7, '/proc/hayrake/data cannot be used'],
    ['--out', 1, '/proc/hayrake/data cannot be written'],
  ])('hayrake crawl: ends with a sentence when %s names a place that cannot be', async (flag, code, message) => {
    const others = flag === '--data' ? [] : ['--data', newDirectory()];
    const crawled = await run(['crawl', 'http://no-such-host.invalid/', flag, '/proc/hayrake/data', ...others]);
    expect(crawled.code).toBe(code);
    expect(crawled.stderr).toContain(message);
  });
});
