// A command that crawls: in this process, or in a running service.
import type { Hayrake, Job as JobAnswer } from '../../packages/client/index.ts';
import type { Config } from '../config/config.ts';
import { UserError } from '../core/errors.ts';
import type { Job } from '../core/job.ts';
import type { Store } from '../core/ports/stores.ts';
import type { CreateJobParts } from '../jobs/create-job.ts';
import { defaultOrg } from '../jobs/tokens.ts';
import type { Place } from '../options/option.ts';
import { withCrawlingStore } from './crawling-store.ts';
import { type Flags, givenAgain } from './flags.ts';
import { type Crawler, followCrawl } from './follow-crawl.ts';
import { inTermsOfFlags } from './option-flags.ts';
import { placeOf } from './output/place.ts';
import { countOf } from './output/progress-display.ts';
import { printable } from './output/terminal.ts';
import type { Program } from './program.ts';
import { askService, serviceVerbs, shownJob } from './verbs/service-verbs.ts';
import { storeVerbs } from './verbs/store-verbs.ts';
import type { ShownJob } from './verbs/verbs.ts';
import { type Remote, remoteOf } from './verbs/with-verbs.ts';

const refreshMs = 200;
/** Requests of one client count towards the rate of its org. */
const remoteRefreshMs = 1_000;

export interface CrawlRequest {
  readonly place: Place;
  /** What error messages call each URL of the request. */
  readonly names: readonly string[];
  /** Makes or takes up the job in a store. */
  readonly here: (parts: CreateJobParts) => Promise<Job>;
  /** The same in a service. */
  readonly there: (client: Hayrake) => Promise<JobAnswer>;
}

/** Crawls, and writes pages as they arrive. Returns the exit code. */
export async function crawlWith(program: Program, flags: Flags, request: CrawlRequest): Promise<number> {
  const remote = remoteOf(program, flags);
  if (remote) {
    const job = await inFlags(request, true, () =>
      askService(remote.server, async () => shownJob(await request.there(remote.client))),
    );
    const verbs = serviceVerbs(remote.client, remote.server);
    return followCrawl(program, verbs, serviceCrawler(program, remote, flags), job, flags);
  }
  return withCrawlingStore(program, flags, async (config, store) => {
    const destinations = program.createDestinations(config);
    try {
      const parts = {
        jobs: store.jobs,
        destinations,
        hasBrowser: () => program.hasBrowser(config),
        hasModel: config.modelUrl !== undefined,
        outputExpirySeconds: config.outputExpirySeconds,
      };
      const job = await inFlags(request, false, () => request.here(parts));
      const crawler = localCrawler(program, config, store, flags);
      return await followCrawl(program, storeVerbs(program, config, store), crawler, job, flags);
    } finally {
      await destinations.close();
    }
  });
}

async function inFlags<Result>(
  { place, names }: CrawlRequest,
  isRemote: boolean,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof UserError ? inTermsOfFlags(error, place, names, isRemote) : error;
  }
}

/** An engine of this process. An interruption marks the job as stopped, so that only `resume` continues it. */
function localCrawler(program: Program, config: Config, store: Store, flags: Flags): Crawler {
  let marking: Promise<string | undefined> = Promise.resolve(undefined);
  return {
    where: `local · data in ${placeOf(config)}`,
    isRemote: false,
    refreshMs,
    begin: (onlyJob) => program.startEngine(config, store, { onlyJob }, program.createLog(config)),
    interrupt: (id) => {
      marking = store.jobs.stop(defaultOrg, id).then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      store.stopWaiting();
    },
    afterwards: async ({ id, progress: { scraped, queued, inFlight } }) => {
      const unmarked = await marking;
      return [
        `Stopped: ${countOf(scraped, 'page')} kept, ${countOf(queued + inFlight, 'URL')} still to crawl.`,
        ...(unmarked === undefined
          ? []
          : [
              `The next \`serve\` on this data continues the crawl, because it could not be marked: ${printable(unmarked)}`,
            ]),
        `Next   ${[program.command, 'resume', id, ...givenAgain(program, flags)].join(' ')}`,
      ];
    },
  };
}

/** The service crawls, whether or not this command waits for it. */
function serviceCrawler(program: Program, { server }: Remote, flags: Flags): Crawler {
  return {
    where: `service at ${server.href}`,
    isRemote: true,
    refreshMs: remoteRefreshMs,
    begin: () => Promise.resolve({ done: new Promise<void>(() => {}), stop: () => Promise.resolve() }),
    interrupt: () => {},
    afterwards: ({ id, progress }: ShownJob) => {
      const again = givenAgain(program, { server: flags['server'], config: flags['config'] });
      const get = [program.command, 'get', id, ...givenAgain(program, flags)].join(' ');
      return Promise.resolve([
        `The service continues the crawl, with ${countOf(progress.scraped, 'page')} so far.`,
        `Next   ${get}   its pages`,
        `       ${[program.command, 'cancel', id, ...again].join(' ')}   end it`,
      ]);
    },
  };
}
