import type { Delivery, DeliveryStatus } from '../../core/webhook.ts';
import { deliveryOf, type DeliveryRow } from '../rules/deliveries.ts';
import type { Database, Statement } from './database.ts';

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
