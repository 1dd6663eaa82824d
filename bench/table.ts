// What a comparison prints: medians as a table in Markdown, ours first, and why who is not in it is not.
import type { Kept } from './content-check.ts';
import { ours, type Peer } from './peers.ts';
import type { ExtractorName } from './text-score.ts';

export interface Figures {
  readonly pages: number;
  /** Of the pages that can be reached, 0 to 1. */
  readonly coverage: number;
  readonly pagesPerSecond: number;
  readonly cpuMsPerPage: number;
  readonly peakRssMb: number;
  /** Only of peers that keep content. */
  readonly kept?: Kept;
}

type Figure = Exclude<keyof Figures, 'kept'>;

export interface Comparison {
  readonly corpus: string;
  readonly reachable: number;
  readonly rounds: number;
  /** Processes that wanted to run, in the minute before the first round. */
  readonly load: number;
  readonly peers: readonly Peer[];
  /** Figures of each round, by the name of the peer. */
  readonly measured: ReadonlyMap<string, readonly Figures[]>;
  readonly leftOut: ReadonlyMap<string, string>;
  /** F1 on the marked pages. */
  readonly scores: ReadonlyMap<ExtractorName, number>;
}

/** Who delivers fewer of the pages has had another job, and is not compared. */
const comparableCoverage = 0.95;

export function printTables(comparison: Comparison): void {
  const { corpus, reachable, rounds, load, peers, measured, leftOut } = comparison;
  console.log(
    `\n${corpus}: ${reachable} pages can be reached; medians of ${rounds} round${rounds === 1 ? '' : 's'}; Node ${process.versions.node}; load before the first round ${load.toFixed(1)}`,
  );
  printPeers(
    'Main content chosen, and kept on disk',
    peers.filter(({ keepsContent }) => keepsContent),
    comparison,
  );
  printPeers(
    'The ceiling: less work',
    peers.filter(({ keepsContent }) => !keepsContent),
    comparison,
  );
  console.log(`\nThe last three columns are those of ${ours} divided by those of the row, the median of the rounds.`);
  for (const [name, all] of measured) {
    const coverage = medianOf(all, 'coverage');
    if (coverage < comparableCoverage)
      console.log(`Not compared: ${name}, which stopped at ${medianOf(all, 'pages')} pages of ${reachable}.`);
  }
  for (const [reason, entries] of Map.groupBy(leftOut, ([, why]) => why))
    console.log(`Not measured: ${entries.map(([name]) => name).join(', ')}: ${reason}.`);
}

function printPeers(heading: string, peers: readonly Peer[], comparison: Comparison): void {
  const { measured, scores } = comparison;
  const base = measured.get(ours) ?? [];
  const rows = peers.flatMap(({ name, keepsContent, extractor }) => {
    const all = measured.get(name);
    if (all === undefined) return [];
    const score = extractor === undefined ? undefined : scores.get(extractor);
    return [[...rowOf(name, all, base), ...(keepsContent ? keptOf(all) : []), score?.toFixed(3) ?? '']];
  });
  if (rows.length === 0) return;
  const keep = peers.some(({ keepsContent }) => keepsContent);
  console.log(`\n${heading}:\n`);
  printMarkdown([[...header, ...(keep ? ['kept', 'words found', 'of its words'] : []), 'text F1'], ...rows]);
}

const header = [
  '',
  'pages',
  'coverage',
  'pages/s',
  'from to',
  'CPU ms/page',
  'peak RSS MB',
  'speed x',
  'CPU x',
  'RSS x',
];

function keptOf(all: readonly Figures[]): string[] {
  const kept = all.flatMap((figures) => figures.kept ?? []);
  const percent = (values: readonly number[]): string => `${(median(values) * 100).toFixed(1)} %`;
  return [
    String(median(kept.map(({ pages }) => pages))),
    percent(kept.map(({ recall }) => recall)),
    percent(kept.map(({ precision }) => precision)),
  ];
}

function rowOf(name: string, all: readonly Figures[], base: readonly Figures[]): string[] {
  const speeds = all.map(({ pagesPerSecond }) => pagesPerSecond);
  const coverage = medianOf(all, 'coverage');
  const ratio = (key: Figure): string =>
    base.length < all.length || coverage < comparableCoverage
      ? ''
      : median(all.map((figures, round) => (base[round]?.[key] ?? Number.NaN) / figures[key])).toFixed(2);
  return [
    name,
    String(medianOf(all, 'pages')),
    `${(coverage * 100).toFixed(1)} %`,
    medianOf(all, 'pagesPerSecond').toFixed(1),
    `${Math.min(...speeds).toFixed(1)} to ${Math.max(...speeds).toFixed(1)}`,
    medianOf(all, 'cpuMsPerPage').toFixed(2),
    medianOf(all, 'peakRssMb').toFixed(0),
    ratio('pagesPerSecond'),
    ratio('cpuMsPerPage'),
    ratio('peakRssMb'),
  ];
}

function printMarkdown(table: readonly (readonly string[])[]): void {
  const widths = table[0]?.map((_, column) => Math.max(3, ...table.map((row) => row[column]?.length ?? 0))) ?? [];
  const [header, ...rows] = table.map(
    (row) =>
      `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`,
  );
  console.log(header);
  console.log(
    `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`,
  );
  for (const row of rows) console.log(row);
}

function medianOf(all: readonly Figures[], key: Figure): number {
  return median(all.map((figures) => figures[key]));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? Number.NaN)) / 2;
}
