import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { UserError } from '../../core/errors.ts';
import { type LinkPreview, previewFetchesMax, previewMsMax } from '../../core/ports/preview.ts';
import { ledgerKinds, ledgerStatuses } from '../../core/ports/stores.ts';
import { cancelJob, deleteJob } from '../../jobs/cancel-job.ts';
import { createJob } from '../../jobs/create-job.ts';
import { explainUrl } from '../../jobs/explain-url.ts';
import { getJob } from '../../jobs/get-job.ts';
import { listedKinds, listedStatuses, listJobs } from '../../jobs/list-jobs.ts';
import { followUrls, listUrls } from '../../jobs/list-urls.ts';
import { resumeJob } from '../../jobs/resume-job.ts';
import { previewJob } from '../../jobs/preview-job.ts';
import { setExpiry } from '../../jobs/set-expiry.ts';
import { stopJob } from '../../jobs/stop-job.ts';
import { reextractJob } from '../../jobs/reextract-job.ts';
import { retryJob } from '../../jobs/retry-job.ts';
import { outputExpiry } from '../../options/schemas.ts';
import { jobInput, jobInputShown, reextractInput, retryInput } from '../../options/inputs.ts';
import { matchesTag } from '../answer/negotiation.ts';
import { viewJob, viewUrl } from '../answer/job-view.ts';
import { urlLines } from '../answer/ndjson-lines.ts';
import { sendLines, wantsLines } from '../answer/send-lines.ts';
import {
  cursor,
  job,
  jobList,
  jobParams,
  limit,
  noBody,
  optionalStatus,
  partOfUrl,
  problemAnswer,
  text,
  urlList,
  wait,
} from './schemas.ts';
import { crawlPreview } from './preview-schemas.ts';
import { idempotency, idempotencyHeader } from './idempotency.ts';
import { validateParams } from './validate-params.ts';
import { type Api, callerOf, goneSignal, type Service } from '../service.ts';

const tags = ['jobs'];
/** Slice size of a stream. */
const urlsOfSlice = 400;
export function registerJobs(api: Api, service: Service): void {
  api.post(
    '/crawler/jobs',
    {
      config: { permission: 'write', beginsWork: true },
      // `createJob` validates the body, the same for every caller; the schemas here only document it.
      validatorCompiler: validateParams,
      schema: {
        tags,
        operationId: 'createJob',
        summary: 'Create a job',
        description:
          'The job is on disk before the response is sent. `Idempotency-Key` (at most 256 characters, kept 24 hours) makes repeating safe.',
        headers: idempotencyHeader,
        body: jobInputShown,
        response: { 200: job, '4xx': problemAnswer },
      },
    },
    async (request, reply) => {
      const created = await createJob(
        service,
        callerOf(request),
        request.body,
        idempotency(request.headers['idempotency-key']),
      );
      return reply.header('location', `/crawler/jobs/${created.id}`).send(viewJob(created));
    },
  );

  api.post(
    '/crawler/jobs/preview',
    {
      config: { permission: 'write', waits: true, beginsWork: true },
      // `previewJob` validates the body like `createJob`.
      validatorCompiler: validateParams,
      schema: {
        tags,
        operationId: 'previewJob',
        summary: 'Show what a job would begin with, and store nothing',
        description: `Takes the body of \`POST /crawler/jobs\`. Fetches robots.txt, the first start URL and a sitemap: at most ${previewFetchesMax} requests in ${previewMsMax / 1000} seconds, at the pace of the host. Returns 200 whatever the site responds. Needs a process that crawls: others return 503.`,
        body: jobInput,
        response: { 200: crawlPreview, '4xx': problemAnswer, 503: problemAnswer },
      },
    },
    async (request, reply) => {
      const previewer = service.previewer();
      if (!previewer)
        throw new UserError(
          'unavailable',
          'This process does not crawl, so it does not know the pace of the site. Send the request to a process that does: `hayrake serve`.',
        );
      const signal = goneSignal(reply.raw, service);
      const preview = await previewJob({ ...service, previewer }, callerOf(request), request.body, signal);
      if (!preview) throw new UserError('unavailable', 'The service stopped before the preview was ready. Try again.');
      const { first, ...links } = preview.links;
      const data = first.map(viewLink);
      const { needsBrowser, ...page } = preview.page;
      return reply.header('cache-control', 'no-store').send({
        ...preview,
        page: needsBrowser === true ? { ...page, needsBrowser } : page,
        links: { ...links, data },
      });
    },
  );

  api.get(
    '/crawler/jobs',
    {
      schema: {
        tags,
        operationId: 'listJobs',
        summary: 'List jobs, newest first',
        description:
          'With `q`, a response can have fewer jobs than `limit`, or none, although more remain: one request looks at the next 1,000 jobs. Continue as long as there is a cursor.',
        querystring: z.object({
          limit,
          cursor,
          status: optionalStatus(
            listedStatuses,
            'Only jobs in this state. `stopped`: those with `stoppedAt`, which `running` and `starting` also list.',
          ),
          kind: optionalStatus(listedKinds, 'Only jobs of this kind. Without it: all but `scrape`.'),
          q: partOfUrl('Only jobs with a start URL that contains this; ASCII letters match in upper and lower case.'),
        }),
        response: { 200: jobList, '4xx': problemAnswer },
      },
    },
    async (request) => {
      const { status, kind, q, cursor: given, limit: rows } = request.query;
      const {
        jobs,
        counts,
        isCut,
        cursor: next,
      } = await listJobs(service, callerOf(request).org, {
        limit: rows,
        ...(given !== undefined && { cursor: given }),
        ...(status !== undefined && { status }),
        ...(kind !== undefined && { kind }),
        ...(q !== undefined && { q }),
      });
      return { data: jobs.map(viewJob), counts, ...(isCut && { countsCut: true as const }), ...withCursor(next) };
    },
  );

  api.get(
    '/crawler/jobs/:id',
    {
      schema: {
        tags,
        operationId: 'getJob',
        summary: 'Get a job',
        description: 'Never waits, and its `ETag` changes only with the job, so polling with `If-None-Match` is cheap.',
        params: jobParams,
        response: {
          200: job,
          304: z.null().describe('The job is the one with the `ETag` of `If-None-Match`.'),
          '4xx': problemAnswer,
        },
      },
    },
    async (request, reply) => {
      const text = JSON.stringify(viewJob(await getJob(service.jobs, callerOf(request).org, request.params.id)));
      // Everybody polls it.
      const tag = `W/"${hash('sha256', text, 'hex').slice(0, 32)}"`;
      reply.header('etag', tag).header('cache-control', 'private, no-cache');
      if (matchesTag(request.headers['if-none-match'], tag)) return reply.code(304).send(null);
      return reply.header('content-type', 'application/json; charset=utf-8').send(text as never);
    },
  );

  api.post(
    '/crawler/jobs/:id/cancel',
    {
      config: { permission: 'write' },
      schema: {
        tags,
        operationId: 'cancelJob',
        summary: 'Cancel a job; committed pages stay readable',
        description:
          'URLs that are left are `discarded` as `cancelled`. Repeatable; a job that has ended stays as it is.',
        params: jobParams,
        body: noBody,
        response: { 200: job, '4xx': problemAnswer },
      },
    },
    async (request) => viewJob(await cancelJob(service.jobs, callerOf(request).org, request.params.id)),
  );

  api.post(
    '/crawler/jobs/:id/stop',
    {
      config: { permission: 'write' },
      schema: {
        tags,
        operationId: 'stopJob',
        summary: 'Stop a crawl until it is resumed; a job that has ended stays as it is',
        description:
          'As Ctrl-C in the terminal: requests in flight are finished, no other is sent, and `stoppedAt` is set. The status stays as it was. `resume` continues the crawl from there.',
        params: jobParams,
        body: noBody,
        response: { 200: job, '4xx': problemAnswer },
      },
    },
    async (request) => viewJob(await stopJob(service.jobs, callerOf(request).org, request.params.id)),
  );

  api.post(
    '/crawler/jobs/:id/resume',
    {
      config: { permission: 'write', beginsWork: true },
      schema: {
        tags,
        operationId: 'resumeJob',
        summary: 'Continue a crawl that was stopped; any other job stays as it is',
        description: 'Continues a crawl whose `stoppedAt` is set, from where it stopped.',
        params: jobParams,
        body: noBody,
        response: { 200: job, '4xx': problemAnswer },
      },
    },
    async (request) => viewJob(await resumeJob(service.jobs, callerOf(request).org, request.params.id)),
  );

  api.post(
    '/crawler/jobs/:id/retry',
    {
      config: { permission: 'write', beginsWork: true },
      // `retryJob` validates the body, as with creating.
      validatorCompiler: validateParams,
      schema: {
        tags,
        operationId: 'retryJob',
        summary: 'Crawl again what failed in a job that has ended',
        description:
          'Creates a new job (`retryOf`) with the options of the original, which stays as it is. The new job delivers the missing pages and those reached through them, and no page that the original already has. The body is optional. `Idempotency-Key` (at most 256 characters, kept 24 hours) makes repeating safe.',
        params: jobParams,
        headers: idempotencyHeader,
        body: retryInput.nullish(),
        response: { 200: job, '4xx': problemAnswer },
      },
    },
    async (request, reply) => {
      const created = await retryJob(
        service,
        callerOf(request),
        request.params.id,
        request.body,
        idempotency(request.headers['idempotency-key']),
      );
      return reply.header('location', `/crawler/jobs/${created.id}`).send(viewJob(created));
    },
  );

  api.post(
    '/crawler/jobs/:id/reextract',
    {
      config: { permission: 'write', beginsWork: true },
      // `reextractJob` validates the body, as with creating.
      validatorCompiler: validateParams,
      schema: {
        tags,
        operationId: 'reextractJob',
        summary: 'Convert the pages of a job again, without a request to the site',
        description:
          'Creates a new job (`reextractOf`) from the raw bodies of one with `store_raw` that has ended. Options of content, format and shape, and `extract`, that the body names replace those of the original; all others are refused. Pages keep their numbers: none is discarded or joined, and one that cannot be converted is empty, with the reason `no_raw` in the ledger and a finding. `Idempotency-Key` (at most 256 characters, kept 24 hours) makes repeating safe.',
        params: jobParams,
        headers: idempotencyHeader,
        body: reextractInput.nullish(),
        response: { 200: job, '4xx': problemAnswer },
      },
    },
    async (request, reply) => {
      const created = await reextractJob(
        service,
        callerOf(request),
        request.params.id,
        request.body,
        idempotency(request.headers['idempotency-key']),
      );
      return reply.header('location', `/crawler/jobs/${created.id}`).send(viewJob(created));
    },
  );

  api.patch(
    '/crawler/jobs/:id',
    {
      config: { permission: 'write' },
      schema: {
        tags,
        operationId: 'setExpiry',
        summary: 'Change how long the results of an ended job are kept',
        description:
          'Only `output_expiry` can be changed. Repeatable. A job that runs is 409 (`job_not_ended`), one whose results are gone 410. A time in the past needs `confirm=true`, and removes the results.',
        params: jobParams,
        querystring: z.object({
          confirm: z
            .union([z.literal(''), z.enum(['true', 'false'])], { error: 'Give `true` or `false`, once.' })
            .transform((value) => value === 'true')
            .default(false)
            .meta({ 'x-default': 'false', description: '`true`: a time in the past is meant.' }),
        }),
        body: z.strictObject({
          output_expiry: outputExpiry().describe(
            "Seconds for which the results are kept, counted from the job's end; `null`: until they are deleted.",
          ),
        }),
        response: { 200: job, '4xx': problemAnswer },
      },
    },
    async (request) =>
      viewJob(
        await setExpiry(
          service.jobs,
          callerOf(request).org,
          request.params.id,
          request.body.output_expiry,
          request.query.confirm,
        ),
      ),
  );

  api.delete(
    '/crawler/jobs/:id',
    {
      config: { permission: 'write' },
      schema: {
        tags,
        operationId: 'deleteJob',
        summary: 'Cancel a job and delete its results',
        description: 'Deletes pages, screenshots and the ledger. The job stays readable, and its results are a 410.',
        params: jobParams,
        body: noBody,
        response: { 200: job, '4xx': problemAnswer },
      },
    },
    async (request) => viewJob(await deleteJob(service.jobs, callerOf(request).org, request.params.id)),
  );

  api.get(
    '/crawler/jobs/:id/urls',
    {
      config: { waits: true },
      schema: {
        tags,
        operationId: 'listUrls',
        summary: 'The URL ledger: every discovered URL with its outcome and the reason',
        description:
          'With `Accept: application/x-ndjson`: one URL per line, to the end of the job, regardless of `limit`; the last line is `{"end":true,"urls":N}` with the number of lines before it. While the job runs, each URL is listed once, in its state at that time. `status`, `reason` and `kind` are read from an index or counted. `q` and `found_on` compare: a response ends after 200,000 URLs, also if it has found nothing yet. Continue as long as there is a cursor.',
        params: jobParams,
        querystring: z.object({
          limit,
          cursor,
          status: optionalStatus(ledgerStatuses, 'Only URLs in this state.'),
          reason: text('Only URLs with this reason, such as `http_404`.'),
          q: partOfUrl('Only URLs that contain this; ASCII letters match in upper and lower case.'),
          found_on: text('Only URLs that were found first on the page with this URL.'),
          url: text('Explain this URL in sentences (`explanation`), in any spelling. Takes no other filter.'),
          kind: z
            .enum(ledgerKinds)
            .default('page')
            .describe('`sitemap`: the sitemaps of the job and what they name. `progress` does not count them.'),
          wait,
        }),
        response: { 200: urlList, '4xx': problemAnswer },
      },
    },
    async (request, reply) => {
      const { org } = callerOf(request);
      const { limit: rows, cursor: given, status, reason, kind, q, found_on: foundOn, url } = request.query;
      const { id } = request.params;
      if (url !== undefined) {
        refuseFilters(request);
        const { entry, sentences } = await explainUrl(service.jobs, org, id, url);
        return { data: entry ? [viewUrl(entry)] : [], explanation: sentences };
      }
      const urls = {
        limit: rows,
        kind,
        waitMs: request.query.wait * 1000,
        ...(given !== undefined && { cursor: given }),
        ...(status !== undefined && { status }),
        ...(reason !== undefined && { reason }),
        ...(q !== undefined && { q }),
        ...(foundOn !== undefined && { foundOn }),
      };
      const signal = goneSignal(reply.raw, service);
      if (wantsLines(request.headers)) {
        const slices = followUrls(service, org, id, { ...urls, limit: urlsOfSlice }, signal);
        // The first slice decides between a result and an error.
        const first = await slices.next();
        if (!first.done) reply.header('x-job-status', first.value.status);
        await sendLines(reply, request.headers, urlLines(first, slices));
        return reply;
      }
      const found = await listUrls(service, org, id, urls, signal);
      reply.header('x-job-status', found.status);
      return { data: found.urls.map(viewUrl), ...withCursor(found.cursor) };
    },
  );
}

function viewLink({ url, reason, detail }: LinkPreview) {
  if (reason === undefined) return { url, verdict: 'follow' as const };
  return { url, verdict: 'discard' as const, reason, ...(detail !== undefined && { detail }) };
}

/** `url` names one URL, so a filter or a stream would be ignored. */
function refuseFilters({
  query,
  headers,
}: {
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: IncomingHttpHeaders;
}): void {
  const other = ['q', 'found_on', 'status', 'reason', 'cursor'].find((name) => query[name] !== undefined);
  if (other !== undefined)
    throw new UserError('invalid_parameter', `\`url\` explains one URL. Leave \`${other}\` out, or \`url\`.`);
  if (wantsLines(headers))
    throw new UserError('invalid_parameter', '`url` explains one URL, as JSON. Send `Accept: application/json`.');
}

function withCursor(value: string | undefined): { cursor?: string; nextCursor?: string } {
  return value === undefined ? {} : { cursor: value, nextCursor: value };
}
