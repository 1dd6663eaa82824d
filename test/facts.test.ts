// What readers must find in the Markdown of pages of many kinds.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findCliffs } from './facts/cliffs.ts';
import { readFactPage, wrongFacts } from './facts/fact-page.ts';

const folder = new URL('facts/pages/', import.meta.url);

/** `vitest -u` writes the list anew, after a look at what went and what came. */
test('extractPage: keeps the facts of every page but those of the list of known losses', async () => {
  const wrong = readdirSync(folder)
    .toSorted()
    .flatMap((name) => {
      const page = readFactPage(readFileSync(new URL(name, folder), 'utf8'));
      return wrongFacts(page).map((fact) => `${name} ${fact}\n`);
    });
  await expect(wrong.join('')).toMatchFileSnapshot('facts/known-losses.txt');
});

test('extractPage: keeps a part of a page whatever stands around it, but for the list of known cliffs', async () => {
  await expect(findCliffs()).toMatchFileSnapshot('facts/known-cliffs.txt');
});
