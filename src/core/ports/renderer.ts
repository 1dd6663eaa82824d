// The port to a browser: renders the bytes of a page into the document that its scripts produce. The browser has no
// network: `ask` requests everything that the page loads.
import type { RequestHeaders } from '../job.ts';

/**
 * The need for a browser, judged from the page as fetched. `no`: the page has its text. `render`: scripts write its
 * text. `try`: scripts might write it; render the page and keep the better of the two.
 */
export type BrowserVerdict = 'no' | 'try' | 'render';

/** Renders pages, several at a time. */
export interface Renderer {
  /**
   * Renders one page. Never rejects: a page that hangs, crashes its tab or takes the browser down is a
   * {@link RenderFailure}, and other pages are not affected. Waits for a free tab; that wait does not count towards any
   * limit of the page.
   */
  render(page: RenderInput): Promise<Rendered>;
  /**
   * Starts the browser if it does not run. The promise never rejects, and resolves when it runs or could not be started.
   * Undefined if a render need not wait for a start. @default undefined
   */
  starting?(): Promise<void> | undefined;
  /** Ends the browser and all renders. Leaves no browser process. */
  close(): Promise<void>;
}

export interface RenderInput {
  /** Absolute, http or https: other schemes are refused by the renderer itself. The URL of the document after redirects. */
  readonly url: string;
  /**
   * Pages with the same key share browser cookies and storage; others do not. One key for each job and host. An unused
   * context is forgotten.
   */
  readonly contextKey: string;
  readonly statusCode: number;
  /** As the site sent it; empty when absent. */
  readonly contentType: string;
  /** The document as fetched, decompressed. It is not fetched again. At most 20 MiB. */
  readonly body: Uint8Array;
  /** The `Cookie` header of the document's request. The page's scripts see these cookies. Empty: none. */
  readonly cookies: string;
  readonly userAgent: string;
  /**
   * Condition to wait for besides the end of timers and fetches: a CSS selector, or milliseconds of the page's own
   * time, 0 to 20,000.
   * @default nothing
   */
  readonly waitFor?: string | number | undefined;
  /** Images, style sheets, fonts and media get empty bodies and are not requested. */
  readonly blockResources: boolean;
  /** Takes a screenshot as well. @default none */
  readonly screenshot?: ScreenshotFormat | undefined;
  /** Ends the render. */
  readonly signal: AbortSignal;
  /** Requests a resource of the page. Called at most 60 times per page, and 500 times for scripts. Must not reject. */
  ask(resource: ResourceRequest): Promise<Resource | ResourceRefusal>;
}

export interface ScreenshotFormat {
  readonly format: 'png' | 'jpeg';
  /** The whole page, up to a height of 12,000 pixels, instead of the first 1,024 pixels. */
  readonly fullPage: boolean;
}

export interface ResourceRequest {
  /** Absolute, http or https. */
  readonly url: string;
  readonly method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST';
  /**
   * The headers that the page set or the browser needs (`Accept`, `Content-Type`, `Cookie`, `Origin`), names in lower
   * case.
   */
  readonly headers: RequestHeaders;
  /** Body of a POST, at most 1 MiB. */
  readonly body?: Uint8Array;
  /** A script, style sheet or other file that can be the same for all pages: the renderer's user may cache it. */
  readonly isStatic: boolean;
  readonly signal: AbortSignal;
}

export interface Resource {
  readonly kind: 'resource';
  readonly statusCode: number;
  /**
   * All headers as sent, names in lower case, one pair per header. The renderer drops those that hold for one
   * connection only.
   */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Decompressed. */
  readonly body: Uint8Array;
  /** The certificate of its host could not be verified. Absent otherwise. */
  readonly isUnverified?: true;
}

/**
 * The resource is unavailable: robots.txt, the guard, the pace or the network forbids it. The page sees a failed
 * request.
 */
export interface ResourceRefusal {
  readonly kind: 'refused';
  /** In a few words. */
  readonly reason: string;
}

export type Rendered = RenderedPage | RenderRedirect | RenderFailure;

export interface RenderedPage {
  readonly kind: 'page';
  /** The document as HTML: shadow roots and slots are flattened, `base` is kept. At most 20 MB. */
  readonly html: string;
  /** The address after the scripts changed it (`replaceState`, `pushState`); on the origin of the page. */
  readonly url: string;
  /** Other addresses that the page set on its origin (`pushState`); at most 1,000. */
  readonly routes: readonly string[];
  readonly screenshot?: Uint8Array;
  /** Requests of the page that were passed to {@link RenderInput.ask}. */
  readonly requests: number;
  /** What a limit cut off, in a few words. Absent if nothing was cut. */
  readonly cut?: string;
  /** False if {@link RenderInput.waitFor} is a selector that matched nothing. */
  readonly waitMatched: boolean;
  /** Wall clock of the render in milliseconds, without the wait for a tab. */
  readonly tookMs: number;
}

/** The page redirects its visitor itself. Nothing was requested from the target. */
export interface RenderRedirect {
  readonly kind: 'redirect';
  /** Absolute, http or https. */
  readonly url: string;
}

export interface RenderFailure {
  readonly kind: 'failure';
  readonly reason: 'render_timeout' | 'render_crashed' | 'browser_missing' | 'stopped';
  /** One sentence. */
  readonly message: string;
}

/** Set by the operator. */
/** MiB of a process with a browser: with less none is started, since one with a page takes 200 to 300. */
export const browserNeedsMb = 768;

export interface BrowserSettings {
  /** `auto` looks for the known names, `off` uses none, anything else is the path of a binary. */
  readonly browser: string;
  /** `require`: only with a network namespace and Chromium's own sandbox. `off`: without both. */
  readonly sandbox: 'require' | 'off';
  /** MiB of the process with its browser. @default enough */
  readonly memoryMb?: number;
}

/** Result of starting the browser once. `problem` is absent exactly if pages can be rendered. */
export interface BrowserProbe {
  /** The binary that was found. */
  readonly path?: string;
  /** Such as `156.0.8078.79`. */
  readonly version?: string;
  /** `bwrap`, which makes the network namespace. */
  readonly bwrapPath?: string;
  /** Unprivileged user namespaces can be made. */
  readonly userNamespaces: boolean;
  /** The browser started inside its network namespace with its own sandbox on. */
  readonly isSandboxed: boolean;
  /** Absent if the browser did not start. */
  readonly memoryHold?: MemoryHold;
  readonly problem?: BrowserProblem;
}

/**
 * What keeps the memory of the browser within its limit: the kernel counts all its processes together, or it limits each
 * of them and hayrake looks at their sum.
 */
export type MemoryHold = 'cgroup v2' | 'cgroup v1' | 'process limits';

export interface BrowserProblem {
  readonly code:
    | 'browser_off'
    | 'browser_not_found'
    | 'browser_not_supported_here'
    | 'browser_needs_memory'
    | 'bwrap_not_found'
    | 'user_namespaces_denied'
    | 'browser_start_failed';
  /** One sentence: what is wrong. */
  readonly message: string;
  /** One line: what to do about it. */
  readonly remedy: string;
}

/**
 * Looks for the browser and starts it once. Never rejects. The adapter is `probeBrowser` in `render/probe-browser.ts`.
 */
export type ProbeBrowser = (settings: BrowserSettings) => Promise<BrowserProbe>;
