import { grouped } from '../core/grouped.ts';
import { hash } from 'node:crypto';
import { failPoint } from '../core/process/fail-point.ts';
import { UserError, type FieldError } from '../core/errors.ts';
import type { DestinationPolicy } from '../core/ports/fetcher.ts';
import type { Job, JobKind, JobNotice, JobSpec } from '../core/job.ts';
import { optionsKey } from '../core/options-key.ts';
import type { Link } from '../core/request.ts';
import type { Permission } from '../core/permissions.ts';
import type { Idempotency, JobStore, NewJob } from '../core/ports/stores.ts';
import { type JobInput, jobInput, sinceBatchInput } from '../options/inputs.ts';
import { specOf } from '../options/spec-of.ts';
import { advancedProxy } from '../options/table.ts';
import { parseGivenUrl } from '../url/given-url.ts';
import { judgeStart, scopeHostOf } from '../url/scope.ts';
import { dataExpired } from './get-job.ts';
import { earlierJobOf, inheriting } from './since-job.ts';
import { newJobId } from './job-id.ts';
import { checkPermissions } from './check-permissions.ts';
import { invalidBody, parseInput } from './parse-input.ts';
import { toRequestHeaders } from './request-headers.ts';
import { parseWebhookUrl } from './webhook-url.ts';

export interface CreateJobParts {
  readonly jobs: JobStore;
  readonly destinations: DestinationPolicy;
  /** Resolves to true if a crawling process has a browser. */
  readonly hasBrowser: () => Promise<boolean>;
  /** The operator has named a language model. @default false */
  readonly hasModel?: boolean;
  /** See {@link WebhookRules}. */
  readonly webhookHttp?: boolean;
  /** Limit of unfinished jobs per org. @default no limit */
  readonly jobsPerOrg?: number;
  /** Seconds for which results are kept if the request does not say; null: until they are deleted. @default null */
  readonly outputExpirySeconds?: number | null;
}

/** The creator of a job. */
export interface JobOwner {
  readonly org: string;
  readonly permissions: readonly Permission[];
}

/** `idempotencyKey`: at most 256 characters; absent if the client sent none. */
export interface CreateJobOptions {
  readonly idempotencyKey?: string;
}

/** Validates a client's request and stores it as a job. Throws a `UserError` that says what to change. */
export async function createJob(
  parts: CreateJobParts,
  caller: JobOwner,
  body: unknown,
  options: CreateJobOptions = {},
): Promise<Job> {
  const earlier = await earlierJobOf(parts.jobs, caller.org, body);
  if (!earlier) return storeJob(parts, caller, parseInput(jobInput, 'crawl', body), options);
  const given = inheriting(body as object, earlier);
  const isBatch = earlier.kind === 'batch';
  const input = parseInput(isBatch ? sinceBatchInput : jobInput, 'crawl', given);
  const { urlTimeoutSeconds, errorPages } = earlier.spec;
  const ofBatch = isBatch && { url_timeout: urlTimeoutSeconds, error_pages: errorPages };
  return storeJob(parts, caller, { ...input, ...ofBatch }, { ...options, kind: earlier.kind, earlier });
}

export interface StoreJobOptions extends CreateJobOptions {
  /** The client's name for the start URL with this index. @default `urls[INDEX]` */
  readonly urlField?: (index: number) => string;
  /** A client waits for its page. @default false */
  readonly isInteractive?: boolean;
  /** @default crawl */
  readonly kind?: JobKind;
  /** The job that `since` names. */
  readonly earlier?: Job;
}

/** Stores a validated request as a job. Throws a `UserError` if the caller or a URL is not allowed. */
export async function storeJob(
  parts: CreateJobParts,
  caller: JobOwner,
  input: JobInput,
  options: StoreJobOptions = {},
): Promise<Job> {
  const job = await parts.jobs.create(await newJobOf(parts, caller, input, options));
  failPoint('create.stored');
  if (job === 'too_many') throw tooManyJobs(parts.jobsPerOrg ?? 0);
  if (job === 'conflict') throw keyReused();
  if (job === 'gone') throw dataExpired();
  return job;
}

/** Returns the job that a validated request describes, not yet stored. Throws as {@link storeJob}. */
export async function newJobOf(
  parts: Omit<CreateJobParts, 'jobs'>,
  caller: JobOwner,
  input: JobInput,
  options: StoreJobOptions = {},
): Promise<NewJob> {
  checkPermissions(input, caller.permissions);
  const urls = startUrls(input.urls, parts.destinations, options.urlField ?? ((index) => `urls[${index}]`));
  const webhookUrl = typeof input.webhook_url === 'string' ? parseWebhookUrl(input.webhook_url, parts) : undefined;
  const needsBrowser = input.use_browser === true || input.screenshot !== null;
  if (needsBrowser && !(await parts.hasBrowser())) throw browserMissing();
  if (input.extract?.model === true && parts.hasModel !== true) throw noModel();
  if (input.insecure_tls && parts.destinations.privateNetworks.length === 0) throw noPrivateNetworks();
  if (input.insecure_tls && parts.destinations.proxyResolves) throw noKnownAddress();
  refuseUnknownProxy(input, parts.destinations);
  const { kind = 'crawl' } = options;
  const startLinks = distinct(urls.map(judgeStart));
  const now = Date.now();
  return {
    id: newJobId(now),
    org: caller.org,
    // The row of a job is written at each commit, so it does not hold ten thousand URLs: the ledger does.
    spec: withBaseline(
      specOf({
        ...input,
        output_expiry: input.output_expiry === undefined ? (parts.outputExpirySeconds ?? null) : input.output_expiry,
        urls: (kind === 'batch' ? oneOfEachSite(urls) : urls).map((url) => url.href),
      }),
      options.earlier,
    ),
    createdAt: now,
    startLinks,
    origins: readsSitemaps(input, kind) ? distinct(urls.map((url) => judgeStart(new URL(url.origin)))) : [],
    scopeHosts: [...new Set(urls.map(scopeHostOf))],
    notices: [...noticesFor(input, now), ...(kind === 'batch' ? duplicatesNotice(urls, startLinks, now) : [])],
    headers: toRequestHeaders(input.headers, input.cookies),
    isInteractive: options.isInteractive ?? false,
    kind,
    ...(webhookUrl !== undefined && { webhookUrl }),
    ...(parts.jobsPerOrg !== undefined && { unfinishedMax: parts.jobsPerOrg }),
    ...idempotencyOf(options, kind === 'crawl' || options.earlier ? input : { kind, ...input }),
  };
}

function withBaseline(spec: JobSpec, earlier: Job | undefined): JobSpec {
  return earlier
    ? { ...spec, baseline: { of: earlier.id, isSame: optionsKey(spec) === optionsKey(earlier.spec) } }
    : spec;
}

/**
 * Returns the key with a hash of the request, which distinguishes a repeated request from another one with the same
 * key.
 */
export function idempotencyOf(
  { idempotencyKey: key }: CreateJobOptions,
  request: unknown,
): { readonly idempotency?: Idempotency } {
  return key === undefined ? {} : { idempotency: { key, bodyHash: hash('sha256', JSON.stringify(request), 'hex') } };
}

/** The error for a job whose idempotency key belongs to another request. */
export function keyReused(): UserError {
  return new UserError(
    'idempotency_key_reused',
    'This Idempotency-Key was used for a different request within the last 24 hours. Repeat that request, or use another key.',
  );
}

/** The error for a job that needs a browser when no crawling process has one. */
export function browserMissing(): UserError {
  const message =
    '`use_browser: true` and `screenshot` need a browser, and no crawling process has one: HAYRAKE_BROWSER is off there, or chromium-headless-shell and bubblewrap are not installed. `hayrake doctor` says which (docs/browser.md). Or leave both options out.';
  return new UserError('browser_missing', message, [{ field: 'use_browser', message }]);
}

/** The error for a job that asks a model where there is none. */
export function noModel(): UserError {
  const message = 'This service has no model: its operator sets HAYRAKE_MODEL_URL. Leave `model` out.';
  return new UserError('no_model', message, [{ field: 'extract.model', message }]);
}

/** The error for a job that asks for something that holds in private networks only, where there are none. */
function noPrivateNetworks(): UserError {
  const message =
    'It holds only in private networks, and this service allows none. Leave it out, or have the operator set HAYRAKE_ALLOW_PRIVATE.';
  return invalidBody([{ field: 'insecure_tls', message }]);
}

/** A proxy that resolves names hides which address answers, so nothing says that it lies in a private network. */
function noKnownAddress(): UserError {
  const message =
    'It holds for addresses of private networks, and here a proxy resolves names (HAYRAKE_PROXY_RESOLVES). Leave it out.';
  return invalidBody([{ field: 'insecure_tls', message }]);
}

function refuseUnknownProxy(
  { proxy, advanced_proxy: isAdvanced }: Pick<JobInput, 'proxy' | 'advanced_proxy'>,
  { proxyNames }: DestinationPolicy,
): void {
  const name = isAdvanced ? advancedProxy : proxy;
  if (name === null || proxyNames.includes(name)) return;
  const message = `The operator has no proxy of this name${isAdvanced ? ` (\`${advancedProxy}\`)` : ''}. Leave it out, or have the operator add \`NAME=URL\` to HAYRAKE_PROXY.`;
  throw invalidBody([{ field: isAdvanced ? 'advanced_proxy' : 'proxy', message }]);
}

/** The error for a job that exceeds the org's limit. */
export function tooManyJobs(jobsPerOrg: number): UserError {
  return new UserError(
    'too_many_jobs',
    `The org has ${grouped(jobsPerOrg)} unfinished jobs, which is its limit. Wait for one to end, or cancel one.`,
  );
}

function startUrls(
  inputs: readonly string[],
  destinations: DestinationPolicy,
  fieldOf: (index: number) => string,
): URL[] {
  const urls: URL[] = [];
  const problems: FieldError[] = [];
  const refused: FieldError[] = [];
  for (const [index, input] of inputs.entries()) {
    const parsed = parseGivenUrl(input);
    if ('problem' in parsed) {
      problems.push({ field: fieldOf(index), message: parsed.problem });
      continue;
    }
    const refusal = destinations.refusal(parsed.url);
    if (refusal === undefined) urls.push(parsed.url);
    else refused.push({ field: fieldOf(index), message: refusal });
  }
  if (problems.length > 0) throw invalidBody(problems);
  const [first] = refused;
  if (first) throw new UserError('destination_not_allowed', `\`${first.field}\`: ${first.message}`, refused);
  return urls;
}

/** What is deeper than `max_depth` is not fetched, but a map lists it. */
function readsSitemaps(input: JobInput, kind: JobKind): boolean {
  return input.force_crawling_mode !== 'link' && (kind === 'map' || input.max_depth !== 0);
}

/** Enough to decide which sites get the client's headers, and which private networks are entered. */
function oneOfEachSite(urls: readonly URL[]): URL[] {
  return [...new Map(urls.toReversed().map((url) => [url.origin, url])).values()].toReversed();
}

function duplicatesNotice(urls: readonly URL[], links: readonly Link[], now: number): JobNotice[] {
  const count = urls.length - links.length;
  if (count === 0) return [];
  // The first URL that is not where it would be without duplicates.
  const at = links.findIndex(({ url }, index) => url !== urls[index]?.href);
  const example = urls[at === -1 ? links.length : at]?.href;
  const what = count === 1 ? '1 URL is' : `${grouped(count)} URLs are`;
  const message = `${what} given more than once, such as ${example ?? ''}. Each URL is fetched once.`;
  return [{ code: 'duplicate_urls', message, at: now, count, ...(example !== undefined && { example }) }];
}

function noticesFor(input: JobInput, now: number): JobNotice[] {
  const notices: JobNotice[] = [];
  if (!input.respect_robots) {
    const message = 'The job also crawls what robots.txt forbids: `respect_robots` is false.';
    notices.push({ code: 'robots_ignored', message, at: now });
  }
  return notices;
}

/** The first of several spellings of a URL is kept. */
function distinct(links: readonly Link[]): Link[] {
  const known = new Set<string>();
  return links.filter(({ key }) => {
    const isNew = !known.has(key);
    known.add(key);
    return isNew;
  });
}
