// Structured data through the API: records, their sources, findings, exports, and refusals.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ScriptedSites } from '../e2e/scripted-site.ts';
import { expectProblem } from './expect-problem.ts';
import { type JobAnswer, type RawAnswer, startService, type TestService } from './start-service.ts';

let service: TestService;
const sites = new ScriptedSites();
let origin = '';

const names = ['Rake', 'Fork', 'Scythe'];
const product = (name: string, at: number): string =>
  `<html lang=de><title>${name} - Hay</title><h1>${name}</h1><p>Tools for the field, made of wood and steel.</p>
  <script type="application/ld+json">{"@type":"Product","name":"${name}","sku":"S${at}",}</script>
  <p class=price>${at + 1}.500,00 €</p><dl><dt>Holz<dd>Esche ${at}</dl>`;

const paths: Record<string, string> = {
  '/': `<title>Hay</title><p>All tools.</p>${names.map((name) => `<a href="/p/${name}">${name}</a>`).join(' ')} <a href="/x">x</a>`,
  '/x': '<title>About</title><h1>About</h1><p>We sell tools.</p><script type="application/ld+json">{"a":</script>',
  ...Object.fromEntries(names.map((name, at) => [`/p/${name}`, product(name, at)])),
};
const extract = {
  schema: { properties: { name: { type: 'string' }, sku: { type: 'string' } }, required: ['name'] },
  fields: { price: { css: '.price', type: 'price' }, wood: { label: 'Holz' } },
};

beforeAll(async () => {
  service = await startService({ env: { HAYRAKE_BROWSER: 'off' } });
  ({ origin } = await sites.start((path) => paths[path]));
});
afterAll(async () => {
  await sites.close();
  await service.close();
});

interface Row {
  readonly meta: { readonly url: string; readonly meta: Readonly<Record<string, unknown>> };
  readonly extracted?: unknown;
}

async function rowsOf({ id }: JobAnswer, what = 'data'): Promise<Map<string, Row>> {
  const { data } = (await (await service.api(`/crawler/jobs/${id}/${what}`)).json()) as {
    readonly data: readonly Row[];
  };
  return new Map(data.map((row) => [row.meta.url.replace(origin, ''), row]));
}

describe('extract', () => {
  test('GET /data: has the record of each page, and null for a page without one', async () => {
    const job = await service.crawl({ urls: [`${origin}/`], extract });
    const rows = await rowsOf(job);
    for (const [at, name] of names.entries())
      expect(rows.get(`/p/${name}`)?.extracted).toEqual({
        name,
        sku: `S${at}`,
        price: { amount: (at + 1) * 1_000 + 500, currency: 'EUR' },
        wood: `Esche ${at}`,
      });
    expect(rows.get('/')?.extracted).toBeNull();
    expect(rows.get('/x')?.extracted).toBeNull();
    const metas = await rowsOf(job, 'meta');
    expect(metas.get('/p/Rake')).not.toHaveProperty('extracted');
    expect(metas.get('/p/Rake')?.meta.meta['extractedFrom']).toMatchObject({
      rules: 0,
      fields: { sku: { source: 'declared', raw: 'S0' }, price: { source: 'css', raw: '1.500,00 €' } },
      problems: {},
    });
    expect(job.findings).toEqual([]);
    expect(job.notices.map(({ code }) => code)).toEqual(['declared_unreadable']);
  });

  test('GET /crawler/jobs/{id}/extract: counts the pages with a value of each field, without a model', async () => {
    const { id } = await service.crawl({
      urls: [`${origin}/`],
      extract: { ...extract, when: ['/p/*'], fields: { ...extract.fields, colour: { css: '.colour' } } },
    });
    expect(await service.ok(`/crawler/jobs/${id}/extract`)).toMatchObject({
      pages: 3,
      values: { name: 3, sku: 3, price: 3, wood: 3, colour: 0 },
      sites: [],
    });
  });

  test('GET /data: is the same as ever for a job without extract', async () => {
    const rows = await rowsOf(await service.crawl({ urls: [`${origin}/`] }));
    for (const row of rows.values()) {
      expect(row).not.toHaveProperty('extracted');
      expect(row.meta.meta).not.toHaveProperty('extractedFrom');
    }
  });

  test('POST /scrape: returns the record; extract_object gives the schema', async () => {
    const scrape = async (input: object): Promise<unknown> =>
      (await service.api('/scraper/scrape', { json: { url: `${origin}/p/Fork`, ...input } })).json();
    expect(await scrape({ extract })).toMatchObject({ extracted: { name: 'Fork', wood: 'Esche 1' } });
    expect(await scrape({ extract_object: extract.schema })).toMatchObject({ extracted: { name: 'Fork', sku: 'S1' } });
    expect(await scrape({})).not.toHaveProperty('extracted');
  });

  test('GET /export: has a column for each field', async () => {
    const { id } = await service.crawl({ urls: [`${origin}/p/Rake`], max_depth: 0, extract });
    const csv = await (await service.api(`/crawler/jobs/${id}/export?format=csv`)).text();
    const [head = '', row = ''] = csv.split('\r\n');
    expect(head).toContain(
      'extracted_name,extracted_sku,extracted_price_amount,extracted_price_currency,extracted_wood',
    );
    expect(row).toContain('Rake,S0,1500,EUR,Esche 0');
    for (const format of ['parquet', 'sqlite', 'jsonl']) {
      const response = await service.api(`/crawler/jobs/${id}/export?format=${format}`);
      expect(response.status).toBe(200);
      expect(
        Buffer.from(await response.arrayBuffer()).includes(
          format === 'jsonl' ? '"extracted":{"name":"Rake"' : 'extracted_wood',
        ),
      ).toBe(true);
    }
  });
});

const post = (input: object): Promise<RawAnswer> =>
  service.raw('/crawler/jobs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ urls: [`${origin}/`], ...input }),
  });
const deep = (levels: number): object => (levels === 0 ? { type: 'string' } : { properties: { a: deep(levels - 1) } });
const many = Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`f${at}`, { css: 'p' }]));

describe('refusals', () => {
  test.each<readonly [string, object, string]>([
    ['a text', 'x' as unknown as object, 'extract'],
    ['nothing to read', { declared: true }, 'extract'],
    ['an unknown field', { fields: {}, colour: 1, schema: { properties: {} } }, 'extract.colour'],
    ['a selector that is none', { fields: { a: { css: 'p[' } } }, 'extract.fields.a.css'],
    ['a selector in an alternative', { fields: { a: [{ css: 'p' }, { css: '' }] } }, 'extract.fields.a[1].css'],
    ['a field without a place', { fields: { a: { type: 'text' } } }, 'extract.fields.a'],
    ['an unknown type', { fields: { a: { css: 'p', type: 'money' } } }, 'extract.fields.a.type'],
    ['a boolean without a map', { fields: { a: { css: 'p', type: 'boolean' } } }, 'extract.fields.a.map'],
    [
      'a list of objects without containers',
      { fields: { a: { list: true, fields: { b: { css: 'p' } } } } },
      'extract.fields.a.css',
    ],
    ['names that differ in case', { fields: { a: { css: 'p' }, A: { css: 'p' } } }, 'extract.fields.A'],
    ['a name that objects have', { fields: { constructor: { css: 'p' } } }, 'extract.fields.constructor'],
    ['201 fields', { fields: many }, 'extract.fields'],
    ['a pattern', { schema: { properties: { a: { pattern: '(a+)+$' } } } }, 'extract.schema.properties.a.pattern'],
    ['a reference', { schema: { properties: { a: { $ref: 'http://x/' } } } }, 'extract.schema.properties.a.$ref'],
    ['a schema without fields', { schema: { type: 'object' } }, 'extract.schema.properties'],
    [
      'a required field that is none',
      { schema: { properties: { a: {} }, required: ['b'] } },
      'extract.schema.required',
    ],
    ['a deep schema', { schema: deep(10) }, `extract.schema${'.properties.a'.repeat(9)}`],
    ['64 KiB', { schema: { properties: { a: { description: 'x'.repeat(65_536) } } } }, 'extract'],
    ['a bad glob', { fields: { a: { css: 'p' } }, when: [''] }, 'extract.when[0]'],
    ['an option of models', { fields: { a: { css: 'p' } }, calls: 5 }, 'extract.calls'],
  ])('POST /jobs: refuses %s in extract at its field', async (_, given, field) => {
    const answer = await post({ extract: given });
    const { errors } = expectProblem(answer, 400, 'invalid_body');
    expect(errors?.map((error) => error.field)).toContain(field);
  });

  test('POST /jobs: refuses model: true without a model', async () => {
    const answer = await post({ extract: { ...extract, model: true } });
    expect(expectProblem(answer, 400, 'no_model').errors?.map(({ field }) => field)).toEqual(['extract.model']);
  });

  test('POST /jobs: refuses a wrong extract_object, and one beside extract', async () => {
    for (const [given, said] of [
      [{ extract_object: { properties: { a: { $ref: '#' } } } }, 'extract_object.properties.a.$ref'],
      [{ extract_object: extract.schema, extract }, 'not both'],
    ] as const) {
      const answer = await post(given);
      expect(expectProblem(answer, 400, 'invalid_body').detail).toContain(said);
    }
  });
});
