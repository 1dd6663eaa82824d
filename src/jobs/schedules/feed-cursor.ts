import type { FeedPosition } from '../../core/ports/changes.ts';
import type { Cursors } from '../cursor.ts';

const feedOf = (schedule: string) => ({ kind: 'feed', jobId: schedule }) as const;

/** A cursor of the feed of a schedule, good for all kinds of changes. */
export function feedCursor(cursors: Cursors, schedule: string, { job, change }: FeedPosition): string {
  return cursors.write(feedOf(schedule), `${job}.${change}`);
}

/** Throws a `UserError` for a cursor of another list. */
export function feedPosition(cursors: Cursors, schedule: string, cursor: string): FeedPosition {
  const [job = '', change] = cursors.read(feedOf(schedule), cursor).split('.');
  return { job, change: Number(change) };
}
