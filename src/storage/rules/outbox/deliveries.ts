// Events for webhooks, the first kind of durable work: the same in every store.
import type {
  Delivery,
  DeliveryFacts,
  DeliveryResult,
  DueDelivery,
  Outbox,
  WebhookKeys,
} from '../../../core/webhook.ts';
import type { WebhookEvent, WebhookFail } from '../../../core/webhook-event.ts';
import type { ClaimedWork, WorkEntry, WorkQueue, WorkResult } from '../../../core/ports/work.ts';
import { changeCountsOf } from '../jobs/change-counts.ts';
import type { JobRow } from '../jobs/job-row.ts';
import { completeness } from '../jobs/conclusion.ts';
import { progressOf } from '../jobs/requested-now.ts';
import { sayings } from '../jobs/sayings.ts';
import type { WorkRow } from './work.ts';

/** Failed attempts that a job shows. */
const failsShown = 20;

/** The outbox of a store: its durable work, presented as deliveries of events, and the keys that sign them. */
export function outboxOf(work: WorkQueue, keys: Pick<Outbox, 'keys' | 'rotateKey'>): Outbox {
  return {
    claim: async ({ max, originMax, busyUrls }) => {
      const claimed = await work.claim({ kind: 'webhook', max, originMax, busyKeys: busyUrls });
      return claimed.map(dueOf);
    },
    settle: async (id, result) => void (await work.settle(id, resultOf(result))),
    list: async (jobId, query) => (await work.list('webhook', jobId, query)).map(deliveryOf),
    replay: async (jobId, id) => {
      const entry = await work.repeat('webhook', jobId, id);
      return entry && deliveryOf(entry);
    },
    keys: (org): Promise<WebhookKeys> => keys.keys(org),
    rotateKey: (org): Promise<WebhookKeys> => keys.rotateKey(org),
    waitForDue: (maxMs, signal) => work.waitUntilDue(maxMs, signal),
  };
}

/**
 * The payload of a piece, made at its first claim, as JSON, and true if the job's row was changed for it. `open`: see
 * `progressOf`.
 */
export function payloadOf(
  job: JobRow,
  { subject }: WorkRow,
  open: number | undefined,
): { readonly payload: string; readonly isJobChanged: boolean } {
  if (subject === 'schedule.changed') {
    const facts = { schedule: job.schedule, job: job.id, changes: changeCountsOf(job) };
    return { payload: JSON.stringify(facts), isJobChanged: false };
  }
  const { status, scraped, finished_at: finishedAt } = job;
  const progress = progressOf(job, open);
  const { findings } = sayings(job);
  const facts: DeliveryFacts = { status, complete: completeness(job), findings, progress, finishedAt };
  if (subject !== 'job.progress') return { payload: JSON.stringify(facts), isJobChanged: false };
  // A progress event reports all pages up to here.
  const pages = { from: job.webhook_page + 1, to: scraped };
  job.webhook_page = scraped;
  return { payload: JSON.stringify({ ...facts, pages }), isJobChanged: true };
}

/** Changes the row of the job. `isOver`: no attempt follows. */
export function noteSettled(
  job: JobRow,
  row: WorkRow,
  result: WorkResult,
  { now, isOver }: { readonly now: number; readonly isOver: boolean },
): void {
  if (result.kind === 'failed') {
    const { message, code } = result;
    const event = row.subject as WebhookEvent;
    noteFail(job, { at: now, event, message, ...(code !== undefined && { statusCode: code }) });
  }
  if (isOver && job.webhook_open === row.id) job.webhook_open = 0;
  if (result.kind === 'failed' && result.endsOthers === true) job.webhook_state = 'gone';
}

function noteFail(job: JobRow, fail: WebhookFail): void {
  const fails = [...(JSON.parse(job.webhook_fails) as WebhookFail[]), fail].slice(-failsShown);
  job.webhook_fails = JSON.stringify(fails);
}

function deliveryOf({ subject, code, ...entry }: WorkEntry): Delivery {
  return { ...entry, event: subject as WebhookEvent, statusCode: code };
}

function dueOf({ key, subject, payload, ...claimed }: ClaimedWork): DueDelivery {
  return {
    ...claimed,
    url: key,
    event: subject as DueDelivery['event'],
    facts: JSON.parse(payload) as DueDelivery['facts'],
  };
}

function resultOf(result: DeliveryResult): WorkResult {
  if (result.kind === 'delivered') return { kind: 'done', code: result.statusCode };
  const { message, statusCode } = result;
  const failed = { kind: 'failed', message, ...(statusCode !== undefined && { code: statusCode }) } as const;
  return result.kind === 'gone'
    ? { ...failed, retryAt: null, endsOthers: true }
    : { ...failed, retryAt: result.retryAt };
}
