// The files that take longest begin first, so that at the end no core waits for one of them. `npm run test:all -- --record` writes
// the durations.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const root = path.join(import.meta.dirname, '..');

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = JSON.parse(readFileSync(path.join(root, 'test/durations.json'), 'utf8')) as Record<string, number>;
    const secondsOf = ({ moduleId }: TestSpecification): number => seconds[path.relative(root, moduleId)] ?? 1;
    return files.toSorted((a, b) => secondsOf(b) - secondsOf(a));
  }
}
