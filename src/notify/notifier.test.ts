import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Log } from '../core/ports/log.ts';
import type { SendOptions, WebhookResponse, WebhookSender } from '../core/ports/webhook-sender.ts';
import type { DeliveryResult, DueDelivery, Outbox } from '../core/webhook.ts';
import { judge, Notifier } from './notifier.ts';
import { schedule } from './schedule.ts';

const now = Date.UTC(2031, 5, 14, 12, 0, 0);
const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const answer = (statusCode: number, retryAfter = ''): WebhookResponse => ({ kind: 'response', statusCode, retryAfter });
const failure = (reason: 'connect' | 'destination_not_allowed'): WebhookResponse => ({
  kind: 'failure',
  error: { reason, message: 'It did not work.' },
});
const retryIn = (ms: number): unknown => expect.objectContaining({ kind: 'failed', retryAt: now + ms });
const givenUp: unknown = expect.objectContaining({ kind: 'failed', retryAt: null });

describe('judge', () => {
  test.each<[string, WebhookResponse, number, unknown]>([
    ['delivered after 200', answer(200), 1, { kind: 'delivered', statusCode: 200 }],
    ['delivered after 204', answer(204), 10, { kind: 'delivered', statusCode: 204 }],
    ['delivered after 299', answer(299), 3, { kind: 'delivered', statusCode: 299 }],
    ['a retry after 302', answer(302), 1, retryIn(5 * second)],
    ['a retry after 404', answer(404), 2, retryIn(5 * minute)],
    ['a retry after 500', answer(500), 9, retryIn(24 * hour)],
    ['no retry after 500 at the last attempt', answer(500), 10, givenUp],
    ['gone after 410', answer(410), 1, expect.objectContaining({ kind: 'gone', statusCode: 410 })],
    ['a retry after the longer Retry-After of a 429, in seconds', answer(429, '60'), 1, retryIn(minute)],
    [
      'a retry after the longer Retry-After of a 503, as a date',
      answer(503, 'Sat, 14 Jun 2031 12:01:00 GMT'),
      1,
      retryIn(minute),
    ],
    ['a retry by the schedule when the Retry-After of a 429 is shorter', answer(429, '60'), 2, retryIn(5 * minute)],
    ['a retry within 24 hours when the Retry-After of a 429 is a year', answer(429, '31536000'), 1, retryIn(24 * hour)],
    ['a retry by the schedule when the Retry-After of a 429 is invalid', answer(429, 'soon'), 1, retryIn(5 * second)],
    ['no retry after a 429 with Retry-After at the last attempt', answer(429, '60'), 10, givenUp],
    ['a retry after a failed connection', failure('connect'), 1, retryIn(5 * second)],
    ['no retry after a failed connection at the last attempt', failure('connect'), 10, givenUp],
    ['no retry after a refused destination', failure('destination_not_allowed'), 1, givenUp],
  ])('judge: returns %s', (_, given, attempts, expected) => {
    expect(judge(given, attempts, schedule, now, 0)).toEqual(expected);
  });

  test('judge: returns a message that redirects are not followed, after 302', () => {
    expect(judge(answer(302), 1, schedule, now, 0)).toMatchObject({
      message: 'The webhook responded with 302, and redirects are not followed.',
    });
  });
});

describe('Notifier', () => {
  afterEach(() => vi.useRealTimers());

  const delivery = (id: number, url = `https://receiver-${id}.test/`): DueDelivery => ({
    id,
    owner: 'JOB',
    org: 'acme',
    url,
    event: 'job.started',
    createdAt: now,
    attempts: 1,
    facts: {
      status: 'running',
      complete: null,
      findings: [],
      progress: { queued: 1, inFlight: 0, scraped: 0, discarded: 0, failed: 0, outside: 0 },
      finishedAt: null,
    },
  });

  /** The part of an outbox that it needs; the test sets the due deliveries. */
  class FakeOutbox implements Pick<Outbox, 'claim' | 'settle' | 'keys' | 'waitForDue'> {
    readonly due: DueDelivery[] = [];
    readonly settled: [number, DeliveryResult][] = [];
    readonly claims: Parameters<Outbox['claim']>[0][] = [];
    failsOnce = false;
    #isNew = false;
    #wake = (): void => {};

    async claim(query: Parameters<Outbox['claim']>[0]): Promise<readonly DueDelivery[]> {
      this.claims.push(query);
      if (this.failsOnce) {
        this.failsOnce = false;
        throw new Error('the disk is full');
      }
      const isFirst = ({ url }: DueDelivery, index: number): boolean =>
        this.due.findIndex((other) => other.url === url) === index && !query.busyUrls.includes(url);
      const free = this.due.filter(isFirst).slice(0, query.max);
      for (const taken of free) this.due.splice(this.due.indexOf(taken), 1);
      return free;
    }
    async settle(id: number, result: DeliveryResult): Promise<void> {
      this.settled.push([id, result]);
    }
    async keys(): Promise<{ readonly current: Uint8Array }> {
      return { current: new Uint8Array(32) };
    }
    waitForDue(_maxMs: number, signal: AbortSignal): Promise<void> {
      return new Promise((resolve) => {
        this.#wake = resolve;
        if (signal.aborted || this.#isNew) resolve();
        this.#isNew = false;
        signal.addEventListener('abort', () => resolve());
      });
    }
    add(...deliveries: readonly DueDelivery[]): void {
      this.due.push(...deliveries);
      this.#isNew = true;
      this.#wake();
    }
  }

  /** Every attempt hangs until the test answers it. */
  class FakeSender implements WebhookSender {
    readonly urls: string[] = [];
    readonly #answers = new Map<string, (answer: WebhookResponse) => void>();

    send(url: string, _message: unknown, { signal }: SendOptions): Promise<WebhookResponse> {
      this.urls.push(url);
      return new Promise((resolve) => {
        this.#answers.set(url, resolve);
        signal.addEventListener('abort', () => resolve(failure('connect')));
      });
    }
    answer(url: string, given: WebhookResponse): void {
      this.#answers.get(url)?.(given);
    }
  }

  const start = () => {
    const [outbox, sender, ending] = [new FakeOutbox(), new FakeSender(), new AbortController()];
    const errors: string[] = [];
    const log: Log = { debug() {}, info() {}, warn() {}, error: (message) => void errors.push(message) };
    const notifier = new Notifier(
      outbox as unknown as Outbox,
      sender,
      { userAgent: 'hayrake/1', feedCursor: () => '', pausesMs: [7] },
      log,
    );
    return { outbox, sender, ending, errors, done: notifier.run(ending.signal) };
  };

  test('Notifier: sends at most sixteen deliveries at a time, and the next when one ends', async () => {
    const { outbox, sender, ending, done } = start();
    outbox.add(...Array.from({ length: 20 }, (_, id) => delivery(id)));
    await vi.waitFor(() => expect(sender.urls).toHaveLength(16));
    expect(outbox.due).toHaveLength(4);
    sender.answer(delivery(3).url, answer(200));
    await vi.waitFor(() => expect(sender.urls).toHaveLength(17));
    expect(outbox.settled).toEqual([[3, { kind: 'delivered', statusCode: 200 }]]);
    expect(outbox.claims.at(-1)).toMatchObject({ max: 1, originMax: 4 });
    for (const url of sender.urls) sender.answer(url, answer(200));
    ending.abort();
    for (const { url } of Array.from({ length: 20 }, (_, id) => delivery(id))) sender.answer(url, answer(200));
    await done;
  });

  test('Notifier: passes the URLs in use to the outbox', async () => {
    const { outbox, sender, ending, done } = start();
    outbox.add(delivery(1), delivery(2, delivery(1).url), delivery(3));
    await vi.waitFor(() => expect(sender.urls).toHaveLength(2));
    outbox.add();
    await vi.waitFor(() => expect(outbox.claims.at(-1)?.busyUrls).not.toEqual([]));
    expect(sender.urls).toHaveLength(2);
    expect(outbox.claims.at(-1)).toMatchObject({ max: 14, busyUrls: [delivery(1).url, delivery(3).url] });
    ending.abort();
    for (const { url } of [delivery(1), delivery(3)]) sender.answer(url, answer(200));
    await done;
  });

  test('Notifier: retries by the schedule of its options', async () => {
    const { outbox, sender, ending, done } = start();
    outbox.add(delivery(1));
    await vi.waitFor(() => expect(sender.urls).toHaveLength(1));
    const before = Date.now();
    sender.answer(delivery(1).url, answer(500));
    await vi.waitFor(() => expect(outbox.settled).toHaveLength(1));
    const [, result] = outbox.settled[0] ?? [];
    if (result?.kind !== 'failed' || result.retryAt === null) throw new Error('it did not fail');
    expect(result.retryAt - before).toBeGreaterThanOrEqual(7);
    expect(result.retryAt - Date.now()).toBeLessThanOrEqual(8);
    ending.abort();
    await done;
  });

  test('Notifier: awaits and settles the delivery in flight when it is stopped', async () => {
    const { outbox, sender, ending, done } = start();
    outbox.add(delivery(1));
    await vi.waitFor(() => expect(sender.urls).toHaveLength(1));
    ending.abort();
    outbox.add(delivery(2));
    sender.answer(delivery(1).url, answer(200));
    await done;
    expect(outbox.settled).toEqual([[1, { kind: 'delivered', statusCode: 200 }]]);
    expect(sender.urls).toHaveLength(1);
  });

  test('Notifier: aborts a delivery five seconds after it is stopped, and leaves it unsettled', async () => {
    vi.useFakeTimers();
    const { outbox, sender, ending, done } = start();
    outbox.add(delivery(1));
    await vi.waitFor(() => expect(sender.urls).toHaveLength(1));
    ending.abort();
    await vi.advanceTimersByTimeAsync(5_000);
    await done;
    expect(outbox.settled).toEqual([]);
  });

  test('Notifier: logs that the outbox cannot be read, and continues', async () => {
    const { outbox, sender, ending, errors, done } = start();
    await vi.waitFor(() => expect(outbox.claims).toHaveLength(1));
    outbox.failsOnce = true;
    outbox.add(delivery(1));
    await vi.waitFor(() => expect(errors).toEqual(['the outbox could not be read']));
    await vi.waitFor(() => expect(sender.urls).toHaveLength(1), { timeout: 60_000 });
    sender.answer(delivery(1).url, answer(200));
    ending.abort();
    await done;
  });
});
