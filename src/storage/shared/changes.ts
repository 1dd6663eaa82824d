import type { JobChanges } from '../../core/ports/changes.ts';
import { readBaseline, readLastRun, readUrlChange } from './baselines.ts';
import { changeReads } from './change-reads.ts';
import { readFeed } from './feed.ts';
import type { OperationsOf } from './operation.ts';
import { texts } from './page-parts.ts';

export const changes: OperationsOf<JobChanges> = {
  ...changeReads,
  ...texts,
  feed: { kind: 'snapshot', steps: readFeed },
  baseline: { kind: 'snapshot', isLong: true, steps: readBaseline },
  changeOf: { kind: 'snapshot', steps: readUrlChange },
  lastRunWith: { kind: 'snapshot', steps: readLastRun },
};
