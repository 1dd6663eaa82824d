// The pages of a job and its progress as server-sent events, while it runs.
import { maybe } from '../../core/resource.ts';
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { UserError } from '../../core/errors.ts';
import { discovered, type Job } from '../../core/job.ts';
import { getJob } from '../../jobs/get-job.ts';
import { followResults, positionOf } from '../../jobs/read-results.ts';
import { budgetedSlices } from '../response/budgeted-slices.ts';
import type { BytesReply } from '../response/send-lines.ts';
import { eventChunks, progressEveryMs } from '../response/event-stream.ts';
import { streamBytesMax } from '../limits.ts';
import { cursor, jobParams, wholeNumber } from './schemas.ts';
import { type Api, callerOf, goneSignal, type Service } from '../service.ts';

/** Memory per slow reader. A slice ends, never before one page, once its texts exceed this many bytes. */
const slice = { limit: 100, bytesMax: streamBytesMax };
const pageMax = 10_000_000;

const query = z.object({
  cursor,
  after: wholeNumber('after', {
    min: 0,
    max: pageMax,
    default: 0,
    description: 'Start after this page number; a cursor takes precedence, and `Last-Event-ID` over both.',
  }),
  text: z
    .union([z.literal(''), z.enum(['true', 'false'])], { error: 'Give `true` or `false`, once.' })
    .transform((value) => value !== 'false')
    .default(true)
    .meta({ 'x-default': 'true', description: '`false`: rows as in `/meta`, without text.' }),
});

const headers = z.object({
  'last-event-id': maybe(z.string(), 'The id of the last event received. The stream continues after it.'),
});

/** The parts of a request that determine the response. */
interface Request extends Pick<FastifyRequest, 'headers' | 'method' | 'caller'> {
  readonly params: { readonly id: string };
  readonly query: z.output<typeof query>;
}

export function registerEvents(api: Api, service: Service): void {
  api.get(
    '/crawler/jobs/:id/events',
    {
      config: { waits: true },
      schema: {
        tags: ['results'],
        operationId: 'followEvents',
        summary: 'The pages and progress of a job, as server-sent events',
        description:
          'Events: `page` (its id is the page number, its data a row as in `/data`), `progress` (at most one per second), `page_damaged` with `{"page":N}` for a damaged page, and `end` with `{"status":...,"pages":N}`, after which the stream closes. A disconnected client resumes with `Last-Event-ID`, as browsers do by themselves. If the job has ended and nothing remains, the response is 204.',
        params: jobParams,
        querystring: query,
        headers,
        response: {
          200: { description: 'Events.', content: { 'text/event-stream': { schema: z.string() } } },
          204: z.null().describe('The job has ended, and no event follows `Last-Event-ID`.'),
        },
      },
    },
    (request, reply) => response(service, request, reply),
  );
}

async function response(service: Service, request: Request, reply: BytesReply): Promise<void> {
  const { org } = callerOf(request);
  const { id } = request.params;
  const { after, cursor: given, text: withText } = request.query;
  const lastId = lastEventId(request.headers['last-event-id']?.toString());
  const position = given === undefined ? after : positionOf(service.cursors, id, given);
  const signal = goneSignal(reply.raw, service);
  const behind = { after: lastId ?? position, withText, ...slice, lookMs: progressEveryMs };
  const followed = followResults(service, org, id, behind, signal);
  const slices = budgetedSlices(followed, (bytes) => service.responses.take(org, bytes, signal));
  // The first slice decides between a result and an error.
  const first = await slices.next();
  reply.header('cache-control', 'no-store');
  if (!first.done) {
    const { status, total, more } = first.value;
    reply.header('x-job-status', status);
    if (lastId !== undefined && lastId > total) throw badLastEventId();
    if (lastId === total && !more) {
      await reply.code(204).send();
      return;
    }
  }
  // nginx would hold events back until its buffer is full.
  reply.header('content-type', 'text/event-stream; charset=utf-8').header('x-accel-buffering', 'no');
  const parts = {
    progress: async () => progressOf(await getJob(service.jobs, org, id)),
    now: () => performance.now(),
  };
  const events = eventChunks(first, slices, parts);
  if (request.method === 'HEAD') await events.return(undefined);
  await reply.send(Readable.from(events, { objectMode: false }));
}

/** The id that a browser sends when it reconnects; if it received nothing before, it sends none. */
function lastEventId(header: string | undefined): number | undefined {
  if (header === undefined || header === '') return undefined;
  if (!/^\d{1,8}$/.test(header) || Number(header) > pageMax) throw badLastEventId();
  return Number(header);
}

function badLastEventId(): UserError {
  return new UserError(
    'invalid_parameter',
    '`Last-Event-ID` is not the id of an event of this job. Send the last id unchanged, or leave it out to start at the beginning.',
  );
}

function progressOf({ status, progress }: Job): string {
  return JSON.stringify({ status, progress: { discovered: discovered(progress), ...progress } });
}
