// The tools of `hayrake mcp` on a data directory. The process crawls only while somebody uses it: several clients
// start one `hayrake mcp` each, keep it for days, and mostly share a directory.
import type { Config } from '../config/config.ts';
import { ExitError, exitCodes, UserError } from '../core/errors.ts';
import { permissions } from '../core/permissions.ts';
import type { DestinationPolicy } from '../core/ports/fetcher.ts';
import type { Log } from '../core/ports/log.ts';
import type { Store } from '../core/ports/stores.ts';
import { defaultOrg } from '../jobs/tokens.ts';
import type { Tool, ToolContext } from '../mcp/tool.ts';
import type { Engine, Program } from './program.ts';

type Use = (context: Omit<ToolContext, 'signal'>) => Promise<string>;

/** How long the directory stays in use after the last call, while no job runs. */
const idleMs = 60_000;
const jobsLookedAt = 400;

/** The open store of a crawling process. */
interface Crawler {
  readonly store: Store;
  readonly engine: Engine;
  readonly destinations: DestinationPolicy & { close(): Promise<void> };
}

export class EmbeddedTools {
  readonly #program: Program;
  readonly #config: Config;
  readonly #log: Log;
  #crawler: Promise<Crawler> | undefined;
  #released: Promise<void> = Promise.resolve();
  #calls = 0;
  #idle: NodeJS.Timeout | undefined;
  #isClosing = false;

  constructor(program: Program, config: Config, log: Log) {
    this.#program = program;
    this.#config = config;
    this.#log = log;
  }

  /** Runs one call of a tool. */
  async run({ kind }: Tool, use: Use): Promise<string> {
    if (this.#isClosing) throw new UserError('unavailable', 'hayrake is stopping.');
    clearTimeout(this.#idle);
    this.#calls++;
    try {
      if (kind === 'starts') return await this.#withCrawler(await this.#open(), use);
      // A job that an earlier process left unfinished continues when somebody waits for it.
      const crawls = this.#crawler !== undefined || (kind === 'follows' && (await this.#hasRunningJobs()));
      const crawler = crawls ? await this.#open().catch(ifInUse) : undefined;
      return crawler ? await this.#withCrawler(crawler, use) : await this.#reading(use);
    } catch (error) {
      throw error instanceof ExitError ? new UserError('unavailable', messageOf(error)) : error;
    } finally {
      this.#calls--;
      if (this.#calls === 0 && this.#crawler) this.#closeWhenIdle();
    }
  }

  /** Finishes pages in flight and closes the store. Jobs that have not ended continue in the next process. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#idle);
    await this.#release();
  }

  #open(): Promise<Crawler> {
    this.#crawler ??= this.#startCrawler().catch((error: unknown) => {
      this.#crawler = undefined;
      throw error;
    });
    return this.#crawler;
  }

  async #startCrawler(): Promise<Crawler> {
    const [program, config, log] = [this.#program, this.#config, this.#log];
    await this.#released;
    const store = await program.openStore(config, { crawling: true });
    try {
      const engine = await program.startEngine(config, store, {}, log);
      // It ends by itself only if the store fails. The next call opens the store again, or reports what is wrong.
      engine.done.catch((error: unknown) => {
        log.error('the crawl ended', { error });
        this.#release().catch((again: unknown) =>
          log.error('the data directory could not be closed', { error: again }),
        );
      });
      return { store, engine, destinations: program.createDestinations(config) };
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  #release(): Promise<void> {
    const opening = this.#crawler;
    this.#crawler = undefined;
    if (opening) this.#released = this.#end(opening);
    return this.#released;
  }

  async #end(opening: Promise<Crawler>): Promise<void> {
    const crawler = await opening.catch(() => undefined);
    if (!crawler) return;
    const { store, engine, destinations } = crawler;
    try {
      store.stopWaiting();
      await engine.stop();
    } catch (error) {
      // Everything that was stored is on disk. The next process does the rest again.
      this.#log.error('the crawl did not stop in order', { error });
    }
    await destinations.close();
    await store.close();
  }

  #closeWhenIdle(): void {
    this.#idle = setTimeout(() => {
      this.#releaseIfIdle().catch((error: unknown) => this.#log.error('the directory was not released', { error }));
    }, idleMs);
    this.#idle.unref();
  }

  async #releaseIfIdle(): Promise<void> {
    const { store } = (await this.#crawler) ?? {};
    if (!store) return;
    const isCrawling = await hasRunningJobs(store);
    if (this.#calls > 0) return;
    if (isCrawling) this.#closeWhenIdle();
    else await this.#release();
  }

  async #hasRunningJobs(): Promise<boolean> {
    const store = await this.#program.openStore(this.#config, { crawling: false });
    try {
      return await hasRunningJobs(store);
    } finally {
      await store.close();
    }
  }

  #withCrawler({ store, destinations }: Crawler, use: Use): Promise<string> {
    return use(this.#context(store, destinations));
  }

  /** Reads next to the process that crawls with the directory. */
  async #reading(use: Use): Promise<string> {
    const store = await this.#program.openStore(this.#config, { crawling: false });
    const destinations = this.#program.createDestinations(this.#config);
    try {
      return await use(this.#context(store, destinations));
    } finally {
      await destinations.close();
      await store.close();
    }
  }

  #context(store: Store, destinations: DestinationPolicy): Omit<ToolContext, 'signal'> {
    const { search, webhookHttp, outputExpirySeconds } = this.#config;
    return {
      parts: {
        jobs: store.jobs,
        pages: store.pages,
        changes: store.changes,
        schedules: store.schedules,
        search: search === 'on' ? store.search : undefined,
        cursors: this.#program.cursorsOf(store),
        destinations,
        hasBrowser: () => store.hasBrowser(),
        hasModel: this.#config.modelUrl !== undefined,
        webhookHttp,
        outputExpirySeconds,
        // One user: clients send few calls at a time.
        withMemory: (_org, _signal, run) => run(),
      },
      caller: { org: defaultOrg, permissions },
    };
  }
}

/** Jobs that are stopped until somebody resumes them do not count. */
async function hasRunningJobs({ jobs }: Store): Promise<boolean> {
  for (const status of ['running', 'starting'] as const) {
    const { jobs: found } = await jobs.list(defaultOrg, { status, limit: jobsLookedAt });
    if (found.some(({ stoppedAt }) => stoppedAt === null)) return true;
  }
  return false;
}

function messageOf({ exitCode, message }: ExitError): string {
  if (exitCode !== exitCodes.directoryInUse) return message;
  return `${message} To share one directory, run \`hayrake serve\` with it, and start this program as \`hayrake mcp --server URL\` with its address and HAYRAKE_TOKEN. Stored pages can be read meanwhile: crawl_status, pages, page, search, why and changes work.`;
}

/** Undefined if another process crawls with the directory. */
function ifInUse(error: unknown): undefined {
  if (error instanceof ExitError && error.exitCode === exitCodes.directoryInUse) return undefined;
  throw error;
}
