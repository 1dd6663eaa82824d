// Decides whether a page goes through the browser, and which version is delivered: as fetched, or as rendered. Never
// worse than without a browser: the version with more text wins, and a failed render changes nothing.
import { ownedCopy } from '../../core/bytes/owned-bytes.ts';
import { freeBytes } from '../../core/process/free-bytes.ts';
import { startDepth } from '../../core/request.ts';
import type { Link } from '../../core/request.ts';
import type { CountedCode } from '../../core/job-codes.ts';
import type { Rendered, RenderedPage } from '../../core/ports/renderer.ts';
import { hostKey } from '../../core/host-key.ts';
import { isSameFamily, urlTemplates } from '../../url/url-template.ts';
import { judgeLink } from '../../url/scope.ts';
import type { ConvertedPage, PageInput } from '../convert/converter.ts';
import { pageBytesMax, unpackBeginning } from '../convert/unpack-body.ts';
import { headersFor } from './job-headers.ts';
import { askForResource, type LoadingPage } from './page-resources.ts';
import { betterOf, type BrowserNeed } from '../convert/needs-browser.ts';
import type { BrowserParts, PathParts } from './request-path.ts';

/** The version of a page that is delivered. */
export interface Shown {
  readonly converted: Exclude<ConvertedPage, { kind: 'moved' }>;
  /** For the ledger. */
  readonly detail?: string;
  /** The page as the browser shows it, whichever version is delivered. */
  readonly picture?: Uint8Array | undefined;
  /** It is the version that the browser shows. @default false */
  readonly isRendered?: boolean;
}

/** A page that redirects by script is followed only if it has less text of its own than this, in characters. */
const redirectTextMax = 200;
/**
 * If the client requires the browser, the rendered page can have a little less text: a notice is gone, a menu has
 * closed.
 */
const askedShare = 0.8;

interface ToRender {
  readonly asFetched: Shown['converted'];
  readonly verdict: 'try' | 'render';
  /** Why a browser could show more of the page. */
  readonly need: BrowserNeed | undefined;
  /** The client requires the browser. */
  readonly isAsked: boolean;
}

const browserMissing = {
  reason: 'browser_missing',
  message: 'The job needs a browser, and this process has none any longer.',
} as const;

export function showPage(
  page: LoadingPage,
  input: PageInput,
  asFetched: Exclude<ConvertedPage, { kind: 'moved' }>,
  parts: PathParts,
): Shown | Promise<Shown | { readonly movedTo: URL }> {
  const { useBrowser } = page.job.brief.spec;
  const need = 'browser' in asFetched ? asFetched.browser : undefined;
  if (useBrowser === false) return { converted: asFetched };
  if (!parts.browser) {
    if (useBrowser === 'auto') return { converted: renamed(asFetched, ['browser_missing']) };
    // The client was promised a browser, and would take this page for what the browser shows.
    return { converted: { kind: 'error', error: browserMissing } };
  }
  const isAsked = useBrowser === true;
  const verdict = isAsked ? 'render' : need ? parts.browser.memory.advise(page.request.jobId, page.url, need) : 'no';
  if (verdict === 'no') return { converted: asFetched };
  return showInBrowser(page, input, { asFetched, verdict, need, isAsked }, parts.browser, parts);
}

async function showInBrowser(
  page: LoadingPage,
  input: PageInput,
  { asFetched, verdict, need, isAsked }: ToRender,
  browser: BrowserParts,
  parts: PathParts,
): Promise<Shown | { readonly movedTo: URL }> {
  const { request, url, job } = page;
  const starting = browser.renderer.starting?.();
  if (starting) await parts.aside(starting);
  if (job.brief.spec.screenshot) await parts.waiting.room(parts.jobSignal);
  const loaded = { isUnverified: false };
  const rendered = await render(page, input, loaded, browser, parts);
  parts.jobSignal.throwIfAborted();
  const sign = need?.sign ?? 'use_browser';
  switch (rendered.kind) {
    case 'failure': {
      const code = rendered.reason === 'browser_missing' ? 'browser_missing' : 'render_failed';
      return { converted: renamed(asFetched, [], [code]), detail: `not rendered: ${rendered.message}` };
    }
    case 'redirect': {
      const movedTo = URL.parse(rendered.url);
      if (movedTo && textLengthOf(asFetched) < redirectTextMax) return { movedTo };
      return { converted: renamed(asFetched, []), detail: `as fetched: a script leads to ${rendered.url}` };
    }
    case 'page': {
      const isUnverified = input.isUnverified === true || loaded.isUnverified;
      const shown = await better(
        page,
        { ...input, isUnverified },
        { asFetched, rendered, verdict, sign, isAsked },
        parts,
      );
      if (need) browser.memory.learn(request.jobId, url, need, shown.isRendered);
      return { ...shown, picture: rendered.screenshot };
    }
  }
}

async function render(
  page: LoadingPage,
  input: PageInput,
  /** Set if the certificate of a resource could not be verified. */
  loaded: { isUnverified: boolean },
  browser: BrowserParts,
  parts: PathParts,
): Promise<Rendered> {
  const { request, job, url } = page;
  // The browser can read it for longer than the page is processed, and the body is freed then.
  const body = await unpackBeginning(ownedCopy(input.body), input.headers.contentEncoding, pageBytesMax);
  if (body === undefined)
    return { kind: 'failure', reason: 'render_crashed', message: 'The body cannot be decompressed.' };
  const { spec } = job.brief;
  const shared = `${request.jobId} ${hostKey(url)}`;
  return browser.renderer.render({
    url: url.href,
    // Pages of a job that keeps no cookies share no browser context.
    contextKey: job.keepCookies ? shared : `${shared} ${request.id}`,
    statusCode: input.statusCode,
    contentType: input.headers.contentType,
    body,
    cookies: headersFor(url, request, job, parts)?.['cookie'] ?? '',
    userAgent: browser.userAgent,
    waitFor: spec.waitFor ?? undefined,
    blockResources: spec.blockResources,
    screenshot: spec.screenshot ?? undefined,
    signal: parts.jobSignal,
    ask: async (resource) => {
      const got = await askForResource(resource, page, parts, browser.resources);
      if (got.kind === 'resource' && got.isUnverified === true) loaded.isUnverified = true;
      return got;
    },
  });
}

interface Both {
  readonly asFetched: Shown['converted'];
  readonly rendered: RenderedPage;
  readonly verdict: 'try' | 'render';
  /** Why the page was rendered. */
  readonly sign: string;
  /** The client requires the browser. */
  readonly isAsked: boolean;
}

async function better(
  page: LoadingPage,
  input: PageInput,
  { asFetched, rendered, verdict, sign, isAsked }: Both,
  parts: PathParts,
): Promise<Shown & { readonly isRendered: boolean }> {
  const body = ownedCopy(new TextEncoder().encode(rendered.html));
  const headers = { ...input.headers, contentEncoding: '', refresh: '' };
  const asShown = { ...input, headers, body, isRendered: true };
  const converted = await parts.converter.convertPage(asShown, parts.untilAnswered);
  freeBytes(body);
  const remarks: CountedCode[] = [
    ...(rendered.cut === undefined ? [] : ['render_cut' as const]),
    ...(rendered.waitMatched ? [] : ['wait_for_unmatched' as const]),
    ...(parts.browser?.isUnsandboxed === true ? ['browser_unsandboxed' as const] : []),
  ];
  const took = `${Math.round(rendered.tookMs)} ms, ${rendered.requests} requests`;
  const isRendered = converted.kind !== 'moved' && isBetter(asFetched, converted, verdict, isAsked);
  if (!isRendered) {
    const detail = `as fetched: the browser had no more to show (${sign}; ${took})`;
    const whole = withLinks(asFetched, [...madeByScripts(linksOn(converted), asFetched), ...linksOn(asFetched)]);
    return { converted: renamed(whole, [], remarks), detail, isRendered };
  }
  const routes = madeByScripts(routesOf(page, input, rendered), asFetched);
  const shown = madeByScripts(linksOn(converted), asFetched);
  const whole = withLinks(converted, [...routes, ...linksOn(asFetched), ...shown]);
  const detail = `rendered (${sign}; ${took})`;
  return { converted: renamed(whole, [], ['rendered_pages', ...remarks]), detail, isRendered };
}

function isBetter(
  asFetched: Shown['converted'],
  rendered: Shown['converted'],
  verdict: 'try' | 'render',
  isAsked: boolean,
): boolean {
  if (rendered.kind !== 'page' && rendered.kind !== 'short') return false;
  if (asFetched.kind !== 'page' && asFetched.kind !== 'short') return true;
  if (isAsked) return textLengthOf(rendered) >= textLengthOf(asFetched) * askedShare;
  return betterOf<typeof asFetched>(verdict, asFetched, rendered) === rendered;
}

function textLengthOf(converted: ConvertedPage): number {
  return converted.kind === 'page' || converted.kind === 'short' ? (converted.ownLength ?? 0) : 0;
}

/** The links of both versions, each once: scripts remove links as well as adding them. */
function withLinks<Page extends ConvertedPage>(page: Page, links: readonly Link[]): Page {
  if (!('links' in page)) return page;
  return { ...page, links: [...new Map(links.map((link) => [link.key, link])).values()] };
}

function linksOn(page: ConvertedPage): readonly Link[] {
  return 'links' in page ? page.links : [];
}

/** Marks the links that the page as received has not. Where its links are not all known, nothing is. */
function madeByScripts(links: readonly Link[], asFetched: ConvertedPage): readonly Link[] {
  if (!('links' in asFetched) || asFetched.remarks?.includes('links_cut') === true) return links;
  const written = new Set(asFetched.links.map(({ key }) => key));
  return links.map((link) => (written.has(link.key) ? link : { ...link, byScript: true }));
}

/** URLs that the page's scripts navigated to on its own origin count as links on it. */
function routesOf({ job, request }: LoadingPage, input: PageInput, { routes }: RenderedPage): Link[] {
  if (job.brief.spec.forceCrawlingMode === 'sitemap') return [];
  const own = urlTemplates(new URL(request.url));
  const depth = Math.max(input.depth, startDepth) + 1;
  return routes.map((text) => {
    const url = new URL(text);
    const link = judgeLink({ url, nofollow: false, depth }, job.judged);
    return Object.assign(link, link.discard === undefined && { selfFed: isSameFamily(urlTemplates(url), own) });
  });
}

/** Replaces the remark that the page needs JavaScript by `instead`, and adds `more`. */
function renamed<Page extends ConvertedPage>(
  page: Page,
  instead: readonly CountedCode[],
  more: readonly CountedCode[] = [],
): Page {
  const given = 'remarks' in page ? (page.remarks ?? []) : [];
  const remarks = given.flatMap((code) => (code === 'needs_javascript' ? instead : [code]));
  return { ...page, remarks: [...remarks, ...more] };
}
