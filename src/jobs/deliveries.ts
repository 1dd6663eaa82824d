import { UserError } from '../core/errors.ts';
import type { JobStore } from '../core/ports/stores.ts';
import type { Delivery, DeliveryStatus, Outbox } from '../core/webhook.ts';
import type { Cursors } from './cursor.ts';
import { getJob } from './get-job.ts';

export interface DeliveryList {
  readonly deliveries: readonly Delivery[];
  /** Absent when nothing remains. A running job can add events later. */
  readonly cursor?: string;
}

export interface DeliveryQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
}

/** Lists the webhook events of a job, sent or pending, in the order of events. */
export async function listDeliveries(
  parts: { readonly jobs: JobStore; readonly outbox: Outbox; readonly cursors: Cursors },
  org: string,
  jobId: string,
  query: DeliveryQuery,
): Promise<DeliveryList> {
  const list = { kind: 'deliveries', jobId, filter: query.status ?? '' } as const;
  const after = query.cursor === undefined ? 0 : Number(parts.cursors.read(list, query.cursor));
  await getJob(parts.jobs, org, jobId);
  // One row more than requested shows if anything remains.
  const found = await parts.outbox.list(jobId, {
    after,
    limit: query.limit + 1,
    ...(query.status !== undefined && { status: query.status }),
  });
  const deliveries = found.slice(0, query.limit);
  const last = deliveries.at(-1);
  return found.length > query.limit && last
    ? { deliveries, cursor: parts.cursors.write(list, last.id) }
    : { deliveries };
}

/** Sends a delivery again, whatever its outcome: the same bytes under the same `webhook-id`. */
export async function replayDelivery(
  parts: { readonly jobs: JobStore; readonly outbox: Outbox },
  org: string,
  jobId: string,
  delivery: string,
): Promise<Delivery> {
  await getJob(parts.jobs, org, jobId);
  const replayed = isDeliveryId(delivery) ? await parts.outbox.replay(jobId, Number(delivery)) : undefined;
  if (!replayed) {
    throw new UserError(
      'delivery_not_found',
      `The job has no delivery with this id. GET /crawler/jobs/${jobId}/deliveries lists its deliveries.`,
    );
  }
  return replayed;
}

/** Accepts one spelling per id, small enough to be exact. */
function isDeliveryId(text: string): boolean {
  return /^[1-9]\d{0,14}$/.test(text);
}
