// Flags for the output of pages: they are not part of a request.
import { type Command, Option } from 'commander';
import { ExitError, exitCodes } from '../core/errors.ts';
import type { OutputFormat } from '../core/job.ts';
import { imageShapes, linkShapes, titleShapes } from '../options/schemas.ts';
import { type FrontMatter, frontMatters } from '../page/front-matter.ts';
import { isPlainPage, type PageShape } from '../page/shaped-page.ts';
import { type Flags, numberFlag } from './flags.ts';

/** Flags of a command that can write files. */
export function addFileFlags(command: Command): Command {
  return command
    .addOption(
      new Option('--front-matter <kind>', 'metadata before the text of a page; short: title, url, date and language')
        .choices(frontMatters)
        .default(undefined, 'full'),
    )
    .option('-k, --convert-links', 'at the end, make links between the written files relative');
}

/** Flags of a command that reads stored pages. */
export function addShapeFlags(command: Command): Command {
  return addFileFlags(command)
    .addOption(new Option('--links <links>', 'links in the Markdown').choices(linkShapes).default('inline'))
    .addOption(new Option('--images <images>', 'images in the Markdown').choices(imageShapes).default('all'))
    .addOption(
      new Option('--title <title>', 'title of the page at the beginning of the Markdown')
        .choices(titleShapes)
        .default('page'),
    )
    .addOption(new Option('--chunk <by>', 'write chunks of the pages as NDJSON').choices(['heading']))
    .option('--chunk-chars <n>', 'approximate number of characters per chunk, 200 to 20000 (default: 2000)');
}

/** Commander has validated the choices. */
export function frontMatterOf(flags: Flags): FrontMatter {
  return (flags['frontMatter'] ?? 'full') as FrontMatter;
}

interface ShapeFlags {
  readonly shape: PageShape;
  readonly chunkChars: number | undefined;
}

/** Throws an `ExitError` if the flags contradict each other, or the pages are not Markdown. */
export function shapeOf(flags: Flags, format: OutputFormat): ShapeFlags {
  const [links, images, title] = [flags['links'] ?? 'inline', flags['images'] ?? 'all', flags['title'] ?? 'page'];
  const shape = { links, images, title } as PageShape;
  const size = numberFlag(flags, 'chunkChars', '--chunk-chars');
  const isChunked = flags['chunk'] !== undefined;
  if (size !== undefined && !isChunked) throw new ExitError(exitCodes.usage, '--chunk-chars needs --chunk heading.');
  if (size !== undefined && (size < 200 || size > 20_000))
    throw new ExitError(exitCodes.usage, '--chunk-chars takes a number from 200 to 20000.');
  const writesFiles = (flags['out'] ?? '-') !== '-';
  if (isChunked && (flags['convertLinks'] === true || flags['meta'] === true || writesFiles))
    throw new ExitError(
      exitCodes.usage,
      '--chunk writes to standard output only. Leave out --out, --meta and --convert-links.',
    );
  if (format !== 'markdown' && (isChunked || !isPlainPage(shape)))
    throw new ExitError(
      exitCodes.usage,
      `The pages of this job are ${format}. --links, --images, --title and --chunk need Markdown.`,
    );
  return { shape, chunkChars: isChunked ? (size ?? 2_000) : undefined };
}
