import type { Database, Statement } from './database.ts';
import type { Delivery, DeliveryStatus } from '../../core/webhook.ts';
import type { WebhookEvent } from '../../core/webhook-event.ts';

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

/** Reads of the outbox. */
export class DeliveryReads {
  readonly #list: Statement<[string, number, string | null, string | null, number], DeliveryRow>;

  constructor(db: Database) {
    this.#list = db.prepare(`
      SELECT d.* FROM delivery d
      WHERE d.job = (SELECT seq FROM job WHERE id = ?) AND d.id > ? AND (? IS NULL OR d.status = ?) ORDER BY d.id LIMIT ?`);
  }

  list(
    jobId: string,
    query: { readonly after: number; readonly limit: number; readonly status?: DeliveryStatus },
  ): readonly Delivery[] {
    const status = query.status ?? null;
    return this.#list.all(jobId, query.after, status, status, query.limit).map(deliveryOf);
  }
}
