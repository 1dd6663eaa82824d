import { once } from 'node:events';
import path from 'node:path';
import type { OutputFormat } from '../../core/job.ts';
import type { StoredPage } from '../../core/page.ts';
import { pageMetaRow, pageRow, parsePage } from '../../jobs/page-json.ts';
import { PageFiles, withFrontMatter } from './page-files.ts';
import { countOf } from './progress-display.ts';
import { printableLines } from './terminal.ts';

/** Where the pages of a job go. */
export interface PageSink {
  write(page: StoredPage): Promise<void>;
  /** What was written, for the last line; undefined when it went to standard output. */
  summary(): string | undefined;
}

export interface SinkOptions {
  readonly format: OutputFormat;
  /** NDJSON on standard output: one row of the API a line. */
  readonly json?: boolean;
  readonly meta?: boolean;
  /** A directory for one file a page; `-` for standard output. */
  readonly out?: string;
}

/**
 * The sink that a command's options ask for. Without any: files on a terminal, where nobody wants megabytes of text, and
 * standard output when that leads somewhere else.
 */
export function createSink(options: SinkOptions, stdout: NodeJS.WriteStream): PageSink {
  if (options.json === true || options.meta === true) {
    return lineSink(stdout, options.meta === true ? pageMetaRow : pageRow);
  }
  const out = options.out ?? (stdout.isTTY === true ? '.' : '-');
  if (out !== '-') return fileSink(out, options.format);
  // Into a pipe or a file a page goes as it is; on a terminal it might speak to it.
  const safe = stdout.isTTY === true ? printableLines : (text: string): string => text;
  return lineSink(stdout, (page) => safe(withFrontMatter(parsePage(page))));
}

function lineSink(stdout: NodeJS.WriteStream, show: (page: StoredPage) => string): PageSink {
  return {
    write: async (page) => {
      if (!stdout.write(`${show(page)}\n`)) await once(stdout, 'drain');
    },
    summary: () => undefined,
  };
}

function fileSink(directory: string, format: OutputFormat): PageSink {
  const files = new PageFiles(directory, format);
  let count = 0;
  return {
    write: async (page) => {
      await files.write(parsePage(page));
      count++;
    },
    summary: () => {
      const what = format === 'html' ? 'HTML file' : format === 'text' ? 'text file' : 'Markdown file';
      return count === 0 ? undefined : `${files.directories.map(shownDirectory).join(' ')}   ${countOf(count, what)}`;
    },
  };
}

/** As a person would write it: below the current directory from there, else whole. */
export function shownDirectory(directory: string): string {
  const relative = path.relative('.', directory);
  const isBelow = relative !== '' && !path.isAbsolute(relative) && !relative.startsWith('..');
  return `${isBelow ? `./${relative}` : path.resolve(directory)}/`;
}
