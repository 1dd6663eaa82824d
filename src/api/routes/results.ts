// The two results endpoints: the pages of a job, with their text (`/data`) or without (`/meta`).
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { hasEnded } from '../../core/job.ts';
import { getJob } from '../../jobs/get-job.ts';
import {
  cursorAt,
  type FollowQuery,
  followResults,
  pageDamaged,
  positionOf,
  readResults,
  responseBytesMax,
  type Results,
} from '../../jobs/read-results.ts';
import { resultsBody } from '../../page/join-rows.ts';
import { ResponseMemory } from '../response/response-memory.ts';
import { budgetedSlices, bytesOf } from '../response/budgeted-slices.ts';
import { cutOffWhenSlow } from '../response/cut-off-when-slow.ts';
import { streamBytesMax } from '../limits.ts';
import { matchesTag } from '../response/negotiation.ts';
import { onceGone } from '../once-gone.ts';
import { pageLines } from '../response/ndjson-lines.ts';
import { shapedBody, type Shaping, shapingOf } from '../response/shaped-results.ts';
import { type BytesReply, sendLines, wantsLines, wantsPacked } from '../response/send-lines.ts';
import {
  cursor,
  fields,
  jobParams,
  limit,
  noFields,
  problemResponse,
  results,
  shapeParameters,
  resultsMeta,
  wait,
  wholeNumber,
} from './schemas.ts';
import { type Api, callerOf, goneSignal, type Service } from '../service.ts';

const positions = {
  limit,
  cursor,
  wait,
  after: wholeNumber('after', {
    min: 0,
    max: 10_000_000,
    default: 0,
    description: 'Start after this page number; a cursor takes precedence.',
  }),
};
const dataQuery = z.object({ ...positions, fields: noFields, ...shapeParameters });
const metaQuery = z.object({ ...positions, fields });

/** The parts of a request that determine the response. */
interface Request extends Pick<FastifyRequest, 'headers' | 'url' | 'caller'> {
  readonly params: { readonly id: string };
  readonly query: z.output<typeof metaQuery> & Partial<z.output<z.ZodObject<typeof shapeParameters>>>;
}

const memory = new ResponseMemory();

export function registerResults(api: Api, service: Service): void {
  for (const kind of ['data', 'meta'] as const) {
    api.get(
      `/crawler/jobs/:id/${kind}`,
      {
        config: { waits: true, ignoresUnknownParameters: true },
        schema: {
          tags: ['results'],
          operationId: kind === 'data' ? 'readPages' : 'readMetadata',
          summary: kind === 'data' ? 'The pages of a job: metadata and text' : 'The pages of a job: metadata only',
          description:
            'With `Accept: application/x-ndjson`: one page per line, to the end of the job; the last line is `{"end":true,"pages":N}`. With `chunk=heading`: one chunk per line, with their number as `chunks` in the last line. A damaged page gives the line `{"error":"page_damaged","page":N}`, and the last line then has the number of damaged pages as `damaged`.',
          params: jobParams,
          querystring: kind === 'data' ? dataQuery : metaQuery,
          response: { 200: kind === 'data' ? results : resultsMeta, '4xx': problemResponse, '5xx': problemResponse },
        },
      },
      (request, reply) => response(service, request, reply, kind === 'data'),
    );
  }
}

async function response(service: Service, request: Request, reply: BytesReply, withText: boolean): Promise<void> {
  const { org } = callerOf(request);
  const { id } = request.params;
  const { limit: rows, wait: waitSeconds, after: page, cursor: given, fields: names } = request.query;
  const after = given === undefined ? page : positionOf(service.cursors, id, given);
  const signal = goneSignal(reply.raw, service);
  const packed = wantsPacked(request.headers);
  const form = { withText, fields: names };
  const areLines = wantsLines(request.headers);
  const formatOf = async (): Promise<string> => (await getJob(service.jobs, org, id)).spec.outputFormat;
  const shaping = await shapingOf(request.query, areLines, formatOf);
  if (areLines) return stream(service, request, reply, { after, ...form, shaping, signal });

  const read = async (): Promise<Results> => {
    const room = await service.responses.take(org, responseBytesMax, signal);
    onceGone(reply.raw, () => room.giveBack());
    // Pipelined responses, errors too, may queue on this connection, so return the unused part of the budget now.
    let needed = 0;
    try {
      const results = await readResults(service, org, id, { limit: rows, ...form, after, waitMs: 0 }, signal);
      needed = bytesOf(results);
      return results;
    } finally {
      room.shrinkTo(needed);
    }
  };
  let found = await read();
  const isNothing = found.pages.length === 0 && found.damagedPage === undefined;
  if (isNothing && found.more && waitSeconds > 0) {
    // While there is nothing to return, no memory is reserved for a response.
    const glance = { limit: 1, withText: false, after, waitMs: waitSeconds * 1000 };
    const seen = await readResults(service, org, id, glance, signal);
    found = seen.pages.length === 0 && seen.damagedPage === undefined ? seen : await read();
  }
  if (found.pages.length === 0 && found.damagedPage !== undefined) {
    found.release();
    throw pageDamaged(service.cursors, id, found.damagedPage);
  }
  cutOffWhenSlow(reply.raw);
  const next = found.more ? cursorAt(service.cursors, id, found.position) : undefined;
  reply
    .header('x-job-status', found.status)
    .header('vary', 'accept, accept-encoding')
    .header('content-type', 'application/json; charset=utf-8');
  if (next !== undefined) reply.header('link', `<${nextUrl(request, withText, next)}>; rel="next"`);
  if (hasEnded(found.status)) {
    const shaped = shaping === undefined ? [] : Object.values(shaping.shape);
    const shape = [withText ? 'data' : 'meta', ...(names ?? []), ...shaped].join(',');
    const tag = `W/"${id}-${shape}-${after}-${rows}-${found.position}-${found.erasures}"`;
    reply.header('etag', tag).header('cache-control', 'private, no-cache');
    if (matchesTag(request.headers['if-none-match'], tag)) {
      found.release();
      await reply.code(304).send();
      return;
    }
  } else reply.header('cache-control', 'no-store');

  const tail = next === undefined ? ']}' : `],"cursor":"${next}","nextCursor":"${next}"}`;
  const allocate = (bytes: number): Buffer => memory.take(bytes, reply.raw);
  const envelope = { before: '{"data":[', between: ',', after: tail };
  const body =
    shaping === undefined
      ? await resultsBody(found.pages, envelope, packed, allocate)
      : await shapedBody(found.pages, envelope, shaping, packed);
  found.release();
  if (packed) reply.header('content-encoding', 'gzip');
  await reply.send(body);
}

/** One page per line, as committed. The last line distinguishes a complete stream from a cut one. */
async function stream(
  service: Service,
  request: Request,
  reply: BytesReply,
  {
    signal,
    shaping,
    ...position
  }: Pick<FollowQuery, 'after' | 'withText' | 'fields'> & {
    readonly shaping: Shaping | undefined;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { org } = callerOf(request);
  const query = { ...position, limit: 400, bytesMax: streamBytesMax };
  const followed = followResults(service, org, request.params.id, query, signal);
  const slices = budgetedSlices(followed, (bytes) => service.responses.take(org, bytes, signal));
  // The first slice decides between a result and an error.
  const first = await slices.next();
  if (!first.done) reply.header('x-job-status', first.value.status);
  await sendLines(reply, request.headers, pageLines(first, slices, shaping));
}

/**
 * The same request with another cursor, relative (RFC 8288, 3.2). The path is not the client's: one that begins with two
 * slashes would name another host, and the client would send it its token.
 */
function nextUrl({ url, params }: Request, withText: boolean, next: string): string {
  const path = `/crawler/jobs/${params.id}/${withText ? 'data' : 'meta'}`;
  const [, ...search] = url.split('?');
  const parameters = new URLSearchParams(search.join('?'));
  parameters.delete('after');
  parameters.set('cursor', next);
  return `${path}?${parameters.toString()}`;
}
