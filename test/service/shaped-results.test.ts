// Links, images and chunks on reading: what is stored stays, and a client that asks for nothing gets it byte for byte.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from './expect-problem.ts';
import { startService, type TestService } from './start-service.ts';
import { startTestSite, type TestSite } from './test-site.ts';

interface Row {
  readonly meta: { readonly page: number; readonly url: string; readonly meta: Readonly<Record<string, unknown>> };
  readonly chunk: {
    readonly index: number;
    readonly headings: readonly string[];
    readonly start: number;
    readonly end: number;
  };
  readonly text: string;
}

const sentence = 'A sentence about 🌾 and nothing else. ';
const body =
  `<h1>Guide</h1><p>See <a href="/b?utm_source=x" title="Other">the other</a>. <img src=/i.png> <img src=/j.png alt=Drawn></p>` +
  `<h2>First</h2><p>${sentence.repeat(20)}</p><h2>Second</h2><p>${sentence.repeat(20)}</p><ul>${'<li>item</li>'.repeat(60)}</ul>`;
const page = `<title>Guide</title><main>${body}</main>`;

let site: TestSite;
let service: TestService;
let job: string;

beforeAll(async () => {
  site = await startTestSite({ '/': page, '/b?utm_source=x': '<title>B</title><main><p>Other.</p></main>' });
  service = await startService();
  job = (await service.crawl({ urls: [`${site.origin}/`] })).id;
});
afterAll(async () => {
  await service.close();
  await site.close();
});

const path = (query: string): string => `/crawler/jobs/${job}/data${query}`;
const lines = { accept: 'application/x-ndjson' };

async function texts(query: string): Promise<string[]> {
  const { data } = await service.ok<{ readonly data: readonly Row[] }>(path(query));
  return data.map(({ text }) => text);
}

describe('links and images on reading', () => {
  test('GET /data: returns links and images as stored by default and with links=inline&images=all', async () => {
    const plain = await service.raw(path(''));
    const usual = await service.raw(path('?links=inline&images=all'));
    expect(usual.body.equals(plain.body)).toBe(true);
    expect(plain.body.toString()).toContain(`[the other](${site.origin}/b)`);
  });

  test('GET /data: leaves out links and images, or lists links at the end, when requested', async () => {
    const [none = ''] = await texts('?links=none&images=none');
    expect(none).toContain('See the other.');
    expect(none).not.toContain('](');
    const [reference = ''] = await texts('?links=reference&images=described');
    expect(reference).toContain('See [the other][1].');
    expect(reference.trimEnd()).toMatch(/\n\[1\]: http:\S+\/b$/);
    expect(reference).not.toContain('![](');
    expect(reference).toContain('![Drawn](');
  });

  test('GET /data: changes the ETag with `links`', async () => {
    const plain = await service.raw(path(''));
    const shaped = await service.raw(path('?links=none'));
    expect(shaped.headers.etag).not.toBe(plain.headers.etag);
  });

  test('POST /crawler/jobs: gives with links and images the same text as GET /data with both', async () => {
    const { id } = await service.crawl({ urls: [`${site.origin}/`], links: 'none', images: 'none' });
    const { data } = await service.ok<{ readonly data: readonly Row[] }>(`/crawler/jobs/${id}/data`);
    expect(data.map(({ text }) => text)).toEqual(await texts('?links=none&images=none'));
  });
});

describe('title on reading', () => {
  test('GET /data?title=auto: adds the title as heading when the text has no first-level heading', async () => {
    const [first = '', second = ''] = await texts('?title=auto');
    expect([first.slice(0, 9), second]).toEqual(['# Guide\n\n', '# B\n\nOther.']);
    expect((await texts('?title=page'))[1]).toBe('Other.');
  });

  test('POST /crawler/jobs: adds the title as heading with title=auto, and refuses it for HTML', async () => {
    for (const [format, text] of [
      ['markdown', '# B\n\nOther.'],
      ['text', 'B\n\nOther.'],
    ] as const) {
      const { id } = await service.crawl({ urls: [`${site.origin}/`], output_format: format, title: 'auto' });
      const { data } = await service.ok<{ readonly data: readonly Row[] }>(`/crawler/jobs/${id}/data`);
      expect(data[1]?.text).toBe(text);
    }
    const refused = await service.raw('/crawler/jobs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ urls: [`${site.origin}/`], output_format: 'html', title: 'auto' }),
    });
    expectProblem(refused, 400, 'invalid_body');
  });
});

describe('chunks', () => {
  async function chunks(query: string): Promise<{ readonly rows: readonly Row[]; readonly end: unknown }> {
    const { body: answer } = await service.raw(path(query), { headers: lines });
    const rows = answer
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);
    return { end: rows.pop(), rows };
  }

  test('GET /data?chunk: returns chunks that join to the page, with offsets and headings', async () => {
    const [whole = ''] = await texts('?links=none');
    const { rows, end } = await chunks('?chunk=heading&chunk_chars=800&links=none');
    const first = rows.filter(({ meta }) => meta.page === 1);
    expect(first.map(({ text }) => text).join('')).toBe(whole);
    const characters = Array.from(whole);
    for (const { chunk, text } of first) expect(characters.slice(chunk.start, chunk.end).join('')).toBe(text);
    expect(first.map(({ chunk }) => chunk.index)).toEqual(first.map((_, index) => index));
    expect(first.map(({ chunk }) => chunk.headings)).toContainEqual(['Guide', 'First']);
    expect(first.map(({ chunk }) => chunk.headings)).toContainEqual(['Guide', 'Second']);
    expect(end).toEqual({ end: true, pages: 2, chunks: rows.length });
    expect(first[0]?.meta).toMatchObject({ url: `${site.origin}/`, meta: { title: 'Guide' } });
  });

  test('GET /data?chunk: compresses chunks with gzip when accepted', async () => {
    const plain = await chunks('?chunk=heading');
    const answer = await service.api(path('?chunk=heading'), { headers: { ...lines, 'accept-encoding': 'gzip' } });
    expect((await answer.text()).trimEnd().split('\n')).toHaveLength(plain.rows.length + 1);
  });
});

describe('refusals', () => {
  test.each([
    ['?links=some', {}],
    ['?images=big', {}],
    ['?title=yes', {}],
    ['?links=none&links=none', {}],
    ['?chunk=heading', {}],
    ['?chunk=page', lines],
    ['?chunk_chars=500', lines],
    ['?chunk=heading&chunk_chars=199', lines],
    ['?chunk=heading&chunk_chars=20001', lines],
    ['?chunk=heading&chunk_chars=1e3', lines],
  ] as const)('GET /data: refuses %s with 400', async (query, headers) => {
    expectProblem(await service.raw(path(query), { headers }), 400, 'invalid_parameter');
  });

  test('GET /data and POST /crawler/jobs: refuse links=none when the format is HTML', async () => {
    const { id } = await service.crawl({ urls: [`${site.origin}/`], output_format: 'html' });
    expectProblem(await service.raw(`/crawler/jobs/${id}/data?links=none`), 400, 'invalid_parameter');
    const refused = await service.raw('/crawler/jobs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ urls: [site.origin], output_format: 'html', links: 'none' }),
    });
    expectProblem(refused, 400, 'invalid_body');
  });
});
