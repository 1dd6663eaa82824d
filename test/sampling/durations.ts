// How long each file took when all of its tests ran. `npm run prove -- --only tests` writes test/durations.json.
import { hash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isQuick, postgresProject } from '../tiers.ts';
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

/** What an unlisted file of tests that are no units is taken for, until it has a line. Unlisted units are fast. */
const unlistedSeconds = 20;

/** How long all tests of a file take. */
export function secondsOf(durations: Durations, project: string, file: string): number {
  return durations[nameIn(project, file)]?.seconds ?? (isQuick(file) ? 0 : unlistedSeconds);
}

/** Another sample whenever all tests have run: so a change is checked with the sample that it was tried with. */
export function turnOfSamples(): string {
  return hash('sha256', readFileSync(file));
}

/**
 * In whole seconds. Units of less than two seconds are not worth a line. Other files have one, since a file without a line counts as
 * long. Files that did not run keep their lines.
 */
export function writeDurations(files: readonly TestFile[]): void {
  const ran = files
    .filter(({ file, seconds }) => seconds >= 2 || !isQuick(file))
    .map((one) => [nameIn(one.project, one.file), { seconds: Math.round(one.seconds), tests: one.tests }] as const);
  const ranNames = new Set(files.map((one) => nameIn(one.project, one.file)));
  const kept = Object.entries(readDurations()).filter(([name]) => !ranNames.has(name) && existsSync(fileOf(name)));
  const lines = [...kept, ...ran].map(
    ([name, { seconds, tests }]) => `  ${JSON.stringify(name)}: { "seconds": ${seconds}, "tests": ${tests} }`,
  );
  writeFileSync(file, `{\n${lines.toSorted().join(',\n')}\n}\n`);
}

function fileOf(name: string): string {
  return path.join(root, name.replace(' (PostgreSQL)', ''));
}
