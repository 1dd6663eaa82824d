// What the watch over outcomes makes of one.
import { freeBytes } from '../../core/process/free-bytes.ts';
import { hostKey } from '../../core/host-key.ts';
import { unpackTraits } from '../../core/page-traits.ts';
import { type Outcome, startDepth } from '../../core/request.ts';
import { dedupeKey } from '../../url/dedupe-key.ts';
import { resolveLink } from '../../url/parse-url.ts';
import { judgeStart } from '../../url/scope.ts';
import { copied, type Shown, type Verdict } from '../memory/outcome-watch.ts';
import { headersFor } from './job-headers.ts';
import { judgeBody } from './judge-body.ts';
import { fetchOptionsFor, type PageRequest } from './page-request.ts';
import type { RedirectChain } from './redirect-chain.ts';
import type { PathParts, Step } from './request-path.ts';

/**
 * Throws a `HostPausedError`, or rejects with it, if the outcome is not that of the URL. Start pages are what the client asked
 * for. Most outcomes need no promise.
 */
export function watched(page: PageRequest, chain: RedirectChain, step: Step, parts: PathParts): Step | Promise<Step> {
  const { request, templates } = page;
  const shown = request.depth === startDepth ? undefined : shownBy(step.outcome, request.earlier?.traits);
  if (!shown) return step;
  const { outcome } = step;
  const ended = {
    ...shown,
    jobId: request.jobId,
    host: hostKey(chain.url),
    url: chain.url,
    template: maySample(outcome, request.earlier?.traits) ? (templates?.fine ?? '') : undefined,
    linkTo: () => ({ ...judgeStart(new URL(request.url)), depth: request.depth, isAgain: true }),
  };
  let samples = 0;
  const verdict = parts.outcomes.judge(ended, (url) => {
    samples++;
    return ask(page, url, chain.enter, parts);
  });
  const judged = (of: Verdict): Step => stepOf(of, samples === 0 ? step : { ...step, samples }, ended.host, parts);
  return verdict instanceof Promise ? verdict.then(judged) : judged(verdict);
}

function stepOf(verdict: Verdict, step: Step, host: string, parts: PathParts): Step {
  const { outcome } = step;
  const isSignIn = outcome.kind === 'scraped' && outcome.page.asksPassword === true;
  const code = isSignIn
    ? 'signed_out'
    : verdict.kind !== 'lasting' || verdict.way === copied
      ? 'same_page'
      : 'site_changed';
  // A test whether a person is there has a finding of its own.
  const isSaid = verdict.kind === 'lasting' && verdict.way === challenge;
  if (verdict.kind !== 'strained' && !isSaid) for (const { url } of verdict.spoilt) parts.remarks.push({ code, url });
  switch (verdict.kind) {
    case 'fine':
      return verdict.again.length === 0 ? step : { ...step, again: verdict.again };
    case 'lasting':
      if (!isSaid) parts.remarks.push(code);
      return step;
    case 'strained': {
      const pace = parts.pacer.of(host);
      pace.pauseForCopies(verdict.until);
      throw pace.paused();
    }
  }
}

const challenge = 'challenge';

/** Neither a file nor rendered: it is soon asked again. */
function maySample(outcome: Outcome, traits: string | null | undefined): boolean {
  if (outcome.kind === 'unchanged') return unpackTraits(traits)?.type === 'page';
  return (
    outcome.kind === 'scraped' && outcome.detail === undefined && unpackTraits(outcome.page.traits)?.type === 'page'
  );
}

/** Undefined of an outcome that says nothing of the site. */
function shownBy(
  outcome: Outcome,
  traits: string | null | undefined,
): (Shown & { readonly content?: string | undefined }) | undefined {
  switch (outcome.kind) {
    case 'scraped': {
      const { formKey, contentKey, traits: own } = outcome.page;
      const [key, words] = [formKey ?? contentKey, unpackTraits(own)?.words ?? 0];
      return key === undefined ? undefined : { key, words, content: contentKey };
    }
    case 'unchanged':
      return outcome.evidence === 'lastmod' ? undefined : { words: unpackTraits(traits)?.words ?? 0 };
    case 'discarded': {
      const { reason, detail = '', leftTo } = outcome;
      if (reason === 'content_type') return { way: `type ${detail}`, words: 0 };
      return reason === 'duplicate_of' && leftTo !== undefined ? { way: `led ${leftTo}`, words: 0 } : undefined;
    }
    case 'failed': {
      const { reason, statusCode } = outcome.error;
      const way = statusCode === 404 || statusCode === 410 ? 'gone' : reason === challenge ? challenge : undefined;
      return way === undefined ? undefined : { way, words: 0 };
    }
    case 'retry':
    case 'moved':
    case 'sitemap':
      return undefined;
  }
}

/** Asks once more for a page that the job has delivered. What is noticed of it was noticed when it was read. */
async function ask(
  { request: of, job }: PageRequest,
  url: URL,
  enter: string | undefined,
  parts: PathParts,
): Promise<Shown | undefined> {
  const request = { ...of, url: url.href, earlier: null };
  const asked = { ...parts, remarks: [] };
  const headers = headersFor(url, request, job, parts);
  const result = await parts.fetcher.fetch(url.href, { ...fetchOptionsFor(request, job, asked, enter), headers });
  if (result.kind === 'redirect') {
    const target = resolveLink(result.location, url.href);
    return target && { way: `led ${dedupeKey(target)}`, words: Number.POSITIVE_INFINITY };
  }
  if (result.kind !== 'body') return undefined;
  const page = { request, job, templates: undefined, url, isUnverified: false };
  const step = await judgeBody(page, result, asked);
  freeBytes(result.body);
  return 'outcome' in step ? shownBy(step.outcome, undefined) : undefined;
}
