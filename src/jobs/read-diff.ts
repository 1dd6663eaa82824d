// The difference between the text of a page and its earlier one, as a job or the newest run of a schedule found it.
import type { Compared, DiffTask } from '../diff/diff-thread.ts';
import { compareApart } from '../diff/compare-apart.ts';
import { UserError } from '../core/errors.ts';
import type { FoundText, JobChanges, PageChange, UrlChange } from '../core/ports/changes.ts';
import type { ScheduleStore } from '../core/ports/schedules.ts';
import type { JobStore } from '../core/ports/stores.ts';
import { type Fragment, textOf as bodyOf } from '../core/page.ts';
import { dedupeKey } from '../url/dedupe-key.ts';
import { parseGivenUrl } from '../url/given-url.ts';
import type { Cursors } from './cursor.ts';
import { dataExpired, getJob, jobNotFound } from './get-job.ts';
import { canonicalJobId } from './job-id.ts';
import { pageErased } from './read-raw.ts';
import { refusalOf } from './schedules/read-feed.ts';

export interface DiffParts {
  readonly changes: JobChanges;
  readonly jobs: JobStore;
  readonly schedules: ScheduleStore;
  readonly cursors: Cursors;
}

export interface DiffQuery {
  /** Of a job, or of a schedule: then of its newest run that changed the page. */
  readonly of: { readonly job: string } | { readonly schedule: string };
  readonly url: string;
  readonly form: 'patch' | 'hunks';
}

/** A difference, and the change that it belongs to. */
export interface ShownDiff extends Pick<
  PageChange,
  'url' | 'change' | 'reason' | 'contentHash' | 'previousContentHash'
> {
  readonly job: string;
  readonly runAt: number;
  readonly isTruncated: boolean;
  /** Of the pages; absent if the title is the same. */
  readonly title?: string;
  readonly previousTitle?: string;
  /** The patch, or the hunks as JSON: see `diff/text-diff.ts`. */
  readonly text: string;
}

/** Throws a `UserError` if there is no such page, if it has no two texts, or if one of them is gone. */
export async function readDiff(
  parts: DiffParts,
  org: string,
  { of, url, form }: DiffQuery,
  signal: AbortSignal,
): Promise<ShownDiff> {
  const parsed = parseGivenUrl(url);
  if ('problem' in parsed) throw new UserError('invalid_parameter', `\`url\`: ${url.slice(0, 200)}: ${parsed.problem}`);
  const key = dedupeKey(parsed.url);
  const job = 'job' in of ? of.job : await lastRunWith(parts, org, canonicalJobId(of.schedule), key);
  const { spec } = await getJob(parts.jobs, org, job);
  const found = await parts.changes.changeOf({ org, jobId: job, key });
  if (!found) throw jobNotFound();
  // The feed of a schedule outlives the results of its runs, and so do texts that a later run knows.
  if ('job' in of && found.areResultsGone) throw dataExpired();
  const page = comparable(found, 'schedule' in of);
  const { change } = page;
  const { change: kind, reason, contentHash, previousContentHash } = change;
  const row = { job, runAt: found.runAt, url: change.url, change: kind, reason, contentHash, previousContentHash };
  if (kind === 'unchanged') return { ...row, isTruncated: false, text: form === 'patch' ? '' : '[]' };
  const [before, after] = await textsOf(parts.changes, page);
  const patch = form === 'patch' ? { url: change.url, at: found.runAt } : undefined;
  const task: DiffTask = { before, after, format: spec.outputFormat, patch };
  const response = await compareApart(org, task, signal);
  if (response.kind === 'erased') throw pageErased(change.page ?? 0);
  if (response.kind === 'damaged') throw textDamaged(change);
  return { ...row, isTruncated: response.isTruncated, text: response.text, ...changedTitle(response) };
}

function changedTitle({ title, previousTitle }: Compared): Pick<ShownDiff, 'title' | 'previousTitle'> {
  return title === previousTitle ? {} : { title, previousTitle };
}

async function lastRunWith(parts: DiffParts, org: string, schedule: string, key: string): Promise<string> {
  const feed = await parts.changes.feed({ org, schedule, after: 'now', limit: 1 });
  if (feed?.kind !== 'rows') throw await refusalOf(parts, org, schedule, feed?.kind);
  const run = await parts.changes.lastRunWith({ org, schedule, key });
  if (run === undefined)
    throw new UserError('url_not_found', 'No run of the schedule that is kept has a page with this URL.');
  return run;
}

type Comparable = NonNullable<UrlChange['page']> & { readonly change: PageChange };

function comparable({ page }: UrlChange, isOfSchedule: boolean): Comparable {
  if (!page)
    throw new UserError(
      'url_not_found',
      'The job has no page with this URL. Its `changes` and `urls` list those it has.',
    );
  const { change } = page;
  if (!change)
    throw new UserError(
      'nothing_to_compare',
      'The job has not compared this page with an earlier one: it has no `since`, or did not come to it yet.',
    );
  if (change.change === 'changed' || (change.change === 'unchanged' && !isOfSchedule)) return { ...page, change };
  throw new UserError('nothing_to_compare', nothingToCompare[change.change], [], { change: change.change });
}

const nothingToCompare = {
  added: 'The page was added, so there is no earlier text. Read it in `/data`.',
  moved: 'The page has moved: its text is the same, and stands at another URL.',
  removed: 'The page was removed, so there is no later text.',
  unknown: 'It is unknown what became of the page: it could not be asked for. Its earlier text counts on.',
  unchanged: 'No run of the schedule that is kept has changed this page.',
} as const;

async function textsOf(
  changes: JobChanges,
  { change, previousTextOf }: Comparable,
): Promise<readonly [Fragment, Fragment]> {
  const { textOf } = change;
  if (textOf === null || previousTextOf === null) throw textExpired();
  const read = async (place: number): Promise<FoundText> =>
    (await changes.texts({ places: [place], withText: true, bytesMax: 1 }))[0];
  const before = await read(previousTextOf);
  const after = await read(textOf);
  if (!before || !after) throw textExpired();
  if (before === 'damaged' || after === 'damaged') throw textDamaged(change);
  return [bodyOf(before), bodyOf(after)];
}

function textExpired(): UserError {
  return new UserError(
    'text_expired',
    'A text of the page is no longer kept: texts are kept as long as a job, or a later one that compares with it, has them.',
  );
}

function textDamaged({ page }: PageChange): UserError {
  return new UserError('page_damaged', 'A text of the page is damaged: the stored bytes have changed.', [], {
    page: page ?? 0,
  });
}
