// The path of a page on one host: robots.txt, then the fetch, hop by hop, then the converter, then the outcome for the
// store.
import type { FetchResult } from '../../core/ports/fetcher.ts';
import { conditionalHeader, redirectTarget } from '../../core/baseline.ts';
import { endedName } from '../../core/ports/frontier.ts';
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import { freeBytes } from '../../core/process/free-bytes.ts';
import type { RequestHeaders } from '../../core/job.ts';
import { redirectOff } from '../../core/reasons.ts';
import type { Discard, Outcome, Request } from '../../core/request.ts';
import { isTrapExempt, startDepth } from '../../core/request.ts';
import { unpackTraits } from '../../core/page-traits.ts';
import { hostKey } from '../../core/host-key.ts';
import { dedupeKey } from '../../url/dedupe-key.ts';
import { resolveLink } from '../../url/parse-url.ts';
import { type JudgedJob, judgeLink } from '../../url/scope.ts';
import { isOpen } from '../pace/circuit-breaker.ts';
import type { Admission } from '../pace/host-gate.ts';
import type { CachedJob } from '../job/job-cache.ts';
import { needsNoRequest } from '../job/needs-no-request.ts';
import { headersFor, isStartPage, keepCookies, keepCookiesOfWall } from './job-headers.ts';
import { fetchOptionsFor, isMadeAlike, leftMs, type PageRequest, type RefreshTarget } from './page-request.ts';
import { failed } from './error-response.ts';
import { judgeBody } from './judge-body.ts';
import type { PathParts, Step } from './request-path.ts';
import { watched } from './watched.ts';
import {
  addToTrail,
  beginChain,
  chainOf,
  movedOutcome,
  noteAsked,
  recallCookies,
  type RedirectChain,
} from './redirect-chain.ts';
import { robotsDiscard } from '../pace/robots-discard.ts';
import { afterFailure } from '../pace/retry-policy.ts';
import { formsOf, type ScriptLinks } from '../memory/script-links.ts';
import { type TemplateWatch, widestFirst } from '../memory/template-watch.ts';
import { watchedTemplates, type WatchedTemplates } from '../memory/watched-templates.ts';

/** Redirects followed before a page is given up. */
const redirectsMax = 10;

/** Rejects with a `HostPausedError` if the host must not be contacted now. */
export async function processPage(request: Request, job: CachedJob, parts: PathParts): Promise<Step> {
  const url = new URL(request.url);
  const templates = templatesOf(request, job, url);
  const trap = trapOf(request, job, parts.watch, templates);
  if (trap !== undefined) return { outcome: { kind: 'discarded', reason: 'trap', detail: trap }, fetched: false };
  const madeUp = request.byScript === true ? madeUpForm(request.jobId, url, job, parts.scriptLinks) : undefined;
  if (madeUp !== undefined)
    return { outcome: { kind: 'discarded', reason: 'script_link', detail: madeUp }, fetched: false };
  const offPath = offPathOf(request, url, job.judged);
  if (offPath) return { outcome: { kind: 'discarded', ...offPath }, fetched: false };
  const chain = request.chain === undefined ? beginChain(url) : chainOf(request);
  if (chain === 'misplaced') return { outcome: movedOutcome(beginChain(url)), fetched: false };
  const asksBefore = chain.asked.size;
  const followed = await follow({ request, job, templates }, chain, parts);
  const watching = watched({ request, job, templates }, chain, followed, parts);
  const step = withoutCopy({ request, job, templates }, watching instanceof Promise ? await watching : watching, parts);
  parts.targets.ended({ request, trail: chain.trail, maxDepth: job.judged.maxDepth }, step.outcome);
  const ended = isDead(request, step.outcome) ? parts.scriptLinks.dead(request.jobId, url) : undefined;
  return { ...step, fetched: chain.asked.size > asksBefore, ...(ended && { endedTemplate: ended }) };
}

/** A page that its site has shown before under another URL of the job, with links as they are written, is a copy. */
function withoutCopy({ request, templates }: PageRequest, step: Step, { watch }: PathParts): Step {
  const { outcome } = step;
  if (outcome.kind !== 'scraped' && outcome.kind !== 'unchanged') return step;
  const traits = unpackTraits(outcome.kind === 'scraped' ? outcome.page.traits : request.earlier?.traits);
  const copy = templates && traits && traits.written !== '-' && watch.copyOf(request, templates, traits);
  if (outcome.kind === 'unchanged' || request.earlier || !copy) return step;
  const { original: detail, isAgain, ended } = copy;
  const links = isAgain ? [] : outcome.links;
  const { statusCode } = outcome.page;
  return {
    ...step,
    outcome: { kind: 'discarded', reason: 'duplicate_of', detail, statusCode, links },
    ...(ended && { endedTemplate: ended }),
  };
}

/** A link that only scripts made, and that leads nowhere. */
function isDead({ byScript = false }: Request, outcome: Outcome): boolean {
  return (
    byScript && outcome.kind === 'failed' && (outcome.error.statusCode === 404 || outcome.error.statusCode === 410)
  );
}

/** The form of a link that only scripts made, if this process or an earlier one has ended it. */
function madeUpForm(jobId: string, url: URL, { endedTemplates }: CachedJob, links: ScriptLinks): string | undefined {
  const stored = formsOf(url).find((template) => endedTemplates.has(endedName({ template, byScript: true })));
  return stored ?? links.endedForm(jobId, url);
}

/**
 * Fetches a URL and follows its redirects to a page or a reason why there is none. A redirect to another host ends
 * here: the lane of that host continues.
 */
async function follow(page: PageRequest, chain: RedirectChain, parts: PathParts): Promise<Step> {
  const { request, job } = page;
  const host = hostKey(chain.url);
  if (chain.hops === 0) {
    const entrance = job.networks.entranceOf(chain.url);
    chain.enter = entrance instanceof Promise ? await entrance : entrance;
  } else if (job.keepCookies && isStartPage(request)) recallCookies(chain, request.jobId, parts.cookies);
  for (; chain.hops <= redirectsMax; chain.hops++) {
    const target = chain.hops > 0;
    const refusal = target ? refusedTarget(request, chain.url, job.judged) : undefined;
    if (refusal) return { outcome: refusal, fetched: true };
    const isHere = hostKey(chain.url) === host;
    const admission = isHere ? await admissionOf(chain, job, parts) : undefined;
    const forbidden = admission && forbiddenByRobots(admission, request, chain.url, job, parts);
    if (forbidden) return { outcome: forbidden, fetched: true };
    if (!target && isMadeAlike(page) && needsNoRequest(request, job.trusting, Date.now()))
      return { outcome: { kind: 'unchanged', evidence: 'lastmod' }, fetched: false };
    const original = target ? await originalOf(page, chain, parts) : undefined;
    if (original !== undefined) {
      // A site can redirect a request without a cookie to the URL that sets it. If the job has the cookie by now,
      // request again, once.
      const cookies = cookieNames(headersFor(new URL(request.url), request, job, parts, chain));
      if (chain.wasAskedAgain || cookies.every((name) => chain.firstCookies?.includes(name) === true)) {
        const leftTo = dedupeKey(new URL(original));
        return { outcome: { kind: 'discarded', reason: 'duplicate_of', detail: original, leftTo }, fetched: true };
      }
      chain.wasAskedAgain = true;
      chain.url = new URL(request.url);
      chain.enter = await job.networks.entranceOf(chain.url);
    }
    if (hostKey(chain.url) !== host) return { outcome: movedOutcome(chain), fetched: true };
    // The request's own URL comes there once it redirects, which few do.
    const isBack = chain.hops > 0 && !addToTrail(chain);
    const headers = headersFor(chain.url, request, job, parts, chain);
    chain.firstCookies ??= cookieNames(headers);
    if (!noteAsked(chain, headers?.['cookie'] ?? '')) {
      return failed(request, { error: redirectLoop, retryable: false }, parts);
    }
    const step = await fetchHop(page, chain, { headers, isBack }, parts);
    if ('outcome' in step) return step;
    if (chain.hops === 0) addToTrail(chain);
    chain.url = step.movedTo;
    // Only a redirect from inside a private network leads inside.
    chain.enter = step.network;
  }
  return failed(request, { error: tooManyRedirects, retryable: false }, parts);
}

/**
 * Fetches one URL of a chain. Returns its outcome, or the URL that it redirects to. `isBack`: the chain has asked for the URL
 * before.
 */
async function fetchHop(
  page: PageRequest,
  chain: RedirectChain,
  { headers, isBack }: { readonly headers: RequestHeaders | undefined; readonly isBack: boolean },
  parts: PathParts,
): Promise<Step | (RefreshTarget & { readonly network: string | undefined })> {
  const { request, job } = page;
  const { fetcher } = parts;
  const { url, enter } = chain;
  const condition = conditionFor(page, chain, headers);
  const sent = condition ? { ...headers, ...condition } : headers;
  const result = await fetcher.fetch(url.href, { ...fetchOptionsFor(request, job, parts, enter), headers: sent });
  if (result.kind !== 'failure' && result.isUnverified === true) chain.isUnverified = true;
  keepCookies(chain, result, request, job, parts);
  reportTo(parts, request, url, result);
  if (result.kind === 'failure') return failed(request, result, parts);
  if (result.kind === 'body' && result.statusCode === 304 && condition) {
    freeBytes(result.body);
    return { outcome: { kind: 'unchanged', evidence: '304', statusCode: 304 }, fetched: true };
  }
  if (result.kind === 'body') {
    const isTooMuch = tooMuch.has(result.statusCode) && !chain.withoutCookies;
    if (isTooMuch && headers?.['cookie'] !== job.headersFor(url)?.['cookie']) {
      chain.withoutCookies = true;
      return { movedTo: url, network: enter };
    }
    if (result.statusCode < 300) {
      if (request.byScript === true) parts.scriptLinks.served(request.jobId, new URL(request.url));
      // Without its cookies the site serves the page: they are of no use to the rest of the job.
      if (chain.withoutCookies) parts.cookies.forget(request.jobId);
      else if (isBack) keepCookiesOfWall(chain, request, parts);
    }
  }
  const step =
    result.kind === 'body'
      ? await judgeBody({ ...page, url, isUnverified: chain.isUnverified }, result, parts)
      : undefined;
  if (result.kind === 'body') freeBytes(result.body);
  if (step && 'outcome' in step) return step;
  const movedTo = step?.movedTo ?? (result.kind === 'redirect' ? resolveLink(result.location, url.href) : undefined);
  if (!movedTo) return failed(request, { error: badRedirect, retryable: false }, parts);
  return { movedTo, network: result.network };
}

/** The header that asks whether the page is as the earlier job knew it. Only the URL that gave the validator gets it. */
function conditionFor(
  page: PageRequest,
  chain: RedirectChain,
  headers: RequestHeaders | undefined,
): RequestHeaders | undefined {
  const { earlier, url } = page.request;
  const validator = earlier?.validator;
  if (validator === null || validator === undefined || !isMadeAlike(page)) return undefined;
  if (redirectTarget(validator) !== undefined) return undefined;
  if (headers?.['if-none-match'] !== undefined || headers?.['if-modified-since'] !== undefined) return undefined;
  return chain.url.href === url ? conditionalHeader(validator) : undefined;
}

/** Returns the URL of the job that covers the target of a redirect. Start URLs have none: the client requested them. */
function originalOf(
  { request, job }: PageRequest,
  { url, trail }: RedirectChain,
  { targets }: PathParts,
): Promise<string | undefined> | undefined {
  if (request.depth === startDepth) return undefined;
  return targets.originalOf({ request, trail, maxDepth: job.judged.maxDepth }, dedupeKey(url));
}

function cookieNames(headers: RequestHeaders | undefined): readonly string[] {
  return headers?.['cookie']?.split('; ').map((pair) => pair.slice(0, pair.indexOf('='))) ?? [];
}

/** A URL that a sitemap named before a start page turned out to be in another directory. */
function offPathOf({ depth }: Request, url: URL, judged: JudgedJob): Discard | undefined {
  if (depth === startDepth || judged.directories.length === 0) return undefined;
  const { discard } = judgeLink({ url, nofollow: false, depth }, judged);
  return discard?.reason === 'off_path' ? discard : undefined;
}

/** The page of a start URL may be anywhere. Every other redirect must stay in scope. */
function refusedTarget(request: Request, url: URL, judged: JudgedJob): Outcome | undefined {
  if (request.depth === startDepth) return undefined;
  const { discard } = judgeLink({ url, nofollow: false, depth: request.depth }, judged);
  if (discard?.reason === 'off_host') return { kind: 'discarded', reason: 'off_host', detail: redirectOff.detail(url) };
  const isExcluded = discard?.reason === 'excluded_by_glob' || discard?.reason === 'excluded_by_pattern';
  return discard && (isExcluded || discard.reason === 'off_path') ? { kind: 'discarded', ...discard } : undefined;
}

function admissionOf(
  { url, enter }: RedirectChain,
  { respectRobots, begunAt, insecureTls, proxy }: CachedJob,
  { gate, signal, endsAt }: PathParts,
): Promise<Admission> {
  return gate.admit(url, { respectRobots, begunAt, insecureTls, proxy, enter, withinMs: leftMs(endsAt) }, signal);
}

function forbiddenByRobots(
  admission: Admission,
  request: Request,
  url: URL,
  { respectRobots }: CachedJob,
  { options }: PathParts,
): Outcome | undefined {
  if (admission.kind === 'refused') {
    return afterFailure(admission.failure, request.attempts, options.retry, Math.random());
  }
  const discard = respectRobots ? robotsDiscard(url, admission.rules) : undefined;
  return discard && { kind: 'discarded', ...discard };
}

/**
 * Throws if this response opened the circuit: the host failed, not the page. If robots.txt answers after that and pages
 * still do not, the page has failed; but a host that refuses does so without looking at the page.
 */
function reportTo({ gate, pacer }: PathParts, request: Request, url: URL, result: FetchResult): void {
  gate.report(url, result, request.attempts);
  const pace = pacer.of(hostKey(url));
  const { circuit } = pace;
  const isDown = isOpen(circuit, monotonicNow()) && (circuit.timesOpened === 1 || circuit.isRefusing);
  if (isDown) throw pace.paused();
}

function templatesOf({ depth }: Request, { trapDetection, judged }: CachedJob, url: URL): WatchedTemplates | undefined {
  // The client requested a start URL, so it is never a trap.
  return trapDetection && depth !== startDepth ? watchedTemplates(url, judged) : undefined;
}

/** The template of the trap that a page is part of: it is not fetched. */
export function trapOf(
  request: Request,
  job: CachedJob,
  watch: TemplateWatch,
  templates = templatesOf(request, job, new URL(request.url)),
): string | undefined {
  return templates && endedTemplateOf(request, templates, job, watch);
}

/** The template of a URL that was found to be a trap, by this process or an earlier one. */
function endedTemplateOf(
  request: Request,
  templates: WatchedTemplates,
  { endedTemplates }: CachedJob,
  watch: TemplateWatch,
): string | undefined {
  const known = widestFirst(templates).find((template) => endedTemplates.has(template));
  const ended = known ?? watch.endedTemplate(request.jobId, templates);
  return ended === templates.names?.template || !isTrapExempt(request) ? ended : undefined;
}

/** What servers answer to headers that are too long. */
const tooMuch: ReadonlySet<number> = new Set([400, 413, 431]);

const badRedirect = {
  reason: 'bad_redirect',
  message: 'The URL redirects to something that is not an http or https URL.',
} as const;
const redirectLoop = { reason: 'too_many_redirects', message: 'The redirects form a loop.' } as const;
const tooManyRedirects = { reason: 'too_many_redirects', message: `More than ${redirectsMax} redirects.` } as const;
