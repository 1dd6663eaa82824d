// What a job tells its webhook: signed, at least once, and as long as it takes. A webhook that is down holds up no other.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../service/expect-problem.ts';
import { type JobAnswer, startService, type TestService } from '../service/start-service.ts';
import { pagesScript, ScriptedSites, type ScriptedSite } from './scripted-site.ts';
import { bodyOf, ok, type Reply, verify, WebhookReceiver } from './webhook-receiver.ts';

interface DeliveryAnswer {
  readonly id: number;
  readonly webhookId: string;
  readonly event: string;
  readonly status: string;
  readonly attempts: number;
  readonly nextAt?: number;
  readonly statusCode?: number;
  readonly error?: string;
}

interface DeliveriesAnswer {
  readonly data: readonly DeliveryAnswer[];
  readonly cursor?: string;
}

interface KeyAnswer {
  readonly key: string;
  readonly previousKey?: string;
}

/** The first pause of the schedule. */
const firstPauseMs = 5_000;
const env = { HAYRAKE_WEBHOOK_HTTP: 'true' };
const pages = 3;

const sites = new ScriptedSites();
let site: ScriptedSite;
/** For tests that neither end it nor have settings of their own. */
let service: TestService;
const cleanups: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  site = await sites.start(pagesScript(pages));
  service = await startService({ env });
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});
afterAll(async () => {
  await service.close();
  await sites.close();
});

async function receive(reply: Reply = ok): Promise<WebhookReceiver> {
  const receiver = await WebhookReceiver.start(reply);
  cleanups.push(() => receiver.close());
  return receiver;
}

async function start(options: Parameters<typeof startService>[0] = {}): Promise<TestService> {
  const service = await startService({ ...options, env: { ...env, ...options.env } });
  cleanups.push(() => service.close());
  return service;
}

const crawl = (receiver: WebhookReceiver, at = service): Promise<JobAnswer> =>
  at.crawl({ urls: [`${site.origin}/`], webhook_url: receiver.url });
const deliveriesOf = async ({ id }: JobAnswer, at = service): Promise<readonly DeliveryAnswer[]> =>
  (await at.ok<DeliveriesAnswer>(`/crawler/jobs/${id}/deliveries`)).data;
/** Resolves when all deliveries are as they are waited for. Asks again and again, since nothing else tells. */
async function untilDeliveries(
  job: JobAnswer,
  condition: (deliveries: readonly DeliveryAnswer[]) => boolean,
  at = service,
): Promise<readonly DeliveryAnswer[]> {
  await expect.poll(() => deliveriesOf(job, at), { timeout: 40_000, interval: 100 }).toSatisfy(condition);
  return deliveriesOf(job, at);
}
const areSettled = (deliveries: readonly DeliveryAnswer[]): boolean =>
  deliveries.every(({ status }) => status !== 'pending');
const keyOf = (): Promise<KeyAnswer> => service.ok('/webhooks/key');

describe('a job with a webhook', () => {
  test('tells it when it starts, has pages and ends: signed, each once', async () => {
    const receiver = await receive();
    const job = await crawl(receiver);
    expect(job).toMatchObject({ webhook_url: receiver.url, webhookFails: [] });
    await receiver.until(() => receiver.told.length === 3);
    const deliveries = await untilDeliveries(job, areSettled);

    expect(deliveries.map(({ event, status, attempts }) => [event, status, attempts])).toEqual([
      ['job.started', 'delivered', 1],
      ['job.progress', 'delivered', 1],
      ['job.finished', 'delivered', 1],
    ]);
    expect(new Set(receiver.told.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set(deliveries.map(({ webhookId }) => webhookId)),
    );
    const [started, progress, finished] = ['job.started', 'job.progress', 'job.finished'].map((type) =>
      bodyOf(receiver.of(type)[0]?.body ?? ''),
    );
    expect(started?.data).toMatchObject({ id: job.id, finishedAt: null });
    expect(progress?.data.pages).toEqual({ from: 1, to: pages + 1 });
    expect(finished?.data).toEqual({
      id: job.id,
      status: 'succeeded',
      complete: job.complete,
      findings: job.findings,
      progress: job.progress,
      finishedAt: job.finishedAt,
    });
  });

  test('tells it what a run of a schedule changed, with the cursor from which the feed has the rows of the run', async () => {
    const receiver = await receive();
    const request = { urls: [`${site.origin}/`], webhook_url: receiver.url };
    const made = await service.api('/crawler/schedules', {
      json: { name: 'nightly', cron: '0 3 1 1 *', job: request },
    });
    const { id: schedule } = (await made.json()) as { readonly id: string };
    expect((await service.api(`/crawler/schedules/${schedule}/run`, { method: 'POST' })).ok).toBe(true);
    await receiver.until(() => receiver.of('schedule.changed').length === 1);
    const { data } = JSON.parse(receiver.of('schedule.changed')[0]!.body) as {
      readonly data: {
        readonly schedule: string;
        readonly job: string;
        readonly changes: object;
        readonly cursor: string;
      };
    };
    const job = await service.ok<JobAnswer>(`/crawler/jobs/${data.job}`);
    expect(data).toEqual({ schedule, job: job.id, changes: job['changes'], cursor: data.cursor });
    expect(data.changes).toMatchObject({ added: pages + 1 });
    const feed = await service.ok<{ readonly data: readonly { readonly job: string }[] }>(
      `/crawler/schedules/${schedule}/changes?cursor=${data.cursor}`,
    );
    expect(feed.data.map((row) => row.job)).toEqual(Array.from({ length: pages + 1 }, () => job.id));
  });

  test('signs so that a receiver can tell what was altered', async () => {
    const receiver = await receive();
    await crawl(receiver);
    await receiver.until(() => receiver.told.length === 3);
    const { key } = await keyOf();
    for (const told of receiver.told) {
      expect(verify(key, told)).toEqual(bodyOf(told.body));
      expect(told.headers).toMatchObject({ 'content-type': 'application/json' });
      expect(told.headers['user-agent']).toMatch(/^hayrake\/\d/);
      const { headers, body } = told;
      const seconds = Number(headers['webhook-timestamp']);
      expect(seconds * 1000).toBeLessThanOrEqual(told.at);
      for (const altered of [
        { headers, body: `${body} ` },
        { headers: { ...headers, 'webhook-id': `${String(headers['webhook-id'])}0` }, body },
        { headers: { ...headers, 'webhook-timestamp': String(seconds - 1) }, body },
      ]) {
        expect(() => verify(key, altered)).toThrow('No matching signature');
      }
    }
  });

  test('signs with both keys for a day after a rotation', async () => {
    const receiver = await receive();
    const { key: first } = await keyOf();
    const rotated = await service.ok<KeyAnswer>('/webhooks/key/rotate', { method: 'POST' });
    expect(rotated.previousKey).toBe(first);
    await crawl(receiver);
    await receiver.until(() => receiver.told.length === 3);
    for (const told of receiver.told) {
      expect(told.headers['webhook-signature']).toMatch(/^v1,[\w+/=]{44} v1,[\w+/=]{44}$/);
      expect(verify(first, told)).toEqual(verify(rotated.key, told));
    }

    const shown = await service.run(['webhook-key']);
    expect(shown).toMatchObject({ code: 0, stdout: `${rotated.key}\n`, stderr: '' });
    const third = await service.run(['webhook-key', '--rotate']);
    expect(third.stdout).toMatch(/^whsec_[\w+/]{43}=\n$/);
    expect(await keyOf()).toEqual({ key: third.stdout.trim(), previousKey: rotated.key });
    expect((await service.run(['webhook-key', '--org', 'other'])).stdout).not.toBe(third.stdout);
  });
});

describe('a webhook that does not answer 2xx', () => {
  test('is tried again, by the schedule or later where it asks for that, and holds up no other', async () => {
    const canary = await receive();
    const failing = await receive((_, earlier) => ({ status: earlier === 0 ? 500 : 204 }));
    const busy = await receive((_, earlier) =>
      earlier === 0 ? { status: 429, headers: { 'retry-after': '8' } } : { status: 204 },
    );
    const moved = await receive((_, earlier) =>
      earlier === 0 ? { status: 307, headers: { location: canary.url } } : { status: 204 },
    );
    const silent = await receive(() => undefined);
    const silentJob = await crawl(silent);
    await silent.until(() => silent.told.length > 0);

    const healthy = await receive();
    const healthyJob = await crawl(healthy);
    await healthy.until(() => healthy.told.length === 3);
    // The silent one has not been given up yet.
    expect(silent.told).toHaveLength(1);
    await untilDeliveries(healthyJob, areSettled);

    const tryTwice = async (receiver: WebhookReceiver, statusCode: number, pauseMs: number): Promise<void> => {
      const job = await crawl(receiver);
      await receiver.until(() => receiver.told.length === 4);
      const id = receiver.told[0]?.headers['webhook-id'];
      const [first, second] = receiver.told.filter(({ headers }) => headers['webhook-id'] === id);
      if (!first || !second) throw new Error('it was not tried again');
      expect(second.body).toBe(first.body);
      expect(second.headers['webhook-signature']).not.toBe(first.headers['webhook-signature']);
      expect(verify((await keyOf()).key, second)).toEqual(bodyOf(first.body));
      expect(second.at - first.at).toBeGreaterThanOrEqual(pauseMs);
      const deliveries = await untilDeliveries(job, areSettled);
      expect(deliveries.map(({ attempts }) => attempts).toSorted((a, b) => a - b)).toEqual([1, 1, 2]);
      const { webhookFails } = await service.job(job.id);
      expect(webhookFails).toEqual([expect.objectContaining({ event: bodyOf(first.body).type, statusCode })]);
    };
    await Promise.all([
      tryTwice(failing, 500, firstPauseMs),
      tryTwice(busy, 429, 8_000),
      tryTwice(moved, 307, firstPauseMs),
    ]);
    expect(canary.told).toEqual([]);

    // Fifteen seconds after it began to be silent.
    await expect
      .poll(async () => (await service.job(silentJob.id))['webhookFails'], { timeout: 40_000 })
      .toContainEqual(
        expect.objectContaining({ event: 'job.started', message: 'The webhook did not respond in time.' }),
      );
  });

  test('but 410 is told nothing more of the job, and of other jobs still', async () => {
    const receiver = await receive(() => ({ status: 410 }));
    const job = await crawl(receiver);
    const deliveries = await untilDeliveries(job, areSettled);
    expect(deliveries.map(({ status }) => status)).toEqual(deliveries.map(() => 'failed'));
    expect(receiver.told).toHaveLength(1);
    expect((await service.job(job.id))['webhookFails']).toEqual([expect.objectContaining({ statusCode: 410 })]);
    receiver.replyWith(ok);
    await crawl(receiver);
    await receiver.until(() => receiver.told.length === 4);
  });

  test('is given up at once where it may not be reached any more', async () => {
    const own = await start();
    const receiver = await receive(() => ({ status: 500 }));
    const job = await crawl(receiver, own);
    await untilDeliveries(job, (all) => all.every(({ attempts }) => attempts > 0), own);
    await own.stop();
    const before = receiver.told.length;
    const closed = await start({ store: own.store, env: { HAYRAKE_ALLOW_PRIVATE: undefined } });
    const deliveries = await untilDeliveries(job, areSettled, closed);
    expect(deliveries.map(({ status, error }) => [status, error])).toEqual(
      deliveries.map(() => ['failed', 'The URL leads to an address or port that this service may not reach.']),
    );
    expect(receiver.told).toHaveLength(before);
  });
});

describe('the end of the process', () => {
  test('by SIGKILL between sending and noting it: told twice, the same bytes under the same id', async () => {
    const own = await start();
    const receiver = await receive(() => undefined);
    const job = await crawl(receiver, own);
    await receiver.until(() => receiver.told.length === 1);
    await own.kill();
    receiver.replyWith(ok);
    // What was being sent is taken for lost after a minute.
    await own.changeDatabase('UPDATE work SET next_at = next_at - 60000');
    await own.start();
    const deliveries = await untilDeliveries(job, areSettled, own);
    expect(deliveries.map(({ event, status, attempts }) => [event, status, attempts])).toEqual([
      ['job.started', 'delivered', 2],
      ['job.progress', 'delivered', 1],
      ['job.finished', 'delivered', 1],
    ]);
    expect(receiver.told).toHaveLength(4);
    const [first, second, ...more] = receiver.of('job.started');
    expect(more).toEqual([]);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.body).toBe(first?.body);
  });

  test('leaves the schedule as it is', async () => {
    const own = await start();
    const receiver = await receive((_, earlier) => ({ status: earlier < 3 ? 500 : 204 }));
    const job = await crawl(receiver, own);
    await receiver.until(() => receiver.told.length === 3);
    const before = await untilDeliveries(job, (all) => all.every(({ statusCode }) => statusCode === 500), own);
    await own.restart();
    const restarted = await deliveriesOf(job, own);
    // On a busy machine some are due by then.
    const toCome = before.filter(({ nextAt }) => (nextAt ?? 0) > Date.now());
    expect(restarted).toEqual(expect.arrayContaining([...toCome]));
    expect(restarted.map(({ webhookId }) => webhookId)).toEqual(before.map(({ webhookId }) => webhookId));
    await untilDeliveries(job, areSettled, own);
    for (const { webhookId, nextAt } of before) {
      const again = receiver.told.slice(3).filter(({ headers }) => headers['webhook-id'] === webhookId);
      expect(again).toHaveLength(1);
      expect(again[0]?.at).toBeGreaterThanOrEqual(nextAt ?? 0);
    }
  });

  test('by SIGTERM does not wait for a webhook that is silent', async () => {
    const own = await start();
    const receiver = await receive(() => undefined);
    const { id } = await crawl(receiver, own);
    await receiver.until(() => receiver.told.length === 1);
    expect(await own.stop()).toBe(0);
    await own.start();
    // An attempt that had been waited for would have failed.
    expect((await own.job(id))['webhookFails']).toEqual([]);
  });
});

describe('deliveries', () => {
  test('are listed by pages and by status, and can be sent again under the same id', async () => {
    const receiver = await receive();
    const job = await crawl(receiver);
    const deliveries = await untilDeliveries(job, (all) => all.length === 3 && areSettled(all));
    const list = (query: Record<string, string>): Promise<DeliveriesAnswer> =>
      service.ok(`/crawler/jobs/${job.id}/deliveries?${new URLSearchParams(query).toString()}`);

    const first = await list({ limit: '2' });
    expect(first.data).toEqual(deliveries.slice(0, 2));
    const second = await list({ limit: '2', cursor: first.cursor ?? '' });
    expect(second).toEqual({ data: deliveries.slice(2) });
    expect(await list({ status: 'failed' })).toEqual({ data: [] });
    expect((await list({ status: 'delivered' })).data).toEqual(deliveries);

    const [started] = deliveries;
    const path = `/crawler/jobs/${job.id}/deliveries/${started?.id}/replay`;
    expect(await service.ok(path, { method: 'POST' })).toMatchObject({
      id: started?.id,
      status: 'pending',
      attempts: 0,
    });
    await receiver.until(() => receiver.told.length === 4);
    const [original, again] = receiver.of('job.started');
    expect(again?.headers['webhook-id']).toBe(started?.webhookId);
    expect(again?.body).toBe(original?.body);
  });

  test('of others, and those that are not there, are not found', async () => {
    const receiver = await receive();
    const job = await crawl(receiver);
    const [delivery] = await untilDeliveries(job, areSettled);
    const { token: other } = await service.createToken({ org: 'other' });
    const { token: reader } = await service.createToken({ org: 'default', permissions: 'read' });
    const list = `/crawler/jobs/${job.id}/deliveries`;
    const replay = `${list}/${delivery?.id}/replay`;
    expectProblem(await service.raw(list, { token: other }), 404, 'job_not_found');
    expectProblem(await service.raw(replay, { method: 'POST', token: other }), 404, 'job_not_found');
    expectProblem(await service.raw(replay, { method: 'POST', token: reader }), 403, 'permission_denied');
    expectProblem(await service.raw('/webhooks/key', { token: reader }), 403, 'permission_denied');
    const rotate = await service.raw('/webhooks/key/rotate', { method: 'POST', token: reader });
    expectProblem(rotate, 403, 'permission_denied');
    for (const id of ['0', '-1', '1e1', '01', '999999', 'x', '9'.repeat(30)]) {
      expectProblem(await service.raw(`${list}/${id}/replay`, { method: 'POST' }), 404, 'delivery_not_found');
    }
    expectProblem(await service.raw(`${list}?status=lost`), 400, 'invalid_parameter');
    expectProblem(await service.raw(`${list}?cursor=x`), 400, 'invalid_cursor');
    const urlsCursor = (await service.ok<DeliveriesAnswer>(`/crawler/jobs/${job.id}/urls?limit=1`)).cursor ?? '';
    expectProblem(await service.raw(`${list}?cursor=${urlsCursor}`), 400, 'invalid_cursor');
    expect((await service.raw('/webhooks/key')).headers['cache-control']).toBe('no-store');
    const keys = await Promise.all([keyOf(), service.ok<KeyAnswer>('/webhooks/key', { token: other })]);
    expect(keys[0].key).not.toBe(keys[1].key);
  });
});

describe('webhook_url', () => {
  test('is refused where it leads to this service itself, or inside', async () => {
    const own = await start({ env: { HAYRAKE_ALLOW_PRIVATE: '127.0.0.1/32' } });
    for (const url of [`${own.origin}/hook`, 'https://10.0.0.1/', 'http://169.254.169.254/', 'https://[::1]/']) {
      const answer = await own.raw('/crawler/jobs', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ urls: [`${site.origin}/`], webhook_url: url }),
      });
      const { errors } = expectProblem(answer, 400, 'destination_not_allowed');
      expect(errors?.map(({ field }) => field)).toEqual(['webhook_url']);
    }
  });

  test('has to be https, unless the operator says otherwise', async () => {
    const own = await start({ env: { HAYRAKE_WEBHOOK_HTTP: undefined } });
    const answer = await own.raw('/crawler/jobs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ urls: [`${site.origin}/`], webhook_url: 'http://127.0.0.1:8000/' }),
    });
    const { detail } = expectProblem(answer, 400, 'invalid_body');
    expect(detail).toContain('HAYRAKE_WEBHOOK_HTTP');
  });
});
