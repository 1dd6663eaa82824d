import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import type { DueDelivery } from '../core/webhook.ts';
import { messageOf } from './message.ts';

const delivery: DueDelivery = {
  id: 7,
  owner: 'JOB',
  org: 'acme',
  url: 'https://receiver.test/',
  event: 'job.progress',
  createdAt: Date.UTC(2031, 5, 14, 12, 0, 0, 123),
  attempts: 1,
  facts: {
    status: 'running',
    complete: null,
    findings: [],
    progress: { queued: 5, inFlight: 2, scraped: 12, discarded: 1, failed: 0, outside: 0 },
    finishedAt: null,
    pages: { from: 3, to: 12 },
  },
};
const keys = { current: randomBytes(32) };
const message = (fields: Partial<DueDelivery> = {}, sign: Parameters<typeof messageOf>[1] = keys, now = Date.now()) =>
  messageOf({ ...delivery, ...fields }, sign, now, {
    userAgent: 'hayrake/1',
    feedCursor: (schedule, run) => `${schedule}/${run}/0`,
  });
const verify = (key: Uint8Array, body: string, headers: Readonly<Record<string, string>>): unknown =>
  new Webhook(key, { format: 'raw' }).verify(body, headers);

test('messageOf: contains the state of the job, and names the event in its headers', () => {
  const { body, headers } = message({}, keys, 1_700_000_000_999);
  expect(JSON.parse(body)).toEqual({
    type: 'job.progress',
    timestamp: '2031-06-14T12:00:00.123Z',
    data: {
      id: 'JOB',
      status: 'running',
      complete: null,
      findings: [],
      progress: { discovered: 20, queued: 5, inFlight: 2, scraped: 12, discarded: 1, failed: 0, outside: 0 },
      finishedAt: null,
      pages: { from: 3, to: 12 },
    },
  });
  expect(headers).toMatchObject({
    'webhook-id': 'msg_JOB_7',
    'webhook-timestamp': '1700000000',
    'content-type': 'application/json',
    'user-agent': 'hayrake/1',
  });
});

test('messageOf: says what a run changed, and from which cursor its rows are read', () => {
  const changes = { added: 2, changed: 1, moved: 0, unchanged: 3, removed: 0, unknown: 0 };
  const { body } = message({ event: 'schedule.changed', facts: { schedule: 'NIGHTLY', job: 'JOB', changes } });
  expect(JSON.parse(body)).toEqual({
    type: 'schedule.changed',
    timestamp: '2031-06-14T12:00:00.123Z',
    data: { schedule: 'NIGHTLY', job: 'JOB', changes, cursor: 'NIGHTLY/JOB/0' },
  });
});

test('messageOf: returns the same body and id for every attempt, with another signature', () => {
  const [first, second] = [message({}, keys, 1_700_000_000_000), message({ attempts: 2 }, keys, 1_700_000_005_000)];
  expect(second.body).toBe(first.body);
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect(second.headers['webhook-signature']).not.toBe(first.headers['webhook-signature']);
});

describe('messageOf: signature', () => {
  const sentAt = Date.now();

  test('messageOf: signs so that the Standard Webhooks library accepts the message', () => {
    const { body, headers } = message();
    expect(verify(keys.current, body, headers)).toEqual(JSON.parse(body));
  });

  test.each([
    ['body', (body: string) => body.replace('"scraped":12', '"scraped":13'), {}],
    ['id', (body: string) => body, { 'webhook-id': 'msg_JOB_8' }],
    ['timestamp', (body: string) => body, { 'webhook-timestamp': String(Math.floor(sentAt / 1000) + 1) }],
  ])('messageOf: signs so that another %s does not verify', (_, altered, others) => {
    const { body, headers } = message({}, keys, sentAt);
    expect(() => verify(keys.current, altered(body), { ...headers, ...others })).toThrow('No matching signature');
  });

  test('messageOf: signs so that the message is too old after ten minutes', () => {
    const { body, headers } = message({}, keys, Date.now() - 600_000);
    expect(() => verify(keys.current, body, headers)).toThrow('too old');
  });

  test('messageOf: signs with both keys while the previous key is valid', () => {
    const both = { current: randomBytes(32), previous: keys.current };
    const { body, headers } = message({}, both);
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
    expect(verify(both.current, body, headers)).toEqual(JSON.parse(body));
    expect(verify(both.previous, body, headers)).toEqual(JSON.parse(body));
    expect(() => verify(randomBytes(32), body, headers)).toThrow('No matching signature');
  });
});
