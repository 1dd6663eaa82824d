// A command that crawls: in this process, or in a running service.
import type { Hayrake, Job } from '../../packages/client/index.ts';
import { UserError } from '../core/errors.ts';
import type { Place } from '../options/option.ts';
import { type Access, explained, ownError, remoteOf } from './access.ts';
import { type Crawling, withCrawling } from './crawling.ts';
import { type Flags, givenAgain } from './flags.ts';
import { type Crawler, followCrawl } from './follow-crawl.ts';
import { inTermsOfFlags } from './option-flags.ts';
import { placeOf } from './output/place.ts';
import { countOf } from './output/progress-display.ts';
import { printable } from './output/terminal.ts';
import type { Program } from './program.ts';

const refreshMs = 200;
/** Requests of one client count towards the rate of its org. */
const remoteRefreshMs = 1_000;

export interface CrawlRequest {
  readonly place: Place;
  /** What error messages call each URL of the request. */
  readonly names: readonly string[];
  /** Makes or takes up the job. */
  readonly begin: (client: Hayrake) => Promise<Job>;
}

/** Crawls, and writes pages as they arrive. Returns the exit code. */
export function crawlWith(program: Program, flags: Flags, request: CrawlRequest): Promise<number> {
  const remote = remoteOf(program, flags);
  const crawl = (access: Access, crawler: Crawler): Promise<number> =>
    explained(access.server, async () => {
      const job = await begun(access, request);
      return followCrawl(program, access, crawler, job, flags);
    });
  if (remote) return crawl(remote, serviceCrawler(program, remote.server, flags));
  return withCrawling(program, flags, (crawling) => crawl(crawling.access, localCrawler(program, crawling, flags)));
}

async function begun({ client, server }: Access, { begin, place, names }: CrawlRequest): Promise<Job> {
  try {
    return await explained(server, () => begin(client));
  } catch (error) {
    throw error instanceof UserError ? inTermsOfFlags(error, place, names, server !== undefined) : error;
  }
}

/** An engine of this process. An interruption marks the job as stopped, so that only `resume` continues it. */
function localCrawler(program: Program, { config, store, access, begin }: Crawling, flags: Flags): Crawler {
  let marking: Promise<string | undefined> = Promise.resolve(undefined);
  return {
    where: `local · data in ${placeOf(config)}`,
    refreshMs,
    begin,
    interrupt: (id) => {
      marking = access.client.stop(id).then(
        () => undefined,
        (given: unknown) => {
          const error = ownError(given);
          return error instanceof Error ? error.message : String(error);
        },
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
function serviceCrawler(program: Program, server: URL, flags: Flags): Crawler {
  return {
    where: `service at ${server.href}`,
    refreshMs: remoteRefreshMs,
    begin: () => Promise.resolve({ done: new Promise<void>(() => {}), stop: () => Promise.resolve() }),
    interrupt: () => {},
    afterwards: ({ id, progress }) => {
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
