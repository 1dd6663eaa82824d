// How many pages of a template wait, and when no further page is fetched.
import { describe, expect, test, vi } from 'vitest';
import type { HeldPages, HeldState, ListedPage, NewHeldPage } from '../../core/ports/held-pages.ts';
import type { Request } from '../../core/request.ts';
import type { CachedJob } from '../job/job-cache.ts';
import { packKept } from './kept-page.ts';
import { packSignature } from './kept-site.ts';
import { type KeeperParts, PageKeeper } from './page-keeper.ts';

type Stored = NewHeldPage & { state: HeldState; revision: number };

/** Pages in memory, of a job with a thousand further URLs. `reading`: what happens while they are listed. */
function memory(stored: Map<number, Stored>, reading: () => Promise<void>): HeldPages {
  const listed = (): ListedPage[] => [...stored.values()];
  return {
    hold: (_, page) => {
      stored.set(page.request, { ...page, state: 'waiting', revision: 0 });
      return Promise.resolve({ ofSite: stored.size, ofJob: stored.size });
    },
    read: (_, request) => Promise.resolve(stored.get(request)),
    list: async () => {
      const pages = listed();
      await reading();
      return pages;
    },
    judge: (_, requests, state, revision) => {
      for (const request of requests) Object.assign(stored.get(request) ?? {}, { state, revision });
      return Promise.resolve();
    },
    remove: (requests) => Promise.resolve(requests.forEach((request) => stored.delete(request))),
    progress: () => Promise.resolve({ open: 1_000, held: stored.size, scraped: 0, fetches: 0 }),
    claim: () => Promise.resolve(true),
  };
}

const job = {
  brief: { asking: { id: 'a', org: 'b', mayAsk: true }, spec: { pageLimit: 10_000, fetchLimit: 10_000 } },
  isOnePage: false,
} as unknown as CachedJob;
const url = new URL('http://shop.example/');
const requestOf = (id: number): Request => ({ id, jobId: 'a', url: `${url.href}${id}` }) as Request;
const input = { requestUrl: url.href, fetchedUrl: url.href, body: new Uint8Array() };
/** Structures of two templates. */
const tools = [1, 2, 3];
const plants = [7, 8, 9];

interface Keeping {
  readonly holder?: string;
  readonly signal: AbortSignal;
  readonly studied: Promise<void>;
  readonly study?: KeeperParts['study'];
  readonly reading?: () => Promise<void>;
}

function keeperOf(
  stored: Map<number, Stored>,
  {
    holder = 'one',
    signal,
    studied,
    study = () => studied.then(() => ({ kind: 'read', revision: 1 })),
    reading = () => Promise.resolve(),
  }: Keeping,
): PageKeeper {
  return new PageKeeper({
    heldPages: memory(stored, reading),
    study,
    holder,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    signal,
  });
}

function keepIn(keeper: PageKeeper, id: number): Promise<number | undefined> {
  return keeper.keep(requestOf(id), job, { input } as never, tools);
}

describe('PageKeeper', () => {
  test('reserve: has place for 50 pages of a template, and of others; find: fetches no more from 40 on', async () => {
    const stored = new Map<number, Stored>();
    const stop = new AbortController();
    const studied = Promise.withResolvers<void>();
    const keeper = keeperOf(stored, { signal: stop.signal, studied: studied.promise });
    const keep = async (ids: readonly number[]): Promise<void> => {
      for (const id of ids) await keepIn(keeper, id);
    };
    const hasRoom = (structure: readonly number[]): boolean | undefined => {
      const has = keeper.waiting(requestOf(98), job, url)?.reserve(structure);
      keeper.release([requestOf(98)]);
      return has;
    };
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

  test('reserve: gives the last places once, also to pages that come at the same time', async () => {
    const stored = new Map<number, Stored>();
    const stop = new AbortController();
    const ids = Array.from({ length: 60 }, (_, at) => at);
    const looked = Promise.withResolvers<void>();
    let looks = 0;
    const reading = async (): Promise<void> => {
      for (const id of looks++ === 0 ? ids.slice(10, 30) : []) await keepIn(keeper, id);
      if (looks === 2) looked.resolve();
    };
    const keeper = keeperOf(stored, { signal: stop.signal, studied: new Promise(() => {}), reading });
    const reserve = (id: number) => keeper.waiting(requestOf(id), job, url)?.reserve(tools);
    try {
      expect(ids.filter((id) => reserve(id))).toEqual(ids.slice(0, 50));
      // A page that a browser shows takes the place that it has; one that does not wait frees it.
      expect(reserve(7)).toBe(true);
      keeper.release([requestOf(7)]);
      expect([reserve(50), reserve(51)]).toEqual([true, false]);
      await keepIn(keeper, 0);
      // Many of them are written while the store is read.
      await vi.waitFor(() => expect(stored.size).toBe(21));
      expect(reserve(52)).toBe(false);
      await looked.promise;
      expect(reserve(52)).toBe(false);
    } finally {
      stop.abort();
    }
  });

  test('keep: keeps at most 50 pages of a template that two processes fetch at the same time', async () => {
    const stored = new Map<number, Stored>();
    const stop = new AbortController();
    const studied = new Promise<void>(() => {});
    const [one, two] = ['one', 'two'].map((holder) => keeperOf(stored, { holder, signal: stop.signal, studied }));
    if (!one || !two) throw new Error('there are two');
    try {
      const kept = { one: 0, two: 0 };
      for (let id = 0; id < 90; id++) {
        const [name, keeper] = id % 2 === 0 ? (['one', one] as const) : (['two', two] as const);
        if (keeper.waiting(requestOf(id), job, url)?.reserve(tools) !== true) continue;
        if ((await keepIn(keeper, id)) !== undefined) kept[name]++;
      }
      expect(kept).toEqual({ one: 25, two: 25 });
      expect(stored.size).toBe(50);
    } finally {
      stop.abort();
    }
  });

  test('learn: continues a round after a death, and reads no page again that was read', async () => {
    const stored = new Map<number, Stored>();
    const ids = Array.from({ length: 40 }, (_, at) => at);
    const studied = new Map<string, readonly string[]>();
    const startProcess = (holder: string, diesAt: number): { readonly died: Promise<void>; end(): void } => {
      const stop = new AbortController();
      const died = Promise.withResolvers<void>();
      const study: KeeperParts['study'] = ({ fetchedUrl }) => {
        const own = [...(studied.get(holder) ?? []), fetchedUrl];
        if (own.length > diesAt) died.resolve();
        if (own.length > diesAt) return new Promise(() => {});
        studied.set(holder, own);
        return Promise.resolve({ kind: own.length === 2 ? 'bad_answer' : 'read', revision: own.length });
      };
      const keeper = keeperOf(stored, { holder, signal: stop.signal, studied: Promise.resolve(), study });
      // A page that it asks for has it look after the site.
      keeper.waiting(requestOf(99), job, url)?.reserve(plants);
      return { died: died.promise, end: () => stop.abort() };
    };
    for (const id of ids) {
      const page = { requestUrl: url.href, fetchedUrl: `${url.href}${String(100 + id)}`, body: new Uint8Array() };
      const data = packKept({ input: page } as never);
      const held = {
        request: id,
        site: url.host,
        url: page.fetchedUrl,
        heldAt: Date.now(),
        signature: packSignature(tools),
        data,
      };
      stored.set(id, { ...held, state: 'waiting', revision: 0 });
    }
    const first = startProcess('one', 25);
    await first.died;
    first.end();
    const second = startProcess('two', 99);
    try {
      await vi.waitFor(
        () => expect([...stored.values()].filter(({ state }) => state === 'waiting')).toEqual([]),
        9_000,
      );
      await vi.waitFor(() => expect(stored.get(0)?.state).toBe('learned'), 9_000);
      expect([...(studied.get('one') ?? []), ...(studied.get('two') ?? [])]).toEqual(
        ids.map((id) => `${url.href}${String(100 + id)}`),
      );
      const ends = [...stored.values()].map(({ state, revision }) => [state, revision]);
      expect(ends.filter(([state]) => state === 'bad_answer')).toHaveLength(2);
      // With the lessons of all of them, also of those that the first process read.
      expect(new Set(ends.map(([, revision]) => revision))).toEqual(new Set([25]));
    } finally {
      second.end();
    }
  });
});
