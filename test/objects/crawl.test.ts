// A crawl whose raw bodies are in object storage, through the real program and a real server, with faults in between.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { MortalService } from '../../prove/mortal-service.ts';
import { createTestStore } from '../service/test-store.ts';
import { type JobAnswer, startService, TestService } from '../service/start-service.ts';
import { isBrowserMissing } from '../render/browser.ts';
import { htmlPage, startTestSite, type TestSite } from '../service/test-site.ts';
import { type Fault, type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts';
import { anyS3, type S3Server, startS3 } from './s3-servers.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 });
const program = anyS3();
const pages = 20;
const rendering = { HAYRAKE_BROWSER: 'auto', HAYRAKE_ALLOW_PRIVATE: '127.0.0.1/32' };
const patience = { timeout: 60_000, interval: 50 };

let server: S3Server;
let proxy: FaultyProxy;
let site: TestSite;
let bucket: string;
let prefixes = 0;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  proxy.fault = () => 'none';
});

describe.skipIf(program === undefined)('raw bodies in object storage (needs python3-swift or radosgw)', () => {
  beforeAll(async () => {
    server = await startS3(program!);
    proxy = await startFaultyProxy(server.endpoint);
    bucket = await server.createBucket();
    const paths = Array.from({ length: pages - 1 }, (_, index) => `/${index}`);
    site = await startTestSite({
      '/': htmlPage({ title: 'home', text: 'home', links: paths }),
      ...Object.fromEntries(paths.map((at) => [at, htmlPage({ title: at, text: `Page ${at} of the crawl.` })])),
    });
  });
  afterAll(async () => {
    await site.close();
    await proxy.close();
    await server.stop();
  });

  const envOf = (prefix = `prefix-${++prefixes}`): Record<string, string> => ({
    HAYRAKE_BLOBS: `s3://${bucket}/${prefix}`,
    HAYRAKE_BLOBS_KEEP_DAYS: '0',
    HAYRAKE_S3_ENDPOINT: proxy.origin,
    AWS_ACCESS_KEY_ID: server.accessKeyId,
    AWS_SECRET_ACCESS_KEY: server.secretAccessKey,
  });
  const serviceWith = async (env: Record<string, string>, directory?: string): Promise<TestService> => {
    const service = await startService({ env, ...(directory !== undefined && { directory }) });
    cleanups.push(() => service.close());
    return service;
  };
  const start = (service: TestService): Promise<JobAnswer> =>
    service.createJob({ urls: [`${site.origin}/`], force_crawling_mode: 'link', store_raw: true });
  /** Of all raw bodies, in the order of pages. */
  const rawOf = async (service: TestService, id: string): Promise<string> => {
    const hash = createHash('sha256');
    for (let page = 1; page <= pages; page++) {
      const { status, body } = await service.raw(`/crawler/jobs/${id}/pages/${page}/raw`);
      expect(status, `page ${page}: ${body.toString()}`).toBe(200);
      hash.update(body);
    }
    return hash.digest('hex');
  };
  const readiness = async (service: TestService): Promise<readonly [number, unknown]> => {
    const { status, body } = await service.raw('/readyz');
    return [status, JSON.parse(body.toString())];
  };
  const puts = (): number => proxy.requests.filter(({ method }) => method === 'PUT').length;

  test('loses no page when the store is busy, away and cuts connections, and the process is killed', async () => {
    const service = await serviceWith(envOf());
    const faults: Fault[] = ['slow_down', 'cut_before', 'none', 'cut_after', 'none', 'cut_within', 'none'];
    let asked = 0;
    proxy.fault = (method) => (method === 'PUT' ? faults[asked++ % faults.length]! : 'none');
    const { id } = await start(service);
    await expect.poll(async () => (await service.job(id)).progress.scraped, patience).toBeGreaterThan(0);
    await service.kill();
    await service.start();
    // Away for good, until the crawl has nothing left that it may do.
    proxy.fault = () => 'slow_down';
    await expect.poll(() => service.stderr, patience).toContain('crawls that store raw bodies or screenshots pause');
    expect(await readiness(service)).toMatchObject([503, { database: true, objects: false, reason: 'objects_away' }]);
    proxy.fault = () => 'none';
    const job = await service.untilEnded(id);
    expect(job).toMatchObject({ status: 'succeeded', complete: true, progress: { scraped: pages, failed: 0 } });
    await expect.poll(() => readiness(service), patience).toMatchObject([200, { status: 'ready', objects: true }]);
    const before = await rawOf(service, id);
    // The sweep of the start gathers what the job has, and removes what nobody names.
    await service.restart();
    await expect
      .poll(async () => (await service.run(['check'])).stderr, patience)
      .toMatch(/Objects outside the database: 1, of which 0 missing or changed\./);
    expect(await rawOf(service, id)).toBe(before);
    expect(service.stderr).not.toContain(server.secretAccessKey);
  });

  test.skipIf(isBrowserMissing)('keeps screenshots in objects, and answers 503 while the store is away', async () => {
    const service = await serviceWith({ ...envOf(), ...rendering });
    const { id } = await service.createJob({ urls: [`${site.origin}/`], page_limit: 1, screenshot: { format: 'png' } });
    await service.untilEnded(id);
    const read = () => service.raw(`/crawler/jobs/${id}/pages/1/screenshot`);
    const picture = await read();
    expect([picture.status, picture.body.subarray(1, 4).toString()]).toEqual([200, 'PNG']);
    const [outside] = await service.store.query('SELECT length(bytes) AS length FROM screenshot');
    expect(outside).toEqual({ length: 0 });
    proxy.fault = (_, name) => (name.includes('segments/') ? 'cut_before' : 'none');
    await service.restart();
    expect((await read()).status).toBe(503);
    proxy.fault = () => 'none';
    expect((await read()).body.equals(picture.body)).toBe(true);
    await service.raw(`/crawler/jobs/${id}`, { method: 'DELETE' });
    expect((await read()).status).toBe(410);
  });

  test.skipIf(isBrowserMissing)(
    'stores each page with its screenshot when processes die around their object',
    async () => {
      const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-objects-'));
      const deaths = ['object.registered:1', 'object.stored:2', 'settle.picture:2', 'settle.picture:1'];
      const mortal = new MortalService({ directory, env: { ...envOf(), ...rendering } }, deaths);
      cleanups.push(async () => {
        await mortal.service.kill();
        rmSync(directory, { recursive: true });
      });
      await mortal.start();
      const job = { urls: [`${site.origin}/`], page_limit: 8, screenshot: { format: 'jpeg' } };
      const { id } = await mortal.persist((to) => to.createJob(job, { headers: { 'idempotency-key': 'pictures' } }));
      const ended = await mortal.persist((to) => to.untilEnded(id));
      expect(mortal.deaths).toEqual(deaths);
      expect(ended).toMatchObject({ progress: { scraped: 8, failed: 0 } });
      for (let page = 1; page <= 8; page++) {
        const { status, body } = await mortal.persist((to) => to.raw(`/crawler/jobs/${id}/pages/${page}/screenshot`));
        expect([page, status, body.subarray(0, 2).toString('hex')]).toEqual([page, 200, 'ffd8']);
      }
      expect((await mortal.service.run(['check'])).stderr).toMatch(/0 missing or changed.*\n.*Nothing is damaged/s);
    },
  );

  test('reads nothing of a deleted job, and answers 503 while the store is away', async () => {
    const service = await serviceWith(envOf());
    const { id } = await service.untilEnded((await start(service)).id);
    // From the start on: a sweep would read it into memory.
    proxy.fault = (_, name) => (name.includes('segments/') ? 'cut_before' : 'none');
    await service.restart();
    proxy.fault = () => 'cut_before';
    expect(await readiness(service)).toMatchObject([503, { objects: false, reason: 'objects_away' }]);
    const { status, body } = await service.raw(`/crawler/jobs/${id}/pages/1/raw`);
    expect([status, JSON.parse(body.toString())]).toMatchObject([503, { code: 'unavailable' }]);
    proxy.fault = () => 'none';
    expect((await service.raw(`/crawler/jobs/${id}/pages/1/raw`)).status).toBe(200);
    await service.raw(`/crawler/jobs/${id}`, { method: 'DELETE' });
    expect((await service.raw(`/crawler/jobs/${id}/pages/1/raw`)).status).toBe(410);
  });

  test('does not start on the objects of another database, nor without them, nor with wrong credentials', async () => {
    const env = envOf();
    const service = await serviceWith(env);
    const { id } = await service.untilEnded((await start(service)).id);
    const folder = mkdtempSync(path.join(tmpdir(), 'hayrake-objects-'));
    cleanups.push(() => rmSync(folder, { recursive: true }));
    const file = path.join(folder, 'today.backup');
    expect((await service.run(['backup', file])).code).toBe(0);
    const restored = path.join(folder, 'restored');
    expect((await service.run(['restore', file, '--data', restored])).code).toBe(0);
    await service.stop();

    const other = new TestService(await createTestStore(restored), { env });
    cleanups.push(() => other.close());
    const serve = (more: readonly string[] = [], changed: Record<string, string> = {}) =>
      other.run(['serve', '--port', '0', ...more], changed);
    expect(await serve()).toMatchObject({ code: 2, stderr: expect.stringContaining('hayrake blobs adopt') });
    expect((await other.run(['blobs', 'adopt'])).code).toBe(0);
    await other.start();
    expect((await other.raw(`/crawler/jobs/${id}/pages/1/raw`)).status).toBe(200);
    await other.stop();
    const without = await serve([], { HAYRAKE_BLOBS: '' });
    expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('Set HAYRAKE_BLOBS to it') });
    const wrong = await serve([], { AWS_SECRET_ACCESS_KEY: 'wrong-secret' });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('refuses the credentials') });
    const missing = await serve([], { HAYRAKE_BLOBS: 's3://no-such-bucket/x' });
    expect(missing.code).toBe(2);
    const original = await service.run(['serve', '--port', '0']);
    expect(original).toMatchObject({ code: 2, stderr: expect.stringContaining('belongs to another database') });
    expect(puts()).toBeGreaterThan(0);
  });

  test('serve: starts while the object store is away, and stores pages as soon as it is back', async () => {
    const service = new TestService(await createTestStore(), { env: envOf() });
    cleanups.push(() => service.close());
    proxy.fault = () => 'cut_before';
    await service.start();
    expect(service.stderr).toContain('the object store is away: crawls that store raw bodies or screenshots wait');
    expect(await readiness(service)).toMatchObject([503, { objects: false, reason: 'objects_away' }]);
    const { id } = await start(service);
    await expect.poll(() => site.requests.length, patience).toBeGreaterThan(1);
    expect((await service.job(id)).progress.scraped).toBe(0);
    proxy.fault = () => 'none';
    expect(await service.untilEnded(id)).toMatchObject({
      status: 'succeeded',
      progress: { scraped: pages, failed: 0 },
    });
    expect(service.stderr).toContain('the object store is back');
    await rawOf(service, id);
  });

  test('serve: ends when the object store comes back with the objects of another database, and stores nothing there', async () => {
    const env = envOf();
    const first = await serviceWith(env);
    const other = new TestService(await createTestStore(), { env });
    cleanups.push(() => other.close());
    proxy.fault = () => 'cut_before';
    await other.start();
    await start(other);
    const before = puts();
    proxy.fault = () => 'none';
    expect(await other.exited).toBe(2);
    expect(other.stderr).toContain('belongs to another database');
    expect(puts()).toBe(before);
    expect((await first.raw('/readyz')).status).toBe(200);
  });
});
