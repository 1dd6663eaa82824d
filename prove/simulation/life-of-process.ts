// One life of the crawling process in a simulation: the real worker, lanes, politeness, circuit breaker and robots
// gate, on the real statements of the store, with a simulated web and converter. After its death none of it acts any
// more.
import type { Frontier } from '../../src/core/ports/frontier.ts';
import type { Fetcher } from '../../src/core/ports/fetcher.ts';
import type { Log } from '../../src/core/ports/log.ts';
import { HostGate } from '../../src/crawl/pace/host-gate.ts';
import { JobCache } from '../../src/crawl/job/job-cache.ts';
import { JobCookies } from '../../src/crawl/job/job-cookies.ts';
import { JobEnds } from '../../src/crawl/job/job-ends.ts';
import { BodyBudget } from '../../src/crawl/path/body-budget.ts';
import { createPoliteFetcher, Pacer } from '../../src/crawl/pace/politeness.ts';
import { createProcessor } from '../../src/crawl/path/process-request.ts';
import { RedirectTargets } from '../../src/crawl/memory/redirect-targets.ts';
import { RobotsGate } from '../../src/crawl/pace/robots-gate.ts';
import { OutcomeWatch } from '../../src/crawl/memory/outcome-watch.ts';
import { ScriptLinks } from '../../src/crawl/memory/script-links.ts';
import { TemplateWatch } from '../../src/crawl/memory/template-watch.ts';
import { runWorker } from '../../src/crawl/worker.ts';
import type { Converter } from '../../src/crawl/convert/converter.ts';
import { KnownLinks } from '../../src/crawl/convert/thread/known-links.ts';
import { dedupeKey } from '../../src/url/dedupe-key.ts';
import { compileJob, judgeLink } from '../../src/url/scope.ts';
import { page } from '../../test/storage/test-data.ts';

export interface ProcessOptions {
  readonly concurrency: number;
  readonly hostConcurrency: number;
  readonly giveUpMs: number;
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Works until it is stopped; rejects when the store fails. */
export async function runProcess(
  frontier: Frontier,
  fetcher: Fetcher,
  options: ProcessOptions,
  stop: AbortSignal,
): Promise<void> {
  const { suspects } = await frontier.recover({ delayMs: 0 });
  const pacer = new Pacer({ concurrency: options.hostConcurrency, delayMs: 0 }, { giveUpMs: options.giveUpMs });
  const polite = createPoliteFetcher(fetcher, pacer, stop);
  const gate = new HostGate({
    robots: new RobotsGate(polite, { deadlineMs: 15_000 }),
    pacer,
    noteDelay: (host, delayMs) => frontier.noteDelay(host, delayMs),
  });
  const processor = createProcessor(
    {
      fetcher: polite,
      bodyBudget: new BodyBudget(64 * 2 ** 20),
      pacer,
      converter: createConverter(),
      gate,
      watch: new TemplateWatch(),
      outcomes: new OutcomeWatch(),
      scriptLinks: new ScriptLinks(),
      cookies: new JobCookies(),
      targets: new RedirectTargets(frontier, { isShared: false }),
      jobs: new JobCache(frontier),
      jobEnds: new JobEnds(frontier, stop),
      log: silent,
    },
    { retry: { baseMs: 1_000 }, fetchDeadlineMs: 30_000, fetchSilenceMs: 30_000, bodyBytesMax: 1_000_000 },
    stop,
  );
  await runWorker(
    frontier,
    processor,
    { concurrency: options.concurrency, pacer, suspects, abort: () => {} },
    stop,
    silent,
  );
}

/**
 * A body has one link per line; the text of a page is its address. Links are reported once, as by a converter thread.
 */
function createConverter(): Converter {
  const known = new KnownLinks();
  let conversion = 0;
  return {
    async convertPage({ job, requestUrl, fetchedUrl, depth, body }) {
      const judged = compileJob(job);
      const links = new TextDecoder()
        .decode(body)
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => judgeLink({ url: new URL(line), nofollow: false, depth: depth + 1 }, judged));
      return {
        kind: 'page',
        page: page(requestUrl, { fetchedKey: dedupeKey(new URL(fetchedUrl)) }),
        links: known.untold(++conversion, job.name, links),
        conversion,
      };
    },
    readSitemap: async () => ({ urls: [], sitemaps: [] }),
    committed: (conversions) => known.committed(conversions),
    close: async () => {},
  };
}
