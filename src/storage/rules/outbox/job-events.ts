import { hasEnded } from '../../../core/job.ts';
import type { WebhookEvent } from '../../../core/webhook-event.ts';
import { hasFeedRows } from '../jobs/change-counts.ts';
import type { JobRow } from '../jobs/job-row.ts';

/** Pages committed within this time share one progress event. */
const progressEveryMs = 5_000;

export interface EventTable {
  /** Returns the id. */
  add(row: JobRow, event: WebhookEvent, now: number, dueAt: number): number;
  /** Makes an event that was not tried yet due now. */
  hasten(id: number, now: number): void;
  /** Stores the work that follows the end of a run of a schedule. */
  addEndedRun(schedule: string, now: number): void;
}

/**
 * Stores the work that follows the end of a run, and the events of a job that has a webhook, in the transaction that causes them. A job has at most one progress
 * event that is neither delivered nor given up. So the backlog of a dead webhook does not grow with the job: the next
 * progress event reports all pages since the last one.
 */
export function announce(row: JobRow, events: EventTable, now: number): void {
  if (row.schedule !== null && row.schedule_told === 0 && hasEnded(row.status)) {
    events.addEndedRun(row.schedule, now);
    row.schedule_told = 1;
  }
  if (row.webhook_url === null || row.webhook_state === 'gone') return;
  const hasEndedNow = hasEnded(row.status);
  // A job that ends before its first request was leased has not started.
  if (row.webhook_state === 'new' && row.status === 'running') {
    events.add(row, 'job.started', now, now);
    row.webhook_state = 'started';
  }
  if (row.webhook_open === 0 && row.scraped > row.webhook_page) {
    row.webhook_open = events.add(row, 'job.progress', now, hasEndedNow ? now : now + progressEveryMs);
  }
  if (!hasEndedNow || row.webhook_state === 'finished') return;
  events.hasten(row.webhook_open, now);
  events.add(row, 'job.finished', now, now);
  if (row.schedule !== null && hasFeedRows(row)) events.add(row, 'schedule.changed', now, now);
  row.webhook_state = 'finished';
}
