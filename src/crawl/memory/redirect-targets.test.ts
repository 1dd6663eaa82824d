import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { redirectedTo } from '../../core/baseline.ts';
import type { KnownUrl } from '../../core/ports/frontier.ts';
import type { Outcome, Request } from '../../core/request.ts';
import { dedupeKey } from '../../url/dedupe-key.ts';
import { RedirectTargets } from './redirect-targets.ts';

const urlOf = (name: string | number): string => `https://site.test/${name}`;
const keyOf = (name: string | number): string => dedupeKey(new URL(urlOf(name)));

function requestOf(name: string | number, fields: Partial<Request> = {}): Request {
  const request = { id: 1, jobId: 'job', jobVersion: 1, kind: 'page', depth: 1, selfFed: false, attempts: 0 } as const;
  return { ...request, url: urlOf(name), ...fields };
}

const duplicateOf = (detail: string): Outcome => ({ kind: 'discarded', reason: 'duplicate_of', detail });
/** The fields that matter here. */
const scraped = { kind: 'scraped' } as Outcome;

/** The ledger of the only job. */
class Ledger {
  readonly rows = new Map<string, KnownUrl>();

  add(name: string | number, fields: Partial<KnownUrl> = {}): void {
    const row: KnownUrl = {
      id: this.rows.size + 1,
      url: urlOf(name),
      depth: 1,
      state: 'queued',
      reason: null,
      detail: null,
      statusCode: null,
      attempts: 0,
      hasEarlier: false,
      ...fields,
    };
    this.rows.set(keyOf(name), row);
  }

  knownUrl(_: string, key: string): Promise<KnownUrl | undefined> {
    return Promise.resolve(this.rows.get(key));
  }
}

function redirected(path: readonly (string | number)[], fields: Partial<Request> = {}, maxDepth: number | null = null) {
  return { request: requestOf(path[0] ?? '', fields), trail: path.map(keyOf), maxDepth };
}

describe('RedirectTargets.originalOf', () => {
  test.each<readonly [why: string, row: Partial<KnownUrl> | undefined, isLeft: boolean]>([
    ['returns undefined for an unknown target', undefined, false],
    ['returns the target when it is queued', {}, true],
    [
      'returns undefined for a queued target that has failed before',
      { attempts: 1, reason: 'http_503', statusCode: 503 },
      false,
    ],
    ['returns the target when it is a page', { state: 'scraped', attempts: 1, statusCode: 200 }, true],
    [
      'returns the target when it is missing',
      { state: 'failed', attempts: 1, reason: 'http_404', statusCode: 404 },
      true,
    ],
    [
      'returns undefined for a target that failed as overloaded',
      { state: 'failed', attempts: 4, reason: 'http_503', statusCode: 503 },
      false,
    ],
    [
      'returns undefined for a target that could not be reached',
      { state: 'failed', attempts: 4, reason: 'timeout' },
      false,
    ],
    [
      'returns the target when it is no page',
      { state: 'discarded', attempts: 1, reason: 'content_type', statusCode: 200 },
      true,
    ],
    ['returns undefined for a target that was not followed', { state: 'outside', reason: 'nofollow' }, false],
    ['returns undefined for a target that was too deep', { state: 'outside', reason: 'depth' }, false],
    [
      'returns undefined for a target that was discarded as a trap',
      { state: 'discarded', attempts: 1, reason: 'trap' },
      false,
    ],
    [
      'returns undefined for a target that robots.txt disallowed',
      { state: 'discarded', attempts: 1, reason: 'robots_disallowed' },
      false,
    ],
  ])('RedirectTargets.originalOf: %s', async (_, row, isLeft) => {
    const ledger = new Ledger();
    ledger.add('from');
    if (row) ledger.add('to', row);
    const targets = new RedirectTargets(ledger, { isShared: false });
    expect(await targets.originalOf(redirected(['from']), keyOf('to'))).toBe(isLeft ? urlOf('to') : undefined);
  });

  it('RedirectTargets.originalOf: returns the page when the URL that was left to is a duplicate itself', async () => {
    const ledger = new Ledger();
    ledger.add('from');
    ledger.add('page', { state: 'scraped', attempts: 1, statusCode: 200 });
    ledger.add('copy', { state: 'discarded', attempts: 1, reason: 'duplicate_of', detail: urlOf('page') });
    const targets = new RedirectTargets(ledger, { isShared: false });
    targets.ended(redirected(['copy', 'login']), duplicateOf(urlOf('page')));
    expect(await targets.originalOf(redirected(['from']), keyOf('login'))).toBe(urlOf('page'));
  });

  it('RedirectTargets.originalOf: returns undefined for a target in its own chain', async () => {
    const ledger = new Ledger();
    ledger.add('from');
    ledger.add('via');
    const targets = new RedirectTargets(ledger, { isShared: false });
    expect(await targets.originalOf(redirected(['from', 'via']), keyOf('via'))).toBeUndefined();
    expect(await targets.originalOf(redirected(['from', 'via']), keyOf('from'))).toBeUndefined();
  });

  it('RedirectTargets.originalOf: returns undefined for the target of a page of the earlier job, unless it was one too', async () => {
    const ledger = new Ledger();
    ledger.add('from');
    ledger.add('to');
    ledger.add('page', { hasEarlier: true });
    const targets = new RedirectTargets(ledger, { isShared: false });
    const redirect = redirected(['from'], {
      earlier: { hash: 'h', validator: redirectedTo(keyOf('to')), traits: null, asked: null },
    });
    expect(await targets.originalOf(redirect, keyOf('to'))).toBeUndefined();
    expect(await targets.originalOf(redirect, keyOf('page'))).toBe(urlOf('page'));
    const plain = redirected(['from'], { earlier: { hash: 'h', validator: '"etag"', traits: null, asked: null } });
    expect(await targets.originalOf(plain, keyOf('to'))).toBe(urlOf('to'));
  });

  it('RedirectTargets.originalOf: returns the URL of the request that has already fetched the target', async () => {
    const ledger = new Ledger();
    ledger.add('first');
    ledger.add('second');
    const targets = new RedirectTargets(ledger, { isShared: false });
    targets.ended(redirected(['first', 'via', 'to']), scraped);
    expect(await targets.originalOf(redirected(['second']), keyOf('to'))).toBe(urlOf('first'));
    expect(await targets.originalOf(redirected(['second']), keyOf('via'))).toBe(urlOf('first'));
    expect(await targets.originalOf(redirected(['second'], { jobId: 'other' }), keyOf('to'))).toBeUndefined();
  });

  test.each<readonly [why: string, outcome: Outcome]>([
    ['will be retried', { kind: 'retry', afterMs: 1, error: { reason: 'timeout', message: '' } }],
    ['has failed for now', { kind: 'failed', error: { reason: 'http_error', message: '', statusCode: 503 } }],
  ])('RedirectTargets.originalOf: returns undefined for a target of a request that %s', async (_, outcome) => {
    const ledger = new Ledger();
    ledger.add('first');
    const targets = new RedirectTargets(ledger, { isShared: false });
    targets.ended(redirected(['first', 'to']), outcome);
    expect(await targets.originalOf(redirected(['second']), keyOf('to'))).toBeUndefined();
  });

  it('RedirectTargets.originalOf: returns undefined for a target that leads back to the request', async () => {
    const ledger = new Ledger();
    ledger.add('a');
    ledger.add('b', { state: 'discarded', attempts: 1, reason: 'duplicate_of', detail: urlOf('c') });
    ledger.add('c', { state: 'discarded', attempts: 1, reason: 'duplicate_of', detail: urlOf('a') });
    const targets = new RedirectTargets(ledger, { isShared: false });
    expect(await targets.originalOf(redirected(['a']), keyOf('b'))).toBeUndefined();
    expect(await targets.originalOf(redirected(['d']), keyOf('b'))).toBe(urlOf('a'));
  });

  it('RedirectTargets.originalOf: returns undefined for a deeper target when its links would exceed maxDepth', async () => {
    const ledger = new Ledger();
    ledger.add('to', { depth: 3 });
    const targets = new RedirectTargets(ledger, { isShared: false });
    expect(await targets.originalOf(redirected(['from'], { depth: 2 }, 3), keyOf('to'))).toBeUndefined();
    expect(await targets.originalOf(redirected(['from'], { depth: 3 }, 3), keyOf('to'))).toBe(urlOf('to'));
    expect(await targets.originalOf(redirected(['from'], { depth: 2 }, null), keyOf('to'))).toBe(urlOf('to'));
  });

  it('RedirectTargets.originalOf: with several processes, returns a queued target only when it was found earlier', async () => {
    const ledger = new Ledger();
    ledger.add('early', { id: 1 });
    ledger.add('late', { id: 9 });
    ledger.add('done', { id: 10, state: 'scraped', attempts: 1 });
    const targets = new RedirectTargets(ledger, { isShared: true });
    expect(await targets.originalOf(redirected(['from'], { id: 5 }), keyOf('early'))).toBe(urlOf('early'));
    expect(await targets.originalOf(redirected(['from'], { id: 5 }), keyOf('late'))).toBeUndefined();
    expect(await targets.originalOf(redirected(['from'], { id: 5 }), keyOf('done'))).toBe(urlOf('done'));
  });

  it('RedirectTargets: forgets the oldest targets when there are too many', async () => {
    const ledger = new Ledger();
    for (const name of [1, 2, 3]) ledger.add(name);
    const targets = new RedirectTargets(ledger, { isShared: false, max: 2 });
    for (const name of [1, 2, 3]) targets.ended(redirected([name, `to ${name}`]), scraped);
    const left = [1, 2, 3].map((name) => targets.originalOf(redirected(['from']), keyOf(`to ${name}`)));
    expect(await Promise.all(left)).toEqual([undefined, urlOf(2), urlOf(3)]);
  });
});

/**
 * Any site of redirects, with any of its URLs in the ledger, crawled by one process or several, in any order of steps:
 * the page that a URL leads to is delivered by some URL. A cookie opens a cycle: a request that returns to its first
 * URL finds a page.
 */
test.each([1, 3])('RedirectTargets: loses no page in any graph of redirects with %i process(es)', async (processes) => {
  const site = fc.integer({ min: 2, max: 7 }).chain((size) =>
    fc.record({
      // The URL that each URL redirects to; its own if it is a page.
      next: fc.array(fc.nat(size - 1), { minLength: size, maxLength: size }),
      listed: fc.uniqueArray(fc.nat(size - 1), { minLength: 1, maxLength: size }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(site, fc.scheduler(), async ({ next, listed }, scheduler) => {
      const ledger = new Ledger();
      for (const name of listed) ledger.add(name);
      const slow = { knownUrl: (_: string, key: string) => scheduler.schedule(ledger.knownUrl(_, key)) };
      const all = Array.from({ length: processes }, () => new RedirectTargets(slow, { isShared: processes > 1 }));
      const delivered = new Set<number>();
      const work = async (name: number, targets: RedirectTargets): Promise<void> => {
        const row = ledger.rows.get(keyOf(name));
        const request = requestOf(name, { id: row?.id ?? 0 });
        const trail = [keyOf(name)];
        let outcome: Outcome = scraped;
        let at = name;
        while (next[at] !== at) {
          await scheduler.schedule(Promise.resolve());
          at = next[at] ?? at;
          if (at === name) break;
          const original = await targets.originalOf({ request, trail, maxDepth: null }, keyOf(at));
          if (original !== undefined) {
            outcome = duplicateOf(original);
            break;
          }
          // A cycle without the first URL ends as too many redirects.
          if (trail.includes(keyOf(at))) {
            outcome = { kind: 'failed', error: { reason: 'too_many_redirects', message: '' } };
            break;
          }
          trail.push(keyOf(at));
        }
        if (outcome.kind === 'scraped') delivered.add(at);
        targets.ended({ request, trail, maxDepth: null }, outcome);
        await scheduler.schedule(Promise.resolve());
        if (outcome.kind !== 'scraped' && outcome.kind !== 'discarded' && outcome.kind !== 'failed') return;
        const detail = outcome.kind === 'discarded' ? (outcome.detail ?? null) : null;
        const reason = outcome.kind === 'discarded' ? outcome.reason : null;
        ledger.add(name, { ...row, state: outcome.kind, attempts: 1, reason, detail });
      };
      const working = listed.map((name, index) => work(name, all[index % processes] ?? all[0]!));
      await scheduler.waitFor(Promise.all(working));
      const lost = listed.filter((name) => {
        const path = [name];
        while (!path.includes(next[path.at(-1) ?? 0] ?? 0)) path.push(next[path.at(-1) ?? 0] ?? 0);
        const circle = path.slice(path.indexOf(next[path.at(-1) ?? 0] ?? 0));
        // A cycle with no listed URL in it has no page.
        const hasPage = circle.length === 1 || circle.some((one) => listed.includes(one));
        return hasPage && !circle.some((one) => delivered.has(one));
      });
      expect(lost).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});
