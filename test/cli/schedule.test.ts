// `hayrake schedule`, on a data directory and on a service: the same words, the same schedules.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operatorToken, startService, type TestService } from '../service/start-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.close());

test.each(['data directory', 'service'])(
  'hayrake schedule: adds, lists, runs, pauses and removes on a %s',
  async (where) => {
    const server = where === 'service' ? ['--server', service.origin] : [];
    const schedule = async (
      ...args: readonly string[]
    ): Promise<{ stdout: string; stderr: string; code: number | null }> =>
      service.run(['schedule', ...args, ...server], { HAYRAKE_TOKEN: operatorToken });
    const url = 'https://example.com/';
    const added = await schedule(
      'add',
      where,
      '0 3 * * *',
      url,
      '--limit',
      '7',
      '--time-zone',
      'Asia/Tokyo',
      '--header',
      'A: s3cret',
    );
    const id = added.stdout.trim();
    expect(id, added.stderr).toMatch(/^[0-9A-Z]{26}$/);
    expect((await schedule('list')).stdout).toContain(`${id}  0 3 * * *  Asia/Tokyo  next `);
    const shown = await schedule('show', id.toLowerCase());
    expect(JSON.parse(shown.stdout)).toMatchObject({
      id,
      name: where,
      time_zone: 'Asia/Tokyo',
      job: { urls: [url], page_limit: 7 },
      secrets: { headers: ['A'], cookies: [] },
    });
    expect(shown.stdout).not.toContain('s3cret');
    const other = (await schedule('add', 'other', '@daily', url)).stdout.trim();
    let same = 0;
    while (id[same] === other[same]) same++;
    const named = await schedule('show', id.slice(0, same + 1).toLowerCase());
    expect(JSON.parse(named.stdout)).toMatchObject({ id });
    const several = await schedule('run', id.slice(0, same));
    expect([several.code, several.stderr]).toEqual([2, expect.stringContaining('Several schedules begin with')]);
    expect(several.stderr).toContain(other);
    expect((await schedule('rm', other.slice(0, same + 1))).code).toBe(0);
    expect((await schedule('pause', id)).stderr).toContain('paused (client)');
    expect((await schedule('resume', id)).stderr).toContain('next ');
    expect((await schedule('run', id)).stdout).toMatch(/^[0-9A-Z]{26}\n$/);
    expect(await schedule('rm', id)).toMatchObject({ code: 0, stderr: expect.stringContaining('Its jobs stay') });
    expect((await schedule('show', id)).code).not.toBe(0);
    const refused = await schedule('add', where, '0 0 30 2 *', url);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('5 years')]);
    const unknown = await schedule('add', where, '@daily', url, '--limit', '0');
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('--limit')]);
  },
);
