// Exports of pages that a test writes down.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { OutputFormat } from '../../src/core/job.ts';
import type { ExportedJob, ExportFormat, ExportSlice } from '../../src/export/export-format.ts';
import { exportFormats, type FormatName } from '../../src/export/formats.ts';
import { outputChunks } from '../../src/export/output-chunks.ts';
import { fragmentOf } from '../fragment.ts';

export interface Given {
  readonly url: string;
  readonly title?: string;
  readonly description?: string;
  readonly text?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export const folder = mkdtempSync(path.join(tmpdir(), 'hayrake-export-'));

let files = 0;
export const newFile = (): string => path.join(folder, `export-${++files}`);

async function* slicesOf(pages: readonly Given[], perSlice = 3): AsyncGenerator<ExportSlice> {
  for (let at = 0; at < pages.length; at += perSlice)
    yield { pages: pages.slice(at, at + perSlice).map((given, index) => stored(given, at + index + 1)) };
}

export function stored({ url, title = '', description = '', text = '', metadata = {} }: Given, page: number) {
  const row = { url, fetchedUrl: url, meta: { title, description, ...metadata } };
  return { page, body: fragmentOf(`${JSON.stringify(row).slice(1)},"text":${JSON.stringify(text)}}`) };
}

export function jobOf(pages: readonly Given[], outputFormat: OutputFormat): ExportedJob {
  const startUrl = pages[0]?.url ?? 'https://site.test/';
  return {
    id: 'JOB',
    outputFormat,
    extract: null,
    startUrl,
    createdAt: Date.UTC(2026, 0, 31, 12, 30, 15),
    total: pages.length,
  };
}

/** Writes an export, and returns its file. */
export async function exported(
  name: FormatName,
  pages: readonly Given[],
  { outputFormat = 'markdown', isPacked = false }: { outputFormat?: OutputFormat; isPacked?: boolean } = {},
): Promise<string> {
  const format: ExportFormat = exportFormats[name];
  const file = newFile();
  if ('loadWriter' in format) {
    await (
      await format.loadWriter()
    )(slicesOf(pages), jobOf(pages, outputFormat), file, { directory: folder, diskFreeMb: 0 });
    return file;
  }
  const encode = await ((isPacked ? format.loadPacked : undefined) ?? format.load)();
  const chunks: Uint8Array[] = [];
  for await (const chunk of outputChunks(encode(slicesOf(pages), jobOf(pages, outputFormat)))) chunks.push(chunk);
  writeFileSync(file, Buffer.concat(chunks));
  return file;
}
