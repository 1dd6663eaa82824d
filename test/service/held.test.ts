// Pages that wait until a model has taught where the values of their site stand.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ScriptedSites } from '../e2e/scripted-site.ts';
import { say, ScriptedModel } from './scripted-model.ts';
import { startService, type TestService } from './start-service.ts';

const count = 130;
const truths = Array.from({ length: count }, (_, at) => ({ title: `Garden tool ${at}`, price: 10 + at * 1.5 }));
const pageOf = ({ title, price }: (typeof truths)[number]): string =>
  `<!doctype html><html lang=en><title>Tool</title><h1>${title}</h1><p>${'A tool for the garden. '.repeat(9)}</p><b class=now>$${price.toFixed(2)}</b>`;
const paths: Record<string, string> = {
  '/': `<title>Home</title><p>All our tools.</p>${truths.map((_, at) => `<a href="/tool/${at}">tool</a> `).join('')}`,
  ...Object.fromEntries(truths.map((truth, at) => [`/tool/${at}`, pageOf(truth)])),
};
const extract = {
  schema: { type: 'object', properties: { title: { type: 'string' }, price: { type: 'number' } } },
  model: true,
};
const concurrency = 4;

let service: TestService;
let site: Awaited<ReturnType<ScriptedSites['start']>>;
const sites = new ScriptedSites();
const model = new ScriptedModel(new Map(truths.map((truth) => [`${truth.title}\n`, truth])));

beforeAll(async () => {
  const env = { HAYRAKE_MODEL_URL: await model.start(), HAYRAKE_HOST_CONCURRENCY: String(concurrency) };
  service = await startService({ env });
});
afterAll(async () => {
  await service.close();
  await sites.close();
  await model.close();
});
beforeEach(async () => {
  site = await sites.start((path) => paths[path]);
  model.calls.length = 0;
  model.mode = (_, response, record) => {
    setTimeout(() => say(response, JSON.stringify(record)), 150);
    return true;
  };
});

interface Row {
  readonly meta: { readonly url: string; readonly meta: { readonly extractedFrom: { readonly problems: object } } };
  readonly extracted: object | null;
}

async function rowsOf(id: string): Promise<readonly Row[]> {
  return (await service.ok<{ readonly data: readonly Row[] }>(`/crawler/jobs/${id}/data?limit=400`)).data;
}

describe('pages that wait for what a model teaches', () => {
  test('page_limit: is exact, and hardly more pages are fetched', async () => {
    const limit = 9;
    const job = await service.crawl({ urls: [`${site.origin}/`], page_limit: limit, extract });
    const rows = await rowsOf(job.id);
    expect(job.progress.scraped).toBe(limit);
    expect(new Set(rows.map(({ meta }) => meta.url)).size).toBe(limit);
    for (const { meta, extracted } of rows) {
      const truth = truths[Number(meta.url.split('/tool/')[1])] ?? null;
      expect([meta.url, extracted]).toEqual([meta.url, truth]);
    }
    const fetched = site.pages().filter(({ path }) => path.startsWith('/tool/'));
    expect(fetched.length).toBeLessThanOrEqual(limit + 2 * concurrency);
  });

  test('of a template that is being learned, at most 50 wait, the others are fetched later, and none lacks its record', async () => {
    const { id } = await service.createJob({ urls: [`${site.origin}/`], extract });
    const ended = new AbortController();
    // An earlier job, or a page that was just delivered, may have left rows behind.
    const waiting = `SELECT count(*) AS n FROM held_page h JOIN frontier f ON f.id = h.request
      WHERE h.job = (SELECT seq FROM job WHERE id = '${id}')`;
    const waited: number[] = [];
    const watching = (async () => {
      while (!ended.signal.aborted) {
        const [row] = await service.store.query<{ n: unknown }>(waiting);
        waited.push(Number(row?.n));
        await sleep(20);
      }
    })();
    await service.untilEnded(id);
    ended.abort();
    await watching;
    expect(Math.max(...waited)).toBeGreaterThanOrEqual(40);
    expect(Math.max(...waited)).toBeLessThanOrEqual(50);
    const rows = await rowsOf(id);
    expect(rows).toHaveLength(count + 1);
    for (const { meta, extracted } of rows) {
      const truth = truths[Number(meta.url.split('/tool/')[1])] ?? null;
      expect([meta.url, extracted, meta.meta.extractedFrom.problems]).toEqual([meta.url, truth, {}]);
    }
    for (const at of truths.keys()) expect([at, site.asks(`/tool/${at}`)]).toEqual([at, 1]);
  });
});
