// Damaged copies of files: cut, with other bytes, with parts moved, and noise. Each is refused with a reason, or delivered with text.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { fileKindOf } from '../../src/core/bytes/file-kind.ts';
import { DocumentError } from '../../src/documents/parts/document-error.ts';
import { readDocument } from '../../src/documents/read-document.ts';
import { convertDocument } from '../../src/extract/convert-document.ts';
import { damaged } from './damage.ts';

const folder = new URL('../facts/files/', import.meta.url);
const copies = 40;

type Ending = 'text' | 'refused' | 'warned' | 'nothing';

async function endingOf(name: string, bytes: Uint8Array): Promise<Ending> {
  const kind = fileKindOf('application/octet-stream', `/${name}`);
  if (kind === undefined || kind === 'markdown') throw new Error(`No reader for ${name}`);
  try {
    const document = await readDocument(kind, { bytes, contentType: '' });
    if (!document) return 'refused';
    const { plainText, metadata } = convertDocument(document, {
      url: 'http://site.example/',
      outputFormat: 'markdown',
    });
    if (metadata['warning'] !== undefined || metadata['truncated'] === true) return 'warned';
    return plainText.trim() === '' && !texts.has(kind) ? 'nothing' : 'text';
  } catch (error) {
    if (error instanceof DocumentError) return 'refused';
    throw error;
  }
}

/** A text that is cut to nothing has no text. */
const texts: ReadonlySet<string> = new Set(['text', 'csv', 'yaml']);

test('readDocument: refuses a damaged file, or reads text from it', { timeout: 600_000 }, async () => {
  const counts: Record<Ending, number> = { text: 0, refused: 0, warned: 0, nothing: 0 };
  const empty: string[] = [];
  // pdf.js loses promises of files that it repairs, which only a converter thread bears: converter-pool.test.ts.
  for (const name of readdirSync(folder).filter((name) => !name.endsWith('.pdf'))) {
    const file = readFileSync(new URL(name, folder));
    for (let seed = 0; seed < copies; seed++) {
      const ending = await endingOf(name, damaged(file, seed));
      counts[ending]++;
      if (ending === 'nothing') empty.push(`${path.basename(name)} ${seed}`);
    }
  }
  if (process.env['SHOW_DAMAGED'])
    console.log(JSON.stringify({ counts, peakMiB: process.resourceUsage().maxRSS / 1024 }));
  expect(empty).toEqual([]);
  expect(counts.text + counts.refused + counts.warned).toBeGreaterThanOrEqual(800);
});
