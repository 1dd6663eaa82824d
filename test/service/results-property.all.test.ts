// Whatever the number of pages and however they are read, a client gets each page once, in order, as it was stored.
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Endpoint, endpoints, readToEnd, type Row, storedRows } from './read-results.ts';
import { startService, type TestService } from './start-service.ts';
import { numberedPages, startTestSite, type TestSite } from './test-site.ts';

/** Around the largest limit, and more than twice that. */
const sizes = [0, 1, 2, 399, 400, 401, 900] as const;

let service: TestService;
const sites: TestSite[] = [];
const jobs = new Map<number, { readonly id: string; readonly expected: Readonly<Record<Endpoint, readonly Row[]>> }>();

beforeAll(async () => {
  service = await startService();
  await Promise.all(
    sizes.map(async (size) => {
      const { id } = await service.untilEnded(await createJob(size));
      const expected = { data: await storedRows(service, id, 'data'), meta: await storedRows(service, id, 'meta') };
      if (expected.data.length !== size) throw new Error(`${expected.data.length} pages instead of ${size}`);
      jobs.set(size, { id, expected });
    }),
  );
});

afterAll(async () => {
  await service.close();
  await Promise.all(sites.map((site) => site.close()));
});

type Example = [(typeof sizes)[number], Endpoint, number[]];

const anySize = fc.constantFrom(...sizes);
const anyEndpoint = fc.constantFrom(...endpoints);
const limits = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 });

test('GET /data and /meta: return the stored pages with any sequence of limits', async () => {
  await fc.assert(
    fc.asyncProperty(anySize, anyEndpoint, limits, async (size, endpoint, sequence) => {
      const { id, expected } = jobs.get(size)!;
      expect(await readToEnd(service, id, endpoint, cycle(sequence))).toEqual(expected[endpoint]);
    }),
    { numRuns: 150, examples: sizes.flatMap((size) => endpoints.map((endpoint): Example => [size, endpoint, [400]])) },
  );
});

test('GET /data: returns the stored pages when the limit is 1', async () => {
  const { id, expected } = jobs.get(401)!;
  expect(await readToEnd(service, id, 'data', () => 1)).toEqual(expected.data);
});

test('GET /data and /meta: return the stored pages when the service restarts between two requests', async () => {
  const at = fc.integer({ min: 1, max: 3 });
  await fc.assert(
    fc.asyncProperty(
      anyEndpoint,
      fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }),
      at,
      async (endpoint, sequence, restartAt) => {
        const { id, expected } = jobs.get(900)!;
        const rows = await readToEnd(service, id, endpoint, cycle(sequence), async (request) => {
          if (request === restartAt) await service.restart();
        });
        expect(rows).toEqual(expected[endpoint]);
      },
    ),
    { numRuns: 3, endOnFailure: true },
  );
});

test('GET /data and /meta: return the final pages when they are read during the crawl', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 250 }), limits, limits, async (size, ofData, ofMeta) => {
      const id = await createJob(size);
      const [data, meta] = await Promise.all([
        readToEnd(service, id, 'data', cycle(ofData)),
        readToEnd(service, id, 'meta', cycle(ofMeta)),
      ]);
      expect(data).toHaveLength(size);
      expect(data).toEqual(await storedRows(service, id, 'data'));
      expect(meta).toEqual(await storedRows(service, id, 'meta'));
      expect(data.map((row) => row.meta.page)).toEqual(Array.from({ length: size }, (_, index) => index + 1));
    }),
    { numRuns: 5, endOnFailure: true },
  );
});

/** A job of that many pages, on a site of its own: one site is asked only so fast. */
async function createJob(size: number): Promise<string> {
  const site = await startTestSite(size === 0 ? {} : numberedPages(size));
  sites.push(site);
  return (await service.createJob({ urls: [`${site.origin}/`], force_crawling_mode: 'link' })).id;
}

function cycle(sequence: readonly number[]): (request: number) => number {
  return (request) => sequence[request % sequence.length]!;
}
