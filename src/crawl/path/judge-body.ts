// From the response of a site to the outcome for the store: first the status and the type, then the converter, and a
// browser if the page needs one.
import type { FetchedBody } from '../../core/ports/fetcher.ts';
import { fileKindOf, type FileKind } from '../../core/bytes/file-kind.ts';
import { pageTypeOf } from '../../core/bytes/page-type.ts';
import { isTrapExempt } from '../../core/request.ts';
import type { PageInput } from '../convert/converter.ts';
import { hidingBrief } from '../job/job-cache.ts';
import { type FetchedPage, type RefreshTarget, wantsFiles } from './page-request.ts';
import { isAsEarlier, sourceOf } from './page-source.ts';
import { challenged, failed, httpError, notPage } from './error-response.ts';
import { pageOutcome } from './page-outcome.ts';
import type { PathParts, Step } from './request-path.ts';
import { showPage, type Shown } from './render-page.ts';
import { namedByStart, onlyNames } from './start-list.ts';
import { briefFrom, hasLeftScope } from './start-scope.ts';
import { ownedCopy } from '../../core/bytes/owned-bytes.ts';
import { type RawHead, type RawPage, withoutSecrets } from '../../core/raw-page.ts';
import { pageBytesMax, unpackBeginning } from '../convert/unpack-body.ts';
import { validatorFor } from '../convert/validator-for.ts';

/** The body stays the caller's, who frees it. */
export async function judgeBody(
  fetched: FetchedPage,
  response: FetchedBody,
  parts: PathParts,
): Promise<Step | RefreshTarget> {
  const { request, job, url, isUnverified, templates } = fetched;
  const { statusCode, headers, body } = response;
  const refused = statusCode < 200 || statusCode > 299 ? httpError(request, url, response, parts) : undefined;
  if (refused && !(job.brief.spec.errorPages && refused.outcome.kind === 'failed' && statusCode >= 400)) return refused;
  if (headers.isChallenge === true) return challenged(request, statusCode, parts);
  if (statusCode === 204 || statusCode === 205) return notPage('no content', statusCode);
  const file = wantsFiles(request, job) ? fileKindOf(headers.contentType, url.pathname) : undefined;
  if (file === undefined && pageTypeOf(headers.contentType) === undefined)
    return refused ?? notPage(headers.contentType, statusCode);
  if (hasLeftScope(fetched)) parts.remarks.push('start_moved');
  const hidden = job.networks.hiddenFrom(response.network);
  const input: PageInput = {
    job: briefFrom(fetched, hidingBrief(job.brief, hidden instanceof Promise ? await hidden : hidden)),
    requestUrl: request.url,
    isUrgent: request.isUrgent,
    fetchedUrl: url.href,
    depth: request.depth,
    statusCode,
    headers,
    body,
    isUnverified,
    ...(file !== undefined && { file }),
    ...(request.earlier !== undefined && { earlier: request.earlier && { hash: request.earlier.hash } }),
    isSelfFed: request.selfFed,
    ...(templates && parts.watch.wantsLines(request.jobId, templates) && { lines: { numbers: templates.numbers } }),
  };
  const naming = refused ? undefined : namedByStart(fetched, response, file, parts);
  const source = sourceOf(fetched, response, file, parts);
  if (!naming && isAsEarlier(fetched, source)) {
    const validator = validatorFor(input);
    return { outcome: { kind: 'unchanged', evidence: 'bytes', statusCode, validator }, fetched: true };
  }
  if (job.brief.spec.storeRaw) await parts.waiting.room(parts.jobSignal);
  const named = naming && (await naming);
  const asFetched = await parts.converter.convertPage(input, parts.untilAnswered);
  if (refused && asFetched.kind !== 'page') return refused;
  if (asFetched.kind === 'moved') return { movedTo: new URL(asFetched.target) };
  const loading = { request, job, url, network: response.network };
  // A browser shows Markdown as plain text.
  const mayShow =
    file === undefined && !refused && asFetched.kind !== 'binary' && pageTypeOf(headers.contentType) !== 'markdown';
  const showing = mayShow ? showPage(loading, input, asFetched, parts) : { converted: asFetched };
  const shown = showing instanceof Promise ? await showing : showing;
  if ('movedTo' in shown) return shown;
  const { converted } = shown;
  if (converted.kind === 'binary') return named ? onlyNames(named, statusCode) : notPage(converted.detail, statusCode);
  if (converted.kind === 'error') {
    if (named) return onlyNames(named, statusCode);
    if (converted.error.reason === 'challenge') return challenged(request, statusCode, parts);
    return failed(request, { error: { ...converted.error, statusCode }, retryable: false }, parts);
  }
  const raw = job.brief.spec.storeRaw ? await rawPageOf(fetched, response, shown, file) : undefined;
  const isSelfFed = request.selfFed && !isTrapExempt(request);
  const endedTemplate = templates && parts.watch.observe(request.jobId, templates, converted.lines, isSelfFed);
  const judged = { ...shown, converted, source, named, statusCode, raw };
  return {
    ...pageOutcome(fetched, judged, parts),
    fetched: true,
    ...(endedTemplate && { endedTemplate }),
    ...(converted.conversion !== undefined && { conversion: converted.conversion }),
  };
}

/** What the page was made of; undefined if it is no page, or was converted without keeping that. */
async function rawPageOf(
  { request, url, isUnverified }: FetchedPage,
  { statusCode, headers, head = [], body }: FetchedBody,
  { converted, isRendered = false }: Shown,
  file: FileKind | undefined,
): Promise<RawPage | undefined> {
  if (converted.kind !== 'page' || !converted.unpacked) return undefined;
  const kept: RawHead = {
    url: request.url,
    fetchedUrl: url.href,
    depth: request.depth,
    fetchedAt: Date.now(),
    statusCode,
    headers: withoutSecrets(head),
    read: { ...headers, contentEncoding: '' },
    ...(file !== undefined && { file }),
    ...(isUnverified && { isUnverified }),
  };
  if (!isRendered) return { head: kept, received: converted.unpacked };
  const received = await unpackBeginning(body, headers.contentEncoding, pageBytesMax);
  return { head: kept, received: ownedCopy(received ?? new Uint8Array()), rendered: converted.unpacked };
}
