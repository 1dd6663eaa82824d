// The tools of `hayrake mcp` on a data directory. The process crawls only while somebody uses it: several clients
// start one `hayrake mcp` each, keep it for days, and mostly share a directory.
import type { Config } from '../config/config.ts';
import { ExitError, exitCodes, UserError } from '../core/errors.ts';
import type { Log } from '../core/ports/log.ts';
import type { Store } from '../core/ports/stores.ts';
import { defaultOrg } from '../jobs/tokens.ts';
import { remoteToolbox } from '../mcp/remote-toolbox.ts';
import { explainError } from '../mcp/tool-error.ts';
import { type ToolResponse, type Toolbox, tools } from '../mcp/toolbox.ts';
import { withStore } from './access.ts';
import { placeOf } from './output/place.ts';
import type { Door, Engine, Program } from './program.ts';

/** How long the directory stays in use after the last call, while no job runs. */
const idleMs = 60_000;
const jobsLookedAt = 400;

/** The open store of a crawling process. */
interface Crawler {
  readonly store: Store;
  readonly engine: Engine;
  readonly door: Door;
}

export class EmbeddedTools implements Toolbox {
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

  async call(name: string, args: unknown, signal: AbortSignal): Promise<ToolResponse> {
    if (this.#isClosing) return unavailable('hayrake is stopping.');
    clearTimeout(this.#idle);
    this.#calls++;
    const use = ({ fetch }: Door): Promise<ToolResponse> => this.#toolbox(fetch).call(name, args, signal);
    const kind = tools.find((tool) => tool.name === name)?.kind ?? 'reads';
    try {
      if (kind === 'starts') return await use((await this.#open()).door);
      // A job that an earlier process left unfinished continues when somebody waits for it.
      const crawls = this.#crawler !== undefined || (kind === 'follows' && (await this.#hasRunningJobs()));
      const crawler = crawls ? await this.#open().catch(ifInUse) : undefined;
      return crawler ? await use(crawler.door) : await this.#reading(use);
    } catch (error) {
      if (error instanceof ExitError) return unavailable(messageOf(error));
      this.#log.error('a tool failed', { tool: name, error });
      return {
        text: 'internal: An internal error occurred. Standard error of `hayrake mcp` says more.',
        isError: true,
      };
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

  /** The tools of the API, in this process. */
  #toolbox(fetch: Door['fetch']): Toolbox {
    return remoteToolbox({
      server: placeOf(this.#config),
      post: async (body, given, signal) => {
        const headers = { ...given, 'content-type': 'application/json' };
        const response = await fetch('http://localhost/mcp', { method: 'POST', headers, body, signal });
        const { status } = response;
        return { status, contentType: response.headers.get('content-type') ?? '', text: await response.text() };
      },
    });
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
      return { store, engine, door: await program.openDoor(config, store, { log, engine: () => engine }) };
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
    const { store, engine, door } = crawler;
    try {
      store.stopWaiting();
      await engine.stop();
    } catch (error) {
      // Everything that was stored is on disk. The next process does the rest again.
      this.#log.error('the crawl did not stop in order', { error });
    }
    await door.close();
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

  #hasRunningJobs(): Promise<boolean> {
    return withStore(this.#program, this.#config, {}, hasRunningJobs);
  }

  /** Reads next to the process that crawls with the directory. */
  #reading(use: (door: Door) => Promise<ToolResponse>): Promise<ToolResponse> {
    return withStore(this.#program, this.#config, {}, async (store) => {
      const door = await this.#program.openDoor(this.#config, store, { log: this.#log });
      try {
        return await use(door);
      } finally {
        await door.close();
      }
    });
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

function unavailable(message: string): ToolResponse {
  return { text: explainError(new UserError('unavailable', message)) ?? message, isError: true };
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
