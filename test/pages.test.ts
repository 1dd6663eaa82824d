// Whole pages through the whole of extraction. Each is of one kind that the web has many of, and stands beside what it should
// become. After a change that is meant: `npx vitest run test/pages.test.ts -u`, and read the difference.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { extractPage } from '../src/extract/extract-page.ts';

const folder = path.join(import.meta.dirname, 'pages');
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.html') && !name.endsWith('.clean.html'))
  .map((name) => path.basename(name, '.html'));
const formats = { markdown: '.md', text: '.txt', html: '.clean.html' } as const;
const inEveryFormat = new Set(['article', 'media']);

function write(name: string, outputFormat: keyof typeof formats): string {
  const { text } = extractPage(readFileSync(path.join(folder, `${name}.html`), 'utf8'), {
    url: 'https://www.example.com/section/page.html',
    headers: { link: '', refresh: '', contentLanguage: '' },
    robotsTag: new Set(),
    outputFormat,
    content: 'auto',
    excludeElements: null,
  });
  return `${text}\n`;
}

test('there are pages', () => {
  expect(names.length).toBeGreaterThanOrEqual(14);
});

describe.each(names)('%s.html', (name) => {
  test.each(inEveryFormat.has(name) ? (['markdown', 'text', 'html'] as const) : (['markdown'] as const))(
    'as %s',
    async (format) => {
      await expect(write(name, format)).toMatchFileSnapshot(path.join(folder, name + formats[format]));
    },
  );
});
