// The ledger of a job: every URL, with its outcome and the reason.
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { UserError } from '../../../core/errors.ts';
import { ledgerKinds, ledgerStatuses } from '../../../core/ports/stores.ts';
import { explainUrl } from '../../../jobs/explain-url.ts';
import { followUrls, listUrls } from '../../../jobs/list-urls.ts';
import { viewUrl } from '../../response/job-view.ts';
import { sendList, wantsLines } from '../../response/send-lines.ts';
import { type Api, callerOf, goneSignal, type Service } from '../../service.ts';
import { jobParams, limit, cursor, optionalStatus, partOfUrl, text, urlList, wait, withCursor } from '../schemas.ts';

/** Slice size of a stream. */
const urlsOfSlice = 400;

export function registerUrls(api: Api, service: Service): void {
  api.get(
    '/crawler/jobs/:id/urls',
    {
      config: { waits: true },
      schema: {
        tags: ['jobs'],
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
        response: { 200: urlList },
      },
    },
    async (request, reply) => {
      const { org } = callerOf(request);
      const { found_on: foundOn, url, wait: waitSeconds, ...query } = request.query;
      const { id } = request.params;
      if (url !== undefined) {
        refuseFilters(request);
        const { entry, sentences } = await explainUrl(service.jobs, org, id, url);
        return { data: entry ? [viewUrl(entry)] : [], explanation: sentences };
      }
      const urls = { ...query, foundOn, waitMs: waitSeconds * 1000 };
      const signal = goneSignal(reply.raw, service);
      if (wantsLines(request.headers)) {
        const slices = followUrls(service, org, id, { ...urls, limit: urlsOfSlice }, signal);
        await sendList(
          reply,
          request.headers,
          slices,
          (slice) => slice.urls.map(viewUrl),
          ({ more }, count) => (more ? undefined : { urls: count }),
        );
        return reply;
      }
      const found = await listUrls(service, org, id, urls, signal);
      reply.header('x-job-status', found.status);
      return { data: found.urls.map(viewUrl), ...withCursor(found.cursor) };
    },
  );
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
