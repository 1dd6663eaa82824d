import { UserError } from '../core/errors.ts';
import type { JobStore } from '../core/ports/stores.ts';
import type { WorkStatus } from '../core/ports/work.ts';
import type { Delivery, Outbox } from '../core/webhook.ts';
import type { Cursors } from './cursor.ts';
import { getJob } from './get-job.ts';
import { type Listed, listPage, type PageQuery } from './list-page.ts';

export interface DeliveryQuery extends PageQuery {
  readonly status?: WorkStatus | undefined;
}

/** Lists the webhook events of a job, sent or pending, in the order of events. A running job can add events later. */
export async function listDeliveries(
  { jobs, outbox, cursors }: { readonly jobs: JobStore; readonly outbox: Outbox; readonly cursors: Cursors },
  org: string,
  jobId: string,
  { status, ...page }: DeliveryQuery,
): Promise<Listed<Delivery>> {
  const list = { kind: 'deliveries', jobId, filter: status ?? '' } as const;
  const read = async (after: string | undefined, limit: number): Promise<readonly Delivery[]> => {
    await getJob(jobs, org, jobId);
    return outbox.list(jobId, { after: Number(after ?? 0), limit, ...(status !== undefined && { status }) });
  };
  return listPage({ cursors, list, ...page }, read, ({ id }) => id);
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
