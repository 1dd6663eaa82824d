import type { Frontier } from './ports/frontier.ts';

/**
 * A frontier that passes every call on with all of its arguments: for wrappers, which replace some of its methods. It is
 * written out, since a frontier can be an instance of a class, whose methods cannot be copied.
 */
export function forwardFrontier(frontier: Frontier): Frontier {
  return {
    isShared: frontier.isShared,
    mayKeepHosts: (...args) => frontier.mayKeepHosts(...args),
    recover: (...args) => frontier.recover(...args),
    leaseHosts: (...args) => frontier.leaseHosts(...args),
    leaseUrgentHosts: (...args) => frontier.leaseUrgentHosts(...args),
    take: (...args) => frontier.take(...args),
    takeSuspect: (...args) => frontier.takeSuspect(...args),
    settle: (...args) => frontier.settle(...args),
    release: (...args) => frontier.release(...args),
    giveUp: (...args) => frontier.giveUp(...args),
    giveUpForBrowser: (...args) => frontier.giveUpForBrowser(...args),
    noteDelay: (...args) => frontier.noteDelay(...args),
    noteNetworks: (...args) => frontier.noteNetworks(...args),
    crawlJob: (...args) => frontier.crawlJob(...args),
    knownUrl: (...args) => frontier.knownUrl(...args),
    endedJobs: (...args) => frontier.endedJobs(...args),
    waitForWork: (...args) => frontier.waitForWork(...args),
  };
}
