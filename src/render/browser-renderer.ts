// The adapter for the renderer port: one browser at a time, started when a page needs it, replaced when it died or has
// done its share, ended after a minute without a page.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../core/ports/log.ts';
import type { Rendered, Renderer, RenderInput } from '../core/ports/renderer.ts';
import { BrowserLife, type TabLimits } from './browser-life.ts';
import { type BrowserMemory, openBrowserMemory } from './browser-memory.ts';
import { BrowserGoneError } from './cdp-pipe.ts';
import { launchBrowser, LaunchError, type LaunchOptions, type RunningBrowser } from './launch-browser.ts';
import { type RefusingProxy, openRefusingProxy } from './refusing-proxy.ts';
import { TabCrashedError } from './tab.ts';

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

export interface BrowserRenderer extends Renderer {
  status(): BrowserStatus;
}

/** A page that was open at this many crashes of the browser is rendered alone. */
const crashesBeforeAlone = 2;
/** A page is not blamed if the browser is killed from outside, up to so many times. */
const killsMax = 10;
/** From the fourth kill on, the page waits so long before it is rendered again. */
const pauseMs = 1_000;
const idleMs = 60_000;
/** After a failed start, the browser is not started for this long. */
const brokenMs = 30_000;
/** In a namespace nothing listens, so any port refuses. */
const closedPort = 9;

export function createBrowserRenderer(options: BrowserRendererOptions): BrowserRenderer {
  const { log, limits = {}, openMemory = openBrowserMemory } = options;
  const slots = new Slots(options.pages);
  /** Pages that are rendered alone come one after the other: each takes a browser of its own. */
  const aloneSlot = new Slots(1);
  const lives = new Set<BrowserLife>();
  let proxy: Promise<RefusingProxy> | undefined;
  let openProxy: RefusingProxy | undefined;
  let memory: Promise<BrowserMemory> | undefined;
  let openedMemory: BrowserMemory | undefined;
  /** One start at a time, however many pages wait for it. */
  let current: Promise<BrowserLife> | undefined;
  let starts = 0;
  let brokenUntil = 0;
  let isClosed = false;
  let idleTimer: NodeJS.Timeout | undefined;

  const start = async (): Promise<BrowserLife> => {
    if (isClosed || performance.now() < brokenUntil)
      throw new BrowserGoneError('The browser cannot be started at the moment.');
    openedMemory = await (memory ??= openMemory());
    const launch: LaunchOptions = { ...options, memory: openedMemory, proxyPort: await proxyPort() };
    const browser = await launchUnlessKilled(launch).catch((error: unknown) => {
      brokenUntil = performance.now() + brokenMs;
      log.error('the browser could not be started', { error });
      throw error;
    });
    starts++;
    const life = new BrowserLife(browser, options.pages, limits);
    lives.add(life);
    openedMemory.watch(life);
    void browser.ended.then(() => lives.delete(life));
    if (isClosed) await life.kill();
    return life;
  };

  const launchUnlessKilled = async (launch: LaunchOptions): Promise<RunningBrowser> => {
    for (let kills = 0; ; kills++) {
      try {
        return await launchBrowser(launch);
      } catch (error) {
        const isKilled = error instanceof LaunchError && error.end === 'killed';
        if (!isKilled || kills >= killsMax || isClosed) throw error;
      }
    }
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

  const renderOnce = async (input: RenderInput, isAlone: boolean): Promise<Rendered | Lost> => {
    let life: BrowserLife;
    try {
      life = await (isAlone ? start() : taking());
    } catch {
      return { kind: 'failure', reason: 'browser_missing', message: 'The browser could not be started.' };
    }
    try {
      return await life.render(input);
    } catch (error) {
      if (error instanceof BrowserGoneError) return (await life.ended) === 'killed' ? 'killed' : 'crashed';
      if (error instanceof TabCrashedError) return 'tab crashed';
      log.warn('a page could not be rendered', { url: input.url, error });
      return { kind: 'failure', reason: 'render_crashed', message: 'The tab of the page was lost.' };
    } finally {
      if (isAlone) await life.kill();
    }
  };

  const render = async (input: RenderInput): Promise<Rendered> => {
    let crashes = 0;
    let kills = 0;
    for (;;) {
      if (isClosed || input.signal.aborted) return stopped;
      const isAlone = crashes >= crashesBeforeAlone;
      if (isAlone && !(await aloneSlot.take(input.signal))) return stopped;
      const rendered = await renderOnce(input, isAlone).finally(() => {
        if (isAlone) aloneSlot.giveBack();
      });
      if (typeof rendered === 'object') return rendered;
      if (isClosed || input.signal.aborted) return stopped;
      log.warn('a page was lost with its browser', { url: input.url, what: rendered, crashes, kills });
      if (rendered === 'killed') {
        if (++kills > killsMax) return crashed;
        if (kills > 3) await sleep(pauseMs, undefined, { signal: input.signal }).catch(() => {});
      } else {
        if (isAlone) return crashed;
        crashes = rendered === 'crashed' ? crashes + 1 : crashesBeforeAlone;
      }
    }
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
      await (await memory)?.close();
      openProxy?.close();
    },
    status: () => ({
      restarts: Math.max(0, starts - 1),
      memoryBytes: openedMemory?.bytes ?? 0,
      refusedConnections: openProxy?.refused ?? 0,
    }),
  };
}

/**
 * How a page was lost. `tab crashed`: the page is rendered once more, alone, since pages of one site share a process and
 * the system ends tabs first when memory is short.
 */
type Lost = 'killed' | 'crashed' | 'tab crashed';

const crashed = {
  kind: 'failure',
  reason: 'render_crashed',
  message: 'The browser, or the tab, ended each time it rendered this page.',
} as const;
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
