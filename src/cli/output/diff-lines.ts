import type { DiffLine, Hunk, LineKind } from '../../diff/text-diff.ts';
import type { Diff } from '../../../packages/client/index.ts';
import { printable, type Terminal } from './terminal.ts';

type ShownDiff = Pick<Diff, 'url' | 'runAt' | 'title' | 'previousTitle'> & { readonly hunks: readonly Hunk[] };

const signs: Readonly<Record<LineKind, string>> = { same: ' ', removed: '-', added: '+' };

/** A difference as a unified diff. On a terminal lines are coloured, and changed words stand out. */
export function diffLines({ url, runAt, title, previousTitle, hunks }: ShownDiff, terminal: Terminal): string[] {
  if (hunks.length === 0 && title === undefined) return [];
  const names = [`--- ${url}`, `+++ ${url}\t${new Date(runAt).toISOString()}`];
  const titles = title === undefined ? [] : [`# title: ${oneLine(previousTitle ?? '')} -> ${oneLine(title)}`];
  return [
    ...titles,
    ...names,
    ...hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
      terminal.dim(`@@ -${place(oldStart, oldLines)} +${place(newStart, newLines)} @@`),
      ...lines.map((line) => shownLine(line, terminal)),
    ]),
  ];
}

/** Before the first line stands line 0. */
function place(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`;
}

/** Text of a patch is exact, and on a terminal safe to print. */
function shownLine({ kind, parts }: DiffLine, terminal: Terminal): string {
  const clean = terminal.isLive ? printable : (text: string): string => text;
  if (kind === 'same') return ` ${parts.map(({ text }) => clean(text)).join('')}`;
  const isWhole = parts.every(({ changed }) => changed);
  const text = parts.map((part) => (part.changed && !isWhole ? terminal.inverse(clean(part.text)) : clean(part.text)));
  const line = signs[kind] + text.join('');
  return kind === 'removed' ? terminal.red(line) : terminal.green(line);
}

function oneLine(text: string): string {
  return JSON.stringify(printable(text));
}
