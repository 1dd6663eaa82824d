import type { Job } from '../../../packages/client/index.ts';
import { fitted, printable } from './terminal.ts';

export interface TableRow {
  readonly job: Job;
  readonly state: string;
}

/** Characters of an id that is shown in part: its time, so that two ids rarely agree in them. */
const idCharsMin = 10;
/** A URL is not cut to less. */
const urlColumnsMin = 16;

/** Everything about each job, for a pipe. */
export function jobTable(rows: readonly TableRow[]): string {
  return tableOf(rows, 'CREATED', ({ id, createdAt }) => [id, new Date(createdAt).toISOString()]);
}

/** A row per job that fits the terminal: ids as short as commands take them, ages, and the beginning of the URL. */
export function fittedJobTable(rows: readonly TableRow[], columns: number, now: number): string {
  const length = uniqueLength(rows.map(({ job }) => job.id));
  const table = tableOf(rows, 'AGE', ({ id, createdAt }) => [id.slice(0, length), age(now - createdAt)]);
  const urlAt = table.indexOf('URL');
  return table
    .split('\n')
    .map((line) => fitted(line, Math.max(columns, urlAt + urlColumnsMin)))
    .join('\n');
}

function tableOf(rows: readonly TableRow[], when: string, shown: (job: Job) => [id: string, when: string]): string {
  const cells = rows.map(({ job, state }) => {
    const [id, at] = shown(job);
    return [id, state, at, ...countsOf(job), urlOf(job)];
  });
  return aligned([['JOB', 'STATUS', when, 'PAGES', 'QUEUED', 'FAILED', 'URL'], ...cells]);
}

function uniqueLength(ids: readonly string[]): number {
  let length = idCharsMin;
  while (length < 26 && new Set(ids.map((id) => id.slice(0, length))).size < ids.length) length++;
  return length;
}

/** Such as `3 h`. */
function age(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60 / 24)} d`;
}

function countsOf({ progress: { scraped, queued, inFlight, failed } }: Job): [number, number, number] {
  return [scraped, queued + inFlight, failed];
}

function urlOf({ urls }: Job): string {
  return `${printable(urls[0] ?? '')}${urls.length > 1 ? ` and ${urls.length - 1} more` : ''}`;
}

/** Pads all columns but the last. Counts, and their heads, are aligned to the right. */
function aligned(all: readonly (readonly (string | number)[])[]): string {
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => String(row[column]).length))) ?? [];
  const isCount = (column: number): boolean => typeof all.at(-1)?.[column] === 'number';
  const cell = (value: string | number, column: number): string =>
    isCount(column) ? String(value).padStart(widths[column] ?? 0) : String(value).padEnd(widths[column] ?? 0);
  return all.map((row) => `${row.map(cell).join('  ').trimEnd()}\n`).join('');
}
