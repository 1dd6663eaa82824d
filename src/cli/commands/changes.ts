import { exitCodes } from '../../core/errors.ts';
import { givenUrl } from '../../core/given-url.ts';
import { type Flags, textFlag } from '../flags.ts';
import { diffLines } from '../output/diff-lines.ts';
import { printable, terminalOf } from '../output/terminal.ts';
import type { Program } from '../program.ts';
import type { ChangesOf, ShownChange, Verbs } from '../verbs/verbs.ts';
import { withVerbs } from '../verbs/with-verbs.ts';

/** Columns of the longest kind of change. */
const kindColumns = 'unchanged'.length;

/** Lists what a job, or all runs of a schedule, found changed; with `--diff` how the text of one page did. */
export function runChanges(program: Program, id: string, flags: Flags): Promise<number> {
  const page = textFlag(flags, 'diff');
  const isJson = flags['json'] === true;
  return withVerbs(program, flags, async (verbs) => {
    const of = await verbs.changesOf(id);
    if (page !== undefined) await writeDiff(verbs, of, page, isJson);
    else await writeChanges(verbs, of, isJson);
    return exitCodes.done;
  });
}

async function writeChanges(verbs: Verbs, of: ChangesOf, isJson: boolean): Promise<void> {
  let count = 0;
  for await (const row of verbs.readChanges(of)) {
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
function lineOf({ change, url, reason, runAt }: ShownChange, kind: ChangesOf['kind']): string {
  const when = kind === 'schedule' ? `${new Date(runAt).toISOString().slice(0, 16)}Z  ` : '';
  return `${when}${change.padEnd(kindColumns)}  ${printable(url)}${reason === null ? '' : `  (${printable(reason)})`}`;
}

function jsonOf({ job, runAt, change, url, page, reason }: ShownChange): string {
  return JSON.stringify({ job, runAt, change, url, page, reason });
}

async function writeDiff(verbs: Verbs, of: ChangesOf, given: string, isJson: boolean): Promise<void> {
  const url = given.startsWith('/') ? (URL.parse(given, of.firstUrl)?.href ?? given) : givenUrl(given);
  const diff = await verbs.readDiff(of, url);
  if (isJson) process.stdout.write(`${JSON.stringify(diff)}\n`);
  else for (const line of diffLines(diff, terminalOf(process.stdout))) process.stdout.write(`${line}\n`);
  if (diff.truncated)
    process.stderr.write('hayrake: The texts are too large, or differ too much, to be compared in full.\n');
  if (!isJson && diff.hunks.length === 0 && !diff.truncated) process.stderr.write('hayrake: The texts are equal.\n');
}
