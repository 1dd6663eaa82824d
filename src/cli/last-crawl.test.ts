import { expect, test } from 'vitest';
import { withLastCrawl } from './last-crawl.ts';

const urls = ['https://a.test/', 'https://b.test/x'];
const crawl = { id: 'EARLIER', isComparable: true, urls, scope: 'host' } as const;
type Crawl = ReturnType<Parameters<typeof withLastCrawl>[2]> extends AsyncIterable<infer Listed> ? Listed : never;

async function optionsWith(job: object, given: readonly string[] = urls, options: object = {}) {
  const said: string[] = [];
  const jobs = async function* (): AsyncGenerator<Crawl> {
    yield { ...crawl, ...job };
  };
  const answer = await withLastCrawl(given, { since: 'last', deliver: 'changed', ...options }, jobs, (text) =>
    said.push(text),
  );
  expect(said).toHaveLength(1);
  return answer;
}

test.each([
  ['the start URLs are in another order, and as people type them', {}, ['b.test/x', 'https://a.test'], {}],
  ['the scope was given', { scope: 'path' }, urls, { scope: 'path' }],
])('withLastCrawl: takes the ended crawl when %s', async (_, job, given, options) => {
  expect(await optionsWith(job, given, options)).toEqual({ since: 'EARLIER', deliver: 'changed', ...options });
});

test.each([
  ['it still runs, or its results are gone', { isComparable: false }, urls, {}],
  ['it has one start URL more', { urls: [...urls, 'https://c.test/'] }, urls, {}],
  ['its scope was another one', {}, urls, { scope: 'subdomains' }],
])('withLastCrawl: leaves out since and deliver when %s', async (_, job, given, options) => {
  expect(await optionsWith(job, given, options)).toEqual(options);
});

test('withLastCrawl: leaves an id alone, and looks at no job', async () => {
  const none = (): never => expect.unreachable();
  expect(await withLastCrawl(urls, { since: 'ID' }, none, none)).toEqual({ since: 'ID' });
});
