// Events for webhooks as they lay in the table `delivery`, which every store had before it had one for all durable work.
import { expect } from 'vitest';
import type { Store } from '../../src/core/ports/stores.ts';
import { jobSpec } from '../job-spec.ts';
import { createJob } from './test-data.ts';

const facts =
  '{"status":"running","progress":{"queued":3,"inFlight":0,"scraped":1,"discarded":0,"failed":0},"finishedAt":null}';

/** In SQL of both stores. */
export const insertOldJob = `INSERT INTO job (seq, id, org, status, spec, scope_hosts, created_at, finished_at, page_limit, fetch_limit,
  failed, notices, webhook_url, webhook_state, webhook_page) VALUES (1, 'OLD', 'acme', 'succeeded',
  '${JSON.stringify(jobSpec({ urls: ['https://a.test/'] }))}', '["a.test"]', 1, 2, 10, 10, 1, '[]', 'https://hook.test/', 'finished', 0)`;

interface OldRow {
  readonly columns: readonly string[];
  readonly values: readonly (string | number | null)[];
}

/** One that was delivered, one that is being sent, one that was never tried, and one to be removed. `claimed`: the name of its column. */
export function oldDeliveries(claimed: 'claimed' | 'claimed_by'): readonly OldRow[] {
  const columns = 'id job url event facts status created_at attempts next_at settled_at status_code error'.split(' ');
  const nobody = claimed === 'claimed' ? 0 : null;
  const url = 'https://hook.test/';
  return [
    [1, 1, url, 'job.started', facts, 'delivered', 5, 1, null, 6, 204, null, nobody],
    [
      2,
      1,
      url,
      'job.progress',
      facts,
      'pending',
      6,
      2,
      Date.now() + 60_000,
      null,
      500,
      'It did not work.',
      claimed === 'claimed' ? 1 : 77,
    ],
    [3, 1, 'https://other.test/', 'job.finished', null, 'pending', 7, 0, 8, null, null, null, nobody],
    [9, 1, url, 'job.finished', null, 'pending', 7, 0, 8, null, null, null, nobody],
  ].map((values) => ({ columns: [...columns, claimed], values }));
}

/** Whether a store has them as they were, and delivers what was not delivered. */
export async function describesOldDeliveries({ outbox, work, ...others }: Store): Promise<boolean> {
  const all = { after: 0, limit: 10 };
  const none = { settledAt: null, statusCode: null, error: null };
  expect(await outbox.list('OLD', all)).toMatchObject([
    { id: 1, event: 'job.started', status: 'delivered', createdAt: 5, attempts: 1, settledAt: 6, statusCode: 204 },
    { id: 2, event: 'job.progress', status: 'pending', attempts: 2, statusCode: 500, error: 'It did not work.' },
    { id: 3, event: 'job.finished', status: 'pending', createdAt: 7, attempts: 0, nextAt: 8, ...none },
  ]);
  const due = await outbox.claim({ max: 16, originMax: 4, busyUrls: [] });
  expect(due.toSorted((a, b) => a.id - b.id)).toEqual([
    {
      id: 2,
      jobId: 'OLD',
      org: 'acme',
      url: 'https://hook.test/',
      event: 'job.progress',
      createdAt: 6,
      attempts: 3,
      facts: JSON.parse(facts) as unknown,
    },
    expect.objectContaining({ id: 3, url: 'https://other.test/', event: 'job.finished', attempts: 1 }),
  ]);
  for (const { id } of due) await outbox.settle(id, { kind: 'delivered', statusCode: 200 });
  expect((await outbox.list('OLD', all)).map(({ status }) => status)).toEqual(['delivered', 'delivered', 'delivered']);
  expect(await outbox.replay('OLD', 1)).toMatchObject({ id: 1, status: 'pending', attempts: 0 });
  expect(await work.list('webhook', 'OLD', { ...all, status: 'pending' })).toMatchObject([{ id: 1 }]);
  const job = await createJob({ outbox, work, ...others }, { webhookUrl: 'https://hook.test/' });
  await others.jobs.cancel(job.org, job.id);
  const [added] = await outbox.list(job.id, all);
  expect(added?.id).toBeGreaterThan(9);
  return true;
}
