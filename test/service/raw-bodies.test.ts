// `store_raw`: what a site sent, kept with its page, read as bytes and as a WARC.
//
// How sites differ: codings of the body, charsets, headers of sessions, files, redirects, names and order of headers.
import { brotliCompressSync, deflateSync, gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from './expect-problem.ts';
import { type JobAnswer, type RawAnswer, startService, type TestService } from './start-service.ts';
import { htmlPage, type SitePage, startTestSite, type TestSite } from './test-site.ts';

const html = (name: string): string => htmlPage({ title: name, text: `${name}: grüner Heuhaufen 🌾` });
const encoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gzipSync(bytes),
  br: (bytes) => brotliCompressSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
  zstd: (bytes) => zstdCompressSync(bytes),
};

/** What the site sends, before its codings. */
const sent = new Map<string, Buffer>([
  ['/gzip', Buffer.from(html('gzip'))],
  ['/br', Buffer.from(html('br'))],
  ['/deflate', Buffer.from(html('deflate'))],
  ['/zstd', Buffer.from(html('zstd'))],
  ['/plain', Buffer.from(html('plain'))],
  ['/latin', Buffer.from(html('latin').replace('🌾', ''), 'latin1')],
  ['/large', Buffer.from(htmlPage({ title: 'large', text: Array.from({ length: 250_000 }, (_, at) => at).join(' ') }))],
  ['/report.txt', Buffer.from('A file of text, with a few words more than nothing.')],
]);
sent.set('/', Buffer.from(htmlPage({ title: 'home', text: 'home', links: [...sent.keys(), '/old', '/gone'] })));

const secrets = {
  'set-cookie': 'session=s3cret; Path=/',
  'www-authenticate': 'Basic realm="x"',
  'proxy-status': 'p',
  'authentication-info': 'nextnonce="s3cret"',
  'proxy-authentication-info': 'nextnonce="s3cret"',
  // Sent back by the site.
  authorization: 'Bearer s3cret',
  cookie: 'session=s3cret',
};

const pages: Record<string, SitePage> = Object.fromEntries(
  Array.from(sent, ([path, body]): [string, SitePage] => {
    const coding = path.slice(1);
    const encode = encoders[coding];
    const type = path.endsWith('.txt')
      ? 'text/plain'
      : `text/html; charset=${path === '/latin' ? 'iso-8859-1' : 'utf-8'}`;
    return [
      path,
      (_, response) =>
        response
          .writeHead(200, {
            'content-type': type,
            ...secrets,
            'x-name': 'value',
            ...(encode && { 'content-encoding': coding }),
          })
          .end(encode ? encode(body) : body),
    ];
  }),
);
pages['/old'] = (_, response) => response.writeHead(301, { location: '/moved' }).end();
pages['/moved'] = html('moved');
sent.set('/old', Buffer.from(html('moved')));
pages['/gone'] = (_, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('gone');

let site: TestSite;
let service: TestService;
let job: JobAnswer;
/** Paths by page number. */
const paths = new Map<number, string>();

beforeAll(async () => {
  site = await startTestSite(pages);
  service = await startService();
  job = await crawled({ store_raw: true });
  const { data } = bodyOf(await service.raw(`/crawler/jobs/${job.id}/meta`)) as {
    data: { meta: { page: number; url: string } }[];
  };
  for (const { meta } of data) paths.set(meta.page, new URL(meta.url).pathname);
});
afterAll(async () => {
  await service.close();
  await site.close();
});

async function crawled(more: Readonly<Record<string, unknown>>): Promise<JobAnswer> {
  const body = { urls: [`${site.origin}/`], include_linked_files: true, force_crawling_mode: 'link', ...more };
  return service.untilEnded((await service.crawl(body)).id);
}

function bodyOf({ body }: RawAnswer): unknown {
  return JSON.parse(body.toString());
}

const rawPath = (page: number | string, id = job.id): string => `/crawler/jobs/${id}/pages/${page}/raw`;

describe('GET .../pages/{n}/raw', () => {
  test('returns the bytes that the site sent, whatever their coding', async () => {
    expect([...paths.values()].toSorted()).toEqual([...sent.keys()].toSorted());
    for (const [page, path] of paths) {
      const { status, body } = await service.raw(rawPath(page));
      expect(status).toBe(200);
      expect(body.equals(sent.get(path)!), path).toBe(true);
    }
  });

  test('is a download that no browser shows', async () => {
    const { headers } = await service.raw(rawPath(1));
    expect(headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${job.id}-1.raw"`,
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'x-archive-orig-content-type': 'text/html; charset=utf-8',
    });
    const known = await service.raw(rawPath(1), { headers: { 'if-none-match': String(headers.etag) } });
    expect(known.status).toBe(304);
  });

  test('answers no_raw when the job keeps none, or when the page was not rendered', async () => {
    const other = await crawled({ max_depth: 0 });
    expectProblem(await service.raw(rawPath(1, other.id)), 409, 'no_raw');
    expectProblem(await service.raw(`${rawPath(1)}?rendered`), 409, 'no_raw');
  });

  test('answers page_not_found, job_not_found or unauthorized when it is not the caller’s page', async () => {
    for (const page of [0, 999, 'x', '1e0', '-1'])
      expectProblem(await service.raw(rawPath(page)), 404, 'page_not_found');
    const { token } = await service.createToken({ org: 'another', permissions: 'read' });
    expectProblem(await service.raw(rawPath(1), { token }), 404, 'job_not_found');
    expectProblem(await service.raw(rawPath(1), { token: null }), 401);
    expectProblem(await service.raw(`${rawPath(1)}?rendered=maybe`), 400, 'invalid_parameter');
  });

  test('answers job_data_expired when the job was deleted', async () => {
    const { id } = await crawled({ store_raw: true, max_depth: 0 });
    expect((await service.raw(rawPath(1, id))).status).toBe(200);
    await service.raw(`/crawler/jobs/${id}`, { method: 'DELETE' });
    expectProblem(await service.raw(rawPath(1, id)), 410, 'job_data_expired');
    expectProblem(await service.raw(`/crawler/jobs/${id}/export?format=warc`), 410, 'job_data_expired');
  });
});

describe('export as warc', () => {
  test('has a gzip member for each record: the bytes of each page, and the outcome of each URL', async () => {
    const { status, headers, body } = await service.raw(`/crawler/jobs/${job.id}/export?format=warc`);
    expect([status, headers['content-type']]).toEqual([200, 'application/warc']);
    const records = recordsIn(body);
    const ofType = (type: string): WarcRecord[] => records.filter(({ fields }) => fields['WARC-Type'] === type);
    expect(ofType('warcinfo')).toHaveLength(1);
    const responses = ofType('response');
    expect(responses).toHaveLength(paths.size);
    for (const [index, { fields, block }] of responses.entries()) {
      const end = block.indexOf('\r\n\r\n') + 4;
      const payload = block.subarray(end);
      const path = paths.get(index + 1)!;
      expect(payload.equals(sent.get(path)!), path).toBe(true);
      expect(block.toString('latin1', 0, end)).toContain(`\r\nContent-Length: ${payload.length}\r\n`);
      expect(fields['WARC-Target-URI']).toBe(`${site.origin}${path === '/old' ? '/moved' : path}`);
      const coding = path.slice(1);
      const head = block.toString('latin1', 0, end);
      expect(head.includes(`X-Archive-Orig-content-encoding: ${coding}\r\n`)).toBe(coding in encoders);
    }
    const outcomes = ofType('metadata').map(({ fields, block }) => [
      new URL(fields['WARC-Target-URI']!).pathname,
      /^outcome: (\w+)(?:\r\nreason: (\w+))?/.exec(block.toString())?.slice(1),
    ]);
    expect(outcomes).toContainEqual(['/gone', ['failed', 'http_404']]);
    expect(outcomes).toContainEqual(['/gzip', ['scraped', undefined]]);
  });

  test('removes the values of headers that belong to a session', async () => {
    const { body } = await service.raw(`/crawler/jobs/${job.id}/export?format=warc`);
    const all = recordsIn(body)
      .map(({ block }) => block.toString('latin1'))
      .join('');
    expect(all).not.toContain('s3cret');
    for (const name of Object.keys(secrets)) expect(all).toContain(`\r\n${name}: [removed]\r\n`);
    expect(all).toContain('\r\nx-name: value\r\n');
  });

  test('gives the same bytes again, and no_raw for a job without', async () => {
    const warc = `/crawler/jobs/${job.id}/export?format=warc`;
    const first = await service.raw(warc);
    expect((await service.raw(warc)).body.equals(first.body)).toBe(true);
    expect((await service.raw(warc, { headers: { 'if-none-match': String(first.headers.etag) } })).status).toBe(304);
    const other = await crawled({ max_depth: 0 });
    expectProblem(await service.raw(`/crawler/jobs/${other.id}/export?format=warc`), 409, 'no_raw');
  });
});

interface WarcRecord {
  readonly fields: Readonly<{ [name: string]: string }>;
  readonly block: Buffer;
}

/** Each member is unpacked alone, as a reader does that has an index. */
function recordsIn(file: Buffer): WarcRecord[] {
  const records: WarcRecord[] = [];
  for (let at = 0; at < file.length;) {
    const { bytes, used } = firstMember(file.subarray(at));
    at += used;
    const end = bytes.indexOf('\r\n\r\n');
    const [version, ...lines] = bytes.toString('utf8', 0, end).split('\r\n');
    expect(version).toBe('WARC/1.1');
    const fields = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s, 2) as [string, string]));
    const length = Number(fields['Content-Length']);
    expect(bytes.length).toBe(end + 4 + length + 4);
    records.push({ fields, block: bytes.subarray(end + 4, end + 4 + length) });
  }
  return records;
}

function firstMember(bytes: Buffer): { readonly bytes: Buffer; readonly used: number } {
  const { buffer, engine } = gunzipSync(bytes, { info: true }) as unknown as {
    buffer: Buffer;
    engine: { bytesWritten: number };
  };
  void buffer;
  // A member ends where the next begins: its header has these bytes.
  const header = Buffer.from([0x1f, 0x8b, 0x08]);
  for (let at = 20; ; at++) {
    const next = bytes.indexOf(header, at);
    const end = next === -1 ? engine.bytesWritten : next;
    try {
      return { bytes: gunzipSync(bytes.subarray(0, end)), used: end };
    } catch {
      if (next === -1) throw new Error('no member ends here');
      at = next;
    }
  }
}
