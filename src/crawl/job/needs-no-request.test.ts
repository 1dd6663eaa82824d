import { expect, test } from 'vitest';
import type { Request } from '../../core/request.ts';
import { isSampled, needsNoRequest, type TrustingJob } from './needs-no-request.ts';

const day = 86_400_000;
const now = Date.UTC(2026, 5, 15);
const [host, lastmod] = ['a.test:443', '2026-01-01'];
const asked = { at: now - day, lastmod };
const request: Request = {
  id: 40,
  jobId: 'J',
  jobVersion: 1,
  kind: 'page',
  url: 'https://a.test/1',
  depth: 1,
  selfFed: false,
  attempts: 0,
  lastmod,
  earlier: { hash: 'h', validator: null, traits: null, asked },
};
const job: TrustingJob = { id: 'J', honestHosts: { [host]: 1_000 }, followsLinks: true };
const askedAt = (at: number): Pick<Request, 'earlier'> => ({
  earlier: { hash: 'h', validator: null, traits: null, asked: { ...asked, at } },
});

type More = Partial<Omit<Request, 'lastmod'>> & { readonly lastmod?: string | undefined };

test.each<[boolean, string, More, Partial<TrustingJob>]>([
  [true, 'the lastmod of an honest host stands still', {}, {}],
  [false, 'the host is not known as honest', {}, { honestHosts: { 'b.test:443': 20 } }],
  [false, 'the lastmod has moved', { lastmod: '2026-06-01' }, {}],
  [false, 'the sitemap does not name it any more', { lastmod: undefined }, {}],
  [false, 'it is new', { earlier: null }, {}],
  [
    false,
    'nobody knows when it was asked for',
    { earlier: { hash: 'h', validator: null, traits: null, asked: null } },
    {},
  ],
  [false, 'it is a start page', { depth: 0 }, {}],
  [true, 'it is a page of a list of URLs', { depth: 0 }, { followsLinks: false }],
  [false, 'it was tried before', { attempts: 1 }, {}],
  [true, 'it was asked for 29 days ago', askedAt(now - 29 * day), {}],
  [false, 'it was asked for 30 days ago', askedAt(now - 30 * day), {}],
  [false, 'it is chosen to be tested', {}, { honestHosts: { [host]: 1 } }],
])('needsNoRequest: says %s when %s', (needsNone, _, more, how) => {
  const { lastmod: given, ...rest } = { ...request, ...more };
  const asking = { ...rest, ...(given !== undefined && { lastmod: given }) };
  expect(needsNoRequest(asking, { ...job, ...how }, now)).toBe(needsNone);
});

test('needsNoRequest: tests one page in so many, other ones in each job', () => {
  const testedBy = (id: string): number[] =>
    Array.from({ length: 2_000 }, (_, place) => place).filter(
      (place) => !needsNoRequest({ ...request, id: place }, { ...job, id, honestHosts: { [host]: 20 } }, now),
    );
  const [one, other] = [testedBy('ONE'), testedBy('OTHER')];
  expect([one.length, other.length]).toEqual([100, 100]);
  expect(one.filter((place) => other.includes(place)).length).toBeLessThan(30);
});

test('isSampled: chooses one of so many places in a row, others for another hash', () => {
  const chosen = (hashOf: (row: number) => number): number[] =>
    Array.from({ length: 1_000 }, (_, place) => place).filter((place) => isSampled(place, 20, hashOf));
  const [one, other] = [chosen((row) => row * 7), chosen((row) => row * 11 + 3)];
  expect(one.map((place) => Math.floor(place / 20))).toEqual(Array.from({ length: 50 }, (_, row) => row));
  expect(one.filter((place) => other.includes(place)).length).toBeLessThan(10);
});
