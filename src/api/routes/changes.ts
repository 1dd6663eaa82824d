// What a job with `since` found out about the pages of the earlier job.
import { z } from 'zod';
import { changeKinds } from '../../core/baseline.ts';
import { acceptChanges } from '../../jobs/change-job.ts';
import { followChanges, readChanges } from '../../jobs/read-changes.ts';
import type { ShownChange } from '../../jobs/shown-changes.ts';
import { viewJob } from '../response/job-view.ts';
import { sendList, wantsLines } from '../response/send-lines.ts';
import { type Api, callerOf, goneSignal, type Service } from '../service.ts';
import { changeList, cursor, job, jobParams, limit, noBody, wait, withCursor } from './schemas.ts';

const tags = ['results'];
/** Slice size of a stream. */
const changesOfSlice = 400;

export const withText = z
  .enum(['true', 'false'], { error: 'Give `true` or `false`, once.' })
  .default('false')
  .transform((value) => value === 'true')
  .meta({
    'x-default': 'false',
    description: '`true`: each change that has a page has its `meta` and `text`, as in `/data`.',
  });

/** Some of these kinds, with commas between. */
export const kindsOf = <Kind extends string>(kinds: readonly [Kind, ...Kind[]]) =>
  z
    .string()
    .optional()
    .transform((given) => given?.split(',').map((kind) => kind.trim()))
    .pipe(z.array(z.enum(kinds, { error: `Give some of ${kinds.join(', ')}, with commas.` })).optional())
    .meta({ description: `Only these, with commas between: ${kinds.map((kind) => `\`${kind}\``).join(', ')}.` });

const changeQuery = z.object({
  change: kindsOf(changeKinds),
  text: withText,
  limit,
  cursor,
  wait,
});

export function registerChanges(api: Api, service: Service): void {
  api.get(
    '/crawler/jobs/:id/changes',
    {
      config: { waits: true },
      schema: {
        tags,
        operationId: 'readChanges',
        summary: 'What changed since the job that `since` names',
        description:
          'In the order in which it was decided, each page once, while the job still runs. `removed` follows when the job ends, `unknown` last. With `Accept: application/x-ndjson`: one change per line, to the end of the job; the last line is `{"end":true,"changes":N}`.',
        params: jobParams,
        querystring: changeQuery,
        response: { 200: changeList },
      },
    },
    async (request, reply) => {
      const { org } = callerOf(request);
      const { change: kinds, text, limit: rows, cursor: given, wait: waitSeconds } = request.query;
      const { id } = request.params;
      const query = { kinds, withText: text, limit: rows, cursor: given };
      const signal = goneSignal(reply.raw, service);
      if (wantsLines(request.headers)) {
        const slices = followChanges(service, org, id, { ...query, limit: changesOfSlice }, signal);
        await sendList(
          reply,
          request.headers,
          slices,
          ({ changes }) => changes.map((each) => viewChange(each)),
          ({ more }, count) => (more ? undefined : { changes: count }),
        );
        return reply;
      }
      const found = await readChanges(service, org, id, { ...query, waitMs: waitSeconds * 1000 }, signal);
      reply.header('x-job-status', found.status);
      return {
        data: found.changes.map((each) => viewChange(each)),
        ...withCursor(found.more ? found.cursor : undefined),
      };
    },
  );

  api.post(
    '/crawler/jobs/:id/changes/accept',
    {
      config: { permission: 'write' },
      schema: {
        tags,
        operationId: 'acceptChanges',
        summary: 'Take what the job doubts',
        description:
          'Unknown pages with the reason `gone` count as `removed` at once. Those with the reason `ill` or `shut` are taken as they are by the next job with `since` that gets this kind of response. Repeatable. A job that runs is 409 (`job_not_ended`).',
        params: jobParams,
        body: noBody,
        response: { 200: job },
      },
    },
    async (request) => viewJob(await acceptChanges(service.jobs, callerOf(request).org, request.params.id)),
  );
}

export function viewChange(shown: ShownChange) {
  const { position: _, textOf: __, json, isSuperseded, isDamaged, ...row } = shown;
  return {
    ...row,
    ...(json && { meta: json.meta, text: json.text }),
    ...(isSuperseded && { superseded: true as const }),
    ...(isDamaged && { damaged: true as const }),
  };
}
