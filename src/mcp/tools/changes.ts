import { z } from 'zod';
import { UserError } from '../../core/errors.ts';
import { hasEnded } from '../../core/job.ts';
import type { PageChange } from '../../core/ports/changes.ts';
import { getJob } from '../../jobs/get-job.ts';
import { readChanges } from '../../jobs/read-changes.ts';
import { type DiffQuery, readDiff } from '../../jobs/read-diff.ts';
import { readFeed } from '../../jobs/schedules/read-feed.ts';
import { callOf } from '../response/call.ts';
import { cutText, oneLine } from '../response/cut-text.ts';
import { listResponse } from '../response/list-response.ts';
import { Marker, markerChars } from '../response/untrusted.ts';
import { defineTool, maxChars, type ToolContext, usualChars } from '../tool.ts';

const urlCharsMax = 1_000;
/** Our own words after a list, with a cursor. */
const tailChars = 500;
/** Our own words around a difference, with a URL of the caller in the call that continues. */
const frameChars = 500;
const kinds = ['added', 'changed', 'moved', 'removed', 'unknown'] as const;

export const changes = defineTool({
  name: 'changes',
  title: 'List what changed on a site',
  description:
    'Lists what a crawl with `since` (`job`), or all runs of a `schedule`, found added, changed, moved or removed. With `url`: how the text of that page differs from its earlier one.',
  kind: 'reads',
  input: z.strictObject({
    job: z.string().optional().describe('The id of the job.'),
    schedule: z.string().optional().describe('Instead of `job`: the id of a schedule.'),
    url: z.string().max(2_000).optional().describe('Compare both texts of this page.'),
    limit: z.int().min(1).max(400).default(50).describe('Changes at most.'),
    cursor: z.string().optional().describe('From the previous response, for the changes after it.'),
    offset: z.int().min(0).default(0).describe('With `url`: characters to skip.'),
    max_chars: maxChars,
  }),
  run: async (context, { job, schedule, ...query }) => {
    const of =
      job !== undefined && schedule === undefined ? { job } : schedule !== undefined && !job ? { schedule } : undefined;
    if (!of) throw new UserError('invalid_parameter', 'Give either `job` or `schedule`.');
    const { url, ...rest } = query;
    if (url !== undefined) return showDiff(context, { of, url, ...rest });
    return 'job' in of ? listOfJob(context, of.job, rest) : listOfSchedule(context, of.schedule, rest);
  },
});

interface ListQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly max_chars?: number | undefined;
}

const comparedWithNone = 'This job was compared with no earlier one. Crawl again with `since`, and ask that job.';

async function listOfJob({ parts, caller, signal }: ToolContext, job: string, query: ListQuery): Promise<string> {
  const { limit, cursor, max_chars } = query;
  const request = { limit, cursor, kinds, withText: false, waitMs: 0 };
  const found = await readChanges(parts, caller.org, job, request, signal);
  const isRunning = !hasEnded(found.status);
  const tail = async (shown: number): Promise<string> => {
    if (shown === 0 && !isRunning) {
      if (cursor !== undefined) return 'No more changes.';
      const { changes } = await getJob(parts.jobs, caller.org, job);
      return changes === null ? comparedWithNone : 'Nothing has changed.';
    }
    const after = found.changes[shown - 1]?.cursor ?? found.cursor;
    const next = callOf('changes', { job, limit, cursor: after, max_chars });
    if (shown < found.changes.length || (found.more && shown === limit)) return `More: ${next}`;
    return isRunning ? `The crawl is running. Later changes: ${next}` : '';
  };
  return listResponse({
    head: `Changes of job ${job}${isRunning ? ' so far' : ''}, without unchanged pages.`,
    lines: found.changes.map(lineOf),
    tail,
    tailChars,
    maxChars: max_chars ?? usualChars,
  });
}

async function listOfSchedule(
  { parts, caller, signal }: ToolContext,
  schedule: string,
  query: ListQuery,
): Promise<string> {
  const { limit, cursor, max_chars } = query;
  const request = { limit, cursor, fromNow: false, withText: false, waitMs: 0 };
  const found = await readFeed(parts, caller.org, schedule, request, signal);
  const tail = (shown: number): string => {
    const isCut = shown < found.changes.length;
    const after = isCut ? (found.changes[shown - 1]?.cursor ?? cursor) : found.cursor;
    const next = callOf('changes', {
      schedule,
      limit,
      cursor: after,
      max_chars,
    });
    return isCut || !found.isUpToDate ? `More: ${next}` : `Up to date. Later changes: ${next}`;
  };
  return listResponse({
    head: `Changes of schedule ${schedule}, over all runs. Each line: when the run began, its job, the change.`,
    lines: found.changes.map((row) => `${new Date(row.runAt).toISOString()}\t${row.job}\t${lineOf(row)}`),
    tail,
    tailChars,
    maxChars: max_chars ?? usualChars,
  });
}

function lineOf({ change, url, reason, movedTo }: PageChange): string {
  const more = movedTo === undefined ? reason : oneLine(movedTo, urlCharsMax);
  return `${change}\t${oneLine(url, urlCharsMax)}${more === null ? '' : `\t${more}`}`;
}

interface DiffArguments extends Omit<DiffQuery, 'form'> {
  readonly offset: number;
  readonly max_chars?: number | undefined;
}

async function showDiff({ parts, caller, signal }: ToolContext, given: DiffArguments): Promise<string> {
  const { of, url, offset, max_chars } = given;
  const diff = await parts.withMemory(caller.org, signal, () =>
    readDiff(parts, caller.org, { of, url, form: 'patch' }, signal),
  );
  const { title, previousTitle } = diff;
  const titles = title === undefined ? '' : `# title: ${oneLine(previousTitle ?? '', 200)} -> ${oneLine(title, 200)}\n`;
  const text = titles + diff.text;
  if (text === '') return `The page has not changed in job ${diff.job}.`;
  if (offset > 0 && offset >= text.length) {
    const message = `\`offset\`: The difference has ${text.length} characters. Give less.`;
    throw new UserError('invalid_parameter', message, [{ field: 'offset', message }]);
  }
  const next = (from: number): string => callOf('changes', { ...of, url, offset: from, max_chars });
  const room = (max_chars ?? usualChars) - frameChars - markerChars - next(text.length).length;
  if (room < 100) throw new UserError('invalid_parameter', '`max_chars` is too small for this URL. Give more.');
  const part = cutText(text, offset, room);
  const end = part.next ?? text.length;
  const head = `What job ${diff.job} found changed in the text of one page: characters ${offset} to ${end} of ${text.length}.`;
  const tail =
    part.next === undefined ? '' : `Cut: ${text.length - end} characters are left. Continue with ${next(end)}`;
  return `${head}\n${new Marker().enclose(part.text)}${tail}`.trimEnd();
}
