// Exports with more pages, and larger ones, than their formats were first made for.
import { readFileSync, rmSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { exported, folder } from './export-pages.ts';
import { isMissing, readCsv, readJsonl, readParquet, readSqlite, readZip, unzip } from './readers.ts';

const noPython = isMissing('python3');
const noUnzip = isMissing('unzip');
const noSqlite = isMissing('sqlite3');
const noJq = isMissing('jq');

afterAll(() => rmSync(folder, { recursive: true }));

test.skipIf(noPython || noUnzip)(
  'more files than a ZIP without extensions can count (needs python3, unzip)',
  async () => {
    const many = Array.from({ length: 66_000 }, (_, index) => ({
      url: `https://site.test/${index}`,
      text: `${index}`,
    }));
    const file = await exported('zip', many);
    unzip(file);
    const found = readZip(file);
    expect(Object.keys(found)).toHaveLength(many.length);
    expect(found['site.test/65999.md']).toContain('65999');
  },
);
test.skipIf(noPython || noSqlite || noJq)('takes a page of 20 MB between small ones (needs all readers)', async () => {
  const text = 'Ein Satz über 🌾.\n'.repeat(1_000_000);
  const url = 'https://site.test/large';
  const given = [
    { url: 'https://site.test/', text: 'before' },
    { url, text },
    { url: `${url}2`, text: 'after' },
  ];
  const wanted = given.map((page) => page.text);
  expect(Buffer.byteLength(text)).toBeGreaterThan(20e6);
  expect(readCsv(await exported('csv', given)).map((row) => row['text'])).toEqual(wanted);
  expect(readSqlite<{ text: string }>(await exported('sqlite', given)).map((row) => row.text)).toEqual(wanted);
  expect((await readParquet(await exported('parquet', given))).map((row) => row['text'])).toEqual(wanted);
  expect(Object.values(readZip(await exported('zip', given)))[1]).toContain(text);
  const lines = readJsonl<{ text?: string }>(await exported('jsonl', given));
  expect(lines.slice(0, 3).map((line) => line.text)).toEqual(wanted);
  expect(readFileSync(await exported('llms-full.txt', given), 'utf8')).toContain(text);
});
