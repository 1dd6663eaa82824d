// Commands with --server: the same commands, with the jobs of a running service.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type GeneratedSite, startGeneratedSite } from '../e2e/generated-site.ts';
import { type TestService, startService } from '../service/start-service.ts';
import { htmlPage, numberedPages, startTestSite, type TestSite } from '../service/test-site.ts';
import { isOnPostgres } from '../service/test-store.ts';
import { type Finished, newDirectory, removeDirectories, run, type Running, start } from './program.ts';

let service: TestService;
let site: TestSite;
let slow: GeneratedSite;

beforeAll(async () => {
  site = await startTestSite(numberedPages(3));
  slow = await startGeneratedSite({ pages: 150, delayMs: 40 });
  service = await startService();
});
afterAll(async () => {
  await service.close();
  await site.close();
  await slow.close();
});
afterEach(removeDirectories);

const env = (): Record<string, string> => ({ HAYRAKE_TOKEN: service.token });
const remote = (...args: readonly string[]): Promise<Finished> =>
  run([...args, '--server', service.origin], { env: env() });
const begin = (...args: readonly string[]): Running => start([...args, '--server', service.origin], { env: env() });
const lines = <Row>(text: string): Row[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);

describe('every verb', () => {
  test('crawl, then all commands that read its job, and those that end it', async () => {
    const crawled = await remote('crawl', `${site.origin}/`, '--json');
    expect(crawled.code).toBe(0);
    expect(crawled.stderr).toContain(`service at ${service.origin}/`);
    expect(crawled.stderr).toMatch(/✓ 3 pages · 0 discarded · 0 failed · 0 outside/);
    const id = /get (\w{26}) --json --server http/.exec(crawled.stderr)![1]!;
    const rows = await service.ok<{ data: unknown[] }>(`/crawler/jobs/${id}/data`);
    expect(lines(crawled.stdout)).toEqual(rows.data);

    expect(lines((await remote('get', id, '--json')).stdout)).toEqual(rows.data);
    const metas = await service.ok<{ data: unknown[] }>(`/crawler/jobs/${id}/meta`);
    expect(lines((await remote('get', id, '--meta')).stdout)).toEqual(metas.data);
    const out = newDirectory();
    expect((await remote('get', id, '--out', out)).stderr).toContain('3 Markdown files');
    expect(readdirSync(out)).toHaveLength(1);
    expect((await remote('jobs')).stdout).toMatch(new RegExp(`^${id} +succeeded .* ${site.origin}/$`, 'm'));
    expect((await remote('why', id, `${site.origin}/#x`)).stdout).toContain('It is page 1 of the results.');
    expect((await remote('why', id, `${site.origin}/#x`, '--text')).stderr).toContain('keeps no raw bodies');
    const found = await remote('search', id, 'page 2', '--json');
    expect(lines<{ url: string }>(found.stdout).map(({ url }) => url)).toContain(`${site.origin}/page/2`);
    const file = path.join(newDirectory(), 'x.jsonl');
    expect((await remote('export', id, '--format', 'jsonl', '-o', file)).code).toBe(0);
    expect(lines(readFileSync(file, 'utf8'))).toEqual(rows.data);
    expect((await remote('export', id, '--format', 'zip', '-o', `${file}.zip`)).code).toBe(0);
    expect(readFileSync(`${file}.zip`).subarray(0, 2).toString()).toBe('PK');
    expect((await remote('open', id)).stdout).toBe(`${service.origin}/jobs/${id}\n`);
    expect((await remote('resume', id, '--json')).stdout).toBe(crawled.stdout);
    expect(await remote('retry', id)).toMatchObject({ code: 1 });

    expect((await remote('delete', id)).stderr).toContain('3 pages deleted');
    expect(await remote('get', id, '--json')).toMatchObject({ code: 1, stdout: '' });
  });

  test('scrape and map', async () => {
    const scraped = await remote('scrape', `${site.origin}/page/2`);
    expect(scraped).toMatchObject({ code: 0, stdout: expect.stringContaining('This is page 2.') as string });
    const failed = await remote('scrape', `${site.origin}/nothing`);
    expect([failed.code, failed.stdout, failed.stderr]).toEqual([1, '', expect.stringContaining('http_404')]);
    const mapped = await remote('map', `${site.origin}/`);
    expect(mapped.stdout.split('\n')).toContain(`${site.origin}/page/2`);
    const json = JSON.parse((await remote('map', `${site.origin}/`, '--json')).stdout) as Record<string, unknown>;
    expect(Object.keys(json)).toEqual(expect.arrayContaining(['status', 'url', 'jobId', 'urls', 'notices']));
  });

  test('HAYRAKE_URL names the service, unless a data directory is named', async () => {
    const all = { ...env(), HAYRAKE_URL: service.origin };
    await service.createJob({ urls: [`${site.origin}/`] });
    const there = await run(['jobs', '--json'], { env: all });
    expect(lines(there.stdout).length).toBeGreaterThan(0);
    const here = await run(['jobs', '--json', '--data', newDirectory()], { env: all });
    expect(here.stdout).toBe('');
  });
});

describe('what is wrong is said in one sentence', () => {
  test.each<[string, string[], Record<string, string>, number, RegExp]>([
    [
      'nothing listens there',
      ['--server', 'http://127.0.0.1:9'],
      {},
      1,
      /Cannot reach hayrake at http:\/\/127\.0\.0\.1:9/,
    ],
    ['no such host', ['--server', 'http://no-such-host.invalid'], {}, 1, /Cannot reach hayrake/],
    ['no address', ['--server', 'hayrake'], {}, 2, /--server is "hayrake"/],
    [
      'another token',
      [],
      { HAYRAKE_TOKEN: 'abcdefgh-not-the-token-of-this-service' },
      2,
      /Set HAYRAKE_TOKEN to a token that is valid/,
    ],
    ['no token', [], { HAYRAKE_TOKEN: '' }, 2, /: The service needs a token\. Set HAYRAKE_TOKEN/],
    ['https where there is http', ['--server', 'https://HOST'], {}, 1, /: wrong version number\. Check the URL/],
    [
      'a path that is not there',
      ['--server', 'http://HOST/nope'],
      {},
      2,
      /\/nope has no such endpoint\. Check the path/,
    ],
    ['a data directory too', ['--data', 'x'], {}, 2, /--data cannot be set for http/],
  ])('%s', async (_, args, given, expectedCode, message) => {
    const server = args.includes('--server') ? [] : ['--server', service.origin];
    const named = args.map((arg) => arg.replace('HOST', new URL(service.origin).host));
    const { code, stdout, stderr } = await run(['jobs', ...named, ...server], { env: { ...env(), ...given } });
    expect([code, stdout, stderr]).toEqual([expectedCode, '', expect.stringMatching(message)]);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  test('something else answers there; a field is wrong; settings of the service', async () => {
    const other = await run(['jobs', '--server', site.origin], { env: env() });
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('is not a response of hayrake')]);
    const wrong = await remote('crawl', 'relative', 'ftp://x', '--json');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('relative: The URL is not absolute')]);
    const settings = await remote('crawl', `${site.origin}/`, '--allow-private', '10.0.0.0/8');
    expect([settings.code, settings.stderr]).toEqual([2, expect.stringContaining('--allow-private cannot be set')]);
    const inside = await remote('crawl', 'http://10.0.0.1/');
    expect([inside.code, inside.stderr]).toEqual([2, expect.stringContaining('HAYRAKE_ALLOW_PRIVATE')]);
    expect(inside.stderr).not.toContain('--allow-private');
    const unknown = await remote('get', '0'.repeat(26));
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('`hayrake jobs` lists them')]);
  });
});

describe('a crawl that is followed', () => {
  test('Ctrl-C leaves it to the service: 130, with the lines to read and to end it', async () => {
    // The job cannot end by itself: one of its pages does not arrive.
    site.add({ '/waits': htmlPage({ links: ['/late'] }), '/late': htmlPage({}) });
    const late = site.hold('/late');
    const program = begin('crawl', `${site.origin}/waits`, '--json');
    await Promise.all([late.reached, program.says(/"page":1/)]);
    program.child.kill('SIGINT');
    const { code, stderr } = await program.finished;
    expect(code).toBe(130);
    expect(stderr).toMatch(/! The service continues the crawl, with \d+ pages? so far\./);
    const [, command = '', id = ''] = /^ +hayrake (cancel (\w{26}) --server \S+) +end it$/m.exec(stderr) ?? [];
    expect(stderr).toContain(`hayrake get ${id} --server ${service.origin} --json`);
    expect(await service.ok(`/crawler/jobs/${id}`)).toMatchObject({ status: 'running', stoppedAt: null });
    expect((await run(command.split(' '), { env: env() })).stderr).toContain(': cancelled, 1 page kept');
    late.open();
  });

  test('the service is killed and starts again: get and crawl go on, without loss or repeat', async () => {
    // The same port, as a service has one.
    const fixed = await startService({ env: { HAYRAKE_PORT: String(service.port + 1) } });
    try {
      const at = ['--server', fixed.origin];
      const env = { HAYRAKE_TOKEN: fixed.token };
      const following = start(['crawl', `${slow.origin}/`, '--json', ...at], { env });
      await slow.morePages(30);
      await fixed.kill();
      await fixed.start();
      const { code, stdout, stderr } = await following.finished;
      expect([code, stderr]).toEqual([0, expect.stringContaining('✓ 150 pages')]);
      const numbers = lines<{ meta: { page: number } }>(stdout).map(({ meta }) => meta.page);
      expect(numbers).toEqual(Array.from({ length: 150 }, (_, index) => index + 1));
    } finally {
      await fixed.close();
    }
  });

  test('the service goes away for good: 1, with the line for later', async () => {
    const other = await startService();
    const program = start(['crawl', `${slow.origin}/`, '--json', '--server', other.origin], {
      env: { HAYRAKE_TOKEN: other.token },
    });
    await slow.morePages(10);
    await other.close();
    const { code, stderr } = await program.finished;
    expect(code).toBe(1);
    expect(stderr).toMatch(/The pages can be read when the service responds again: hayrake get \w{26} --server /);
    expect(stderr).toMatch(/hayrake: Cannot reach hayrake at /);
  });
});

// A PostgreSQL database is there for several.
describe.skipIf(isOnPostgres())('beside a running service (needs the embedded database)', () => {
  test('commands that crawl say the same command with --server, which works as it is said', async () => {
    const here = ['--data', service.directory, '--host-delay-ms=5'];
    const refused = await run(['crawl', `${site.origin}/`, '--limit', '2', ...here, '--out', '-']);
    expect(refused.code).toBe(6);
    expect(refused.stderr).toContain(
      `It can do this: hayrake crawl ${site.origin}/ --limit 2 --out - --server ${service.origin}\n`,
    );
    expect(refused.stderr).toContain(`export HAYRAKE_TOKEN=$(hayrake token create --data ${service.directory})`);
    const [, command = ''] = /It can do this: hayrake (.*)$/m.exec(refused.stderr)!;
    const done = await run(command.split(' '), { env: env() });
    expect([done.code, done.stderr]).toEqual([0, expect.stringMatching(/! 2 pages [^]*! page_limit_reached /)]);
    for (const args of [
      ['scrape', `${site.origin}/`],
      ['map', `${site.origin}/`],
    ]) {
      const { code, stderr } = await run([...args, '--data', service.directory], { env: env() });
      expect([code, stderr]).toEqual([
        6,
        expect.stringContaining(`hayrake ${args.join(' ')} --server ${service.origin}\n`),
      ]);
      expect(stderr).not.toContain('HAYRAKE_TOKEN');
    }
  });
});

test('help names --server for each verb', () => {
  const help = (command: string): string =>
    execFileSync(process.execPath, ['src/main.ts', command, '--help']).toString();
  for (const command of ['crawl', 'resume', 'get', 'open', 'cancel']) expect(help(command)).toContain('--server <url>');
});
