import { afterEach, expect, test, vi } from 'vitest';
import { jobSpec } from '../../../../test/job-spec.ts';
import { readFetchedHeaders } from '../../../fetch/response/response-head.ts';
import { briefOf } from '../../job/job-cache.ts';
import { ApartConverter } from './apart-converter.ts';
import type { PageInput } from '../converter.ts';
import { ownedCopy } from '../../../core/bytes/owned-bytes.ts';

const spec = jobSpec({ urls: ['http://site.example/'] });
const limits = { deadlineMs: 5_000, memoryMbMax: 256 };

function inputOf(url: string, body = '<title>T</title><p>Text <a href="/y">there</a>'): PageInput {
  return {
    job: briefOf({ id: 'job', spec, scopeHosts: ['site.example'] }, 1),
    requestUrl: `http://site.example/${url}`,
    fetchedUrl: `http://site.example/${url}`,
    depth: 0,
    statusCode: 200,
    headers: readFetchedHeaders({ 'content-type': 'text/html' }),
    body: ownedCopy(new TextEncoder().encode(body)),
  };
}

const converters: ApartConverter[] = [];
afterEach(() => {
  for (const converter of converters.splice(0)) converter.close();
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

function apart({ apartMs = 60_000, preload = '' } = {}): { converter: ApartConverter; errors: unknown[] } {
  const errors: unknown[] = [];
  const log = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (_: string, fields: unknown) => errors.push(fields),
  };
  const module = new URL('./converter-process.ts', import.meta.url);
  vi.stubEnv('NODE_OPTIONS', preload);
  const converter = new ApartConverter({ limits, apartMs, module }, log);
  converters.push(converter);
  return { converter, errors };
}

test('ApartConverter: converts pages like a thread, without a conversion number', async () => {
  const { converter } = apart();
  const converted = await Promise.all(['a', 'b'].map((url) => converter.convertPage(inputOf(url))));
  for (const one of converted) {
    expect(one).toMatchObject({ kind: 'page', links: [{ url: 'http://site.example/y' }] });
    expect(one).not.toHaveProperty('conversion');
  }
});

test(
  'ApartConverter: returns parse_crashed for a page that kills two processes, and converts the others',
  { timeout: 120_000 },
  async () => {
    const { converter, errors } = apart({
      preload: `--import=${import.meta.resolve('../../../../test/faults/deadly-pages.ts')}`,
    });
    const urls = ['a', 'deadly/1', 'deadly/2', 'b'];
    const kinds = await Promise.all(
      urls.map(async (url) => {
        const told = await converter.convertPage(inputOf(url));
        return told.kind === 'error' ? told.error.reason : told.kind;
      }),
    );
    expect(kinds).toEqual(['page', 'parse_crashed', 'parse_crashed', 'page']);
    expect(errors.map((fields) => (fields as { url: string }).url)).toEqual(
      ['deadly/1', 'deadly/2'].flatMap((url) => [url, url]).map((url) => `http://site.example/${url}`),
    );
  },
);

test('ApartConverter.checkOn: returns false when apartMs is over', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { converter } = apart({ apartMs: 50 });
  expect(converter.checkOn()).toBe(true);
  vi.advanceTimersByTime(49);
  expect(converter.checkOn()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(converter.checkOn()).toBe(false);
});

test('ApartConverter.close: settles waiting conversions as errors', async () => {
  const { converter, errors } = apart();
  const waiting = [converter.convertPage(inputOf('a')), converter.convertPage(inputOf('b'))];
  converter.close();
  expect((await Promise.all(waiting)).map(({ kind }) => kind)).toEqual(['error', 'error']);
  expect(errors).toEqual([]);
});
