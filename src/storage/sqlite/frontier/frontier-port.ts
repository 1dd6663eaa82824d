import { type Frontier, unendingLife } from '../../../core/ports/frontier.ts';
import { workTopic } from '../../rules/frontier/changes.ts';
import { crawlJob, endedJobs, knownUrl } from '../../shared/job-reads.ts';
import { runSteps } from '../file/run-steps.ts';
import type { StoreParts } from '../store-parts.ts';

export function frontierOf(parts: StoreParts): Frontier {
  const { db, writer, changes, read } = parts;
  return {
    isShared: false,
    mayKeepHosts: () => true,
    recover: async ({ openPages, ...recovery }) => {
      parts.hasBrowser = recovery.hasBrowser ?? false;
      parts.openPages = openPages;
      return { ...(await writer.call('recover', recovery)), ...unendingLife };
    },
    leaseHosts: (options = {}) => writer.call('leaseHosts', options),
    leaseUrgentHosts: (most) => writer.call('leaseUrgentHosts', most),
    take: (lease, max) => writer.call('take', lease, max),
    takeSuspect: (aloneDeaths) => writer.call('takeSuspect', aloneDeaths),
    settle: async (lease, settlements, release) => {
      const settled = writer.call('settle', lease, settlements);
      // Requests sent together share a transaction, unless one of them fails.
      await Promise.all([settled, release && writer.call('release', lease, release)]);
    },
    release: (lease, release = {}) => writer.call('release', lease, release),
    giveUp: (lease, error, notice, onlyJob) => writer.call('giveUp', lease, error, notice, onlyJob),
    giveUpForBrowser: (error) => writer.call('giveUpForBrowser', error),
    noteDelay: (host, delayMs) => writer.call('noteDelay', host, delayMs),
    noteNetworks: (jobId, networks) => writer.call('noteNetworks', jobId, networks),
    crawlJob: (id) => read(() => runSteps(db, crawlJob(id))),
    knownUrl: (jobId, key) => read(() => runSteps(db, knownUrl(jobId, key))),
    endedJobs: async (ids) => {
      const { ended, isAnyOverdue } = await read(() => runSteps(db, endedJobs(ids)));
      if (!isAnyOverdue) return ended;
      await writer.call('sweep', Date.now());
      return (await read(() => runSteps(db, endedJobs(ids)))).ended;
    },
    waitForWork: (maxMs, signal) => changes.wait(workTopic, maxMs, signal),
  };
}
