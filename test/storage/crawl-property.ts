// The guarantee that matters most, for crawls that nobody would think of: whatever pages link to, whatever becomes of them,
// and wherever the process dies, every URL ends in exactly one state and pages are numbered without gaps.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { discovered, hasEnded, type Job } from '../../src/core/job.ts';
import type { Link, Outcome, Request } from '../../src/core/request.ts';
import { ledgerStatuses, type LedgerStatus, type Store } from '../../src/core/ports/stores.ts';
import {
  createJob,
  getJob,
  hostA,
  hostB,
  link,
  listAll,
  pagesOf,
  scraped,
  settlement,
  type TestDatabase,
  unreachable,
  tryLease,
} from './test-data.ts';

const kinds = ['scraped', 'discarded', 'failed', 'retry', 'moved'] as const;

/** What becomes of one attempt. */
const attempts = fc.record({
  kind: fc.oneof({ weight: 5, arbitrary: fc.constant('scraped' as const) }, fc.constantFrom(...kinds)),
  fetched: fc.boolean(),
  links: fc.array(fc.record({ path: fc.nat(25), isOther: fc.boolean(), isOff: fc.boolean() }), { maxLength: 6 }),
});

/** What a lane does under one lease. */
const turns = fc.record({
  takes: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 3 }),
  /** So many of the requests taken are settled, in this many batches. */
  settled: fc.integer({ min: 0, max: 18 }),
  batch: fc.integer({ min: 1, max: 5 }),
  end: fc.oneof(
    { weight: 4, arbitrary: fc.constant('release' as const) },
    fc.constant('crash' as const),
    fc.constant('crash while settling' as const),
  ),
});

const crawls = fc.record({
  pageLimit: fc.integer({ min: 1, max: 12 }),
  fetchLimit: fc.integer({ min: 1, max: 40 }),
  starts: fc.integer({ min: 1, max: 4 }),
  attempts: fc.array(attempts, { minLength: 1, maxLength: 20 }),
  turns: fc.array(turns, { minLength: 1, maxLength: 12 }),
});

type Attempt = typeof attempts extends fc.Arbitrary<infer Value> ? Value : never;

/** What the store has to say, kept in the simplest way. */
class Model {
  readonly states = new Map<string, LedgerStatus>();
  readonly pages: string[] = [];
  fetches = 0;
  readonly #limits: { readonly pageLimit: number; readonly fetchLimit: number };
  hasEnded = false;

  constructor(limits: { readonly pageLimit: number; readonly fetchLimit: number }, starts: readonly Link[]) {
    this.#limits = limits;
    this.find(starts);
  }

  find(links: readonly Link[]): void {
    for (const { url, discard } of links) {
      const known = this.states.get(url);
      if (known === undefined) this.states.set(url, discard ? 'outside' : 'queued');
      // Another page lets it be followed.
      else if (!discard && known === 'outside') this.states.set(url, 'queued');
    }
  }

  count(status: LedgerStatus): number {
    return [...this.states.values()].filter((state) => state === status).length;
  }

  /** Answers what is wrong with this being taken. */
  take(requests: readonly Request[]): string[] {
    const problems = requests
      .filter(({ url }) => this.states.get(url) !== 'queued')
      .map(({ url }) => `${url} was not queued`);
    for (const { url } of requests) this.states.set(url, 'inFlight');
    if (this.pages.length + this.count('inFlight') > this.#limits.pageLimit) problems.push('more than pageLimit');
    if (this.fetches + this.count('inFlight') > this.#limits.fetchLimit) problems.push('more than fetchLimit');
    return problems;
  }

  settle({ url }: Request, outcome: Outcome, fetched: boolean): void {
    if (this.hasEnded) return;
    if (fetched) this.fetches++;
    if (outcome.kind === 'retry' || outcome.kind === 'moved') this.states.set(url, 'queued');
    else if (outcome.kind !== 'sitemap' && outcome.kind !== 'unchanged') this.states.set(url, outcome.kind);
    if (outcome.kind === 'scraped') {
      this.pages.push(url);
      this.find(outcome.links);
    }
    this.#endIfDone();
  }

  handBack(): void {
    if (this.hasEnded) return;
    for (const [url, state] of this.states) if (state === 'inFlight') this.states.set(url, 'queued');
  }

  #endIfDone(): void {
    const isLimited =
      this.pages.length >= this.#limits.pageLimit ||
      (this.fetches >= this.#limits.fetchLimit && this.count('inFlight') === 0);
    if (!isLimited && this.count('queued') + this.count('inFlight') > 0) return;
    this.hasEnded = true;
    for (const [url, state] of this.states)
      if (state === 'queued' || state === 'inFlight') this.states.set(url, 'discarded');
  }
}

export function describeCrawlProperty(createDatabase: () => Promise<TestDatabase>): void {
  it('frontier: keeps every URL in exactly one state in any crawl with any crashes', async () => {
    const holds = fc.assert(
      fc.asyncProperty(crawls, async (plan) => {
        const database = await createDatabase();
        try {
          await expectCrawlToHold(database, plan);
        } finally {
          await database.remove();
        }
      }),
      { numRuns: 10 },
    );
    await expect(holds).resolves.toBeUndefined();
  });
}

async function expectCrawlToHold(
  database: TestDatabase,
  plan: typeof crawls extends fc.Arbitrary<infer Value> ? Value : never,
): Promise<void> {
  const open = async (): Promise<Store> => {
    const opened = await database.open({ crawling: true });
    await opened.frontier.recover({ delayMs: 0 });
    return opened;
  };
  let store = await open();
  const startLinks = Array.from({ length: plan.starts }, (_, index) => link(`/${index}`, { depth: 0 }));
  const { id } = await createJob(store, {
    startLinks,
    spec: { pageLimit: plan.pageLimit, fetchLimit: plan.fetchLimit },
  });
  const model = new Model(plan, startLinks);
  let attempted = 0;
  // In the end, what was planned is over and everything works: so that every crawl ends.
  for (let turn = 0; ; turn++) {
    const { takes, settled, batch, end } = plan.turns[turn] ?? { takes: [5, 5], settled: 10, batch: 5, end: 'release' };
    const held = await tryLease(store);
    if (!held) {
      if (model.hasEnded) break;
      // What was out at two crashes is taken alone.
      const suspect = await store.frontier.takeSuspect(3);
      if (typeof suspect === 'object') {
        const { request } = suspect;
        const outcome = outcomeOf(request, { kind: 'failed', fetched: true, links: [] });
        const problems = model.take([request]);
        if (problems.length > 0) throw new Error(problems.join('; '));
        model.settle(request, outcome, true);
        await store.frontier.settle(suspect.lease, [settlement(request, outcome)]);
        await store.frontier.release(suspect.lease);
        await expectAgreement(store, id, model);
        continue;
      }
      await store.frontier.waitForWork(20, AbortSignal.timeout(1_000));
      continue;
    }
    const taken: Request[] = [];
    for (const max of takes) {
      const requests = await store.frontier.take(held, max);
      expect(requests.length).toBeLessThanOrEqual(max);
      expect(model.take(requests)).toEqual([]);
      taken.push(...requests);
    }
    const settlements = taken.slice(0, settled).map((request) => {
      const attempt =
        turn < plan.turns.length
          ? plan.attempts[attempted++ % plan.attempts.length]!
          : { kind: 'failed' as const, fetched: true, links: [] };
      return settlement(request, outcomeOf(request, attempt), attempt.fetched);
    });
    const settling: Promise<void>[] = [];
    for (let at = 0; at < settlements.length; at += batch) {
      const part = settlements.slice(at, at + batch);
      for (const { request, outcome, fetched } of part) model.settle(request, outcome, fetched);
      settling.push(store.frontier.settle(held, part));
    }
    if (end !== 'crash while settling') await Promise.all(settling);
    if (end === 'release') await store.frontier.release(held);
    model.handBack();
    if (end !== 'release') {
      await store.close();
      await Promise.all(settling);
      store = await open();
    }
    await expectAgreement(store, id, model);
  }
  expect(hasEnded((await getJob(store, id)).status)).toBe(true);
}

function outcomeOf(request: Request, { kind, links }: Attempt): Outcome {
  switch (kind) {
    case 'scraped':
      return scraped(
        request,
        links.map(({ path, isOther, isOff }) =>
          link(`/${path}`, {
            depth: request.depth + 1,
            host: isOther ? hostB : hostA,
            ...(isOff && { discard: { reason: 'off_host' } }),
          }),
        ),
      );
    case 'discarded':
      return { kind, reason: 'content_type' };
    case 'failed':
      return { kind, error: unreachable };
    case 'retry':
      return { kind, afterMs: 0, error: unreachable };
    case 'moved':
      return { kind, host: request.chain === undefined ? hostB : hostA, chain: 'a chain' };
  }
}

async function expectAgreement(store: Store, id: string, model: Model): Promise<void> {
  const job: Job = await getJob(store, id);
  const entries = await listAll(store, id);
  expect(Object.fromEntries(entries.map(({ url, status }) => [url, status]))).toEqual(Object.fromEntries(model.states));
  expect(entries).toHaveLength(model.states.size);
  expect(discovered(job.progress)).toBe(model.states.size);
  for (const status of ledgerStatuses) expect([status, job.progress[status]]).toEqual([status, model.count(status)]);
  expect(await pagesOf(store, id)).toEqual(Object.fromEntries(model.pages.map((url, index) => [index + 1, url])));
  expect(hasEnded(job.status)).toBe(model.hasEnded);
}
