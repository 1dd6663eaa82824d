import type { Diff, Hayrake, PageChange } from '../../../packages/client/index.ts';
import { ExitError, exitCodes } from '../../core/errors.ts';
import { givenUrl } from '../../core/given-url.ts';
import { isRefusal, withAccess } from '../access.ts';
import { type Flags, textFlag } from '../flags.ts';
import { diffLines } from '../output/diff-lines.ts';
import { printable, terminalOf } from '../output/terminal.ts';
import type { Program } from '../program.ts';

/** Columns of the longest kind of change. */
const kindColumns = 'unchanged'.length;

/** Lists what a job, or all runs of a schedule, found changed; with `--diff` how the text of one page did. */
export function runChanges(program: Program, id: string, flags: Flags): Promise<number> {
  const page = textFlag(flags, 'diff');
  const isJson = flags['json'] === true;
  return withAccess(program, flags, async ({ client }) => {
    const of = await changesOf(client, id);
    if (page !== undefined) await writeDiff(of, page, isJson);
    else await writeChanges(of, isJson);
    return exitCodes.done;
  });
}

/** What changed in a job or a schedule. */
interface ChangesOf {
  readonly kind: 'job' | 'schedule';
  readonly firstUrl: string | undefined;
  /** Compared with earlier pages: a schedule, or a job with `since`. */
  readonly isCompared: boolean;
  /** Without what is unchanged. */
  read(): AsyncIterable<PageChange>;
  diff(url: string): Promise<Diff>;
}

/** Ids of jobs and schedules look alike, so both are asked for. */
async function changesOf(client: Hayrake, given: string): Promise<ChangesOf> {
  try {
    const { id, urls, changes } = await client.job(given);
    return {
      kind: 'job',
      firstUrl: urls[0],
      isCompared: changes !== undefined,
      read: () => client.changes(id, { follow: false, change: 'added,changed,moved,removed,unknown' }),
      diff: (url) => client.diff(id, url),
    };
  } catch (error) {
    if (!isRefusal(error, 'job_not_found')) throw error;
  }
  try {
    const { id, job } = await client.schedule(given);
    return {
      kind: 'schedule',
      firstUrl: (job['urls'] as readonly string[] | undefined)?.[0],
      isCompared: true,
      read: () => client.feed(id, { follow: false }),
      diff: (url) => client.feedDiff(id, url),
    };
  } catch (error) {
    if (!isRefusal(error, 'schedule_not_found')) throw error;
    const message = 'There is no job or schedule with this id. `hayrake jobs` and `hayrake schedule list` list them.';
    throw new ExitError(exitCodes.failed, message);
  }
}

async function writeChanges(of: ChangesOf, isJson: boolean): Promise<void> {
  let count = 0;
  for await (const row of of.read()) {
    count++;
    process.stdout.write(`${isJson ? jsonOf(row) : lineOf(row, of.kind)}\n`);
  }
  if (count > 0) return;
  process.stderr.write(
    of.isCompared
      ? `Nothing has changed, as far as this ${of.kind} knows.\n`
      : 'This job was compared with no earlier one. Crawl again with `--since`, and ask that job.\n',
  );
}

/** Runs of a schedule are told apart by when they began. */
function lineOf({ change, url, reason, movedTo, runAt }: PageChange, kind: ChangesOf['kind']): string {
  const more = movedTo ?? reason;
  const when = kind === 'schedule' ? `${new Date(runAt).toISOString().slice(0, 16)}Z  ` : '';
  return `${when}${change.padEnd(kindColumns)}  ${printable(url)}${more === null ? '' : `  (${printable(more)})`}`;
}

function jsonOf({ job, runAt, change, url, movedTo, page, reason }: PageChange): string {
  return JSON.stringify({ job, runAt, change, url, movedTo, page, reason });
}

async function writeDiff(of: ChangesOf, given: string, isJson: boolean): Promise<void> {
  const url = given.startsWith('/') ? (URL.parse(given, of.firstUrl)?.href ?? given) : givenUrl(given);
  const diff = await of.diff(url);
  if (isJson) process.stdout.write(`${JSON.stringify(diff)}\n`);
  else for (const line of diffLines(diff, terminalOf(process.stdout))) process.stdout.write(`${line}\n`);
  if (diff.truncated)
    process.stderr.write('hayrake: The texts are too large, or differ too much, to be compared in full.\n');
  if (!isJson && diff.hunks.length === 0 && !diff.truncated) process.stderr.write('hayrake: The texts are equal.\n');
}
