// The browsers of this program: one that takes pages, and one for each page that is rendered alone.
import type { Log } from '../core/ports/log.ts';
import { BrowserLife, type TabLimits } from './browser-life.ts';
import { type BrowserMemory, openBrowserMemory } from './browser-memory.ts';
import { BrowserGoneError } from './cdp-pipe.ts';
import { launchBrowser, LaunchError, type LaunchOptions, type RunningBrowser } from './launch-browser.ts';
import { type RefusingProxy, openRefusingProxy } from './refusing-proxy.ts';

export interface BrowserRendererOptions {
  readonly binary: string;
  /** Absent: the browser runs without a network namespace and without its own sandbox. */
  readonly bwrap?: string | undefined;
  /** Pages at a time. */
  readonly pages: number;
  readonly log: Log;
  /** @default the limits of `tab.ts` */
  readonly limits?: TabLimits;
  /** @default the best means of this system */
  readonly openMemory?: () => Promise<BrowserMemory>;
}

/** The figures for `/metrics`. */
export interface BrowserStatus {
  /** Starts after the first one. */
  readonly restarts: number;
  /** Memory of all browser processes, not counting what they share. */
  readonly memoryBytes: number;
  /** Connections that bypassed the interception and were refused. */
  readonly refusedConnections: number;
}

/** A start is repeated if the browser is killed from outside, up to so many times. */
const killsMax = 10;
/** After a failed start, the browser is not started for this long. */
const brokenMs = 30_000;
/** In a namespace nothing listens, so any port refuses. */
const closedPort = 9;

export class BrowserLives {
  readonly #options: BrowserRendererOptions;
  readonly #log: Log;
  readonly #lives = new Set<BrowserLife>();
  #proxy: Promise<RefusingProxy> | undefined;
  #openProxy: RefusingProxy | undefined;
  #memory: Promise<BrowserMemory> | undefined;
  #openedMemory: BrowserMemory | undefined;
  /** One start at a time, however many pages wait for it. */
  #current: Promise<BrowserLife> | undefined;
  /** The last that it led to. */
  #taking: BrowserLife | undefined;
  #starts = 0;
  #brokenUntil = 0;
  #isClosed = false;

  constructor(options: BrowserRendererOptions) {
    this.#options = options;
    this.#log = options.log;
  }

  /** Starts a browser. Rejects if it cannot be started at the moment. */
  async start(): Promise<BrowserLife> {
    if (this.#isClosed || performance.now() < this.#brokenUntil)
      throw new BrowserGoneError('The browser cannot be started at the moment.');
    const { openMemory = openBrowserMemory, pages, limits = {} } = this.#options;
    const memory = await (this.#memory ??= openMemory());
    this.#openedMemory = memory;
    const browser = await this.#launch({ ...this.#options, memory, proxyPort: await this.#proxyPort() }).catch(
      (error: unknown) => {
        this.#brokenUntil = performance.now() + brokenMs;
        this.#log.error('the browser could not be started', { error });
        throw error;
      },
    );
    this.#starts++;
    const life = new BrowserLife(browser, pages, limits);
    this.#lives.add(life);
    memory.watch(life);
    void browser.ended.then(() => this.#lives.delete(life));
    if (this.#isClosed) await life.kill();
    return life;
  }

  /** Returns the browser that takes pages. */
  async taking(): Promise<BrowserLife> {
    for (;;) {
      const asked = (this.#current ??= this.start());
      try {
        const life = (this.#taking = await asked);
        if (life.isTaking) return life;
      } catch (error) {
        if (this.#current === asked) this.#current = undefined;
        throw error;
      }
      // The first caller that notices replaces it.
      if (this.#current === asked) this.#current = undefined;
    }
  }

  /** Resolves when a browser takes pages, or none could be started. Undefined if none has to be started, or can be. */
  starting(): Promise<void> | undefined {
    if (this.#taking?.isTaking === true || this.#isClosed || performance.now() < this.#brokenUntil) return undefined;
    return this.taking().then(
      () => {},
      () => {},
    );
  }

  /** Ends each browser after its pages. */
  retire(): void {
    this.#current = undefined;
    for (const life of this.#lives) life.retire();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#current?.catch(() => {});
    await Promise.all([...this.#lives].map((life) => life.kill()));
    await (await this.#memory)?.close();
    this.#openProxy?.close();
  }

  status(): BrowserStatus {
    return {
      restarts: Math.max(0, this.#starts - 1),
      memoryBytes: this.#openedMemory?.bytes ?? 0,
      refusedConnections: this.#openProxy?.refused ?? 0,
    };
  }

  async #launch(launch: LaunchOptions): Promise<RunningBrowser> {
    for (let kills = 0; ; kills++) {
      try {
        return await launchBrowser(launch);
      } catch (error) {
        const isKilled = error instanceof LaunchError && error.end === 'killed';
        if (!isKilled || kills >= killsMax || this.#isClosed) throw error;
      }
    }
  }

  async #proxyPort(): Promise<number> {
    if (this.#options.bwrap !== undefined) return closedPort;
    this.#proxy ??= openRefusingProxy();
    this.#openProxy = await this.#proxy;
    return this.#openProxy.port;
  }
}
