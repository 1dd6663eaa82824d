// One browser from start to end: its contexts and tabs, and whether it can still take pages.
//
// States: *taking* pages; *retired* after 500 pages or with much memory, to end with its last page; *ended*.
import type { Rendered, RenderInput } from '../core/ports/renderer.ts';
import { textOf } from './cdp-pipe.ts';
import type { BrowserEnd, RunningBrowser } from './launch-browser.ts';
import { openTab, type Tab, type TabOptions } from './tab.ts';

const pagesMax = 500;
/** Idle contexts that are kept for their cookies and storage. */
const idleContextsMax = 16;
const checkMs = 1_000;
/** A browser that does not answer for this long hangs. */
const silentMs = 20_000;

export type TabLimits = Pick<TabOptions, 'wallMs' | 'hasHooks'>;

interface Context {
  readonly id: Promise<string>;
  pages: number;
  /** Tabs for the next pages. */
  readonly idleTabs: Tab[];
}

export class BrowserLife {
  readonly #browser: RunningBrowser;
  readonly #tabsMax: number;
  readonly #limits: TabLimits;
  /** The last used are at the end. */
  readonly #contexts = new Map<string, Context>();
  readonly #timer: NodeJS.Timeout;
  #pages = 0;
  #rendered = 0;
  #isRetired = false;
  #askedAt: number | undefined;

  /** @param tabsMax of pages and idle together */
  constructor(browser: RunningBrowser, tabsMax: number, limits: TabLimits) {
    this.#browser = browser;
    this.#tabsMax = tabsMax;
    this.#limits = limits;
    browser.cdp.listen('', (method, params) => {
      if (method === 'Target.targetCreated') this.#closePopup(params['targetInfo']);
    });
    browser.cdp.tell('Target.setDiscoverTargets', { discover: true });
    this.#timer = setInterval(() => this.#check(), checkMs);
    this.#timer.unref();
    void browser.ended.then(() => clearInterval(this.#timer));
  }

  /** Returns true if this browser can take the next page. */
  get isTaking(): boolean {
    return !this.#isRetired && !this.#browser.cdp.isClosed;
  }

  get pages(): number {
    return this.#pages;
  }

  get pid(): number {
    return this.#browser.pid;
  }

  get isConfined(): boolean {
    return this.#browser.isConfined;
  }

  get ended(): Promise<BrowserEnd> {
    return this.#browser.ended;
  }

  /** Rejects with a `BrowserGoneError` if the browser ended meanwhile, with a `TabCrashedError` if the tab did. */
  async render(input: RenderInput): Promise<Rendered> {
    this.#pages++;
    this.#rendered++;
    const context = this.#contextFor(input.contextKey);
    context.pages++;
    try {
      return await this.#renderIn(context, input);
    } finally {
      context.pages--;
      this.#pages--;
      this.#forgetContexts();
      if (this.#rendered >= pagesMax) this.retire();
      if (this.#isRetired && this.#pages === 0) void this.kill();
    }
  }

  /** A new tab costs more than most pages. So a page takes over the tab of the last page of its job and host. */
  async #renderIn(context: Context, input: RenderInput): Promise<Rendered> {
    const tab = await this.#tabFor(context);
    const { isUsed } = tab;
    try {
      const rendered = await tab.render(input);
      // The page before it might be the cause.
      if (!isUsed || rendered.kind !== 'failure' || rendered.reason === 'stopped') return rendered;
    } finally {
      if (tab.isReusable) context.idleTabs.push(tab);
      else tab.close();
    }
    return this.#renderIn(context, input);
  }

  async #tabFor(context: Context): Promise<Tab> {
    const browserContextId = await context.id;
    for (let tab = context.idleTabs.pop(); tab; tab = context.idleTabs.pop()) {
      if (tab.isReusable) return tab;
      tab.close();
    }
    const others = [...this.#contexts.values()].filter(({ idleTabs }) => idleTabs.length > 0);
    const idle = others.reduce((sum, { idleTabs }) => sum + idleTabs.length, 0);
    if (idle + this.#pages > this.#tabsMax) others[0]?.idleTabs.shift()?.close();
    const { cdp, time } = this.#browser;
    return openTab({ ...this.#limits, cdp, time, browserContextId });
  }

  /** Takes no more pages, and ends with the last one. */
  retire(): void {
    this.#isRetired = true;
    if (this.#pages === 0) void this.kill();
  }

  async kill(): Promise<void> {
    this.#isRetired = true;
    clearInterval(this.#timer);
    await this.#browser.kill();
  }

  #contextFor(key: string): Context {
    const known = this.#contexts.get(key);
    const context = known ?? { id: this.#createContext(), pages: 0, idleTabs: [] };
    this.#contexts.delete(key);
    this.#contexts.set(key, context);
    return context;
  }

  async #createContext(): Promise<string> {
    const { cdp } = this.#browser;
    const context = await cdp.send('Target.createBrowserContext', { disposeOnDetach: true });
    const browserContextId = textOf(context, 'browserContextId');
    await cdp.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId });
    return browserContextId;
  }

  #forgetContexts(): void {
    const idle = [...this.#contexts].filter(([, { pages }]) => pages === 0);
    for (const [key, context] of idle.slice(0, Math.max(0, idle.length - idleContextsMax))) {
      this.#contexts.delete(key);
      for (const tab of context.idleTabs) tab.close();
      context.id.then(
        (browserContextId) => this.#browser.cdp.tell('Target.disposeBrowserContext', { browserContextId }),
        () => {},
      );
    }
  }

  /** Pages that a page opens are not rendered. */
  #closePopup(info: unknown): void {
    if (typeof info !== 'object' || info === null || !('openerId' in info) || !('targetId' in info)) return;
    this.#browser.cdp.tell('Target.closeTarget', { targetId: info.targetId });
  }

  #check(): void {
    const { cdp, time } = this.#browser;
    if (cdp.isClosed) return;
    const now = time.now();
    if (this.#askedAt === undefined) {
      this.#askedAt = now;
      cdp.send('Browser.getVersion').then(
        () => (this.#askedAt = undefined),
        () => {},
      );
    } else if (now - this.#askedAt > silentMs) {
      void this.kill();
    }
  }
}
