// What people do every day: a login in the URL, names of jobs in short, one file per page with all its outputs.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { htmlPage, type SitePage, startTestSite, type TestSite } from '../service/test-site.ts';
import { newDirectory, removeDirectories, run } from './program.ts';

const login = `Basic ${Buffer.from('ann:p@ss').toString('base64')}`;
const reachable = ['--allow-private', '127.0.0.0/8'];
let site: TestSite;

/** A page that only Ann may read. */
const behindLogin =
  (html: string): SitePage =>
  ({ headers }, response) => {
    const isAnn = headers.authorization === login;
    response.writeHead(isAnn ? 200 : 401, { 'content-type': 'text/html' });
    response.end(isAnn ? html : 'who are you?');
  };

beforeAll(async () => {
  site = await startTestSite({
    '/': behindLogin(htmlPage({ title: 'Home', text: 'The home page.', links: ['/about', '/a/b.html'] })),
    '/about': behindLogin(htmlPage({ title: 'About', text: 'About us.' })),
    '/a/b.html': behindLogin(htmlPage({ title: 'Deep', text: 'A deep page.' })),
  });
});
afterAll(() => site.close());
afterEach(removeDirectories);

const withLogin = (): string => site.origin.replace('//', '//ann:p%40ss@');

test('crawl: makes a header of the login in a URL, and shows the password nowhere', async () => {
  const data = newDirectory();
  const { code, stdout, stderr } = await run(['crawl', `${withLogin()}/`, '--json', '--data', data, ...reachable]);
  expect(code).toBe(0);
  expect(stdout.trim().split('\n')).toHaveLength(3);
  expect(stdout + stderr).not.toMatch(/p@ss|p%40ss/u);
  const job = await run(['jobs', '--json', '--data', data]);
  expect(job.stdout).toContain(`${site.origin}/`);
  expect(job.stdout).not.toMatch(/p@ss|p%40ss/u);
  const refused = await run(['crawl', `${withLogin()}/`, '--max-depth', '-1', '--data', data]);
  expect(refused.stderr).not.toMatch(/p@ss|p%40ss/u);
});

test.each([['crawl'], ['scrape']])('%s: names --header where the site answers 401', async (command) => {
  const { code, stderr } = await run([command, `${site.origin}/`, '--data', newDirectory(), ...reachable]);
  expect([code === 0, stderr]).toEqual([false, expect.stringContaining("--header 'Authorization: ...'")]);
});

test('crawl --extract: names the place in the file that is wrong', async () => {
  const data = newDirectory();
  const file = path.join(data, 'fields.json');
  writeFileSync(file, '{"fields": {"price": {"css": ".price", "typ": "price"}}}');
  const { code, stderr } = await run(['crawl', `${site.origin}/`, '--extract', file, '--data', data, ...reachable]);
  expect([code, stderr]).toEqual([2, 'hayrake: --extract (fields.price.typ): There is no such field.\n']);
});

test('why --text: says what to do when the job has kept no raw bodies', async () => {
  const data = newDirectory();
  await run(['crawl', `${withLogin()}/`, '--max-depth', '0', '--json', '--data', data, ...reachable]);
  const { code, stderr } = await run(['why', 'last', '/', '--text', '--data', data]);
  expect([code, stderr]).toEqual([1, expect.stringContaining('Crawl with `--store-raw`')]);
});

test('commands on a job: take `last`, the beginning of an id, and a path for `why`', async () => {
  const data = newDirectory();
  const crawl = (): ReturnType<typeof run> =>
    run(['crawl', `${withLogin()}/`, '--max-depth', '0', '--json', '--data', data, ...reachable]);
  await crawl();
  await crawl();
  const listed = await run(['jobs', '--json', '--data', data]);
  const [newest = '', oldest = ''] = listed.stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { id: string }).id);
  const path0 = await run(['why', 'last', '/', '--data', data]);
  expect(path0.stdout).toMatch(new RegExp(`^${site.origin}/\\n  It is page 1`, 'u'));
  const about = await run(['why', oldest.slice(0, 12).toLowerCase(), '/about', '--data', data]);
  expect(about.stdout).toContain('max_depth');

  const common = Array.from(newest).findIndex((letter, index) => letter !== oldest[index]);
  const several = await run(['get', newest.slice(0, common), '--json', '--data', data]);
  expect(several).toMatchObject({ code: 2, stdout: '' });
  expect(several.stderr).toMatch(new RegExp(`Several jobs begin[^]*${newest}\\n  ${oldest}`, 'u'));
});

test('commands on a job: say where to look for an id that none begins with', async () => {
  const data = newDirectory();
  await run(['crawl', `${withLogin()}/`, '--max-depth', '0', '--json', '--data', data, ...reachable]);
  const none = await run(['get', '0000', '--data', data]);
  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('`hayrake jobs` lists them') });
});

test('crawl --out --json: writes a JSON file per page; get does too', async () => {
  const [data, out] = [newDirectory(), newDirectory()];
  const flags = ['--out', out, '--json', '--data', data];
  const { code, stdout, stderr } = await run(['crawl', `${withLogin()}/`, ...flags, ...reachable]);
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toContain('3 JSON files');
  const host = path.join(out, new URL(site.origin).host.replace(':', '_'));
  const page = JSON.parse(readFileSync(path.join(host, 'a/b.json'), 'utf8')) as object;
  expect(page).toMatchObject({
    meta: { url: `${site.origin}/a/b.html` },
    text: expect.stringContaining('A deep page.'),
  });
  const again = newDirectory();
  await run(['get', 'last', '--out', again, '--json', '--data', data]);
  const filesOf = (directory: string): Set<string> =>
    new Set(readdirSync(directory, { recursive: true, encoding: 'utf8' }));
  expect(filesOf(again)).toEqual(filesOf(out));
});

test('crawl --formats: writes each output into a directory of its own, or into the JSON', async () => {
  const [data, out] = [newDirectory(), newDirectory()];
  const url = `${withLogin()}/`;
  const { code } = await run(['crawl', url, '--formats', 'source, links', '--out', out, '--data', data, ...reachable]);
  expect(code).toBe(0);
  const host = path.join(out, new URL(site.origin).host.replace(':', '_'));
  expect(readFileSync(`${host}.source/a/b.html`, 'utf8')).toMatch(/^<!doctype html>/u);
  expect(readFileSync(`${host}.links/index.txt`, 'utf8')).toBe(`${site.origin}/about\n${site.origin}/a/b.html\n`);
  expect(existsSync(path.join(host, 'a/b.md'))).toBe(true);
  const lines = await run(['scrape', url, '--formats', 'source', '--json', '--data', data, ...reachable]);
  expect(JSON.parse(lines.stdout)).toMatchObject({ formats: { source: expect.stringContaining('<!doctype html>') } });
});

test('jobs --status incomplete: lists the jobs with findings, newest first, and no whole one', async () => {
  const data = newDirectory();
  const crawl = (...args: readonly string[]): ReturnType<typeof run> =>
    run(['crawl', '--json', '--data', data, ...reachable, ...args]);
  await crawl(`${site.origin}/`);
  await crawl(`${withLogin()}/`);
  await crawl(`${withLogin()}/`, '--limit', '1');
  const jobs = async (...args: readonly string[]): Promise<readonly unknown[]> =>
    (await run(['jobs', '--json', '--data', data, ...args])).stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown);
  const [cut, whole, refused] = await jobs();
  expect([cut, whole, refused]).toMatchObject([{ complete: false }, { complete: true }, { complete: false }]);
  expect(await jobs('--status', 'incomplete')).toEqual([cut, refused]);
  expect(await jobs('--status', 'incomplete', '--limit', '1')).toEqual([cut]);
});
