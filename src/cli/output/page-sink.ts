import { randomUUID } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Hayrake } from '../../../packages/client/index.ts';
import { ExitError, exitCodes } from '../../core/errors.ts';
import type { OutputFormat } from '../../core/job.ts';
import type { Screenshot } from '../../core/page.ts';
import { isErased, type PageJson } from '../../page/decode.ts';
import { withFrontMatter, type FrontMatter } from '../../page/front-matter.ts';
import { chunkLines, isPlainPage, plainPageShape, shapedPage, type PageShape } from '../../page/shaped-page.ts';
import { textFlag, type Flags } from '../flags.ts';
import { OutputError, reportsOutputErrors, writeOut } from './output-error.ts';
import { PageFiles } from './page-files.ts';
import { countOf } from './progress-display.ts';
import { printableLines } from './terminal.ts';

/** One block of most file systems: an empty file also fits on a full disk. */
const probeBytes = 4_096;

/**
 * Checks that files can be written below a directory, which may not exist yet, and leaves nothing behind. Rejects with
 * an {@link OutputError}.
 */
async function probeDirectory(directory: string): Promise<void> {
  const existing = await nearestExisting(path.resolve(directory)).catch((error: unknown) => {
    throw new OutputError(directory, error);
  });
  const probe = path.join(existing, `.hayrake-${randomUUID()}`);
  try {
    try {
      await writeFile(probe, Buffer.alloc(probeBytes), { flag: 'wx' });
    } finally {
      await rm(probe, { force: true });
    }
  } catch (error) {
    throw new OutputError(directory, error);
  }
}

async function nearestExisting(directory: string): Promise<string> {
  try {
    const found = await stat(directory);
    if (found.isDirectory()) return directory;
    throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
  } catch (error) {
    const parent = path.dirname(directory);
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT') || parent === directory) throw error;
    return nearestExisting(parent);
  }
}

/** Destination of a job's pages. */
export interface PageSink {
  /** Rejects with an `OutputError`. */
  write(page: PageJson): Promise<void>;
  /** Called after the last page, with a way to read the same pages again. Rejects with an `OutputError`. */
  end(again: () => AsyncIterable<PageJson>): Promise<void>;
  /** What one page becomes, for a line that counts them; undefined on a terminal, where a line would mix with the pages. */
  readonly noun: 'file' | 'page' | undefined;
  /** Summary of the files written, for the last line; undefined for standard output. */
  summary(): string | undefined;
}

export interface SinkOptions {
  readonly format: OutputFormat;
  /** Rows of the API: one per line, or per file. */
  readonly json?: boolean;
  readonly meta?: boolean;
  /** @default full */
  readonly frontMatter?: FrontMatter;
  /** NDJSON on standard output: one chunk per line, of about this many characters. */
  readonly chunkChars?: number | undefined;
  /** Shape of Markdown. @default as stored */
  readonly shape?: PageShape;
  /** Reads the picture of a page, by its number. @default there are none */
  readonly screenshotOf?: ((page: number) => Promise<Screenshot | undefined>) | undefined;
  /** A directory for one file per page; `-` for standard output. */
  readonly out?: string;
  /** Makes links between the files relative. @default false */
  readonly convertLinks?: boolean;
}

/**
 * Creates the sink for a command's options. Without options: files if standard output is a terminal, where nobody wants
 * megabytes of text; otherwise standard output.
 */
export function createSink(options: SinkOptions, stdout: NodeJS.WriteStream): PageSink {
  const { shape = plainPageShape, frontMatter = 'full', chunkChars } = options;
  if (chunkChars !== undefined) return streamSink(stdout, (page) => chunkLines(page, shape, chunkChars));
  const isAsStored = options.meta === true || isPlainPage(shape);
  const out = directoryOf(options, stdout);
  if ((options.json === true || options.meta === true) && out === undefined)
    return streamSink(stdout, (page) => `${JSON.stringify(isAsStored ? page : shapedPage(page, shape))}\n`);
  if (out !== undefined) return fileSink(out, { ...options, shape, frontMatter });
  // A pipe or a file gets the page unchanged; on a terminal it could contain control sequences.
  const safe = stdout.isTTY === true ? printableLines : (text: string): string => text;
  return streamSink(stdout, (page) => `${safe(withFrontMatter(shapedPage(page, shape), frontMatter))}\n`);
}

/** The pages of a job once more. Damaged ones have been reported. */
export function pagesAgain(client: Hayrake, id: string): AsyncIterable<PageJson> {
  return client.pages(id, { follow: false, onDamaged: () => {} }) as AsyncIterable<PageJson>;
}

/** Where the pages of a command go, by its flags. */
export function outputOf(flags: Flags): Pick<SinkOptions, 'json' | 'out' | 'convertLinks'> {
  const out = textFlag(flags, 'out');
  return {
    json: flags['json'] === true,
    convertLinks: flags['convertLinks'] === true,
    ...(out !== undefined && { out }),
  };
}

/**
 * Checks that the files of a command can be written, before anything else is done. Standard output shows only when it
 * is written that it is full.
 */
export async function probeOutput(
  options: Pick<SinkOptions, 'json' | 'meta' | 'chunkChars' | 'out' | 'convertLinks'>,
  stdout: NodeJS.WriteStream,
): Promise<void> {
  const directory = options.chunkChars !== undefined ? undefined : directoryOf(options, stdout);
  if (directory !== undefined && options.meta === true)
    throw new ExitError(exitCodes.usage, '--meta writes to standard output only. Leave out --out.');
  if ((directory === undefined || options.json === true) && options.convertLinks === true)
    throw new ExitError(
      exitCodes.usage,
      '--convert-links is for files. Add --out DIR, and leave out --json and --meta.',
    );
  if (directory !== undefined) await probeDirectory(directory);
}

/** Standard output has room for one output of a page, unless it is JSON. */
export function refuseLostFormats(flags: Flags, stdout: NodeJS.WriteStream): void {
  if (flags['formats'] === undefined || flags['json'] === true || directoryOf(outputOf(flags), stdout) !== undefined)
    return;
  throw new ExitError(exitCodes.usage, '--formats needs --json or --out DIR.');
}

/** Undefined for standard output. */
function directoryOf(
  { out, json, meta }: Pick<SinkOptions, 'out' | 'json' | 'meta'>,
  stdout: NodeJS.WriteStream,
): string | undefined {
  const isStream = json === true || meta === true || stdout.isTTY !== true;
  const given = out ?? (isStream ? '-' : '.');
  return given === '-' ? undefined : given;
}

function streamSink(stdout: NodeJS.WriteStream, show: (page: PageJson) => string): PageSink {
  reportsOutputErrors(stdout);
  return {
    write: async (page) => {
      await writeOut(stdout, show(page));
    },
    end: async () => {},
    noun: stdout.isTTY === true ? undefined : 'page',
    summary: () => undefined,
  };
}

function fileSink(
  directory: string,
  {
    format,
    json,
    shape,
    frontMatter,
    screenshotOf,
    convertLinks = false,
  }: SinkOptions & { readonly shape: PageShape; readonly frontMatter: FrontMatter },
): PageSink {
  const files = new PageFiles(directory, json === true ? 'json' : format, frontMatter, convertLinks);
  let count = 0;
  return {
    write: async (page) => {
      // It would be an empty file, perhaps without a name.
      if (isErased(page)) return;
      await files.write(shapedPage(page, shape), await screenshotOf?.(page.meta.page));
      count++;
    },
    end: async (again) => {
      if (convertLinks) await files.convertLinks(shapedPages(again(), shape, count));
    },
    noun: 'file',
    summary: () => {
      const what =
        json === true
          ? 'JSON file'
          : format === 'html'
            ? 'HTML file'
            : format === 'text'
              ? 'text file'
              : 'Markdown file';
      return count === 0 ? undefined : `${files.directories.map(shownDirectory).join(' ')}   ${countOf(count, what)}`;
    },
  };
}

/** A job that still runs can have more pages by now. */
async function* shapedPages(pages: AsyncIterable<PageJson>, shape: PageShape, count: number): AsyncGenerator<PageJson> {
  let left = count;
  for await (const page of pages) {
    if (isErased(page)) continue;
    if (left-- <= 0) return;
    yield shapedPage(page, shape);
  }
}

/** Shows a directory as a person would write it: relative if it is below the current directory, else absolute. */
export function shownDirectory(directory: string): string {
  const relative = path.relative('.', directory);
  const isBelow = relative !== '' && !path.isAbsolute(relative) && !relative.startsWith('..');
  return `${isBelow ? `./${relative}` : path.resolve(directory)}/`;
}
