// A reporter: says how long all files took together, and which took longest. If `TEST_RECORD` is set, it writes test/durations.json.
import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node';
import { writeDurations } from './durations.ts';
import type { TestFile } from './sample.ts';

const shown = 10;

export default class Times implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], _: unknown, reason: TestRunEndReason): void {
    const files = modules.map(timeOf).toSorted((a, b) => b.seconds - a.seconds);
    const sum = files.reduce((seconds, file) => seconds + file.seconds, 0);
    console.log(`\n ${files.length} files took ${sum.toFixed(0)} s, side by side. The longest:`);
    for (const { file, project, seconds, tests } of files.slice(0, shown))
      console.log(`${seconds.toFixed(0).padStart(6)} s  ${project.padEnd(8)} ${file} (${tests} tests)`);
    if (process.env['TEST_RECORD'] !== undefined && reason === 'passed') writeDurations(files);
  }
}

/** A test that was skipped counts as none. */
function timeOf(module: TestModule): TestFile {
  const ran = [...module.children.allTests()].filter((test) => test.result().state !== 'skipped');
  return {
    file: module.relativeModuleId,
    project: module.project.name,
    seconds: module.diagnostic().duration / 1000,
    tests: ran.length,
  };
}
