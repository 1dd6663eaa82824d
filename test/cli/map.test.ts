// `hayrake map`: the URLs of a site to standard output, for a person or a pipe.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { htmlPage, startTestSite, type TestSite } from '../service/test-site.ts';
import { newDirectory, removeDirectories, run } from './program.ts';

let site: TestSite;
beforeAll(async () => {
  site = await startTestSite({ '/': htmlPage({ text: 'Hay', links: ['/barn', '/field'] }) });
});
afterAll(() => site.close());
afterEach(removeDirectories);

const map = (path: string, ...args: readonly string[]) =>
  run(['map', `${site.origin}${path}`, '--data', newDirectory(), '--allow-private', '127.0.0.0/8', ...args]);

test('one URL per line, and nothing else is said', async () => {
  const lines = ['/', '/barn', '/field'].map((path) => `${site.origin}${path}\n`);
  expect(await map('/')).toEqual({ code: 0, stdout: lines.join(''), stderr: '' });
});

test('--containing and --limit; what is missing is said', async () => {
  expect((await map('/', '--containing', 'BARN')).stdout).toBe(`${site.origin}/barn\n`);
  const { code, stdout, stderr } = await map('/', '--limit', '1', '--json');
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { truncatedBy: 'limit', urls: [{ url: `${site.origin}/` }] }]);
  expect(stderr).toBe('hayrake: There are more URLs. Raise --limit.\n');
});

test('a page that is gone: 1, and the reason', async () => {
  const reason = 'http_404: The site responded with 404.';
  expect(await map('/gone')).toEqual({ code: 1, stdout: '', stderr: `hayrake: ${site.origin}/gone: ${reason}\n` });
  expect((await run(['map', 'ftp://a.test/', '--data', newDirectory()])).code).toBe(2);
});
