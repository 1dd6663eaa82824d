// Structured data with a language model, through the API: few calls, and pages that a model cannot harm.
import { Hayrake } from '../../packages/client/index.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isSampled } from '../../src/extract/learn/site-view.ts';
import { ScriptedSites } from '../e2e/scripted-site.ts';
import { expectProblem } from './expect-problem.ts';
import { type Mode, refuse, say, ScriptedModel } from './scripted-model.ts';
import type { Rules } from '../../packages/client/types.ts';
import { type JobAnswer, startService, type TestService } from './start-service.ts';

const count = 24;
const truths = Array.from({ length: count }, (_, at) => ({
  title: `Garden tool ${at}`,
  maker: at % 5 === 4 ? null : ['Hay Press', 'Kiln Works', 'Oak Lane'][at % 3],
  price: 10 + at * 1.5,
  stock: at % 3 !== 0,
}));
const facts = (at: number): string => {
  const rows = [
    ['Weight', `${at + 1} kg`],
    ['Maker', truths[at]?.maker],
    ['Handle', 'Ash'],
  ].filter(([, value]) => typeof value === 'string');
  return rows.map(([label, value]) => `<tr><th>${label}<td>${value}`).join('');
};
const page = (at: number): string =>
  `<!doctype html><html lang=en><title>Tool</title><div class=box><h1>${truths[at]?.title}</h1><p>${'A tool for the garden. '.repeat(at + 3)}</p><s class=price>$${99 + at}.00</s><b class=now>$${truths[at]?.price.toFixed(2)}</b><p class=st>${truths[at]?.stock ? 'In stock' : 'Sold out'}</p><table>${facts(at)}</table></div>`;
const paths: Record<string, string> = {
  '/': `<title>Home</title><ul class=all>${truths.map((_, at) => `<li><a href="/tool/${at}">tool</a>`).join('')}</ul><p>All our tools.</p>`,
  ...Object.fromEntries(truths.map((_, at) => [`/tool/${at}`, page(at)])),
};
const schema = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    maker: { type: 'string', description: 'who made it' },
    price: { type: 'number' },
    stock: { type: 'boolean' },
  },
};
const extract = { schema, model: true };

let service: TestService;
/** Its own memory of the model. */
let other: TestService;
let origin = '';
const sites = new ScriptedSites();
const model = new ScriptedModel(new Map(truths.map((truth) => [`${truth.title}\n`, truth])));

beforeAll(async () => {
  ({ origin } = await sites.start((path) => paths[path]));
  service = await startService({
    env: {
      HAYRAKE_BROWSER: 'off',
      HAYRAKE_MODEL_URL: await model.start(),
      HAYRAKE_MODEL: 'scripted',
      HAYRAKE_MODEL_KEY: 'the-key-of-the-model',
    },
  });
  other = await startService({ env: { HAYRAKE_BROWSER: 'off', HAYRAKE_MODEL_URL: model.url } });
});
afterAll(async () => {
  await service.close();
  await other.close();
  await sites.close();
  await model.close();
});
beforeEach(() => {
  model.mode = () => false;
  model.calls.length = 0;
});

interface Row {
  readonly meta: { readonly url: string; readonly meta: Readonly<Record<string, unknown>> };
  readonly text: string;
  readonly extracted?: Readonly<Record<string, unknown>> | null;
}

async function rowsOf(from: TestService, { id }: JobAnswer): Promise<Map<string, Row>> {
  const { data } = (await (await from.api(`/crawler/jobs/${id}/data?limit=100`)).json()) as {
    readonly data: readonly Row[];
  };
  return new Map(data.map((row) => [row.meta.url.replace(origin, ''), row]));
}

let schemas = 0;
/** Fields of which no earlier job knows anything. */
const unknown = (): typeof extract => ({ ...extract, schema: Object.assign({ description: `${schemas++}` }, schema) });
const scraped = async (from: TestService, at: number, more: object = {}): Promise<unknown> =>
  (await from.api('/scraper/scrape', { json: { url: `${origin}/tool/${at}`, extract: unknown(), ...more } })).json();

describe('a job with a model', () => {
  test('POST /crawler/jobs: reads all pages after the model was asked about few', async () => {
    const job = await service.crawl({ urls: [`${origin}/`], extract });
    const rows = await rowsOf(service, job);
    for (const [at, truth] of truths.entries()) expect([at, rows.get(`/tool/${at}`)?.extracted]).toEqual([at, truth]);
    expect(rows.get('/')?.extracted).toBeNull();
    expect(model.calls.length).toBeLessThan(count * 0.7);
    expect(model.calls[0]?.authorization).toBe('Bearer the-key-of-the-model');
    expect(model.calls[0]?.body).toMatchObject({ model: 'scripted', response_format: { type: 'json_schema' } });
    const sources = [...rows.values()].flatMap(({ meta }) =>
      Object.values((meta.meta['extractedFrom'] as { fields: Record<string, { source: string }> }).fields),
    );
    expect(sources.filter(({ source }) => source === 'learned').length).toBeGreaterThan(count);
    expect(`${service.stdout}${service.stderr}`).not.toContain('the-key-of-the-model');
  });

  test('schedules: a run asks the model of the service', async () => {
    const body = {
      name: 'nightly',
      cron: '@daily',
      job: { urls: [`${origin}/tool/1`], max_depth: 0, extract: unknown() },
    };
    const made = await service.api('/crawler/schedules', { json: body });
    expect(made.status).toBe(201);
    const { id } = (await made.json()) as { id: string };
    await service.stop();
    await service.changeDatabase(`UPDATE work SET next_at = 1 WHERE schedule = '${id}'`);
    await service.start();
    const runs = (): Promise<{ data: JobAnswer[] }> => service.ok(`/crawler/schedules/${id}/jobs`);
    await expect.poll(async () => (await runs()).data[0]?.finishedAt ?? null).not.toBeNull();
    const rows = await rowsOf(service, (await runs()).data[0]!);
    expect(rows.get('/tool/1')?.extracted).toEqual(truths[1]);
    await service.ok(`/crawler/schedules/${id}`, { method: 'DELETE' });
  });

  test('GET /crawler/jobs/{id}/extract: says where values stand, and the next job reads them there without a model', async () => {
    const { id } = await service.crawl({ urls: [`${origin}/`], extract });
    const rules = await new Hayrake({ url: service.origin, token: service.token }).rules(id);
    const [learned, ...others] = rules.sites;
    expect(others).toEqual([]);
    expect(learned?.asked).toBe(model.calls.length);
    expect(Object.keys(learned?.fields ?? {}).toSorted()).toEqual(Object.keys(schema.properties).toSorted());
    for (const { asked, right, judged, misses } of Object.values(learned?.fields ?? {})) {
      expect(right).toBeGreaterThanOrEqual(asked - 1);
      expect(misses).toBeLessThanOrEqual(judged);
    }
    expect(learned?.templates.map(({ records }) => records > 0).toSorted()).toEqual([false, true]);
    model.calls.length = 0;
    const next = await service.crawl({ urls: [`${origin}/`], extract: { schema, fields: rules.fields } });
    const rows = await rowsOf(service, next);
    for (const [at, truth] of truths.entries()) expect([at, rows.get(`/tool/${at}`)?.extracted]).toEqual([at, truth]);
    expect(model.calls).toEqual([]);
    const plain = await service.crawl({ urls: [`${origin}/tool/1`], max_depth: 0 });
    expectProblem(await service.raw(`/crawler/jobs/${plain.id}/extract`), 409, 'no_records');
  });

  test('page_limit: is exact, and pages that wait for the model are fetched once', async () => {
    model.mode = (_, response, record) => {
      setTimeout(() => say(response, JSON.stringify(record)), 200);
      return true;
    };
    const site = await sites.start((path) => paths[path]);
    const job = await service.crawl({ urls: [`${site.origin}/`], page_limit: 9, extract: unknown() });
    expect(job.progress.scraped).toBe(9);
    const { data } = await service.ok<{ readonly data: readonly Row[] }>(`/crawler/jobs/${job.id}/data`);
    for (const { meta, extracted } of data) {
      const truth = truths[Number(meta.url.split('/tool/')[1])] ?? null;
      expect([meta.url, extracted]).toEqual([meta.url, truth]);
    }
    for (const at of truths.keys()) expect(site.asks(`/tool/${at}`)).toBeLessThanOrEqual(1);
  });

  test('POST /scraper/scrape: asks about the page', async () => {
    expect(await scraped(service, 1)).toMatchObject({ status: 'scraped', extracted: truths[1] });
    expect(model.calls).toHaveLength(1);
  });

  test('POST /scraper/scrape: reads with what the newest job with the same schema learned, and asks nothing', async () => {
    const known = unknown();
    const { id } = await service.crawl({ urls: [`${origin}/`], extract: known });
    const rules = await service.ok<Rules>(`/crawler/jobs/${id}/extract`);
    model.calls.length = 0;
    for (const more of [{}, { model: false }]) {
      const answer = await scraped(service, 1, { extract: { ...known, ...more } });
      expect(answer).toMatchObject({
        extracted: truths[1],
        meta: { extractedFrom: { rules: rules.sites[0]?.version } },
      });
    }
    expect(model.calls).toEqual([]);
    // Of other fields nothing is known.
    const answer = await scraped(service, 1, { extract: { ...unknown(), model: false } });
    expect(answer).toMatchObject({ meta: { extractedFrom: { rules: 0 } } });
  });

  test('a model that knows no schemas, or talks around the object, is understood', async () => {
    model.mode = (_, response, record) => say(response, `Sure!\n\`\`\`json\n${JSON.stringify(record)}\n\`\`\``);
    expect(await scraped(other, 3)).toMatchObject({ extracted: truths[3] });
    const forms: readonly [Mode, readonly string[]][] = [
      [({ form }, response) => form === 'json_schema' && refuse(response, 400), ['json_schema', 'json_object']],
      [({ form }, response) => form !== 'prompt' && refuse(response, 422), ['json_object', 'prompt']],
    ];
    for (const [mode, asked] of forms) {
      model.calls.length = 0;
      model.mode = mode;
      for (const at of [1, 2]) expect(await scraped(other, at)).toMatchObject({ extracted: truths[at] });
      // The form that worked is remembered.
      expect(model.calls.map(({ form }) => form)).toEqual([...asked, asked.at(-1)]);
    }
  });

  test.each<[string, Mode]>([
    [
      'invents values',
      (_, response, record) => say(response, JSON.stringify({ ...record, maker: 'Acme', price: 12_345 })),
    ],
    [
      'adds keys',
      (_, response, record) =>
        say(
          response,
          `{"__proto__":{"maker":"Acme"},"constructor":1,"more":2,${JSON.stringify({ ...record, maker: null, price: null }).slice(1)}`,
        ),
    ],
  ])('a model that %s changes nothing else', async (_, mode) => {
    model.mode = mode;
    const { extracted } = (await scraped(service, 1)) as { readonly extracted: object };
    expect(extracted).toEqual({ title: truths[1]?.title, maker: null, price: null, stock: true });
    expect(Object.keys(extracted)).toEqual(Object.keys(schema.properties));
  });

  test.each<[string, Mode]>([
    ['responds with prose', (_, response) => say(response, 'I am sorry, but I cannot help with that.')],
    ['responds with a list', (_, response) => say(response, '[1, 2]')],
    ['responds with nothing', (_, response) => (response.writeHead(200).end(), true)],
    ['redirects', (_, response) => (response.writeHead(307, { location: origin }).end(), true)],
    ['refuses', (_, response) => refuse(response, 401)],
    ['hangs up', (_, response) => (response.destroy(), true)],
  ])('a model that %s changes no text', async (_, mode) => {
    const input = { urls: [1, 2, 3, 4].map((at) => `${origin}/tool/${at}`), max_depth: 0 };
    const plain = await rowsOf(service, await service.crawl(input));
    model.mode = mode;
    const job = await other.crawl({ ...input, extract });
    expect(job.status).toBe('succeeded');
    expect(job.findings.map(({ code }) => code)).toContain('extract_incomplete');
    const rows = await rowsOf(other, job);
    expect(rows.size).toBe(input.urls.length);
    for (const [url, { text }] of rows) expect([url, text]).toEqual([url, plain.get(url)?.text]);
  });

  test('model_unavailable: is a finding when the model is down', async () => {
    model.mode = (_, response) => refuse(response, 401);
    const job = await other.crawl({ urls: [`${origin}/tool/1`], max_depth: 0, extract });
    expect(job.findings.map(({ code }) => code)).toContain('model_unavailable');
  });

  test('calls: the limits of the job and of the day hold', async () => {
    const job = await service.crawl({ urls: [`${origin}/`], extract: { ...extract, calls: 3 } });
    expect(model.calls).toHaveLength(3);
    expect(job.findings.map(({ code }) => code)).toContain('extract_incomplete');
    const problems = [...(await rowsOf(service, job)).values()].map(({ meta }) =>
      JSON.stringify(meta.meta['extractedFrom']),
    );
    expect(problems.filter((text) => text.includes('unasked')).length).toBeGreaterThan(0);
  });

  test('private_to_model: pages fetched with headers are shown only if the job says so', async () => {
    const headers = { 'x-key': 'secret' };
    expect(await scraped(service, 1, { headers })).toMatchObject({ status: 'scraped' });
    expect(model.calls).toHaveLength(0);
    const told = { ...unknown(), private_to_model: true };
    expect(await scraped(service, 1, { headers, extract: told })).toMatchObject({ extracted: truths[1] });
    expect(JSON.stringify(model.calls)).not.toContain('secret');
  });
});

describe('a job with since', () => {
  /** A site of which a part changes between the runs. */
  const changed = (at: number): boolean => at % 2 === 1;
  const startSite = async (redesigned: (html: string) => string) => {
    const state = { isLater: false, lost: -1 };
    const answer = (path: string): string | undefined => {
      const at = Number(path.slice('/tool/'.length));
      if (path === '/' || !state.isLater || !changed(at)) return paths[path];
      const { price, maker } = truths[at]!;
      const html = page(at).replace(`$${price.toFixed(2)}`, `$${(price + 100).toFixed(2)}`);
      return redesigned(at === state.lost ? html.replace(`<tr><th>Maker<td>${maker}`, '') : html);
    };
    // Another port changes which page in 300 is asked without a doubt.
    let site = await sites.start(answer);
    while (Object.keys(paths).some((path) => isSampled(`${site.origin}${path}`))) site = await sites.start(answer);
    const start = async (more: object): Promise<JobAnswer> =>
      service.crawl({ urls: [`${site.origin}/`], extract: known, ...more });
    const known = unknown();
    const first = await start({});
    const before = model.calls.length;
    // A page about which the first job asked, and which has lost a value since.
    state.lost = truths.findIndex(
      ({ title, maker }, at) =>
        changed(at) && maker !== null && model.calls.some(({ prompt }) => prompt.includes(`${title}\n`)),
    );
    expect(state.lost).toBeGreaterThan(0);
    model.calls.length = 0;
    state.isLater = true;
    model.mode = (_, response, record) => {
      const at = truths.findIndex(({ title }) => title === record['title']);
      const maker = at === state.lost ? null : record['maker'];
      return changed(at) && say(response, JSON.stringify({ ...record, maker, price: Number(record['price']) + 100 }));
    };
    const next = await service.crawl({ since: first.id });
    const rows = [...(await rowsOf(service, next))].map(([url, row]) => [url.replace(site.origin, ''), row] as const);
    return { rows: new Map(rows), before, next, lost: state.lost };
  };
  const expectRecords = (rows: ReadonlyMap<string, Row>, lost: number): void => {
    for (const [at, truth] of truths.entries()) {
      const { extracted, meta } = rows.get(`/tool/${at}`)!;
      const price = truth.price + (changed(at) ? 100 : 0);
      expect([at, extracted, meta.meta['change']]).toEqual([
        at,
        { ...truth, price, ...(at === lost && { maker: null }) },
        changed(at) ? 'changed' : 'unchanged',
      ]);
    }
  };

  test('the rules of the earlier job are checked on two pages of a template, and unchanged pages keep their record', async () => {
    const { rows, before, next, lost } = await startSite((html) => html);
    expect(before).toBeGreaterThan(4);
    expectRecords(rows, lost);
    // And pages that lack a maker, which nearly all others have.
    const usual = truths.filter(({ maker }, at) => maker !== null && at !== lost).map(({ title }) => `${title}\n`);
    const checks = model.calls.filter(({ prompt }) => usual.some((title) => prompt.includes(title))).length;
    expect([1, 2]).toContain(checks);
    const rules = await service.ok<Rules>(`/crawler/jobs/${next.id}/extract`);
    expect(rules.sites.map(({ asked }) => asked)).toEqual([before + model.calls.length]);
  });

  test('what the earlier job learned is learned anew where pages were redesigned', async () => {
    const { rows, lost } = await startSite((html) =>
      html.replaceAll('class=now', 'class=cost').replaceAll('<h1>', '<h2>').replaceAll('</h1>', '</h2>'),
    );
    expectRecords(rows, lost);
    expect(model.calls.length).toBeGreaterThan(2);
  });
});

describe('SIGKILL while a job learns', () => {
  test('POST /crawler/jobs: asks again only about pages that were in flight, and has every page once with its record', async () => {
    const killed = await startService({ env: { HAYRAKE_BROWSER: 'off', HAYRAKE_MODEL_URL: model.url } });
    try {
      const { id } = await killed.createJob({ urls: [`${origin}/`], extract });
      for (const calls of [3, 6]) {
        await expect.poll(() => model.calls.length, { interval: 5 }).toBeGreaterThanOrEqual(calls);
        await killed.kill();
        await killed.start();
      }
      const rows = await rowsOf(killed, await killed.untilEnded(id));
      expect(rows.size).toBe(count + 1);
      for (const [at, truth] of truths.entries()) expect([at, rows.get(`/tool/${at}`)?.extracted]).toEqual([at, truth]);
      // The answers about pages that were not committed are lost.
      const repeated = model.calls.length - new Set(model.calls.map(({ prompt }) => prompt)).size;
      expect(repeated).toBeLessThanOrEqual(2 * 2 * 8);
    } finally {
      await killed.close();
    }
  });
});

describe('refusals', () => {
  test('POST /crawler/jobs: model needs the permission', async () => {
    const { token } = await service.createToken({ org: 'default', permissions: 'read,write' });
    const refused = await service.raw('/crawler/jobs', {
      method: 'POST',
      token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ urls: [origin], extract }),
    });
    expectProblem(refused, 403, 'permission_denied');
  });

  test.each<[string, object, string]>([
    ['no schema', { fields: { a: { css: 'p' } }, model: true }, 'extract.schema'],
    [
      'an object',
      { schema: { properties: { a: { properties: { b: {} } } } }, model: true },
      'extract.schema.properties.a',
    ],
    ['no calls', { schema, model: true, calls: 0 }, 'extract.calls'],
    ['calls without a model', { schema, calls: 5 }, 'extract.calls'],
  ])('POST /crawler/jobs: refuses a model with %s', async (_, given, field) => {
    const refused = await service.raw('/crawler/jobs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ urls: [origin], extract: given }),
    });
    expect(expectProblem(refused, 400, 'invalid_body').errors?.map((one) => one.field)).toEqual([field]);
  });
});
