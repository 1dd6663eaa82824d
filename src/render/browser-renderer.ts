// The adapter for the renderer port: one browser at a time, started when a page needs it, replaced when it died or has
// done its share, ended after a minute without a page.
import type { Log } from '../core/ports/log.ts';
import type { Rendered, Renderer, RenderInput } from '../core/ports/renderer.ts';
import { BrowserLife, type TabLimits } from './browser-life.ts';
import { BrowserGoneError } from './cdp-pipe.ts';
import { launchBrowser, type LaunchOptions } from './launch-browser.ts';
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

export interface BrowserRenderer extends Renderer {
  status(): BrowserStatus;
}

/** A page that was open at this many deaths of the browser is rendered alone. */
const deathsBeforeAlone = 2;
const idleMs = 60_000;
/** After a failed start, the browser is not started for this long. */
const brokenMs = 30_000;
/** In a namespace nothing listens, so any port refuses. */
const closedPort = 9;

export function createBrowserRenderer(options: BrowserRendererOptions): BrowserRenderer {
  const { log, limits = {} } = options;
  const slots = new Slots(options.pages);
  const lives = new Set<BrowserLife>();
  let proxy: Promise<RefusingProxy> | undefined;
  let openProxy: RefusingProxy | undefined;
  /** One start at a time, however many pages wait for it. */
  let current: Promise<BrowserLife> | undefined;
  let starts = 0;
  let brokenUntil = 0;
  let isClosed = false;
  let idleTimer: NodeJS.Timeout | undefined;

  const start = async (): Promise<BrowserLife> => {
    if (isClosed || performance.now() < brokenUntil)
      throw new BrowserGoneError('The browser cannot be started at the moment.');
    const launch: LaunchOptions = { ...options, proxyPort: await proxyPort() };
    const browser = await launchBrowser(launch).catch((error: unknown) => {
      brokenUntil = performance.now() + brokenMs;
      log.error('the browser could not be started', { error });
      throw error;
    });
    starts++;
    const life = new BrowserLife(browser, limits);
    lives.add(life);
    void browser.ended.then(() => lives.delete(life));
    if (isClosed) await life.kill();
    return life;
  };

  const proxyPort = async (): Promise<number> => {
    if (options.bwrap !== undefined) return closedPort;
    proxy ??= openRefusingProxy();
    openProxy = await proxy;
    return openProxy.port;
  };

  /** Returns the browser that takes pages. */
  const taking = async (): Promise<BrowserLife> => {
    for (;;) {
      const asked = (current ??= start());
      try {
        const life = await asked;
        if (life.isTaking) return life;
      } catch (error) {
        if (current === asked) current = undefined;
        throw error;
      }
      // The first caller that notices replaces it.
      if (current === asked) current = undefined;
    }
  };

  const renderOnce = async (input: RenderInput, deaths: number): Promise<Rendered | 'died'> => {
    const isAlone = deaths >= deathsBeforeAlone;
    let life: BrowserLife;
    try {
      life = await (isAlone ? start() : taking());
    } catch {
      return { kind: 'failure', reason: 'browser_missing', message: 'The browser could not be started.' };
    }
    try {
      return await life.render(input);
    } catch (error) {
      if (!(error instanceof BrowserGoneError)) log.warn('a page could not be rendered', { url: input.url, error });
      if (error instanceof BrowserGoneError) return 'died';
      return { kind: 'failure', reason: 'render_crashed', message: 'The tab of the page was lost.' };
    } finally {
      if (isAlone) void life.kill();
    }
  };

  const render = async (input: RenderInput): Promise<Rendered> => {
    for (let deaths = 0; deaths <= deathsBeforeAlone; deaths++) {
      if (isClosed || input.signal.aborted) return stopped;
      const rendered = await renderOnce(input, deaths);
      if (rendered !== 'died') return rendered;
      if (!isClosed) log.warn('the browser ended while a page was rendered', { url: input.url, deaths: deaths + 1 });
    }
    return { kind: 'failure', reason: 'render_crashed', message: 'The browser ended each time it rendered this page.' };
  };

  const closeIdle = (): void => {
    current = undefined;
    for (const life of lives) life.retire();
  };

  return {
    async render(input) {
      // Checked whatever the caller has checked: the browser also opens files and its internal pages.
      const protocol = URL.parse(input.url)?.protocol;
      if (protocol !== 'http:' && protocol !== 'https:') {
        return { kind: 'failure', reason: 'render_crashed', message: 'Only http and https URLs are rendered.' };
      }
      if (!(await slots.take(input.signal))) return stopped;
      clearTimeout(idleTimer);
      try {
        return await render(input);
      } finally {
        slots.giveBack();
        clearTimeout(idleTimer);
        if (slots.areAllFree) idleTimer = setTimeout(closeIdle, idleMs).unref();
      }
    },
    async close() {
      isClosed = true;
      clearTimeout(idleTimer);
      await current?.catch(() => {});
      await Promise.all([...lives].map((life) => life.kill()));
      openProxy?.close();
    },
    status: () => ({
      restarts: Math.max(0, starts - 1),
      memoryBytes: [...lives].reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
      refusedConnections: openProxy?.refused ?? 0,
    }),
  };
}

const stopped = { kind: 'failure', reason: 'stopped', message: 'The render was stopped.' } as const;

/** Slots for pages, first come first served. */
class Slots {
  readonly #max: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get areAllFree(): boolean {
    return this.#taken === 0;
  }

  /** Returns false if the signal fired before the turn came. */
  async take(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (this.#taken < this.#max) {
      this.#taken++;
      return true;
    }
    return new Promise((resolve) => {
      const turn = (): void => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1);
        resolve(false);
      };
      this.#waiting.push(turn);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** Passes the slot to the page that has waited longest. */
  giveBack(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken--;
  }
}
