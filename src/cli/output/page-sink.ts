import { once } from 'node:events';
import path from 'node:path';
import type { OutputFormat } from '../../core/job.ts';
import type { StoredPage } from '../../core/page.ts';
import { type FrontMatter, withFrontMatter } from '../../page/front-matter.ts';
import { pageLine } from '../../page/lines.ts';
import { chunkLines, shapedPage } from '../../page/shaped-page.ts';
import { isPlain, plainShape, type Shape } from '../../shape/shape-markdown.ts';
import { PageFiles } from './page-files.ts';
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
  /** @default full */
  readonly frontMatter?: FrontMatter;
  /** NDJSON on standard output: one chunk a line, of about so many characters. */
  readonly chunkChars?: number | undefined;
  /** Of Markdown. @default as it is stored */
  readonly shape?: Shape;
  /** A directory for one file a page; `-` for standard output. */
  readonly out?: string;
}

/**
 * The sink that a command's options ask for. Without any: files on a terminal, where nobody wants megabytes of text, and
 * standard output when that leads somewhere else.
 */
export function createSink(options: SinkOptions, stdout: NodeJS.WriteStream): PageSink {
  const { shape = plainShape, frontMatter = 'full', chunkChars } = options;
  if (chunkChars !== undefined) return streamSink(stdout, (page) => chunkLines(page, shape, chunkChars));
  const isAsStored = options.meta === true || isPlain(shape);
  if (options.json === true || options.meta === true)
    return streamSink(stdout, isAsStored ? pageLine : (page) => `${JSON.stringify(shapedPage(page, shape))}\n`);
  const out = options.out ?? (stdout.isTTY === true ? '.' : '-');
  if (out !== '-') return fileSink(out, { ...options, shape, frontMatter });
  // Into a pipe or a file a page goes as it is; on a terminal it might speak to it.
  const safe = stdout.isTTY === true ? printableLines : (text: string): string => text;
  return streamSink(stdout, (page) => `${safe(withFrontMatter(shapedPage(page, shape), frontMatter))}\n`);
}

function streamSink(stdout: NodeJS.WriteStream, show: (page: StoredPage) => string): PageSink {
  return {
    write: async (page) => {
      if (!stdout.write(show(page))) await once(stdout, 'drain');
    },
    summary: () => undefined,
  };
}

function fileSink(
  directory: string,
  { format, shape, frontMatter }: SinkOptions & { readonly shape: Shape; readonly frontMatter: FrontMatter },
): PageSink {
  const files = new PageFiles(directory, format, frontMatter);
  let count = 0;
  return {
    write: async (page) => {
      await files.write(shapedPage(page, shape));
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
