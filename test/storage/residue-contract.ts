// Erased is gone: after an erasure, a deletion or an expiry no row, object or file has anything of the page. Who adds
// a table lists it here, with whether it has words of a page.
import { randomBytes } from 'node:crypto';
import { inflateRawSync, constants, zstdDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Erased } from '../../src/core/ports/erasures.ts';
import type { Store } from '../../src/core/ports/stores.ts';
import type { PageRecord } from '../../src/core/page.ts';
import type { Link, Outcome, Request } from '../../src/core/request.ts';
import type { RawPage } from '../../src/core/raw-page.ts';
import { parsePage } from '../../src/page/decode.ts';
import { packRawPages } from '../../src/page/raw-segments.ts';
import { claimObjects } from '../../src/storage/objects/owner.ts';
import { withObjects } from '../../src/storage/objects/with-objects.ts';
import { fragmentOf } from '../fragment.ts';
import { MemoryObjects } from '../objects/memory-objects.ts';
import { rawPage } from './raw-pages.ts';
import { find } from './search-contract.ts';
import {
  crawl,
  createJob,
  getJob,
  link,
  newJob,
  type OpenDatabase,
  org,
  scraped,
  unreachable,
  wholeJob,
} from './test-data.ts';

/** A word of the page that nothing else has. Search folds its case, and stores words without a common beginning. */
const mark = 'qzxvbkwjmfqgpzh';
const addressMark = 'kxqjwzvgpfhbmyq';
const address = `/of-${addressMark}`;
const urlOf = (path: string): string => `https://a.test${path}`;
const names = ['/one', address, '/three'];

/** Of each table, whether the jobs below put something of the page into it. */
const tables: Readonly<Record<string, boolean>> = {
  body: true,
  ended_template: false,
  frontier: false,
  host: false,
  host_slot: false,
  idempotency: false,
  job: true,
  job_headers: false,
  job_series: false,
  ledger: true,
  lesson: true,
  model_calls: false,
  model_day: false,
  page: true,
  page_key: true,
  raw_object: false,
  raw_object_job: false,
  raw_page: false,
  raw_segment: true,
  schedule: false,
  schedule_headers: false,
  schema_version: false,
  screenshot: true,
  search_job: false,
  search_page: true,
  session: false,
  setting: false,
  token: false,
  webhook_key: false,
  work: false,
  worker: false,
};

export function describeResidue(createDatabase: () => Promise<OpenDatabase>, isOutside: boolean): void {
  describe('what is left of a page', () => {
    let database: OpenDatabase;
    let store: Store;
    let objects: MemoryObjects;
    /** Bytes that only the page has, in whatever form they are kept. */
    let secrets: Buffer[];

    beforeEach(async () => {
      secrets = [Buffer.from(mark.slice(2))];
      database = await createDatabase();
      store = await database.open({ crawling: true });
      objects = new MemoryObjects();
      if (isOutside) {
        await claimObjects(objects, store.objects);
        store = withObjects(store, objects, { keptMs: 0 });
      }
      await store.frontier.recover({ delayMs: 0, hasBrowser: true });
    });
    afterEach(() => database.remove());

    const secret = (bytes: number): Buffer => {
      const made = randomBytes(bytes);
      // A piece of this length is in each part of it that is twice as long.
      for (let at = 0; at + 16 <= made.length; at += 16) secrets.push(made.subarray(at, at + 16));
      return made;
    };
    const packed = (text: string): PageRecord['body'] => {
      const fragment = fragmentOf(text);
      const bytes = Buffer.from(fragment.deflated);
      for (let at = 16; at + 32 <= bytes.length; at += 16) secrets.push(bytes.subarray(at, at + 16));
      return fragment;
    };
    /** Of every length: in a row of its own, beside others, and over many pages of a file. */
    let made = 0;
    const lengths = [60, 700, 2_500, 9_000, 40_000];
    const pageOf = (url: string, text: string, isMarked: boolean): Partial<PageRecord> => {
      const words = isMarked ? randomBytes(lengths[made++ % lengths.length]!).toString('base64') : text;
      const pack = isMarked ? packed : fragmentOf;
      const facts = { title: isMarked ? mark : 't', description: words.slice(0, 200), author: text };
      const meta = `"url":"${url}","fetchedUrl":"${url}","meta":${JSON.stringify(facts)}}`;
      const links = isMarked ? [urlOf(`${address}/further`)] : [];
      return {
        meta: pack(meta),
        body: pack(`${meta},"text":${JSON.stringify(`${text} ${words}`)},"formats":${JSON.stringify({ links })}}`),
      };
    };
    const rawOf = (isMarked: boolean): RawPage => ({
      ...rawPage('x'.repeat(300)),
      ...(isMarked && { received: Buffer.concat([Buffer.from(`<p>${mark}</p>`), secret(1_500)]) }),
    });

    type Finding = 'new' | 'changed' | 'unchanged' | 'gone' | 'moved' | 'failed';
    /** The marked page is found like this, the others as before or with another text. */
    const outcomes = async (job: string, finding: Finding): Promise<(request: Request) => Outcome> => {
      const isNew = ['new', 'changed'].includes(finding);
      // A segment holds the raw bodies of pages that are delivered together.
      const paths = [...names, `${address}/new`];
      const slices = [
        ...(await packRawPages(names.map((path) => rawOf(path === address && isNew)))),
        ...(await packRawPages([rawOf(finding === 'moved')])),
      ];
      const fields = (request: Request, isMarked: boolean): Parameters<typeof scraped>[2] => ({
        ...pageOf(request.url, `${isMarked ? mark : 'text'} of ${request.url} in ${job}`, isMarked),
        contentKey: `content ${request.url} ${job}`,
        hash: `content ${request.url} ${job}`,
        ...(isMarked && {
          validator: `"${mark}"`,
          traits: `9 page en ${mark} ${mark}`,
          copyKey: `copy ${mark}`,
          screenshot: { type: 'image/png', bytes: secret(3_000) },
        }),
        rawSlice: slices[paths.indexOf(new URL(request.url).pathname)]!,
        ...(request.earlier && { change: 'changed' }),
      });
      return (request) => {
        const { pathname } = new URL(request.url);
        if (pathname === '/copy')
          return { kind: 'discarded', reason: 'duplicate_of', detail: urlOf(address), leftTo: `key ${urlOf(address)}` };
        if (pathname !== address) return scraped(request, [], fields(request, pathname === `${address}/new`));
        if (finding === 'failed') return { kind: 'failed', error: { ...unreachable, message: `No ${mark}.` } };
        if (finding === 'unchanged') return { kind: 'unchanged', evidence: '304', statusCode: 304 };
        if (finding === 'gone')
          return { kind: 'failed', error: { reason: 'http_error', message: `no ${mark}`, statusCode: 404 } };
        const to = link(`${address}/new`);
        if (finding === 'moved')
          return { kind: 'discarded', reason: 'duplicate_of', detail: to.url, leftTo: to.key, links: [to] };
        return scraped(request, [], fields(request, true));
      };
    };
    const run = async (finding: Finding, fields: Parameters<typeof createJob>[1] = {}): Promise<string> => {
      const startLinks = [...names, '/copy'].map((name): Link => link(name, { lastmod: '2026-01-01' }));
      const spec = { storeRaw: true, screenshot: { format: 'png', fullPage: false }, useBrowser: true } as const;
      const { id } = await createJob(store, {
        startLinks,
        ...fields,
        spec: { ...spec, confirmRuns: 1, ...fields.spec, outputExpirySeconds: 60 },
      });
      const earlier = await store.baselines.read(id, 100);
      const upTo = earlier?.urls.at(-1)?.entry ?? 0;
      const added = earlier?.urls.map(({ url, depth }) => link(new URL(url).pathname, { depth })) ?? [];
      if (earlier) await store.baselines.add(id, { after: 0, upTo, links: added, isLast: true });
      await store.lessons.write(id, 'a.test', 0, Buffer.from(mark));
      await store.jobs.addNotice(id, { code: 'trap', message: `See ${urlOf(address)}, for one.`, at: 1 });
      await crawl(store, await outcomes(id, finding));
      await find(store, id, 'text');
      return id;
    };
    const since = (of: string, finding: Finding, spec = {}): Promise<string> =>
      run(finding, { spec: { baseline: { of, isSame: true }, ...spec } });
    const reextraction = async (of: string, page?: number): Promise<string> => {
      const spec = { reextract: { of, ...(page !== undefined && { page }) }, outputExpirySeconds: 60 };
      const job = newJob({ kind: 'reextract', startLinks: [], spec });
      await store.jobs.create(job);
      const found = page === undefined ? names : [address];
      const pages = found.map((name) => ({
        url: urlOf(name),
        key: `key ${urlOf(name)}`,
        depth: 1,
        page: {
          ...scrapedPage(urlOf(name)),
          ...pageOf(urlOf(name), name === address ? `${mark} again` : 'again', name === address),
        },
      }));
      await store.reextractions.commit(job.id, 0, pages, true);
      return job.id;
    };
    const scrapedPage = (url: string): PageRecord => ({
      ...pageOf(url, 'x', false),
      meta: fragmentOf(''),
      body: fragmentOf(''),
      fetchedKey: `key ${url}`,
      hash: `content ${url}`,
      statusCode: 200,
    });

    /** Jobs that are made from each other in every way. The page of each is the second. */
    const family = async (): Promise<string[]> => {
      const failed = await run('failed');
      const { spec } = await getJob(store, failed);
      const retry = { id: newJob().id, spec: { ...spec, outputExpirySeconds: 60 }, createdAt: Date.now(), headers: {} };
      await store.jobs.retry(org, failed, retry);
      await crawl(store, await outcomes(retry.id, 'new'));
      const first = await since(failed, 'new');
      const changed = await since(first, 'changed');
      const unchanged = await since(changed, 'unchanged');
      const onlyChanged = await since(unchanged, 'unchanged', { deliver: 'changed' });
      const again = await reextraction(changed);
      const only = await reextraction(changed, 2);
      const gone = await since(onlyChanged, 'gone');
      const back = await since(gone, 'new');
      const moved = await since(back, 'moved');
      return [first, failed, retry.id, changed, unchanged, onlyChanged, again, only, gone, back, moved];
    };
    const sweep = async (now?: number): Promise<void> => {
      for (let steps = 0; (await store.sweep(now)).more; steps++) expect(steps).toBeLessThan(500);
      await store.search.sweep();
      for (let steps = 0; (await store.sweep(now)).more; steps++) expect(steps).toBeLessThan(500);
    };

    const named = Buffer.from(addressMark.slice(2));
    const hasSecret = (bytes: Uint8Array, isNamed: boolean): boolean => {
      const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const byBeginning = Map.groupBy(isNamed ? [...secrets, named] : secrets, (one) => one.readUInt32LE(0));
      for (let at = 0; at + 4 <= view.length; at++)
        for (const one of byBeginning.get(view.readUInt32LE(at)) ?? [])
          if (view.subarray(at, at + one.length).equals(one)) return true;
      return false;
    };
    const forms = (value: unknown): Uint8Array[] => {
      if (!(value instanceof Uint8Array))
        return [Buffer.from(typeof value === 'string' ? value : JSON.stringify(value ?? ''))];
      const unpacked = [
        () => inflateRawSync(value, { finishFlush: constants.Z_SYNC_FLUSH }),
        () => zstdDecompressSync(value),
      ].flatMap((unpack) => {
        try {
          return [unpack()];
        } catch {
          return [];
        }
      });
      return [value, ...unpacked];
    };
    /** The tables, objects and files that have something of the page. */
    const left = async (
      namedIn: (column: string) => boolean,
    ): Promise<{ tables: string[]; columns: string[]; objects: number; files: string[] }> => {
      const { rows, files } = await database.look();
      expect(Object.keys(tables)).toEqual(expect.arrayContaining([...rows.keys()]));
      const columns = [...rows].flatMap(([table, all]) =>
        all.flatMap((row) =>
          Object.entries(row)
            .filter(([column, value]) => forms(value).some((form) => hasSecret(form, namedIn(`${table}.${column}`))))
            .map(([column]) => `${table}.${column}`),
        ),
      );
      return {
        tables: [...new Set(columns.map((column) => column.split('.')[0]!))].toSorted(),
        columns: [...new Set(columns)].toSorted(),
        objects: [...objects.stored.values()].filter(({ bytes }) => forms(bytes).some((form) => hasSecret(form, true)))
          .length,
        files: [...files]
          .filter(([, bytes]) => forms(bytes).some((form) => hasSecret(form, namedIn('file'))))
          .map(([name]) => name),
      };
    };
    const nothing = { tables: [], columns: [], objects: 0, files: [] };

    // SQLite leaves parts of compressed texts in gaps of its file, where rows move because one was erased.
    it('an erasure with the URL leaves nothing of it, in every table, object and file', async () => {
      const jobs = await family();
      const before = await left(() => true);
      const known = (await database.look()).rows;
      const expected = Object.keys(tables).filter((name) => tables[name] && known.has(name));
      expect(before.tables).toEqual(
        expected.filter((name) => !isOutside || !['raw_segment', 'screenshot'].includes(name)),
      );
      expect(before.objects > 0).toBe(isOutside);
      const erased = (await store.erasures.erase({ org, jobId: jobs[0]!, page: 2, withUrl: true })) as Erased;
      expect(erased.jobs.toSorted()).toEqual(jobs.filter((_, at) => ![1, 5, 8].includes(at)).toSorted());
      await sweep();
      const { tables: of, columns, objects: bodies } = await left(() => true);
      expect([of, columns, bodies]).toEqual([[], [], 0]);
      secrets = secrets.slice(0, 1);
      expect(await left(() => true)).toEqual(nothing);
    });

    it('an erasure reaches a page that has moved since, from either URL', async () => {
      const jobs = await family();
      const moved = jobs.at(-1)!;
      const { jobs: reached } = (await store.erasures.erase({ org, jobId: moved, page: 3, withUrl: false })) as Erased;
      expect(reached).toEqual(expect.arrayContaining([jobs[0], moved]));
      await sweep();
      const { columns } = await left(() => false);
      expect(columns.filter((column) => !column.startsWith('job.') && !column.startsWith('ledger.detail'))).toEqual([]);
    });

    it('a page that is still there is delivered again after its erasure', async () => {
      const first = await run('new');
      await store.erasures.erase({ org, jobId: first, page: 2, withUrl: false });
      const next = await since(first, 'new');
      const { pages } = (await store.pages.read({ ...wholeJob, jobId: next, withText: true }))!;
      expect(pages.map(parsePage).map(({ text }) => text.includes(mark))).toEqual([false, true, false]);
      const { changes } = (await store.changes.read({ org, jobId: next, after: 0, limit: 9 }))!;
      expect(changes.map(({ change }) => change)).toEqual(['changed', 'added', 'changed']);
    });

    it('a deletion leaves nothing of it', async () => {
      for (const id of await family()) await store.jobs.delete(org, id);
      await sweep();
      expect(await left((column) => column !== 'file' && !column.startsWith('job.'))).toEqual(nothing);
    });

    it('an expiry leaves nothing of it', async () => {
      await family();
      await sweep(Date.now() + 61_000);
      expect(await left((column) => column !== 'file' && !column.startsWith('job.'))).toEqual(nothing);
    });
  });
}
