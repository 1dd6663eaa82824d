// Leaves out the tests that are not in the sample.
import path from 'node:path';
import { type RunnerTestFile, TestRunner, type VitestTestRunner } from 'vitest';
import { readDurations, root, secondsOf } from './durations.ts';
import { leaveOut } from './leave-out.ts';
import { chooseTests, type Sample, sampleVariable } from './sample.ts';

export default class SampledRunner extends TestRunner {
  declare onTaskUpdate?: VitestTestRunner['onTaskUpdate'];

  async onBeforeRunFiles(files: readonly RunnerTestFile[]): Promise<void> {
    const sample = JSON.parse(process.env[sampleVariable] ?? '') as Sample;
    const durations = readDurations();
    const leftOut = files.flatMap((file) => {
      const name = path.relative(root, file.filepath).replaceAll(path.sep, '/');
      const project = file.projectName ?? '';
      const seconds = secondsOf(durations, project, name);
      return leaveOut(file, (tests) => chooseTests({ file: name, project, seconds, tests }, sample));
    });
    // vitest's own process knows the tests already, and hears no more of those whose suite is skipped.
    await this.onTaskUpdate?.(
      leftOut.map(({ id, result, meta }) => [id, result, meta]),
      [],
    );
  }
}
