import { randomBytes } from 'node:crypto';
import { failPoint } from '../../core/fail-point.ts';
import type { Delivery, DeliveryResult, DueDelivery, Outbox, WebhookKeys } from '../../core/webhook.ts';
import {
  claimMs,
  deliveryOf,
  type DeliveryRow,
  dueOf,
  factsOf,
  frequent,
  originOf,
  settledAs,
} from '../rules/deliveries.ts';
import { keyBytes, type KeyRow, keysOf } from '../rules/webhook-key-row.ts';
import { change } from './change.ts';
import type { StoreParts } from './parts.ts';
import { nowSql } from './schema.ts';
import { eventsTopic } from './signals.ts';
import type { Workers } from './workers.ts';

/** Scheme, host and port of a URL in its normal form, up to the slash behind them. */
const originSql = "left(url, 8 + strpos(substr(url, 9), '/'))";

type ClaimQuery = Parameters<Outbox['claim']>[0];

export class PostgresOutbox implements Omit<Outbox, 'waitForDue'> {
  readonly #parts: StoreParts;
  readonly #workers: Workers;

  constructor(parts: StoreParts, workers: Workers) {
    this.#parts = parts;
    this.#workers = workers;
  }

  /** What other processes are sending counts as busy too. */
  async claim({ max, originMax, busyUrls }: ClaimQuery): Promise<readonly DueDelivery[]> {
    const { connections } = this.#parts;
    const claimed = await connections.query<{ url: string }>(
      `SELECT url FROM delivery WHERE claimed_by IS NOT NULL AND status = 'pending' AND next_at > ${nowSql}`,
    );
    const urls = [...new Set([...busyUrls, ...claimed.map(({ url }) => url)])];
    const due: DueDelivery[] = [];
    while (due.length < max) {
      const origins = frequent(urls.map(originOf), originMax);
      const [next] = await connections.query<{ id: number; url: string; job: number }>(
        `SELECT id, url, job FROM delivery WHERE status = 'pending' AND next_at <= ${nowSql}
         AND url <> ALL ($1::text[]) AND ${originSql} <> ALL ($2::text[]) ORDER BY next_at, url LIMIT 1`,
        [urls, origins],
      );
      if (!next) break;
      urls.push(next.url);
      const delivery = await this.#take(next.id, next.job);
      if (delivery) due.push(delivery);
    }
    return due;
  }

  async settle(id: number, result: DeliveryResult): Promise<void> {
    const job = await this.#jobOf(id);
    if (job === undefined) return;
    await change(this.#parts, async (set, tx) => {
      await set.read({ jobs: [job] });
      const [row] = await tx.query<DeliveryRow>('SELECT * FROM delivery WHERE id = $1 FOR UPDATE', [id]);
      const jobRow = set.get(job);
      if (row?.status !== 'pending' || !jobRow) return;
      const settled = settledAs(row, jobRow, result, set.now);
      tx.send(
        'UPDATE delivery SET status = $2, next_at = $3, settled_at = $4, status_code = $5, error = $6, claimed_by = NULL WHERE id = $1',
        [id, settled.status, settled.next_at, settled.settled_at, settled.status_code, settled.error],
      );
      if (result.kind === 'gone') {
        tx.send(
          "UPDATE delivery SET status = 'failed', next_at = NULL, settled_at = $2, error = $3 WHERE job = $1 AND status = 'pending' AND id <> $4",
          [job, set.now, result.message, id],
        );
      }
      set.touch(jobRow);
    });
  }

  async list(jobId: string, query: Parameters<Outbox['list']>[1]): Promise<readonly Delivery[]> {
    const rows = await this.#parts.connections.query<DeliveryRow>(
      `SELECT d.* FROM delivery d WHERE d.job = (SELECT seq FROM job WHERE id = $1) AND d.id > $2
       AND ($3::text IS NULL OR d.status = $3) ORDER BY d.id LIMIT $4`,
      [jobId, query.after, query.status ?? null, query.limit],
    );
    return rows.map(deliveryOf);
  }

  async replay(jobId: string, id: number): Promise<Delivery | undefined> {
    const { connections, signals } = this.#parts;
    const [row] = await connections.query<DeliveryRow>(
      `UPDATE delivery SET status = 'pending', attempts = 0, next_at = ${nowSql}, settled_at = NULL
       WHERE id = $1 AND job = (SELECT seq FROM job WHERE id = $2) RETURNING *`,
      [id, jobId],
    );
    if (row) signals.announce({ jobs: [], haveWork: false, haveEvents: true });
    return row && deliveryOf(row);
  }

  async keys(org: string): Promise<WebhookKeys> {
    const { connections } = this.#parts;
    await connections.query('INSERT INTO webhook_key (org, current) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      org,
      randomBytes(keyBytes),
    ]);
    return this.#keysOf(org);
  }

  async rotateKey(org: string): Promise<WebhookKeys> {
    await this.keys(org);
    await this.#parts.connections.query(
      `UPDATE webhook_key SET previous = current, current = $2, rotated_at = ${nowSql} WHERE org = $1`,
      [org, randomBytes(keyBytes)],
    );
    return this.#keysOf(org);
  }

  waitForDue(maxMs: number, signal: AbortSignal): Promise<void> {
    return this.#parts.signals.wait(eventsTopic, maxMs, signal);
  }

  /** Undefined where another process was faster. */
  async #take(id: number, job: number): Promise<DueDelivery | undefined> {
    await this.#parts.facts.learnSeqs([job]);
    return change(this.#parts, async (set, tx) => {
      await set.read({ jobs: [job] });
      const [row] = await tx.query<DeliveryRow>(
        `SELECT * FROM delivery WHERE id = $1 AND status = 'pending' AND next_at <= ${nowSql} FOR UPDATE SKIP LOCKED`,
        [id],
      );
      const jobRow = set.get(job);
      if (!row || !jobRow) return undefined;
      const { facts, isNew } = factsOf(jobRow, row);
      if (isNew) set.touch(jobRow);
      tx.send('UPDATE delivery SET attempts = attempts + 1, facts = $2, next_at = $3, claimed_by = $4 WHERE id = $1', [
        id,
        JSON.stringify(facts),
        set.now + claimMs,
        this.#workers.id ?? 0,
      ]);
      failPoint('delivery.claimed');
      return dueOf(row, jobRow, facts);
    });
  }

  async #jobOf(delivery: number): Promise<number | undefined> {
    const { connections, facts } = this.#parts;
    const [row] = await connections.query<{ job: number }>('SELECT job FROM delivery WHERE id = $1', [delivery]);
    if (row) await facts.learnSeqs([row.job]);
    return row?.job;
  }

  async #keysOf(org: string): Promise<WebhookKeys> {
    const { connections } = this.#parts;
    const [row] = await connections.query<KeyRow & { readonly now: number }>(
      `SELECT current, previous, rotated_at, ${nowSql} AS now FROM webhook_key WHERE org = $1`,
      [org],
    );
    if (!row) throw new Error(`the webhook key of org ${org} was not stored`);
    return keysOf(
      {
        current: new Uint8Array(row.current),
        previous: row.previous && new Uint8Array(row.previous),
        rotated_at: row.rotated_at,
      },
      row.now,
    );
  }
}
