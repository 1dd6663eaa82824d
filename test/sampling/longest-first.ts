// The files that take longest begin first, so that at the end no core waits for one of them.
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { nameIn, readDurations, root } from './durations.ts';
import { rateOf, sampleVariable } from './sample.ts';

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const durations = readDurations();
    const isSample = process.env[sampleVariable] !== undefined;
    const secondsOf = ({ moduleId, project }: TestSpecification): number => {
      const file = path.relative(root, moduleId);
      const { seconds, tests } = durations[nameIn(project.name, file)] ?? { seconds: 1, tests: 1 };
      return isSample ? seconds / rateOf({ file, project: project.name, seconds, tests }) : seconds;
    };
    return files.toSorted((a, b) => secondsOf(b) - secondsOf(a));
  }
}
