// Which tests run when. `npm test` runs what a change normally breaks. `npm run test:all` runs the same, and of each other file that
// takes long a sample (test/sampling/sample.ts). `npm test -- --changed` runs what depends on the changed files. Paths are relative to
// the repository, with slashes.
import { matchesGlob } from 'node:path';

/** Tests of `src` that `npm test` leaves out: they need PostgreSQL, or take long. */
const slowUnits = [
  'src/storage/postgres/**',
  'src/storage/sqlite/search/sqlite-search.test.ts',
  'src/storage/sqlite/special-contracts.test.ts',
  'src/extract/hostile-pages.test.ts',
];

/** Tests outside `src` that `npm test` runs: contracts of the API, and a crawl through the API, the command line and the client. */
const quickOthers = [
  'test/*.test.ts',
  'test/cli/output.test.ts',
  'test/cli/page-files.test.ts',
  'test/client/verbs.test.ts',
  'test/e2e/demo-site.test.ts',
  'test/prove/mutants.test.ts',
  'test/sampling/*.test.ts',
  'test/service/jobs-api.test.ts',
  'test/service/results-contract.test.ts',
];

/**
 * Of these, `npm run test:all` runs every test: they guard the private network or the cost of a page, prepare for most of their
 * time, or are a sample.
 */
const wholeOthers = [
  'test/egress/**',
  'test/e2e/hostile-connections.test.ts',
  'test/prove/mutants.all.test.ts',
  'test/service/cost-of-a-page.test.ts',
  'test/service/pairs.all.test.ts',
];

/** The project that runs {@link suitesOnPostgres}. */
export const postgresProject = 'postgres';

/** Suites that run on SQLite, and in `npm run test:all` once more on PostgreSQL. */
export const suitesOnPostgres = [
  'test/e2e/kill.all.test.ts',
  'test/e2e/live-reading.test.ts',
  'test/e2e/poison.all.test.ts',
  'test/e2e/retry.test.ts',
  'test/render/screenshots-kill.all.test.ts',
  'test/service/diff.test.ts',
  'test/service/since.test.ts',
  'test/service/pairs.all.test.ts',
  'test/service/erase.test.ts',
  'test/service/dropped.test.ts',
  'test/service/explore.test.ts',
  'test/service/export.test.ts',
  'test/service/raw-bodies.test.ts',
  'test/service/reextract.test.ts',
  'test/service/findings.test.ts',
  'test/service/firecrawl.test.ts',
  'test/service/in-flight.test.ts',
  'test/service/jobs-api.test.ts',
  'test/service/loader-and-reader.test.ts',
  'test/service/map-and-batch.test.ts',
  'test/service/results-contract.test.ts',
  'test/service/results-property.all.test.ts',
  'test/service/schedule-feed.test.ts',
  'test/service/revisit.test.ts',
  'test/service/search.test.ts',
  'test/service/sessions.test.ts',
  'test/service/since.test.ts',
];

/**
 * Tests that start the program in a process of its own import none of its sources. This lists those that a change of the
 * sources needs, besides the tests of `npm test` and the folder in `test` that has the name of the changed folder.
 */
const testsOfProgram: Readonly<Record<string, readonly string[]>> = {
  'src/api/': ['test/service/bad-input.test.ts', 'test/service/openapi.test.ts', 'test/service/tokens.test.ts'],
  'src/crawl/': ['test/e2e/nothing-lost.test.ts', 'test/e2e/politeness.test.ts', 'test/sites/sites.test.ts'],
  'src/documents/': ['test/e2e/linked-files.test.ts', 'test/e2e/hostile-files.test.ts'],
  'src/extract/': ['test/e2e/hostile-pages.test.ts', 'test/sites/sites.test.ts'],
  'src/fetch/': ['test/e2e/hostile-bodies.test.ts', 'test/e2e/hostile-connections.test.ts', 'test/egress/**'],
  'src/notify/': ['test/e2e/webhooks.test.ts'],
  'src/robots/': ['test/e2e/robots-http.test.ts'],
};

const matches = (file: string, globs: readonly string[]): boolean => globs.some((glob) => matchesGlob(file, glob));

const isUnit = (file: string): boolean => file.startsWith('src/');

/** Whether `npm test` runs this file. */
export function isQuick(file: string): boolean {
  return isUnit(file) ? !matches(file, slowUnits) : matches(file, quickOthers);
}

/** Whether `npm run test:all` runs every test of this file, however long it takes. */
export function isWhole(file: string): boolean {
  return isQuick(file) || matches(file, wholeOthers);
}

/**
 * What `npm test -- --changed` runs of `all` tests. `related` are those that import a changed file: they run where they are
 * units or quick. The others need a changed folder that names them.
 */
export function testsOfChange(
  all: readonly string[],
  related: ReadonlySet<string>,
  changed: readonly string[],
): string[] {
  const folders = new Set(changed.flatMap((file) => /^(?:src|packages)\/([^/]+)\//.exec(file)?.[1] ?? []));
  const isProgram = changed.some((file) => file.startsWith('src/'));
  const named = [
    ...Array.from(folders, (folder) => `test/${folder}/**`),
    ...Object.entries(testsOfProgram).flatMap(([folder, tests]) =>
      changed.some((file) => file.startsWith(folder)) ? tests : [],
    ),
  ];
  return all.filter(
    (file) =>
      changed.includes(file) ||
      (related.has(file) && (isUnit(file) || isQuick(file))) ||
      (isProgram && !isUnit(file) && isQuick(file)) ||
      matches(file, named),
  );
}
