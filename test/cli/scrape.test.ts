// `hayrake scrape`: one page to standard output, for a person or a pipe.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { htmlPage, startTestSite, type TestSite } from '../service/test-site.ts';
import { newDirectory, removeDirectories, run, start } from './program.ts';

let site: TestSite;
beforeAll(async () => {
  site = await startTestSite({
    '/hay': htmlPage({ title: 'Hay', text: 'Dried <b>grass</b>.', links: ['/more'] }),
    '/more': htmlPage({ text: 'More.' }),
    '/robots.txt': (_request, response) => response.end('User-agent: *\nDisallow: /private'),
    '/private': htmlPage({ text: 'Not for robots.' }),
  });
});
afterAll(() => site.close());
afterEach(removeDirectories);

const flags = (): string[] => ['--data', newDirectory(), '--allow-private', '127.0.0.0/8'];
const scrape = (path: string, ...args: readonly string[]) =>
  run(['scrape', `${site.origin}${path}`, ...flags(), ...args]);

test.each([
  [[], 'Dried **grass**.\n'],
  [['--format', 'text'], 'Dried grass.\n'],
  [['--include-elements', 'b', '--format', 'text'], 'grass\n'],
  [['--full', '--exclude-elements', 'ul, b'], 'Dried .\n'],
])('the page goes to standard output, and nothing else is said: %j', async (args, stdout) => {
  expect(await scrape('/hay', ...args)).toEqual({ code: 0, stdout, stderr: '' });
});

test('--json: the answer of the API', async () => {
  const { code, stdout } = await scrape('/hay', '--json');
  expect([code, JSON.parse(stdout)]).toMatchObject([
    0,
    { status: 'scraped', url: `${site.origin}/hay`, text: 'Dried **grass**.', meta: { title: 'Hay' } },
  ]);
});

test('what cannot be had: 1, and the reason on standard error; with --json on standard output too', async () => {
  const { code, stdout, stderr } = await scrape('/none');
  expect([code, stdout, stderr]).toEqual([
    1,
    '',
    `hayrake: ${site.origin}/none: http_404: The site responded with 404.\n`,
  ]);
  const json = await scrape('/private', '--json');
  expect([json.code, JSON.parse(json.stdout)]).toMatchObject([1, { error: { reason: 'robots_disallowed' } }]);
  expect((await scrape('/private', '--ignore-robots')).stdout).toBe('Not for robots.\n');
});

test.each([
  [['ftp://example.com/'], 'ftp://example.com/: '],
  [['http://10.0.0.1/'], '--allow-private'],
  [['http://127.0.0.1/', '--timeout', '999'], '--timeout: '],
  [['http://127.0.0.1/', '--exclude-elements', '::::'], '--exclude-elements: '],
])('a mistake is said by what was written: %j', async (args, message) => {
  const { code, stdout, stderr } = await run(['scrape', ...args, '--data', newDirectory()]);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
});

test('no other job of the directory is gone on with', async () => {
  const again = flags();
  const gate = site.hold('/more');
  const crawl = start(['crawl', `${site.origin}/hay`, ...again]);
  await gate.reached;
  crawl.child.kill('SIGKILL');
  await crawl.finished;
  const asked = site.requests.filter(({ path }) => path === '/more').length;
  gate.open();
  expect((await run(['scrape', `${site.origin}/hay`, ...again])).stdout).toBe('Dried **grass**.\n');
  expect(site.requests.filter(({ path }) => path === '/more')).toHaveLength(asked);
});

test('Ctrl-C ends it with 130', async () => {
  site.add({ '/held': htmlPage({ text: 'Held.' }) });
  const gate = site.hold('/held');
  const running = start(['scrape', `${site.origin}/held`, ...flags()]);
  await gate.reached;
  running.child.kill('SIGINT');
  gate.open();
  expect(await running.finished).toMatchObject({ code: 130, stdout: '' });
});
