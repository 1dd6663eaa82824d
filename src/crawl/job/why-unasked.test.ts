import { expect, test } from 'vitest';
import type { Request } from '../../core/request.ts';
import { type Revisiting, revisitingOf, whyUnasked } from './why-unasked.ts';
import { jobSpec } from '../../../test/job-spec.ts';

const day = 86_400_000;
const now = Date.UTC(2026, 5, 15);
const [host, lastmod] = ['a.test:443', '2026-01-01'];
const asked = { at: now - day, lastmod, sameSince: now - 10 * day };
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
  earlier: { hash: 'h', validator: null, asked },
};
const job: Revisiting = {
  id: 'J',
  honestHosts: { [host]: 1_000 },
  isAdaptive: false,
  maxAgeMs: 30 * day,
  followsLinks: true,
};
const adaptive = { ...job, isAdaptive: true };
const earlier = (more: Partial<typeof asked>): Pick<Request, 'earlier'> => ({
  earlier: { hash: 'h', validator: null, asked: { ...asked, ...more } },
});

type More = Partial<Omit<Request, 'lastmod'>> & { readonly lastmod?: string | undefined };

test.each<[string | undefined, string, More, Partial<Revisiting>]>([
  ['lastmod', 'the lastmod of an honest host stands still', {}, {}],
  [undefined, 'the host is not known as honest', {}, { honestHosts: { 'b.test:443': 20 } }],
  [undefined, 'the lastmod has moved', { lastmod: '2026-06-01' }, {}],
  [undefined, 'the sitemap does not name it any more', { lastmod: undefined }, {}],
  [undefined, 'the sitemap did not name it before', earlier({ lastmod: null as unknown as string }), {}],
  [undefined, 'it is new', { earlier: null }, {}],
  [undefined, 'nobody knows when it was asked for', { earlier: { hash: 'h', validator: null, asked: null } }, {}],
  [undefined, 'it is a start page', { depth: 0 }, {}],
  ['lastmod', 'it is a page of a list of URLs', { depth: 0 }, { followsLinks: false }],
  [undefined, 'it was tried before', { attempts: 1 }, {}],
  [undefined, 'it is too old', {}, { maxAgeMs: day }],
  [undefined, 'it is chosen to be tested', {}, { honestHosts: { [host]: 1 } }],
  ['not_due', 'it has not changed for long', { lastmod: undefined }, adaptive],
  ['not_due', 'it has not changed for long, on a host that lies', {}, { ...adaptive, honestHosts: {} }],
  [
    undefined,
    'it was the same for a short time',
    { ...earlier({ sameSince: asked.at - day }), lastmod: undefined },
    adaptive,
  ],
  [undefined, 'its lastmod has moved, though it did not change for long', { lastmod: '2026-06-01' }, adaptive],
  [
    undefined,
    'it is too old, though it did not change for long',
    { lastmod: undefined },
    { ...adaptive, maxAgeMs: day },
  ],
])('whyUnasked: says %s when %s', (why, _, more, how) => {
  const { lastmod: given, ...rest } = { ...request, ...more };
  expect(whyUnasked({ ...rest, ...(given !== undefined && { lastmod: given }) }, { ...job, ...how }, now)).toBe(why);
});

test('whyUnasked: tests one page in so many, other ones in each job', () => {
  const testedBy = (id: string): number[] =>
    Array.from({ length: 2_000 }, (_, place) => place).filter(
      (place) => whyUnasked({ ...request, id: place }, { ...job, id, honestHosts: { [host]: 20 } }, now) === undefined,
    );
  const [one, other] = [testedBy('ONE'), testedBy('OTHER')];
  expect([one.length, other.length]).toEqual([100, 100]);
  expect(one.filter((place) => other.includes(place)).length).toBeLessThan(30);
});

test('revisitingOf: is nothing for a job that asks for every page', () => {
  const of = (more: object, honestHosts = {}): unknown =>
    revisitingOf({
      id: 'J',
      org: 'o',
      spec: jobSpec(more),
      scopeHosts: [],
      movedStarts: {},
      networks: {},
      headers: {},
      endedTemplates: [],
      honestHosts,
    });
  expect(of({})).toBeUndefined();
  expect(of({ trustLastmod: true })).toBeUndefined();
  expect(of({ trustLastmod: true }, { [host]: 20 })).toMatchObject({ honestHosts: { [host]: 20 } });
  expect(of({ revisit: 'adaptive', maxAgeSeconds: 60 })).toMatchObject({ isAdaptive: true, maxAgeMs: 60_000 });
});
