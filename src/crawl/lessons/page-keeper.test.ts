// How many pages of a template wait, and when no further page is fetched.
import { describe, expect, test } from 'vitest';
import type { HeldPages, HeldState, ListedPage, NewHeldPage } from '../../core/ports/held-pages.ts';
import type { Request } from '../../core/request.ts';
import type { CachedJob } from '../job/job-cache.ts';
import { PageKeeper } from './page-keeper.ts';

type Stored = NewHeldPage & { state: HeldState };

/** Pages in memory, of a job with a thousand further URLs. */
function memory(stored: Map<number, Stored>): HeldPages {
  const listed = (): ListedPage[] => [...stored.values()];
  return {
    hold: (_, page) => Promise.resolve(Boolean(stored.set(page.request, { ...page, state: 'waiting' }))),
    read: (_, request) => Promise.resolve(stored.get(request) && { ...(stored.get(request) as Stored), revision: 1 }),
    list: () => Promise.resolve(listed()),
    judge: (_, requests, state) => {
      for (const request of requests) Object.assign(stored.get(request) ?? {}, { state });
      return Promise.resolve();
    },
    remove: (requests) => Promise.resolve(requests.forEach((request) => stored.delete(request))),
    progress: () => Promise.resolve({ open: 1_000, held: stored.size, scraped: 0, fetches: 0 }),
    claim: () => Promise.resolve(true),
  };
}

const job = {
  brief: { asking: { id: 'a', org: 'b', isPrivate: false }, spec: { pageLimit: 10_000, fetchLimit: 10_000 } },
  isOnePage: false,
} as unknown as CachedJob;
const url = new URL('http://shop.example/');
const requestOf = (id: number): Request => ({ id, jobId: 'a', url: `${url.href}${id}` }) as Request;
const input = { requestUrl: url.href, fetchedUrl: url.href, body: new Uint8Array() };
/** Structures of two templates. */
const tools = [1, 2, 3];
const plants = [7, 8, 9];

describe('PageKeeper', () => {
  test('hasRoom: has place for 50 pages of a template, and of others; find: fetches no more from 40 on', async () => {
    const stored = new Map<number, Stored>();
    const stop = new AbortController();
    const studied = Promise.withResolvers<void>();
    const keeper = new PageKeeper({
      heldPages: memory(stored),
      study: () => studied.promise.then(() => ({ kind: 'read', revision: 1 })),
      holder: 'one',
      log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
      signal: stop.signal,
    });
    const keep = async (ids: readonly number[]): Promise<void> => {
      for (const id of ids) await keeper.keep(requestOf(id), job, { input } as never, tools);
    };
    const hasRoom = (structure: readonly number[]) => keeper.waiting(requestOf(0), job, url)?.hasRoom(structure);
    try {
      await keep(Array.from({ length: 39 }, (_, at) => at));
      expect(await keeper.find(requestOf(99), job)).toEqual({ kind: 'none' });
      await keep([39]);
      const finding = keeper.find(requestOf(99), job);
      await keep(Array.from({ length: 9 }, (_, at) => 40 + at));
      expect(hasRoom(tools)).toBe(true);
      await keep([49]);
      expect([hasRoom(tools), hasRoom(plants)]).toEqual([false, true]);
      expect(await keeper.find(requestOf(49), job)).toMatchObject({ kind: 'later' });
      // Now all are learned from.
      studied.resolve();
      expect(await finding).toEqual({ kind: 'none' });
      expect([...stored.values()].every(({ state }) => state === 'learned')).toBe(true);
      expect(await keeper.find(requestOf(49), job)).toMatchObject({ kind: 'page', kept: { state: 'learned' } });
    } finally {
      stop.abort();
    }
  });
});
