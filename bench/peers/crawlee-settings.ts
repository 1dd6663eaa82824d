// Crawlee's settings where it is tuned: no protection of machine or site that is not needed here.
import { type CheerioCrawlerOptions, Configuration } from '@crawlee/cheerio';

type Tuned = Pick<
  CheerioCrawlerOptions,
  | 'minConcurrency'
  | 'maxConcurrency'
  | 'autoscaledPoolOptions'
  | 'maxRequestRetries'
  | 'sameDomainDelaySecs'
  | 'useSessionPool'
  | 'persistCookiesPerSession'
  | 'retryOnBlocked'
> & { preNavigationHooks: ((context: unknown, options: { useHeaderGenerator?: boolean }) => void)[] };

export function tuned(concurrency: number): Tuned {
  return {
    // Equal bounds: the pool neither starts slowly nor backs off.
    minConcurrency: concurrency,
    maxConcurrency: concurrency,
    autoscaledPoolOptions: { loggingIntervalSecs: null },
    maxRequestRetries: 0,
    sameDomainDelaySecs: 0,
    // Neither proxies nor blocking here, so sessions would be work for nothing.
    useSessionPool: false,
    persistCookiesPerSession: false,
    retryOnBlocked: false,
    preNavigationHooks: [
      (_context, options) => {
        // Making up a browser's headers for each request costs CPU and serves nobody here.
        options.useHeaderGenerator = false;
      },
    ],
  };
}

/** The queue of requests in memory, or in files as Crawlee has it unless told otherwise. */
export function configuration(persistStorage: boolean): Configuration {
  return new Configuration({ persistStorage, availableMemoryRatio: 1, maxUsedCpuRatio: 1 });
}
