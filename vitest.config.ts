import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { hasBinaries } from './test/postgres/binaries.ts';
import { LongestFirst } from './test/sampling/longest-first.ts';
import { sampleVariable } from './test/sampling/sample.ts';
import { postgresProject, suitesOnPostgres } from './test/tiers.ts';

const ofBoth = {
  setupFiles: ['test/limits.ts', 'test/bundled-threads.ts'],
  // How long `expect.poll` waits if a test says nothing. A busy machine needs more than the second of Vitest.
  expect: { poll: { timeout: 60_000 } },
  // Threads that tests start find their code compiled, types stripped: stripping them takes WebAssembly, and V8 has crashed a process
  // of tests when it freed that of a thread.
  env: { NODE_COMPILE_CACHE: path.join(import.meta.dirname, 'node_modules/.cache/hayrake') },
  ...(process.env[sampleVariable] !== undefined && { runner: 'test/sampling/sampled-runner.ts' }),
};

/** They measure the memory of their process. */
const ownProcess = ['src/crawl/convert/thread/collect-garbage.test.ts'];

export default defineConfig({
  test: {
    globalSetup: ['test/start-program.ts', 'test/postgres/shared-server.ts'],
    // Many tests wait for timers more than they work.
    maxWorkers: 2 * availableParallelism(),
    sequence: { sequencer: LongestFirst },
    // test/tiers.ts says which of them `npm test` runs.
    projects: [
      // A process for many files: one for each takes 0.3 s of processor time more.
      { test: { ...ofBoth, name: 'src', include: ['src/**/*.test.ts'], exclude: ownProcess, isolate: false } },
      { test: { ...ofBoth, name: 'test', include: ['test/**/*.test.ts', ...ownProcess] } },
      ...(await ofPostgres()),
    ],
  },
});

/** Without PostgreSQL there is no such project. Where all services of the tests use PostgreSQL, it would repeat the same tests. */
async function ofPostgres(): Promise<TestProjectInlineConfiguration[]> {
  if (process.env['HAYRAKE_TEST_STORE'] === 'postgres' || !(await hasBinaries())) return [];
  const env = { ...ofBoth.env, HAYRAKE_TEST_STORE: 'postgres' };
  return [{ test: { ...ofBoth, name: postgresProject, include: suitesOnPostgres, env } }];
}
