// Whether a page goes through the browser, and which of the two is delivered: the page as it was fetched, or as its scripts made it.
// Never worse than without a browser: what has more to say wins, and a render that fails changes nothing.
import { ownedCopy } from '../core/owned-bytes.ts';
import { startDepth } from '../core/request.ts';
import type { Link } from '../core/request.ts';
import type { CountedCode } from '../core/reasons.ts';
import type { Rendered, RenderedPage } from '../core/renderer.ts';
import { hostKey } from '../core/host-key.ts';
import { isSameFamily, urlTemplates } from '../url/url-template.ts';
import { judgeLink } from '../url/scope.ts';
import type { ConvertedPage, PageInput } from './convert/converter.ts';
import { unpackBeginning } from './convert/unpack-body.ts';
import type { CachedJob } from './job-cache.ts';
import { headersFor } from './job-headers.ts';
import { askForResource, type LoadingPage } from './page-resources.ts';
import { betterOf } from './needs-browser.ts';
import type { BrowserParts, PathParts } from './path.ts';

/** What is delivered of a page. */
export interface Shown {
  readonly converted: Exclude<ConvertedPage, { kind: 'moved' }>;
  /** For the ledger. */
  readonly detail?: string;
}

/** The page as it was fetched, and its bytes, packed as they came; without them it is not rendered. */
interface FetchedPage {
  readonly asFetched: Exclude<ConvertedPage, { kind: 'moved' }>;
  readonly copy: Uint8Array | undefined;
}

/** Bytes of a page when unpacked, as the converter has it. */
const pageBytesMax = 20 * 2 ** 20;
/** A page that sends its visitor elsewhere by script is followed only where it has less to say itself, in characters. */
const redirectTextMax = 200;
/** Where the client asks for the browser, its page may have a little less text: a notice that is gone, a menu that closed. */
const askedShare = 0.8;

/** Whether a page of this job may be rendered here. */
export function mayRender({ brief }: CachedJob, { browser }: PathParts): boolean {
  return browser !== undefined && brief.spec.useBrowser !== false;
}

const browserMissing = {
  reason: 'browser_missing',
  message: 'The job asks for a browser, and this process has none any more.',
} as const;

export async function showPage(
  page: LoadingPage,
  input: PageInput,
  { asFetched, copy }: FetchedPage,
  parts: PathParts,
): Promise<Shown | { readonly movedTo: URL }> {
  const { useBrowser } = page.job.brief.spec;
  const need = 'browser' in asFetched ? asFetched.browser : undefined;
  if (useBrowser === false) return { converted: asFetched };
  if (!parts.browser || copy === undefined) {
    if (useBrowser === 'auto') return { converted: renamed(asFetched, ['browser_missing']) };
    // The client was told that there is a browser: it would take this page for what the browser shows.
    return { converted: { kind: 'error', error: browserMissing } };
  }
  const { request, url } = page;
  const { memory } = parts.browser;
  const isAsked = useBrowser === true;
  const verdict = isAsked ? 'render' : need ? memory.advise(request.jobId, url, need) : 'no';
  if (verdict === 'no') return { converted: asFetched };
  const rendered = await render(page, input, copy, parts.browser, parts);
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
      const shown = await better(page, input, { asFetched, rendered, verdict, sign, isAsked }, parts);
      if (need) memory.learn(request.jobId, url, need, shown.isRendered);
      return shown;
    }
  }
}

async function render(
  page: LoadingPage,
  input: PageInput,
  copy: Uint8Array,
  browser: BrowserParts,
  parts: PathParts,
): Promise<Rendered> {
  const { request, job, url } = page;
  const body = await unpackBeginning(copy, input.headers.contentEncoding, pageBytesMax);
  if (body === undefined) return { kind: 'failure', reason: 'render_crashed', message: 'The body cannot be unpacked.' };
  const { spec } = job.brief;
  const shared = `${request.jobId} ${hostKey(url)}`;
  return browser.renderer.render({
    url: url.href,
    // Without cookies of the job nothing is shared.
    contextKey: job.keepCookies ? shared : `${shared} ${request.id}`,
    statusCode: input.statusCode,
    contentType: input.headers.contentType,
    body,
    cookies: headersFor(url, request, job, parts)?.['cookie'] ?? '',
    userAgent: browser.userAgent,
    waitFor: spec.waitFor ?? undefined,
    blockResources: spec.blockResources,
    signal: parts.jobSignal,
    ask: (resource) => askForResource(resource, page, parts, browser.resources),
  });
}

interface Both {
  readonly asFetched: Shown['converted'];
  readonly rendered: RenderedPage;
  readonly verdict: 'try' | 'render';
  /** What decided that it was rendered. */
  readonly sign: string;
  /** The client asked for the browser. */
  readonly isAsked: boolean;
}

async function better(
  page: LoadingPage,
  input: PageInput,
  { asFetched, rendered, verdict, sign, isAsked }: Both,
  parts: PathParts,
): Promise<Shown & { readonly isRendered: boolean }> {
  const converted = await parts.converter.convertPage({
    ...input,
    headers: { ...input.headers, contentEncoding: '', refresh: '' },
    body: ownedCopy(new TextEncoder().encode(rendered.html)),
    isRendered: true,
  });
  const remarks: CountedCode[] = [
    ...(rendered.cut === undefined ? [] : ['render_cut' as const]),
    ...(rendered.waitMatched ? [] : ['wait_for_unmatched' as const]),
    ...(parts.browser?.isUnsandboxed === true ? ['browser_unsandboxed' as const] : []),
  ];
  const took = `${Math.round(rendered.tookMs)} ms, ${rendered.requests} requests`;
  const isRendered = converted.kind !== 'moved' && isBetter(asFetched, converted, verdict, isAsked);
  if (!isRendered) {
    const detail = `as fetched: the browser had no more to show (${sign}; ${took})`;
    return { converted: renamed(withLinks(asFetched, converted, []), [], remarks), detail, isRendered };
  }
  const whole = withLinks(converted, asFetched, routesOf(page, input, rendered));
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

/** The links of both, each once: scripts take links away as well as adding some. */
function withLinks<Page extends ConvertedPage>(page: Page, other: ConvertedPage, more: readonly Link[]): Page {
  if (!('links' in page)) return page;
  const others = 'links' in other ? other.links : [];
  const links = [...new Map([...more, ...others, ...page.links].map((link) => [link.key, link])).values()];
  return { ...page, links };
}

/** Addresses that the page gave itself are links on it. */
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

/** With other remarks: `instead` of that it needs JavaScript, and `more`. */
function renamed<Page extends ConvertedPage>(
  page: Page,
  instead: readonly CountedCode[],
  more: readonly CountedCode[] = [],
): Page {
  const given = 'remarks' in page ? (page.remarks ?? []) : [];
  const remarks = given.flatMap((code) => (code === 'needs_javascript' ? instead : [code]));
  return { ...page, remarks: [...remarks, ...more] };
}
