// One page in one tab: set up, navigate, wait, serialise, close.
//
// States: *opening* until the document is requested, *running* while the page's own time runs, then *ended* once, with
// a page, a redirect or a failure. Later events are ignored.
import type { Rendered, RenderInput } from '../core/ports/renderer.ts';
import { BrowserGoneError, type CdpFields, type CdpPipe, fieldsOf, textOf } from './cdp-pipe.ts';
import { countElements, hooks, matches, serialise } from './page-scripts.ts';
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
/** Characters of the document. */
const htmlMax = 20_000_000;
const serialiseMs = 3_000;
const screenshotMs = 10_000;
/** Height of a picture of a whole page. */
const screenshotHeightMax = 12_000;
const routesMax = 1_000;
const urlLengthMax = 8_192;

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
 * Renders one page. Rejects with a {@link BrowserGoneError} if the browser ended, and with a {@link TabCrashedError};
 * every other ending is a value.
 */
export async function renderInTab(input: RenderInput, options: TabOptions): Promise<Rendered> {
  const { cdp, browserContextId } = options;
  const startedAt = performance.now();
  const target = await cdp.send('Target.createTarget', {
    url: 'about:blank',
    browserContextId,
    // Otherwise tabs of a context share a window, and the second cannot have a size of its own.
    newWindow: true,
    width: viewport.width,
    height: shownHeight,
  });
  const targetId = textOf(target, 'targetId');
  const closeTarget = (): void => cdp.tell('Target.closeTarget', { targetId });
  try {
    const sessionId = textOf(await cdp.send('Target.attachToTarget', { targetId, flatten: true }), 'sessionId');
    const tab = new Tab(input, { ...options, sessionId, frameId: targetId }, startedAt);
    try {
      return await tab.render();
    } finally {
      tab.close();
      cdp.forget(sessionId);
    }
  } finally {
    closeTarget();
  }
}

interface Attached extends TabOptions {
  readonly sessionId: string;
  /** The page's main frame. */
  readonly frameId: string;
}

class Tab {
  readonly #input: RenderInput;
  readonly #tab: Attached;
  readonly #startedAt: number;
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

  constructor(input: RenderInput, tab: Attached, startedAt: number) {
    this.#input = input;
    this.#tab = tab;
    this.#startedAt = startedAt;
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
    tab.cdp.listen(tab.sessionId, (method, params) => this.#onEvent(method, params));
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
    await Promise.all(this.#setUp());
    const shown = await this.#send('Page.navigate', { url: this.#input.url });
    this.#problem = textOf(shown, 'errorText');
    if (this.#problem === '') await this.#settle();
  }

  #setUp(): Promise<unknown>[] {
    const { url, cookies, userAgent } = this.#input;
    const { hasHooks = true } = this.#tab;
    const pairs = cookies.split('; ').filter((pair) => pair.includes('='));
    return [
      this.#send('Fetch.enable', { patterns: [{ urlPattern: '*', requestStage: 'Request' }] }),
      this.#send('Page.enable'),
      this.#send('Inspector.enable'),
      this.#send('Network.setBypassServiceWorker', { bypass: true }),
      this.#send('Network.setUserAgentOverride', { userAgent }),
      this.#send('Emulation.setDeviceMetricsOverride', { ...viewport, deviceScaleFactor: 1, mobile: false }),
      this.#send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-reduced-motion', value: 'reduce' }] }),
      this.#send('Emulation.setVirtualTimePolicy', { policy: 'pause' }),
      ...(hasHooks ? [this.#send('Page.addScriptToEvaluateOnNewDocument', { source: hooks })] : []),
      ...(pairs.length === 0
        ? []
        : [
            this.#send('Network.setCookies', {
              cookies: pairs.map((pair) => {
                const at = pair.indexOf('=');
                return { name: pair.slice(0, at), value: pair.slice(at + 1), url };
              }),
            }).catch(() => {}),
          ]),
    ];
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
        await this.#grant(roundMs);
        usedMs += roundMs;
      }
    }
    let before = await this.#evaluate(countElements);
    for (let round = 0; round < roundsMax && !this.#isEnded; round++) {
      await this.#grant(roundMs);
      const now = await this.#evaluate(countElements);
      if (now === before) return;
      before = now;
    }
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
      await this.#grant(roundMs);
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

  /** The value of an expression, in an isolated world that the page's scripts cannot reach. */
  async #evaluate(expression: string): Promise<unknown> {
    const { frameId } = this.#tab;
    const world = await this.#send('Page.createIsolatedWorld', { frameId, worldName: 'hayrake' });
    const contextId = world['executionContextId'];
    const evaluated = await this.#send('Runtime.evaluate', { expression, contextId, returnByValue: true });
    return fieldsOf(evaluated, 'result')['value'];
  }

  #onEvent(method: string, params: CdpFields): void {
    if (this.#isEnded) return;
    switch (method) {
      case 'Fetch.requestPaused':
        this.#requests.answer(params);
        break;
      case 'Emulation.virtualTimeBudgetExpired':
        this.#budgetOver?.();
        break;
      case 'Page.javascriptDialogOpening':
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
    return this.#tab.cdp.send(method, params, this.#tab.sessionId);
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
