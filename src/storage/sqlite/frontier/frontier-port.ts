import { type Frontier, unendingLife } from '../../../core/ports/frontier.ts';
import { workTopic } from '../../rules/frontier/changes.ts';
import { endedJobsOf } from '../../shared/job-reads.ts';
import { frontierMethods } from './frontier-methods.ts';
import type { StoreParts } from '../store-parts.ts';

export function frontierOf(parts: StoreParts): Frontier {
  const { writer, changes, shared } = parts;
  return {
    isShared: false,
    mayKeepHosts: () => true,
    ...writer.methods(frontierMethods),
    recover: async ({ openPages, ...recovery }) => {
      Object.assign(parts.own, { hasBrowser: recovery.hasBrowser ?? false, openPages });
      return { ...(await writer.call('recover', recovery)), ...unendingLife };
    },
    settle: async (lease, settlements, release) => {
      const settled = writer.call('settle', lease, settlements);
      // Requests sent together share a transaction, unless one of them fails.
      await Promise.all([settled, release && writer.call('release', lease, release)]);
    },
    ...shared.frontier,
    endedJobs: endedJobsOf(shared.endings, () => writer.call('sweep', Date.now())),
    waitForWork: (maxMs, signal) => changes.wait(workTopic, maxMs, signal),
  };
}
