// All formats of exports. A new one is a file next to this one, and a row here.
import { UserError } from '../core/errors.ts';
import type { ExportFormat } from './export-format.ts';

export const exportFormats = {
  jsonl: {
    ending: '.jsonl',
    contentType: 'application/x-ndjson; charset=utf-8',
    description: 'One JSON object per line, as `/data` returns with `Accept: application/x-ndjson`.',
    isLines: true,
    load: async () => (await import('./jsonl.ts')).encodeJsonl,
    loadPacked: async () => (await import('./jsonl.ts')).encodePackedJsonl,
  },
  csv: {
    ending: '.csv',
    contentType: 'text/csv; charset=utf-8; header=present',
    description: 'One row per page, for spreadsheets and data tools.',
    load: async () => (await import('./csv.ts')).encodeCsv,
  },
  zip: {
    ending: '.zip',
    contentType: 'application/zip',
    description: 'One file per page, named after its URL; Markdown and text begin with front matter.',
    load: async () => (await import('./zip.ts')).encodeZip,
  },
  'llms.txt': {
    ending: '-llms.txt',
    contentType: 'text/plain; charset=utf-8',
    description: 'An index of the pages as llmstxt.org describes: title, URL and description, by first directory.',
    load: async () => (await import('./llms.ts')).encodeLlms,
  },
  'llms-full.txt': {
    ending: '-llms-full.txt',
    contentType: 'text/plain; charset=utf-8',
    description: 'The text of all pages, each below its title and URL, in the order of the crawl.',
    load: async () => (await import('./llms.ts')).encodeLlmsFull,
  },
  parquet: {
    ending: '.parquet',
    contentType: 'application/vnd.apache.parquet',
    description: 'Apache Parquet, compressed with Zstandard, for DuckDB, pandas, Spark and others.',
    load: async () => (await import('./parquet.ts')).encodeParquet,
  },
  sqlite: {
    ending: '.sqlite',
    contentType: 'application/vnd.sqlite3',
    description: 'A SQLite database with one table, `page`.',
    loadWriter: async () => (await import('./sqlite.ts')).writeSqlite,
  },
} as const satisfies Readonly<Record<string, ExportFormat>>;

export type FormatName = keyof typeof exportFormats;

export const formatNames = Object.keys(exportFormats) as FormatName[];

/** Not made from the pages, but from what they were made of. */
export const archiveFormat = {
  ending: '.warc.gz',
  contentType: 'application/warc',
  description:
    'WARC 1.1, compressed record by record: the pages as the site sent them, and the outcome of each URL. Only of a job with `store_raw`.',
};

export type ExportName = FormatName | 'warc';

export const exportNames: readonly ExportName[] = [...formatNames, 'warc'];

/** Throws a `UserError` that lists the formats, for any other text. */
export function formatNamed(given: string): ExportName {
  const name = exportNames.find((each) => each === given);
  if (name !== undefined) return name;
  const message = `Give one of ${exportNames.join(', ')}.`;
  throw new UserError('invalid_parameter', `\`format\`: ${message}`, [{ field: 'format', message }]);
}
