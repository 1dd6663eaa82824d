import { type Frontier, unendingLife } from '../../src/core/ports/frontier.ts';
import type { SimulatedStore } from './simulated-store.ts';

/** What a simulation decides about a connection to the store. */
export interface Connection {
  /** Performs an operation, sooner or later. `changesJobs`: counters of jobs can differ afterwards. */
  readonly call: <Answer>(operation: () => Answer, options?: { readonly changesJobs: boolean }) => Promise<Answer>;
  readonly waitForWork: Frontier['waitForWork'];
}

/** The frontier of a simulated store over a connection. */
export function createFrontier(store: SimulatedStore, { call, waitForWork }: Connection): Frontier {
  const { frontier } = store;
  const change = <Answer>(operation: () => Answer): Promise<Answer> => call(operation, { changesJobs: true });
  return {
    isShared: false,
    mayKeepHosts: () => true,
    recover: (options) => change(() => ({ ...frontier.recover(options), ...unendingLife })),
    leaseHosts: (options = {}) => change(() => frontier.leaseHosts(options)),
    leaseUrgentHosts: (most) => change(() => frontier.leaseUrgentHosts(most)),
    take: (lease, max) => call(() => frontier.take(lease, max)),
    takeSuspect: (aloneDeaths) => call(() => frontier.takeSuspect(aloneDeaths)),
    settle: (lease, settlements, release) =>
      change(() => {
        frontier.settle(lease, settlements);
        if (release) frontier.release(lease, release);
      }),
    release: (lease, options = {}) => change(() => frontier.release(lease, options)),
    giveUp: (...args) => change(() => frontier.giveUp(...args)),
    giveUpForBrowser: (error) => change(() => frontier.giveUpForBrowser(error)),
    noteDelay: (host, delayMs) => call(() => frontier.noteDelay(host, delayMs)),
    noteNetworks: (_jobId, networks) => call(() => networks),
    crawlJob: (id) => call(() => store.crawlJob(id)),
    knownUrl: (jobId, key) => call(() => store.knownUrl(jobId, key)),
    endedJobs: (ids) => call(() => store.endedJobs(ids)),
    waitForWork,
  };
}
