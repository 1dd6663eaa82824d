import type { Database } from '../file/database.ts';
import { failPoint } from '../../../core/process/fail-point.ts';
import type { WebhookEvent } from '../../../core/webhook-event.ts';
import type { EventTable } from '../../rules/outbox/job-events.ts';
import { endedRun } from '../../rules/schedules/runs.ts';
import { ScheduleWork } from '../../shared/schedule-rows.ts';
import { runSteps } from '../file/run-steps.ts';
import type { JobRow } from '../../rules/jobs/job-row.ts';

/** The outbox: stores new events. */
export class EventWrites implements EventTable {
  #haveEvents = false;

  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  hasten(id: number, now: number): void {
    const hasten = "UPDATE work SET next_at = ? WHERE id = ? AND status = 'pending' AND attempts = 0";
    this.#db.run(hasten, now, id);
  }

  addEndedRun(schedule: string, now: number): void {
    const work = new ScheduleWork();
    work.addWork(endedRun(schedule, now), now);
    runSteps(this.#db, work.stored());
    this.#haveEvents = true;
  }

  /** Other work can be due. */
  noteDue(): void {
    this.#haveEvents = true;
  }

  /** True if events or other work were stored since the last call. */
  takeHaveEvents(): boolean {
    const haveEvents = this.#haveEvents;
    this.#haveEvents = false;
    return haveEvents;
  }

  add(row: JobRow, event: WebhookEvent, now: number, dueAt: number): number {
    const insert = "INSERT INTO work (kind, job, key, subject, created_at, next_at) VALUES ('webhook', ?, ?, ?, ?, ?)";
    const { lastInsertRowid } = this.#db.run(insert, row.seq, row.webhook_url ?? '', event, now, dueAt);
    this.#haveEvents = true;
    failPoint('event.stored');
    return lastInsertRowid;
  }
}
