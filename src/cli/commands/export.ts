import { closeSync, createWriteStream, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ExitError, exitCodes, UserError } from '../../core/errors.ts';
import { exportedJob, type ExportFormat, type ExportSlice, type StreamedFormat } from '../../export/export-format.ts';
import { archiveFormat, exportFormats, type ExportName, formatNamed } from '../../export/formats.ts';
import { outputChunks } from '../../export/output-chunks.ts';
import type { Store } from '../../core/ports/stores.ts';
import { Cursors } from '../../jobs/cursor.ts';
import { archiveOf } from '../../jobs/read-raw.ts';
import { type Export, exportJob } from '../../jobs/export-job.ts';
import type { Results } from '../../jobs/read-results.ts';
import { defaultOrg } from '../../jobs/tokens.ts';
import { type Access, explained, remoteOf } from '../access.ts';
import type { Flags } from '../flags.ts';
import { textFlag } from '../flags.ts';
import { damagedPages } from '../output/damaged-pages.ts';
import { OutputError } from '../output/output-error.ts';
import { countOf } from '../output/progress-display.ts';
import { sizeText } from '../output/size-text.ts';
import { terminalOf } from '../output/terminal.ts';
import { WrittenLine } from '../output/written-line.ts';
import type { Program } from '../program.ts';

/** Texts of one slice: the memory of an export. */
const sliceBytesMax = 2 ** 20;

/** Writes the pages of a job as one file. A service can run meanwhile. */
export async function runExport(program: Program, id: string, flags: Flags): Promise<number> {
  const name = formatNamed(textFlag(flags, 'format') ?? '');
  const format = name === 'warc' ? archiveFormat : (exportFormats[name] as ExportFormat);
  const target = textFlag(flags, 'out') ?? '';
  refuseTarget(target, format, flags['force'] === true);
  const remote = remoteOf(program, flags);
  if (remote) return exportFrom(remote, { id, name, target, isPartial: flags['partial'] === true });
  const { config } = program.readConfig(flags);
  const store = await program.openStore(config, { crawling: false, mayCreate: false });
  try {
    const parts = { jobs: store.jobs, pages: store.pages, cursors: new Cursors(store.secret) };
    const isLines = 'isLines' in format && format.isLines === true;
    const query = { isPartial: flags['partial'] === true, after: 0, skipsDamaged: isLines, bytesMax: sliceBytesMax };
    const opened = await exportJob(parts, defaultOrg, id, query, new AbortController().signal);
    if (name === 'warc' || !('load' in format || 'loadWriter' in format))
      return await writeArchive(store, opened, target);
    const damaged: number[] = [];
    const line = new WrittenLine(terminalOf(process.stderr));
    const pieces = line.counted(opened.slices, { noun: 'page', total: opened.total }, ({ pages }) => pages.length);
    const slices = noting(pieces, damaged);
    if (target === '-' && !('loadWriter' in format))
      await toStandardOutput(() => stream(process.stdout, format, slices, opened));
    else {
      await toFile(target, (file) => writeFile(file, format, slices, opened));
      const pages = countOf(opened.total - damaged.length, 'page');
      process.stderr.write(`  ${target}   ${pages}, ${sizeText(statSync(target).size)}\n`);
    }
    if (damaged.length > 0) throw damagedPages(damaged);
    return exitCodes.done;
  } catch (error) {
    throw inTermsOfCommand(error);
  } finally {
    await store.close();
  }
}

async function writeArchive(store: Store, { job, total }: Export, target: string): Promise<number> {
  const archive = archiveOf(store, job, total, new AbortController().signal);
  const line = new WrittenLine(terminalOf(process.stderr));
  const pages = line.counted(archive.pages, { noun: 'page', total }, () => 1);
  const { encodeWarc } = await import('../../export/warc.ts');
  const chunks = encodeWarc({ ...archive, pages }, exportedJob(job, total));
  if (target === '-') await toStandardOutput(() => pipeline(chunks, process.stdout, { end: false }));
  else {
    await toFile(target, (file) => pipeline(chunks, createWriteStream(file)));
    process.stderr.write(`  ${target}   ${countOf(total, 'page')}, ${sizeText(statSync(target).size)}\n`);
  }
  return exitCodes.done;
}

/** The service makes the file. It can cut a response off, and then the error says so. */
async function exportFrom(
  { server, client }: Access,
  given: { readonly id: string; readonly name: ExportName; readonly target: string; readonly isPartial: boolean },
): Promise<number> {
  const { id, name, target, isPartial } = given;
  try {
    const { body } = await explained(server, () => client.export(id, name, { partial: isPartial }));
    const bytes = body ? shownBytes(body) : [];
    const write = (to: NodeJS.WritableStream): Promise<void> =>
      explained(server, () => pipeline(bytes, to, { end: to !== process.stdout }));
    if (target === '-') await toStandardOutput(() => write(process.stdout));
    else {
      await toFile(target, (file) => write(createWriteStream(file)));
      process.stderr.write(`  ${target}   ${sizeText(statSync(target).size)}\n`);
    }
    return exitCodes.done;
  } catch (error) {
    throw inTermsOfCommand(error);
  }
}

/** The service does not say how many pages there are. */
async function* shownBytes(body: NonNullable<Response['body']>): AsyncGenerator<Uint8Array> {
  const line = new WrittenLine(terminalOf(process.stderr));
  let size = 0;
  try {
    for await (const bytes of bytesOf(body)) {
      yield bytes;
      size += bytes.length;
      line.show(`${sizeText(size)} written`);
    }
  } finally {
    line.clear();
  }
}

async function* bytesOf(body: NonNullable<Response['body']>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // Also when the file cannot be written: the service need not go on.
    await reader.cancel();
  }
}

function refuseTarget(target: string, format: object, isForced: boolean): void {
  if (target === '-' && 'loadWriter' in format)
    throw new ExitError(exitCodes.usage, 'This format needs a file. Name one with -o FILE.');
  if (target === '-' && process.stdout.isTTY === true)
    throw new ExitError(exitCodes.usage, 'Standard output is a terminal. Name a file with -o FILE.');
  if (target !== '-' && isFile(target) && !isForced)
    throw new ExitError(exitCodes.usage, `${target} exists. Choose another file, or replace it with --force.`);
}

async function toStandardOutput(fill: () => Promise<void>): Promise<void> {
  try {
    await fill();
  } catch (error) {
    throw isOfFile(error) ? new OutputError('Standard output', error) : error;
  }
}

/** The file has its name only once it is complete. A device or a pipe is written to as it is. */
async function toFile(target: string, fill: (file: string) => Promise<void>): Promise<void> {
  const isSpecial = existsSync(target) && !isFile(target);
  const unfinished = isSpecial ? target : `${target}.unfinished`;
  let isBegun = false;
  try {
    if (!isSpecial) rmSync(unfinished, { force: true });
    isBegun = true;
    await fill(unfinished);
    if (!isSpecial) renameSync(unfinished, target);
  } catch (error) {
    if (!isSpecial && isBegun) rmSync(unfinished, { force: true });
    throw isOfFile(error) ? new OutputError(target, error) : error;
  }
}

async function writeFile(
  file: string,
  format: ExportFormat,
  slices: AsyncIterable<ExportSlice>,
  opened: Export,
): Promise<void> {
  if (!('loadWriter' in format)) return stream(createWriteStream(file), format, slices, opened);
  // SQLite would not say why it cannot create the file.
  closeSync(openSync(file, 'w'));
  return (await format.loadWriter())(slices, exportedJob(opened.job, opened.total), file, {
    directory: path.dirname(file),
    diskFreeMb: 0,
  });
}

async function stream(
  target: NodeJS.WritableStream,
  format: StreamedFormat,
  slices: AsyncIterable<ExportSlice>,
  { job, total }: Export,
): Promise<void> {
  const encode = await format.load();
  await pipeline(outputChunks(encode(slices, exportedJob(job, total))), target, { end: target !== process.stdout });
}

/** Notes damaged pages, and frees the memory of each slice when the next one is requested. */
async function* noting(slices: AsyncIterable<Results>, damaged: number[]): AsyncGenerator<ExportSlice> {
  for await (const slice of slices) {
    if (slice.damagedPage !== undefined) damaged.push(slice.damagedPage);
    yield slice;
    slice.release();
  }
}

function isFile(target: string): boolean {
  return statSync(target, { throwIfNoEntry: false })?.isFile() === true;
}

function isOfFile(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && ('syscall' in error || ('code' in error && error.code === 'ERR_SQLITE_ERROR'));
}

function inTermsOfCommand(error: unknown): unknown {
  if (!(error instanceof UserError)) return error;
  if (error.code === 'job_not_ended')
    return new ExitError(
      exitCodes.failed,
      'The job has not ended. `hayrake resume` continues it; --partial exports the pages that it has so far.',
    );
  if (error.code === 'page_damaged')
    return new ExitError(
      exitCodes.databaseDamaged,
      `The database is damaged: page ${error.members['page'] ?? ''} of this job cannot be read, so the file was not written. --format jsonl writes all other pages. Run \`hayrake check\` to find all damaged pages, then restore a backup.`,
    );
  return error;
}
