import type { Database, Statement } from './database.ts';
import { hasEnded } from '../../core/job.ts';
import type { WebhookEvent } from '../../core/webhook-event.ts';
import type { JobRow } from './job-rows.ts';

/** Pages that are committed within this time are told of together. */
const progressEveryMs = 5_000;

/**
 * Stores the events of jobs that have a webhook, in the transaction that brings them about. At most one event of progress
 * waits for its first attempt, so that the backlog of a webhook that is down does not grow with the job.
 */
export class EventWrites {
  readonly #insert: Statement<[number, string, WebhookEvent, number, number]>;
  #haveEvents = false;

  constructor(db: Database) {
    this.#insert = db.prepare('INSERT INTO delivery (job, url, event, created_at, next_at) VALUES (?, ?, ?, ?, ?)');
  }

  announce(row: JobRow): void {
    if (row.webhook_url === null || row.webhook_state === 'finished' || row.webhook_state === 'gone') return;
    const now = Date.now();
    if (row.webhook_state === 'new' && row.status !== 'starting') {
      this.#add(row, 'job.started', now, now);
      row.webhook_state = 'started';
    }
    const hasEndedNow = hasEnded(row.status);
    if (row.webhook_open === 0 && row.scraped > row.webhook_page) {
      this.#add(row, 'job.progress', now, hasEndedNow ? now : now + progressEveryMs);
      row.webhook_open = 1;
    }
    if (!hasEndedNow) return;
    this.#add(row, 'job.finished', now, now);
    row.webhook_state = 'finished';
  }

  /** Whether events were stored since the last call. */
  takeHaveEvents(): boolean {
    const haveEvents = this.#haveEvents;
    this.#haveEvents = false;
    return haveEvents;
  }

  #add(row: JobRow, event: WebhookEvent, now: number, dueAt: number): void {
    this.#insert.run(row.seq, row.webhook_url ?? '', event, now, dueAt);
    this.#haveEvents = true;
  }
}
