// The files that take longest begin first, so that at the end no core waits for one of them.
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { nameIn, readDurations, root, secondsOf } from './durations.ts';
import { rateOf, sampleVariable } from './sample.ts';

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const durations = readDurations();
    const isSample = process.env[sampleVariable] !== undefined;
    const timeOf = ({ moduleId, project: { name: project } }: TestSpecification): number => {
      const file = path.relative(root, moduleId).replaceAll(path.sep, '/');
      const seconds = secondsOf(durations, project, file);
      const { tests } = durations[nameIn(project, file)] ?? { tests: 1 };
      return isSample ? seconds / rateOf({ file, project, seconds, tests }) : seconds;
    };
    return files.toSorted((a, b) => timeOf(b) - timeOf(a));
  }
}
