// What readers must find in the Markdown of pages and files of many kinds.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findCliffs } from './facts/cliffs.ts';
import { readFactFiles, wrongFileFacts } from './facts/fact-file.ts';
import { readFactPage, wrongFacts } from './facts/fact-page.ts';

/** Nobody reads what is wrong of these: they tell whether a change of rules was right for pages of the same kinds. */
const heldOutLossesMax = 37;

/** `vitest -u` replaces the list, after a look at what went and what came. */
test('extractPage: keeps the facts of every page but those of the list of known losses', async () => {
  await expect(wrongIn('facts/pages/').join('')).toMatchFileSnapshot('facts/known-losses.txt');
});

test('extractPage: keeps as many facts of the pages held out as before', () => {
  expect(wrongIn('facts/held-out/').length).toBeLessThanOrEqual(heldOutLossesMax);
});

test('extractPage: keeps a part of a page whatever stands around it, but for the list of known cliffs', async () => {
  await expect(findCliffs()).toMatchFileSnapshot('facts/known-cliffs.txt');
});

test('readDocument: keeps the facts of every file but those of the list of known losses', async () => {
  const files = readFactFiles(readFileSync(new URL('facts/files.txt', import.meta.url), 'utf8'));
  const wrong: string[] = [];
  for (const file of files) {
    const bytes = readFileSync(new URL(`facts/files/${file.name}`, import.meta.url));
    for (const fact of await wrongFileFacts(file, bytes)) wrong.push(`${file.name} ${fact}\n`);
  }
  await expect(wrong.join('')).toMatchFileSnapshot('facts/known-file-losses.txt');
});

function wrongIn(folder: string): readonly string[] {
  const at = new URL(folder, import.meta.url);
  return readdirSync(at)
    .toSorted()
    .flatMap((name) => {
      const page = readFactPage(readFileSync(new URL(name, at), 'utf8'));
      return wrongFacts(page).map((fact) => `${name} ${fact}\n`);
    });
}
