// `hayrake why JOB URL --text`: what was left out of a page, for a person.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type SitePage, startTestSite, type TestSite } from '../service/test-site.ts';
import { type Finished, newDirectory, removeDirectories, run } from './program.ts';

const prose = 'Hay is dried for three days in the sun, and turned twice before it goes to the barn. ';
const hay = `<title>Hay</title><nav>Home <b>Fields</b></nav><main><h1>Hay</h1><p>${prose.repeat(5)}</p></main><footer>Made of \u202Egrass</footer>`;
const notes: SitePage = (_request, response) =>
  response.writeHead(200, { 'content-type': 'text/plain' }).end(`${prose.repeat(3)}\n`);

let site: TestSite;
beforeAll(async () => {
  site = await startTestSite();
});
afterAll(() => site.close());
afterEach(removeDirectories);

/** Crawls one page into a directory of its own. Returns what asks about a page of that job. */
async function crawled(page: SitePage): Promise<(path: string) => Promise<Finished>> {
  site.add({ '/page': page });
  const data = ['--data', newDirectory()];
  const flags = [...data, '--allow-private', '127.0.0.0/8'];
  const crawl = await run(['crawl', `${site.origin}/page`, '--json', '--limit', '1', '--store-raw', ...flags]);
  const [, id = ''] = /get (\w{26})/.exec(crawl.stderr) ?? [];
  return (path) => run(['why', id, `${site.origin}${path}`, '--text', ...data]);
}

test('why --text: lists rule, words and beginning of what was left out, and how to keep it', async () => {
  const why = await crawled(hay);
  const { code, stdout, stderr } = await why('/page#top');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.split('\n')).toEqual([
    `${site.origin}/page (page 1)`,
    '  Left out: 5 words, by rule, words and beginning:',
    '',
    '  nav     2  Home Fields',
    '  footer  3  Made of  grass',
    '',
    expect.stringContaining('--include-elements'),
    expect.stringContaining('`content: full`'),
    '',
  ]);
});

test('why --text: says that nothing is left out', async () => {
  const why = await crawled('<p>Only this.</p>');
  expect((await why('/page')).stdout).toMatch(/ {2}Nothing is left out\.\n$/);
});

test.each<[string, SitePage, string, Finished]>([
  [
    'has no page',
    hay,
    '/other',
    { code: 1, stdout: expect.stringContaining('did not discover'), stderr: expect.stringContaining('no page') },
  ],
  ['is a file', notes, '/page', { code: 2, stdout: '', stderr: expect.stringContaining('not HTML') }],
])('why --text: says why when a URL %s', async (_name, page, path, expected) => {
  const why = await crawled(page);
  expect(await why(path)).toEqual(expected);
});
