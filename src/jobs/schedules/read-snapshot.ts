// All pages that a schedule knows: the baseline of its newest ended run, numbered in the order of their URLs. The first
// response chooses the run, and its cursor keeps it.
import type { StoredPage } from '../../core/page.ts';
import type { JobChanges } from '../../core/ports/changes.ts';
import type { ScheduleStore } from '../../core/ports/schedules.ts';
import type { Cursors } from '../cursor.ts';
import { dataExpired } from '../get-job.ts';
import type { BaselineAhead } from './baseline-ahead.ts';
import { earlierRun } from './earlier-run.ts';
import { feedCursor } from './feed-cursor.ts';
import { getSchedule } from './manage-schedules.ts';

export interface SnapshotParts {
  readonly changes: JobChanges;
  readonly schedules: ScheduleStore;
  readonly cursors: Cursors;
}

/** A page of a snapshot: after page `number`, which is this entry of the ledger of the run. */
interface Position {
  readonly run: string;
  readonly number: number;
  readonly entry: number;
}

export interface Snapshot {
  /** The cursor of its first page. */
  readonly pages: string;
  /** The cursor of the feed that follows on it. */
  readonly cursor: string;
  readonly position: Position;
}

const pagesOf = (schedule: string) => ({ kind: 'snapshot', jobId: schedule }) as const;

/** The newest snapshot. `run` is empty as long as no run knows a page. Throws a `UserError` if there is no such schedule. */
export async function snapshotOf(parts: SnapshotParts, org: string, schedule: string): Promise<Snapshot> {
  const run = await earlierRun(parts.schedules, schedule);
  const known = run && (await parts.changes.baseline({ org, jobId: run.id, after: 0, limit: 0 }));
  const position = { run: run?.id ?? '', number: 0, entry: 0 };
  const follows = known && run ? { job: run.id, change: known.changes } : await nothingKnown(parts, org, schedule);
  return {
    pages: cursorAt(parts.cursors, schedule, position),
    cursor: feedCursor(parts.cursors, schedule, follows),
    position,
  };
}

async function nothingKnown({ changes }: SnapshotParts, org: string, schedule: string) {
  const slice = await changes.feed({ org, schedule, after: 'nothing', limit: 1 });
  return slice?.kind === 'rows' ? slice.next : { job: '', change: 0 };
}

export interface SnapshotQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly withText: boolean;
  readonly bytesMax: number;
}

export interface SnapshotPages {
  readonly run: string | null;
  readonly pages: readonly StoredPage[];
  /** Where to continue; undefined at the end. */
  readonly next: string | undefined;
  /** In the first response: where the feed follows on this snapshot. */
  readonly changes: string | undefined;
  /** Number of the last page. */
  readonly number: number;
  /** The page after these is damaged; `next` is behind it. */
  readonly damaged: number | undefined;
}

/** Throws a `UserError` if there is no such schedule, or its pages are gone. */
export async function readSnapshot(
  parts: SnapshotParts & { readonly ahead: BaselineAhead },
  org: string,
  given: string,
  { limit, cursor, withText, bytesMax }: SnapshotQuery,
): Promise<SnapshotPages> {
  const { id: schedule } = await getSchedule(parts, org, given);
  const first = cursor === undefined ? await snapshotOf(parts, org, schedule) : undefined;
  const at = first?.position ?? positionIn(parts.cursors, schedule, cursor ?? '');
  if (at.run === '')
    return { run: null, pages: [], next: undefined, changes: first?.cursor, number: 0, damaged: undefined };
  const known = await parts.ahead.read({ org, jobId: at.run, after: at.entry, limit });
  if (!known || known.areResultsGone) throw dataExpired();
  const texts = await parts.changes.texts({ places: known.pages.map(({ textOf }) => textOf), withText, bytesMax });
  const broken = texts.findIndex((text) => text === undefined || text === 'damaged');
  const whole = broken === -1 ? texts.length : broken;
  const pages = texts
    .slice(0, whole)
    .flatMap((text, index) => (typeof text === 'object' ? [{ ...text, page: at.number + index + 1 }] : []));
  // A damaged page is passed over, and reported.
  const read = broken === -1 ? whole : whole + 1;
  const last = known.pages[read - 1];
  const isMore = known.more || read < known.pages.length;
  const position = { run: at.run, number: at.number + read, entry: last?.entry ?? at.entry };
  return {
    run: at.run,
    pages,
    next: isMore ? cursorAt(parts.cursors, schedule, position) : undefined,
    changes: first?.cursor,
    number: position.number,
    damaged: broken === -1 ? undefined : position.number,
  };
}

function cursorAt(cursors: Cursors, schedule: string, { run, number, entry }: Position): string {
  return cursors.write(pagesOf(schedule), `${run}.${number}.${entry}`);
}

function positionIn(cursors: Cursors, schedule: string, cursor: string): Position {
  const [run = '', number, entry] = cursors.read(pagesOf(schedule), cursor).split('.');
  return { run, number: Number(number), entry: Number(entry) };
}
