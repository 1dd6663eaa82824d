// How long each file took when all of its tests ran. `npm run prove -- --only tests` writes test/durations.json.
import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { postgresProject } from '../tiers.ts';
import type { TestFile } from './sample.ts';

export const root = path.join(import.meta.dirname, '../..');
const file = path.join(root, 'test/durations.json');

/** The name of a file in test/durations.json. */
export function nameIn(project: string, name: string): string {
  return project === postgresProject ? `${name} (PostgreSQL)` : name;
}

export type Durations = Readonly<Record<string, Pick<TestFile, 'seconds' | 'tests'>>>;

export function readDurations(): Durations {
  return JSON.parse(readFileSync(file, 'utf8')) as Durations;
}

/** Another sample whenever all tests have run: so a change is checked with the sample that it was tried with. */
export function turnOfSamples(): string {
  return hash('sha256', readFileSync(file));
}

/** In whole seconds; files of less than two are not worth a line. */
export function writeDurations(files: readonly TestFile[]): void {
  const lines = files
    .filter(({ seconds }) => seconds >= 2)
    .map(
      (one) =>
        `  ${JSON.stringify(nameIn(one.project, one.file))}: { "seconds": ${Math.round(one.seconds)}, "tests": ${one.tests} }`,
    )
    .toSorted();
  writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`);
}
