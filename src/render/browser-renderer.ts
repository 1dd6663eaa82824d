// The adapter for the renderer port: one browser at a time, started when a page needs it, replaced when it died or has
// done its share, ended after a minute without a page.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Rendered, Renderer, RenderInput } from '../core/ports/renderer.ts';
import type { BrowserLife } from './browser-life.ts';
import { BrowserLives, type BrowserRendererOptions, type BrowserStatus } from './browser-lives.ts';
import { BrowserGoneError } from './cdp-pipe.ts';
import { Slots } from './slots.ts';
import { TabCrashedError } from './tab.ts';

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

export function createBrowserRenderer(options: BrowserRendererOptions): BrowserRenderer {
  const { log } = options;
  const browsers = new BrowserLives(options);
  const slots = new Slots(options.pages);
  /** Pages that are rendered alone come one after the other: each takes a browser of its own. */
  const aloneSlot = new Slots(1);
  let isClosed = false;
  let idleTimer: NodeJS.Timeout | undefined;

  const renderOnce = async (input: RenderInput, isAlone: boolean): Promise<Rendered | Lost> => {
    let life: BrowserLife;
    try {
      life = await (isAlone ? browsers.start() : browsers.taking());
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

  const retireWhenIdle = (): void => {
    clearTimeout(idleTimer);
    if (slots.areAllFree) idleTimer = setTimeout(() => browsers.retire(), idleMs).unref();
  };

  return {
    starting: () => browsers.starting()?.then(retireWhenIdle),
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
        retireWhenIdle();
      }
    },
    async close() {
      isClosed = true;
      clearTimeout(idleTimer);
      await browsers.close();
    },
    status: () => browsers.status(),
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
