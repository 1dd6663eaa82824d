// A tab, and the pages that it renders one after another: navigate, wait, serialise.
//
// States of a page: *opening* until the document is requested, *running* while the page's own time runs, then *ended*
// once, with a page, a redirect or a failure. Later events are ignored. Between pages, the tab's time stands still, so
// the last page runs no timers; the next navigation ends it with its workers.
import type { Rendered, RenderInput } from '../core/ports/renderer.ts';
import { BrowserGoneError, type CdpFields, type CdpPipe, fieldsOf, textOf } from './cdp-pipe.ts';
import { beginning, countElements, hooks, matches, serialise, storageWork, twoFrames } from './page-scripts.ts';
import { PageRequests } from './page-requests.ts';
import { BrowserClock } from './browser-clock.ts';
import type { BrowserTime } from './browser-time.ts';

/** The page's own (virtual) time for timers, in milliseconds. */
const virtualMs = 5_000;
/** Limit for `wait_for`: the whole time for a number, the time in addition to `virtualMs` for a selector. */
const virtualMsMax = 20_000;
/**
 * As high as most pages, so that content that loads when it comes into view is in view. Higher was measured to gain
 * nothing.
 */
const viewport = { width: 1_280, height: 12_000 };
const shownHeight = 1_024;
/** Rounds after the budget, while the page grows. */
const roundMs = 1_000;
const roundsMax = 12;
/** Granted while the page uses the browser's storage, at most so many times. */
const storageMs = 20;
const storageGrantsMax = 100;
/** Characters of the document. */
const htmlMax = 20_000_000;
const serialiseMs = 3_000;
/** Time for a new tab. A process that ends before it is watched would be waited for without end. */
const openMs = 5_000;
const screenshotMs = 10_000;
/** Height of a picture of a whole page. */
const screenshotHeightMax = 12_000;
const routesMax = 1_000;
const urlLengthMax = 8_192;
/**
 * A tab's clock does not go back: each page begins at the time where the last one ended. So a tab is not used again
 * after this much virtual time, which is about 20 pages.
 */
const aheadMsMax = 120_000;

export interface TabOptions {
  readonly cdp: CdpPipe;
  readonly time: BrowserTime;
  readonly browserContextId: string;
  /** @default 15 s */
  readonly wallMs?: number | undefined;
  /** Only tests of the network isolation render without hooks. @default true */
  readonly hasHooks?: boolean | undefined;
}

/** The process of the tab ended: by the page, by another page of the same site, or for lack of memory. */
export class TabCrashedError extends Error {
  override readonly name = 'TabCrashedError';
}

/**
 * Opens a tab for pages of one context. Rejects with a {@link BrowserGoneError} if the browser ended, and with a
 * {@link TabCrashedError} if the tab does not respond.
 */
export async function openTab(options: TabOptions): Promise<Tab> {
  const { cdp, time, browserContextId, hasHooks = true } = options;
  const target = await cdp.send('Target.createTarget', {
    url: 'about:blank',
    browserContextId,
    // Otherwise tabs of a context share a window, and the second cannot have a size of its own.
    newWindow: true,
    width: viewport.width,
    height: shownHeight,
  });
  const targetId = textOf(target, 'targetId');
  const late = Promise.withResolvers<never>();
  const cancel = time.after(openMs, () => late.reject(new TabCrashedError('The tab did not open.')));
  try {
    const sessionId = textOf(await cdp.send('Target.attachToTarget', { targetId, flatten: true }), 'sessionId');
    const send: Attached['send'] = (method, params = {}) => cdp.send(method, params, sessionId);
    const isSetUp = Promise.all([
      send('Fetch.enable', { patterns: [{ urlPattern: '*', requestStage: 'Request' }] }),
      send('Page.enable'),
      send('Inspector.enable'),
      send('Network.setBypassServiceWorker', { bypass: true }),
      send('Emulation.setDeviceMetricsOverride', { ...viewport, deviceScaleFactor: 1, mobile: false }),
      send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-reduced-motion', value: 'reduce' }] }),
      send('Emulation.setVirtualTimePolicy', { policy: 'pause' }),
      send('Page.addScriptToEvaluateOnNewDocument', { source: hasHooks ? beginning + hooks : beginning }),
    ]);
    await Promise.race([isSetUp, late.promise]);
    return new Tab({ ...options, sessionId, frameId: targetId, send });
  } catch (error) {
    cdp.tell('Target.closeTarget', { targetId });
    throw error;
  } finally {
    cancel();
  }
}

interface Attached extends TabOptions {
  readonly sessionId: string;
  /** The main frame, whose id is that of the target. */
  readonly frameId: string;
  send(method: string, params?: CdpFields): Promise<CdpFields>;
}

/** Renders one page at a time. */
export class Tab {
  readonly #tab: Attached;
  #page: OpenPage | undefined;
  #isUsed = false;
  #isClean = true;
  #aheadMs = 0;

  constructor(tab: Attached) {
    this.#tab = tab;
    tab.cdp.listen(tab.sessionId, (method, params) => {
      if (method === 'Inspector.targetCrashed' || method === 'Inspector.detached') this.#isClean = false;
      this.#page?.onEvent(method, params);
    });
  }

  /** It has rendered a page before. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /**
   * Returns true if the next page of the context can be rendered here: all pages before were read whole, without
   * dialogs, redirects or screenshots.
   */
  get isReusable(): boolean {
    return this.#isClean && this.#aheadMs < aheadMsMax;
  }

  /**
   * Rejects with a {@link BrowserGoneError} if the browser ended, and with a {@link TabCrashedError}; every other ending
   * is a value.
   */
  async render(input: RenderInput): Promise<Rendered> {
    const page = new OpenPage(input, this.#tab, this.#isUsed);
    this.#page = page;
    this.#isUsed = true;
    let isWhole = false;
    try {
      const rendered = await page.render();
      isWhole = rendered.kind === 'page' && rendered.cut === undefined;
      return rendered;
    } finally {
      page.close();
      this.#page = undefined;
      this.#isClean &&= isWhole && !page.hadDialog && input.screenshot === undefined;
      this.#aheadMs += page.grantedMs;
    }
  }

  close(): void {
    const { cdp, sessionId, frameId } = this.#tab;
    this.#isClean = false;
    cdp.forget(sessionId);
    cdp.tell('Target.closeTarget', { targetId: frameId });
  }
}

class OpenPage {
  readonly #input: RenderInput;
  readonly #tab: Attached;
  readonly #isReused: boolean;
  readonly #startedAt = performance.now();
  readonly #clock: BrowserClock;
  readonly #requests: PageRequests;
  readonly #ended = Promise.withResolvers<Rendered>();
  readonly #routes = new Set<string>();
  readonly #stop: () => void;
  #isEnded = false;
  /** Why the page could not be opened, as the browser reports it. */
  #problem = '';
  #budgetOver: (() => void) | undefined;
  readonly #granted = Promise.withResolvers<void>();
  /** The world of our own scripts. */
  #world: Promise<CdpFields> | undefined;
  /** Work of the browser's storage that the page has begun. */
  #storageBegun = 0;
  #storageGrants = 0;
  hadDialog = false;
  /** Virtual time that the page got. */
  grantedMs = 0;

  constructor(input: RenderInput, tab: Attached, isReused: boolean) {
    this.#input = input;
    this.#tab = tab;
    this.#isReused = isReused;
    this.#clock = new BrowserClock(tab.time, tab.wallMs);
    this.#requests = new PageRequests(input, {
      clock: this.#clock,
      frameId: tab.frameId,
      send: (method, params) => this.#send(method, params),
      onDocument: () => this.#startTime(),
      onRedirect: (url) => this.#end({ kind: 'redirect', url }),
      onFlood: () => this.#end(failure('render_crashed', 'The page made thousands of requests.')),
    });
    this.#stop = () => this.#end(failure('stopped', 'The render was stopped.'));
    input.signal.addEventListener('abort', this.#stop);
    // It can be rejected before anything waits for it.
    this.#ended.promise.catch(() => {});
  }

  close(): void {
    this.#isEnded = true;
    this.#input.signal.removeEventListener('abort', this.#stop);
    this.#requests.close();
    this.#clock.close();
  }

  async render(): Promise<Rendered> {
    if (this.#input.signal.aborted) return failure('stopped', 'The render was stopped.');
    const run = this.#run();
    // The loser of the race can still reject.
    run.catch(() => {});
    return Promise.race([this.#ended.promise, run]);
  }

  async #run(): Promise<Rendered> {
    const isWhole = await this.#clock.within(this.#open());
    if (this.#isEnded) return this.#ended.promise;
    if (this.#problem !== '')
      return failure('render_crashed', `The browser could not open the page: ${this.#problem}.`);
    if (!this.#requests.hasDocument) return failure('render_timeout', 'The browser did not open the page in time.');
    // An endless loop would keep us from reading the page.
    if (!isWhole) await this.#interrupt();
    return this.#read(isWhole ? this.#requests.cut : 'the time limit of the page');
  }

  async #open(): Promise<void> {
    const { url, userAgent } = this.#input;
    await Promise.all([
      this.#send('Network.setUserAgentOverride', { userAgent }),
      this.#setCookies(),
      ...(this.#isReused ? [this.#send('Page.resetNavigationHistory')] : []),
    ]);
    const shown = await this.#send('Page.navigate', { url });
    this.#problem = textOf(shown, 'errorText');
    if (this.#problem === '') await this.#settle();
  }

  async #setCookies(): Promise<void> {
    const { url, cookies } = this.#input;
    const pairs = cookies.split('; ').filter((pair) => pair.includes('='));
    if (pairs.length === 0) return;
    await this.#send('Network.setCookies', {
      cookies: pairs.map((pair) => {
        const at = pair.indexOf('=');
        return { name: pair.slice(0, at), value: pair.slice(at + 1), url };
      }),
    }).catch(rethrowGone);
  }

  /** The document is there: the page's time begins. */
  #startTime(): void {
    // The code that waits for the page reports a browser that has ended.
    this.#grant(this.#firstBudget()).catch(() => {});
  }

  #firstBudget(): number {
    const { waitFor } = this.#input;
    return typeof waitFor === 'number' ? Math.max(virtualMs, Math.min(waitFor, virtualMsMax)) : virtualMs;
  }

  /** Grants the page time, which stops while a fetch is pending. Resolves when it is used up. */
  async #grant(budget: number): Promise<void> {
    const over = Promise.withResolvers<void>();
    this.#budgetOver = () => {
      over.resolve();
      this.#granted.resolve();
    };
    this.grantedMs += budget;
    await this.#send('Emulation.setVirtualTimePolicy', {
      policy: 'pauseIfNetworkFetchesPending',
      budget,
      maxVirtualTimeTaskStarvationCount: 100_000,
    });
    await over.promise;
  }

  /** Waits for the selector, if there is one, then until the page stops growing, both within limits. */
  async #settle(): Promise<void> {
    await this.#granted.promise;
    const { waitFor } = this.#input;
    let usedMs = this.#firstBudget();
    if (typeof waitFor === 'string') {
      while (!(await this.#evaluate(matches(waitFor))) && usedMs < virtualMsMax + virtualMs && !this.#isEnded) {
        await this.#round();
        usedMs += roundMs;
      }
    }
    let before = await this.#evaluate(countElements);
    for (let round = 0; round < roundsMax && !this.#isEnded; round++) {
      const hasStored = await this.#round();
      const now = await this.#evaluate(countElements);
      if (now === before && !hasStored) return;
      before = now;
    }
  }

  /**
   * Shows the page, which tells it what is in view, and grants it time to react, more than once while it uses the
   * browser's storage. Returns true if it did.
   */
  async #round(): Promise<boolean> {
    await this.#evaluate(twoFrames);
    const before = this.#storageBegun;
    while ((await this.#isStoring()) && this.#storageGrants < storageGrantsMax && !this.#isEnded) {
      this.#storageGrants++;
      await this.#grant(storageMs);
      await this.#evaluate(twoFrames);
    }
    await this.#grant(roundMs);
    return this.#storageBegun !== before;
  }

  /** The storage takes ordinary time, but its responses arrive only while virtual time passes. */
  async #isStoring(): Promise<boolean> {
    const evaluated = await this.#send('Runtime.evaluate', { expression: storageWork, returnByValue: true });
    const work = fieldsOf(evaluated, 'result')['value'];
    const [begun, pending] = Array.isArray(work) ? work.map(Number) : [];
    const hasBegun = begun !== undefined && begun > this.#storageBegun;
    if (hasBegun) this.#storageBegun = begun;
    return hasBegun || (pending !== undefined && pending > 0);
  }

  async #interrupt(): Promise<void> {
    await this.#clock.atMost(serialiseMs, this.#send('Runtime.terminateExecution'));
    this.#requests.close();
  }

  async #read(cut: string | undefined): Promise<Rendered> {
    const { waitFor, screenshot, url } = this.#input;
    const read = this.#evaluate(serialise(htmlMax)).catch(rethrowGone);
    const content = await this.#clock.atMost(serialiseMs, read);
    if (this.#isEnded) return this.#ended.promise;
    if (typeof content !== 'object' || content === null)
      return failure('render_timeout', 'The page could not be read within its time limit.');
    const fields = content as CdpFields;
    const isSelector = typeof waitFor === 'string';
    const hasMatched =
      !isSelector || (await this.#clock.atMost(serialiseMs, this.#evaluate(matches(waitFor)))) === true;
    const picture = screenshot && (await this.#picture());
    const cutOff = fields['isCut'] === true ? 'the document is longer than 20 million characters' : cut;
    return {
      kind: 'page',
      html: textOf(fields, 'html'),
      url: this.#ownUrl(textOf(fields, 'url')) ?? url,
      routes: [...this.#routes].filter((route) => route !== url),
      ...(picture && { screenshot: picture }),
      requests: this.#requests.asked,
      ...(cutOff !== undefined && { cut: cutOff }),
      waitMatched: hasMatched,
      tookMs: performance.now() - this.#startedAt,
    };
  }

  async #picture(): Promise<Uint8Array | undefined> {
    const { screenshot } = this.#input;
    if (!screenshot) return undefined;
    const taken = async (): Promise<CdpFields> => {
      // In the tall window, a page with `height: 100vh` would show nothing but its first screen.
      await this.#send('Emulation.setDeviceMetricsOverride', {
        width: viewport.width,
        height: shownHeight,
        deviceScaleFactor: 1,
        mobile: false,
      });
      await this.#round();
      const metrics = await this.#send('Page.getLayoutMetrics');
      const content = fieldsOf(metrics, 'cssContentSize');
      const full = Math.min(Math.max(Number(content['height']) || shownHeight, 1), screenshotHeightMax);
      const height = screenshot.fullPage ? full : shownHeight;
      return this.#send('Page.captureScreenshot', {
        format: screenshot.format,
        ...(screenshot.format === 'jpeg' && { quality: 80 }),
        clip: { x: 0, y: 0, width: viewport.width, height, scale: 1 },
        captureBeyondViewport: screenshot.fullPage,
      });
    };
    const shot = await this.#clock.atMost(screenshotMs, taken().catch(rethrowGone));
    return typeof shot === 'object' ? Buffer.from(textOf(shot, 'data'), 'base64') : undefined;
  }

  /** The value of an expression, or of its promise, in an isolated world that the page's scripts cannot reach. */
  async #evaluate(expression: string): Promise<unknown> {
    const { frameId } = this.#tab;
    this.#world ??= this.#send('Page.createIsolatedWorld', { frameId, worldName: 'hayrake' });
    const contextId = (await this.#world)['executionContextId'];
    const how = { contextId, returnByValue: true, awaitPromise: true };
    const evaluated = await this.#send('Runtime.evaluate', { expression, ...how });
    return fieldsOf(evaluated, 'result')['value'];
  }

  onEvent(method: string, params: CdpFields): void {
    if (this.#isEnded) return;
    switch (method) {
      case 'Fetch.requestPaused':
        this.#requests.response(params);
        break;
      case 'Emulation.virtualTimeBudgetExpired':
        this.#budgetOver?.();
        break;
      case 'Page.frameStartedNavigating':
        this.#requests.noteNavigation(params);
        break;
      case 'Page.javascriptDialogOpening':
        this.hadDialog = true;
        this.#tell('Page.handleJavaScriptDialog', { accept: false });
        break;
      case 'Page.navigatedWithinDocument':
        this.#noteRoute(textOf(params, 'url'));
        break;
      case 'Inspector.targetCrashed':
        this.#isEnded = true;
        this.#ended.reject(new TabCrashedError('The tab crashed.'));
        break;
      case 'Inspector.detached':
        this.#end(failure('render_crashed', 'The tab was closed.'));
        break;
    }
  }

  #noteRoute(text: string): void {
    const url = this.#ownUrl(text);
    if (url !== undefined && this.#routes.size < routesMax) this.#routes.add(url);
  }

  /** A URL that the page can give itself: on its own origin. */
  #ownUrl(text: string): string | undefined {
    const url = text.length > urlLengthMax ? null : URL.parse(text);
    return url && url.origin === new URL(this.#input.url).origin ? url.href : undefined;
  }

  #end(rendered: Rendered): void {
    this.#isEnded = true;
    this.#ended.resolve(rendered);
  }

  #send(method: string, params: CdpFields = {}): Promise<CdpFields> {
    return this.#tab.send(method, params);
  }

  #tell(method: string, params: CdpFields = {}): void {
    this.#tab.cdp.tell(method, params, this.#tab.sessionId);
  }
}

function failure(reason: 'render_timeout' | 'render_crashed' | 'stopped', message: string): Rendered {
  return { kind: 'failure', reason, message };
}

function rethrowGone(error: unknown): undefined {
  if (error instanceof BrowserGoneError) throw error;
  return undefined;
}
