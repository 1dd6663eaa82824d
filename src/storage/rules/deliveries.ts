// Deliveries of events to webhooks: the same in every store.
import type { Delivery, DeliveryFacts, DeliveryResult, DeliveryStatus, DueDelivery } from '../../core/webhook.ts';
import type { WebhookEvent, WebhookFail } from '../../core/webhook-event.ts';
import type { JobRow } from './job-row.ts';

/** How long an attempt may take before it is taken for lost with its process; longer than an attempt's own deadline. */
export const claimMs = 60_000;
/** Failed attempts that a job shows. */
const failsShown = 20;

/** One row of `delivery`. */
export interface DeliveryRow {
  readonly id: number;
  readonly job: number;
  readonly url: string;
  readonly event: WebhookEvent;
  readonly facts: string | null;
  readonly status: DeliveryStatus;
  readonly created_at: number;
  readonly attempts: number;
  readonly next_at: number | null;
  readonly settled_at: number | null;
  readonly status_code: number | null;
  readonly error: string | null;
}

export function deliveryOf(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    event: row.event,
    status: row.status,
    createdAt: row.created_at,
    attempts: row.attempts,
    nextAt: row.next_at,
    settledAt: row.settled_at,
    statusCode: row.status_code,
    error: row.error,
  };
}

/** What a delivery that is claimed tells. The job's row may change: it is told of its pages. Answers whether it did. */
export function factsOf(
  job: JobRow,
  row: Pick<DeliveryRow, 'facts' | 'event'>,
): { readonly facts: DeliveryFacts; readonly isNew: boolean } {
  if (row.facts !== null) return { facts: JSON.parse(row.facts) as DeliveryFacts, isNew: false };
  const { status, queued, in_flight: inFlight, scraped, discarded, failed, finished_at: finishedAt } = job;
  const facts = { status, progress: { queued, inFlight, scraped, discarded, failed }, finishedAt };
  if (row.event !== 'job.progress') return { facts, isNew: false };
  // An event of progress tells of all pages up to here.
  const pages = { from: job.webhook_page + 1, to: scraped };
  job.webhook_page = scraped;
  return { facts: { ...facts, pages }, isNew: true };
}

export function dueOf(row: DeliveryRow, job: JobRow, facts: DeliveryFacts): DueDelivery {
  const { id, url, event, created_at: createdAt, attempts } = row;
  return { id, jobId: job.id, org: job.org, url, event, createdAt, attempts: attempts + 1, facts };
}

/** A delivery after an attempt. The row of its job is changed. */
export function settledAs(
  row: Pick<DeliveryRow, 'id' | 'event'>,
  job: JobRow,
  result: DeliveryResult,
  now: number,
): Pick<DeliveryRow, 'status' | 'next_at' | 'settled_at' | 'status_code' | 'error'> {
  const retryAt = result.kind === 'failed' ? result.retryAt : null;
  const status = result.kind === 'delivered' ? 'delivered' : retryAt === null ? 'failed' : 'pending';
  const message = result.kind === 'delivered' ? null : result.message;
  const isOver = status !== 'pending';
  if (message !== null) {
    const { statusCode } = result;
    noteFail(job, { at: now, event: row.event, message, ...(statusCode !== undefined && { statusCode }) });
  }
  if (isOver && job.webhook_open === row.id) job.webhook_open = 0;
  if (result.kind === 'gone') job.webhook_state = 'gone';
  return {
    status,
    next_at: retryAt,
    settled_at: isOver ? now : null,
    status_code: result.statusCode ?? null,
    error: message,
  };
}

function noteFail(job: JobRow, fail: WebhookFail): void {
  const fails = [...(JSON.parse(job.webhook_fails) as WebhookFail[]), fail].slice(-failsShown);
  job.webhook_fails = JSON.stringify(fails);
}

/** Scheme, host and port of a URL in its normal form, up to the slash behind them. */
export function originOf(url: string): string {
  return url.slice(0, url.indexOf('/', 8) + 1);
}

/** The values of which there are so many at least. */
export function frequent(values: readonly string[], count: number): string[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].filter(([, times]) => times >= count).map(([value]) => value);
}
