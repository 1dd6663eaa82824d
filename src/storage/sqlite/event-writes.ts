import type { Database, Statement } from './database.ts';
import { failPoint } from '../../core/fail-point.ts';
import { hasEnded } from '../../core/job.ts';
import type { WebhookEvent } from '../../core/webhook-event.ts';
import type { JobRow } from '../shared/job-row.ts';

/** Pages that are committed within this time are told of together. */
const progressEveryMs = 5_000;

/**
 * Stores the events of jobs that have a webhook, in the transaction that brings them about. A job has at most one
 * event of progress that is neither delivered nor given up, so that the backlog of a webhook that is down does not grow with
 * the job: the next one tells of all pages since.
 */
export class EventWrites {
  readonly #insert: Statement<[number, string, WebhookEvent, number, number]>;
  readonly #hasten: Statement<[number, number]>;
  #haveEvents = false;

  constructor(db: Database) {
    this.#hasten = db.prepare("UPDATE delivery SET next_at = ? WHERE id = ? AND status = 'pending' AND attempts = 0");
    this.#insert = db.prepare('INSERT INTO delivery (job, url, event, created_at, next_at) VALUES (?, ?, ?, ?, ?)');
  }

  announce(row: JobRow): void {
    if (row.webhook_url === null || row.webhook_state === 'gone') return;
    const now = Date.now();
    const hasEndedNow = hasEnded(row.status);
    // A job that ends before its first request was leased has not started.
    if (row.webhook_state === 'new' && row.status === 'running') {
      this.#add(row, 'job.started', now, now);
      row.webhook_state = 'started';
    }
    if (row.webhook_open === 0 && row.scraped > row.webhook_page) {
      row.webhook_open = this.#add(row, 'job.progress', now, hasEndedNow ? now : now + progressEveryMs);
    }
    if (!hasEndedNow || row.webhook_state === 'finished') return;
    this.#hasten.run(now, row.webhook_open);
    this.#add(row, 'job.finished', now, now);
    row.webhook_state = 'finished';
  }

  /** Whether events were stored since the last call. */
  takeHaveEvents(): boolean {
    const haveEvents = this.#haveEvents;
    this.#haveEvents = false;
    return haveEvents;
  }

  /** Answers the id. */
  #add(row: JobRow, event: WebhookEvent, now: number, dueAt: number): number {
    const { lastInsertRowid } = this.#insert.run(row.seq, row.webhook_url ?? '', event, now, dueAt);
    this.#haveEvents = true;
    failPoint('event.stored');
    return lastInsertRowid;
  }
}
