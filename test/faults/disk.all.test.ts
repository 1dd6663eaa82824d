// A disk that is full, or cannot be written: reading goes on, and writing when it can again, as if nothing had been.
import { describe, expect, test } from 'vitest';
import { start } from '../cli/program.ts';
import { startGeneratedSite } from '../e2e/generated-site.ts';
import { afterTest, expectWholeCrawl, startCrawl, untilRefused } from './crawl.ts';
import { canMount, canTrace, failCalls, mountDisk, mountFailingDisk } from './inject.ts';

const pages = 400;
const fault = /"writing is paused/g;
const end = /"writing resumes/g;

describe.skipIf(!canMount)('a disk that is full (needs root to mount disks)', () => {
  test('is waited for: clients are told, what is stored is read, and the crawl goes on by itself', async () => {
    const disk = mountDisk(64);
    afterTest(() => disk.remove());
    const crawl = await startCrawl(pages, { directory: disk.directory });
    const { service, site, id } = crawl;
    disk.fill();

    const { problem, headers } = await untilRefused(crawl);
    expect(problem).toMatchObject({ status: 507, code: 'insufficient_storage' });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    const stored = await service.ok<{ data: unknown[] }>(`/crawler/jobs/${id}/data?wait=0`);
    expect(stored.data.length).toBeGreaterThan(0);
    expect((await service.job(id)).status).toBe('running');
    const readiness = await service.api('/readyz');
    expect(readiness.status).toBe(503);
    expect(await readiness.json()).toEqual({ status: 'not_ready', database: false, worker: true, reason: 'disk_full' });
    expect((await service.api('/healthz')).status).toBe(200);

    const asked = site.asked.size;
    expect(asked).toBeLessThan(pages);
    const moreAsked = site.morePages(1);
    disk.makeRoom();
    await moreAsked;
    await expectWholeCrawl(crawl);
    expect(Math.max(...site.paths.slice(2).map((path) => site.asked.get(path) ?? 0))).toBe(1);
    expect((await service.api('/readyz')).status).toBe(200);
    expect(service.stderr.match(fault)).toHaveLength(1);
    expect(service.stderr.match(end)).toHaveLength(1);
    expect(await service.stop()).toBe(0);
  });

  test('does not hold up a stop: what is not settled is fetched again', async () => {
    const disk = mountDisk(64);
    afterTest(() => disk.remove());
    const crawl = await startCrawl(pages, { directory: disk.directory });
    disk.fill();
    await untilRefused(crawl);
    expect(await crawl.service.stop()).toBe(7);
    expect(crawl.service.stderr).not.toContain('given up');
    expect(crawl.service.stderr).toContain('its disk is full');
    disk.makeRoom();
    await crawl.service.start();
    await expectWholeCrawl(crawl);
  });

  test('is not filled by the crawl itself: it pauses while less is free than the setting says', async () => {
    const disk = mountDisk(192);
    afterTest(() => disk.remove());
    const crawl = await startCrawl(600, {
      directory: disk.directory,
      delayMs: 60,
      env: { HAYRAKE_DISK_FREE_MB: '128', HAYRAKE_HOST_CONCURRENCY: '2' },
    });
    const { service, site, id } = crawl;
    const other = await service.crawl({ urls: [`${site.origin}/page/3`], page_limit: 1 });
    disk.fill(100 * 2 ** 20);
    const { problem } = await untilRefused(crawl);
    expect(problem).toMatchObject({ status: 507, code: 'insufficient_storage' });
    expect((await service.job(id)).status).toBe('running');
    expect(await (await service.api('/readyz')).json()).toMatchObject({ database: false, reason: 'disk_full' });
    // What makes room is done all the same.
    expect((await service.api(`/crawler/jobs/${other.id}`, { method: 'DELETE' })).status).toBe(200);
    disk.makeRoom();
    await expectWholeCrawl(crawl);
  });

  test('cli: says that a crawl waits for room when the disk has less than the setting', async () => {
    const disk = mountDisk(192);
    afterTest(() => disk.remove());
    const site = await startGeneratedSite({ pages: 600, delayMs: 60 });
    afterTest(() => site.close());
    const args = ['crawl', `${site.origin}/`, '--json', '--data', disk.directory, '--allow-private', '127.0.0.0/8'];
    const program = start(args, { env: { HAYRAKE_DISK_FREE_MB: '128', HAYRAKE_HOST_CONCURRENCY: '2' } });
    await site.morePages(20);
    disk.fill(100 * 2 ** 20);
    await program.says(/ · waits for room on the disk, of which HAYRAKE_DISK_FREE_MB stay free/);
    disk.makeRoom();
    expect(await program.finished).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/✓ \d+ pages · 0 discarded · 0 failed/),
    });
  });
});

describe.skipIf(!canTrace)('system calls that fail (needs strace)', () => {
  test('a disk that cannot be written is waited for', async () => {
    const crawl = await startCrawl(pages, {});
    const { service, site, id } = crawl;
    const callOff = await failCalls(service.pid!, 'pwrite64', 'EROFS');
    const { problem, headers } = await untilRefused(crawl);
    expect(problem).toMatchObject({ status: 503, code: 'storage_read_only' });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await service.ok<{ data: unknown[] }>(`/crawler/jobs/${id}/data?wait=0`)).data.length).toBeGreaterThan(0);
    expect(await (await service.api('/readyz')).json()).toMatchObject({ database: false, reason: 'read_only' });
    const moreAsked = site.morePages(1);
    await callOff();
    await moreAsked;
    await expectWholeCrawl(crawl);
  });

  test('an fsync that fails ends the service at once; after a restart the ledger is whole', async () => {
    const crawl = await startCrawl(pages, {});
    const { service } = crawl;
    const callOff = await failCalls(service.pid!, 'fdatasync,fsync', 'EIO');
    expect(await service.exited).toBe(7);
    await callOff();
    expect(service.stderr).not.toContain('given up');
    expect(service.stderr).toMatch(/cannot be used: disk I\/O error \(SQLite 1034\)/);
    await service.start();
    await expectWholeCrawl(crawl);
  });
});

test.skipIf(!canMount)(
  'a file system that the system made read-only can still be read (needs root to mount disks)',
  async () => {
    const disk = mountFailingDisk(64);
    afterTest(() => disk.remove());
    const crawl = await startCrawl(30, { directory: disk.directory });
    const { service } = crawl;
    // Between two writes: an fsync that fails would end the service, as it should.
    await expectWholeCrawl(crawl);
    disk.becomeReadOnly();
    const { problem } = await untilRefused(crawl);
    expect(problem).toMatchObject({ status: 503, code: 'storage_read_only' });
    await expectWholeCrawl(crawl);
    // The job had ended; giving back its host may have been left to be written.
    expect([0, 7]).toContain(await service.stop());
  },
);
