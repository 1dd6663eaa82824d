// The small commands: tokens, jobs, pages, settings, help; most of them beside a running service.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../service/start-service.ts';
import { numberedPages, startTestSite, type TestSite } from '../service/test-site.ts';
import { isOnPostgres } from '../service/test-store.ts';
import { newDirectory, removeDirectories, run } from './program.ts';

afterEach(removeDirectories);

describe('beside a running service', () => {
  let service: TestService;
  let site: TestSite;
  let job: { readonly id: string };
  beforeAll(async () => {
    site = await startTestSite(numberedPages(3));
    service = await startService();
    job = await service.crawl({ urls: [`${site.origin}/`] });
  });
  afterAll(async () => {
    await service.close();
    await site.close();
  });

  test('a token works from the moment it is made, is listed without being shown, and ends the moment it is revoked', async () => {
    const create = ['token', 'create', '--org', 'acme', '--permissions', 'read', '--name', 'the laptop'];
    const made = await service.run(create);
    const token = made.stdout.trim();
    expect(made.stdout).toMatch(/^hr_[\w-]{43}[0-9a-f]{8}\n$/);
    const id = /Token (t_\w+) \(the laptop\) of org acme \(read\)\. It is shown once/.exec(made.stderr)![1]!;
    expect((await service.api('/crawler/jobs', { token })).status).toBe(200);
    expect((await service.api('/crawler/jobs', { token, json: { urls: [`${site.origin}/`] } })).status).toBe(403);

    const listed = await service.run(['token', 'list']);
    expect(listed.stdout).toMatch(new RegExp(`^${id} {2}acme {2}read {2}made \\S+ {2}active {2}"the laptop"$`, 'm'));
    expect(listed.stdout).not.toContain(token);

    const revoked = await service.run(['token', 'revoke', id]);
    expect([revoked.code, revoked.stderr]).toEqual([0, `Token ${id} is revoked.\n`]);
    expect((await service.api('/crawler/jobs', { token })).status).toBe(401);
    expect((await service.run(['token', 'list'])).stdout).toMatch(new RegExp(`^${id} .*revoked \\d{4}-`, 'm'));
  });

  test('jobs lists what there is, newest first', async () => {
    const { code, stdout } = await service.run(['jobs']);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${job.id} +succeeded +\\S+Z +3 +0 +0 +${site.origin}/$`, 'm'));
    const json = await service.run(['jobs', '--json', '--limit', '1']);
    expect(JSON.parse(json.stdout)).toMatchObject({ id: job.id, status: 'succeeded', progress: { discovered: 3 } });
  });

  test('why explains a URL of a job', async () => {
    const { code, stdout } = await service.run(['why', job.id, `${site.origin}/#top`]);
    expect(code).toBe(0);
    const [first, outcome, attempt, origin] = stdout.split('\n');
    expect([first, outcome, origin]).toEqual([
      `${site.origin}/`,
      '  It is page 1 of the results.',
      '  It is a start URL.',
    ]);
    expect(attempt).toMatch(/^ {2}The last attempt ended at \d{4}-\S+Z\.$/);
    const lowerCase = job.id.toLowerCase();
    expect((await service.run(['why', lowerCase, `${site.origin}/nowhere`])).stdout).toContain('did not discover');
    const wrong = await service.run(['why', job.id, 'ftp://x']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('only http and https')]);
  });

  test('get writes the rows of the API, with and without text', async () => {
    const expected = await service.ok<{ data: unknown[] }>(`/crawler/jobs/${job.id}/data`);
    const lines = (text: string): unknown[] =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
    expect(lines((await service.run(['get', job.id, '--json'])).stdout)).toEqual(expected.data);
    const metas = await service.ok<{ data: unknown[] }>(`/crawler/jobs/${job.id}/meta`);
    expect(lines((await service.run(['get', job.id, '--meta'])).stdout)).toEqual(metas.data);
    expect((await service.run(['get', job.id])).stdout).toContain('\n---\n\nThis is page 2.\n');
    expect((await service.run(['get', job.id, '--front-matter', 'none'])).stdout).not.toContain('---');
    const refused = await service.run(['get', job.id, '--convert-links']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('Add --out DIR')]);
    const chunked = await service.run(['get', job.id, '--chunk', 'heading', '--links', 'none', '--out', '-']);
    expect(lines(chunked.stdout)).toHaveLength(expected.data.length);
    expect(chunked.stdout).not.toContain('](');
    const out = newDirectory();
    expect((await service.run(['get', job.id, '--out', out])).stderr).toContain('3 Markdown files');
  });

  // A PostgreSQL database is there for several.
  test.skipIf(isOnPostgres())(
    'crawl and serve are refused: they would crawl twice (needs the embedded database)',
    async () => {
      const [crawl, serve] = await Promise.all([service.run(['crawl', `${site.origin}/`]), service.run(['serve'])]);
      expect([serve.code, serve.stderr]).toEqual([
        6,
        expect.stringContaining(`in use by another crawling hayrake (process ${service.pid})`),
      ]);
      expect([crawl.code, crawl.stderr]).toEqual([6, expect.stringContaining(`--server ${service.origin}`)]);
    },
  );

  test.each([
    ['get', ['get', '0'.repeat(26)], 1, '`hayrake jobs` lists them'],
    ['token revoke', ['token', 'revoke', 't_none'], 1, '`hayrake token list` shows them'],
    ['token create --permissions', ['token', 'create', '--permissions', 'admin'], 2, 'There are: read, write'],
    ['token create --name', ['token', 'create', '--name', 'a\nb'], 2, '--name takes'],
    ['token create --org', ['token', 'create', '--org', 'a b'], 2, '--org takes'],
  ])('%s says what is wrong, and what to do', async (_, args, expectedCode, message) => {
    const { code, stdout, stderr } = await service.run(args);
    expect([code, stdout, stderr]).toEqual([expectedCode, '', expect.stringContaining(message)]);
  });
});

describe('config', () => {
  const rowOf = (stdout: string, name: string): string => new RegExp(`^${name} +(.*)$`, 'm').exec(stdout)![1]!;

  test('a flag beats the environment, which beats the file, which beats the default; each says so', async () => {
    const file = path.join(newDirectory(), 'hayrake.json');
    writeFileSync(file, JSON.stringify({ port: 1001, hostConcurrency: 3, concurrency: 5, allowPorts: [3000, 9090] }));
    const { stdout, code } = await run(['config', '--port', '1003', '--config', file], {
      env: { HAYRAKE_PORT: '1002', HAYRAKE_HOST_CONCURRENCY: '4' },
    });
    expect(code).toBe(0);
    expect(rowOf(stdout, 'HAYRAKE_PORT')).toMatch(/^1003 +flag$/);
    expect(rowOf(stdout, 'HAYRAKE_HOST_CONCURRENCY')).toMatch(/^4 +environment$/);
    expect(rowOf(stdout, 'HAYRAKE_CONCURRENCY')).toMatch(/^5 +file$/);
    expect(rowOf(stdout, 'HAYRAKE_ALLOW_PORTS')).toMatch(/^3000,9090 +file$/);
    expect(rowOf(stdout, 'HAYRAKE_HOST')).toMatch(/^127\.0\.0\.1 +default$/);
  });

  test('hides secrets', async () => {
    const secret = 'a-token-that-nobody-may-read-0123456789';
    const { stdout, stderr } = await run(['config'], { env: { HAYRAKE_TOKEN: secret } });
    expect(rowOf(stdout, 'HAYRAKE_TOKEN')).toMatch(/^\(set\) +environment$/);
    expect(stdout + stderr).not.toContain(secret);
  });

  test('warns of a variable that is none of its settings', async () => {
    const { stderr } = await run(['config'], { env: { HAYRAKE_PROT: '80' } });
    expect(stderr).toContain('There is no setting HAYRAKE_PROT, so it is ignored.');
  });

  test.each([
    ['environment', [], { HAYRAKE_PORT: 'abc' }, 'HAYRAKE_PORT is "abc"'],
    ['flag', ['--host-delay-ms', '-1'], {}, '--host-delay-ms is "-1"'],
    ['a network that is none', ['--allow-private', '10.0.0.0/99'], {}, '--allow-private is "10.0.0.0/99"'],
    [
      'a short token, which is not repeated',
      [],
      { HAYRAKE_TOKEN: 'short-secret' },
      'HAYRAKE_TOKEN cannot be used: a token is 32',
    ],
    ['contact', ['--contact', 'a (b)'], {}, '--contact is "a (b)"'],
    ['log level', ['--log-level', 'loud'], {}, 'write one of debug, info, warn, error, silent'],
    ['empty directory', ['--data', ''], {}, '--data is ""'],
    ['no such file', ['--config', '/no/such/file.json'], {}, '/no/such/file.json cannot be read'],
  ])('a bad setting is named, with what may be written: %s', async (_, flags, env, message) => {
    const { code, stderr } = await run(['config', ...flags], { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr).not.toContain('short-secret');
  });

  test('an unknown setting in the file is an error that names it', async () => {
    const file = path.join(newDirectory(), 'hayrake.json');
    writeFileSync(file, '{"prot": 80}');
    const { code, stderr } = await run(['config', '--config', file]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('There is no setting "prot"')]);
  });
});

describe('help', () => {
  test.each([
    [['crwl', 'https://example.com'], 'Did you mean crawl?'],
    [['crawl', '--limt', '3', 'https://example.com'], 'Did you mean --limit?'],
    [['serve', '--prot', '80'], 'Did you mean --port?'],
    [['token', 'creat'], 'Did you mean create?'],
    [['get'], "missing required argument 'job'"],
    [['jobs', 'extra'], 'too many arguments'],
    [['jobs', '--limit', 'all'], '--limit takes a whole number'],
  ])('%j is a wrong command line: 2, and a suggestion', async (args, message) => {
    const { code, stdout, stderr } = await run(args);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
  });

  test('--version and --help go to standard output', async () => {
    const [version, help, ofCrawl] = await Promise.all([run(['--version']), run(['--help']), run(['crawl', '--help'])]);
    expect([version.code, version.stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
    for (const command of ['serve', 'crawl', 'resume', 'jobs', 'get', 'why', 'token', 'config']) {
      expect(help.stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
    }
    expect([help.code, ofCrawl.code]).toEqual([0, 0]);
    expect(ofCrawl.stdout.indexOf('--limit')).toBeLessThan(ofCrawl.stdout.indexOf('HAYRAKE_DATA'));
  });

  test('without a command there is help, and 2', async () => {
    const { code, stderr } = await run([]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Usage: hayrake')]);
  });

  test('jobs in an empty directory says how to make one', async () => {
    const { code, stdout, stderr } = await run(['jobs', '--data', newDirectory()]);
    expect([code, stdout, stderr]).toEqual([
      isOnPostgres() ? 0 : 2,
      '',
      expect.stringContaining('`hayrake crawl https://example.com`'),
    ]);
  });
});
