import { hash } from 'node:crypto';
import { failPoint } from '../core/fail-point.ts';
import type { z } from 'zod';
import { UserError, type FieldError } from '../core/errors.ts';
import type { DestinationPolicy } from '../core/fetcher.ts';
import type { Job, JobNotice, JobSpec } from '../core/job.ts';
import type { Link } from '../core/request.ts';
import type { Idempotency, JobStore, Permission } from '../core/stores.ts';
import { parseHttpUrl } from '../url/parse-url.ts';
import { judgeStart, scopeHostOf } from '../url/scope.ts';
import { toRequestHeaders } from './headers-input.ts';
import { newJobId } from './job-id.ts';
import { jobInputSchema, notSupportedYet, type ParsedJobInput } from './job-input.ts';
import { parseWebhookUrl } from './webhook-url.ts';

/** More would help nobody, and a body can have a hundred thousand wrong fields. */
const fieldErrorsMax = 20;

export interface CreateJobParts {
  readonly jobs: JobStore;
  readonly destinations: DestinationPolicy;
  /** See {@link WebhookRules}. */
  readonly webhookHttp?: boolean;
  /** Jobs of one org that may be unfinished at a time. @default any number */
  readonly jobsPerOrg?: number;
}

/** Who creates a job. */
export interface JobOwner {
  readonly org: string;
  readonly permissions: readonly Permission[];
}

/** Unset where the client gave none. At most 256 characters. */
export interface CreateJobOptions {
  readonly idempotencyKey?: string;
}

/** Validates what a client asks for and stores it as a job. Throws a `UserError` that says what to change. */
export async function createJob(
  parts: CreateJobParts,
  caller: JobOwner,
  body: unknown,
  options: CreateJobOptions = {},
): Promise<Job> {
  return storeJob(parts, caller, parseJobInput(body), options);
}

export interface StoreJobOptions extends CreateJobOptions {
  /** What the client called the start URL with this index. @default `urls[INDEX]` */
  readonly urlField?: (index: number) => string;
}

/** Stores what was asked for as a job. Throws a `UserError` where the caller or a URL is not allowed. */
export async function storeJob(
  parts: CreateJobParts,
  caller: JobOwner,
  input: ParsedJobInput,
  options: StoreJobOptions = {},
): Promise<Job> {
  if (!input.respect_robots && !caller.permissions.includes('ignore_robots')) throw mayNotIgnoreRobots();
  const urls = startUrls(input.urls, parts.destinations, options.urlField ?? ((index) => `urls[${index}]`));
  const webhookUrl = typeof input.webhook_url === 'string' ? parseWebhookUrl(input.webhook_url, parts) : undefined;
  const now = Date.now();
  const job = await parts.jobs.create({
    id: newJobId(now),
    org: caller.org,
    spec: toSpec(input, urls),
    createdAt: now,
    startLinks: distinct(urls.map(judgeStart)),
    origins: readsSitemaps(input) ? distinct(urls.map((url) => judgeStart(new URL(url.origin)))) : [],
    scopeHosts: [...new Set(urls.map(scopeHostOf))],
    notices: noticesFor(input, now),
    headers: toRequestHeaders(input.headers, input.cookies),
    ...(webhookUrl !== undefined && { webhookUrl }),
    ...(parts.jobsPerOrg !== undefined && { unfinishedMax: parts.jobsPerOrg }),
    ...idempotencyOf(options, input),
  });
  failPoint('create.stored');
  if (job === 'too_many') throw tooManyJobs(parts.jobsPerOrg ?? 0);
  if (job === 'conflict') throw keyReused();
  return job;
}

/** What tells the same request from another one with the same key. */
export function idempotencyOf(
  { idempotencyKey: key }: CreateJobOptions,
  request: unknown,
): { readonly idempotency?: Idempotency } {
  return key === undefined ? {} : { idempotency: { key, bodyHash: hash('sha256', JSON.stringify(request), 'hex') } };
}

/** For whoever stores a job and is told that its key belongs to another. */
export function keyReused(): UserError {
  return new UserError(
    'idempotency_key_reused',
    'This Idempotency-Key was used within the last 24 hours for another request. Send the same one again, or take another key.',
  );
}

/** For whoever stores a job and is told that it is one too many. */
export function tooManyJobs(jobsPerOrg: number): UserError {
  return new UserError(
    'too_many_jobs',
    `The org has ${jobsPerOrg.toLocaleString('en')} jobs that have not ended, which is as many as it may. Wait for one to end, or cancel one.`,
  );
}

export function parseJobInput(body: unknown): ParsedJobInput {
  return parseBody(jobInputSchema, body);
}

/** A body as the schema says, or all that is wrong with it. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  if (typeof body === 'object' && body !== null) {
    for (const [field, isAsked] of Object.entries(notSupportedYet)) {
      if (!isAsked((body as Record<string, unknown>)[field])) continue;
      throw new UserError('not_supported_yet', `\`${field}\` is not supported yet. Leave it out.`, [
        { field, message: 'not supported yet' },
      ]);
    }
  }
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw invalidBody(parsed.error.issues.slice(0, fieldErrorsMax).flatMap(toFieldErrors).slice(0, fieldErrorsMax));
}

function toFieldErrors(issue: {
  readonly code?: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
}): FieldError[] {
  if (issue.code === 'unrecognized_keys') {
    return (issue.keys ?? []).map((key) => ({
      field: key === '' ? '""' : key.slice(0, 100),
      message: 'There is no such field.',
    }));
  }
  return [{ field: fieldName(issue.path), message: issue.message }];
}

function fieldName(path: readonly PropertyKey[]): string {
  return (
    path.reduce<string>(
      (name, part) =>
        typeof part === 'number' ? `${name}[${part}]` : name === '' ? String(part) : `${name}.${String(part)}`,
      '',
    ) || 'body'
  );
}

function invalidBody(fields: readonly FieldError[]): UserError {
  const [first] = fields;
  const more = fields.length > 1 ? ` (and ${fields.length - 1} more, see \`errors\`)` : '';
  return new UserError(
    'invalid_body',
    first ? `\`${first.field}\`: ${first.message}${more}` : 'The body is not valid.',
    fields,
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
    const parsed = parseHttpUrl(input);
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

function toSpec(input: ParsedJobInput, urls: readonly URL[]): JobSpec {
  return {
    urls: urls.map((url) => url.href),
    outputFormat: input.output_format,
    excludeGlobs: input.exclude_globs,
    includeGlobs: input.include_globs,
    excludeElements: input.exclude_elements ?? null,
    // Where nothing is named, nothing is chosen.
    includeElements: input.include_elements?.trim() === '' ? null : (input.include_elements ?? null),
    content: input.content,
    outputExpirySeconds: input.output_expiry,
    minLength: input.min_length,
    pageLimit: input.page_limit,
    timeLimitSeconds: input.time_limit,
    fetchLimit: input.fetch_limit ?? Math.max(1_000, 10 * input.page_limit),
    maxDepth: input.max_depth,
    forceCrawlingMode: input.force_crawling_mode,
    allowSubdomains: input.allow_subdomains,
    respectRobots: input.respect_robots,
    blockResources: input.block_resources,
    includeLinkedFiles: input.include_linked_files,
  };
}

function readsSitemaps(input: ParsedJobInput): boolean {
  return input.force_crawling_mode !== 'link' && input.max_depth !== 0;
}

function noticesFor(input: ParsedJobInput, now: number): JobNotice[] {
  const notices: JobNotice[] = [];
  if (input.use_browser === 'auto') {
    const message = 'Pages are not rendered in a browser yet: `use_browser: auto` has the effect of `false`.';
    notices.push({ code: 'browser_not_supported', message, at: now });
  }
  if (!input.respect_robots) {
    const message = 'The job was told to crawl what robots.txt forbids: `respect_robots` is false.';
    notices.push({ code: 'robots_ignored', message, at: now });
  }
  return notices;
}

function mayNotIgnoreRobots(): UserError {
  return new UserError(
    'permission_denied',
    '`respect_robots: false` needs a token with the permission `ignore_robots`. Leave it out, or have the operator make one: `hayrake token create --permissions read,write,ignore_robots`.',
    [{ field: 'respect_robots', message: 'needs the permission `ignore_robots`' }],
  );
}

function distinct(links: readonly Link[]): Link[] {
  return [...new Map(links.map((link) => [link.key, link])).values()];
}
