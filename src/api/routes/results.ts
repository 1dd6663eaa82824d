// The two results endpoints: the pages of a job, with their text (`/data`) or without (`/meta`).
import type { ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { hasEnded } from '../../core/job.ts';
import {
  cursorAt,
  followResults,
  positionOf,
  readResults,
  responseBytesMax,
  type Results,
} from '../../jobs/read-results.ts';
import { AnswerMemory } from '../answer-memory.ts';
import { budgetedSlices, bytesOf } from '../budgeted-slices.ts';
import { answerReadSeconds, streamBytesMax } from '../limits.ts';
import { acceptsGzip, matchesTag } from '../negotiation.ts';
import { onceGone } from '../once-gone.ts';
import { packedLines, plainLines } from '../ndjson-lines.ts';
import { resultsBody } from '../results-body.ts';
import { cursor, jobParams, limit, problemAnswer, results, resultsMeta, wait, wholeNumber } from '../schemas.ts';
import { type Api, callerOf, goneSignal, type Service } from '../service.ts';

const query = z.object({
  limit,
  cursor,
  wait,
  after: wholeNumber('after', {
    min: 0,
    max: 10_000_000,
    default: 0,
    description: 'Begin behind this page number; a cursor takes precedence.',
  }),
});

/** An answer that is bytes already, awaited until it was sent. */
interface Reply {
  readonly raw: ServerResponse;
  header(name: string, value: string): Reply;
  code(status: number): Reply;
  send(payload?: unknown): { then(sent: () => void, failed: (error: Error) => void): void };
}

/** The parts of a request that an answer depends on. */
interface Request extends Pick<FastifyRequest, 'headers' | 'url' | 'caller'> {
  readonly params: { readonly id: string };
  readonly query: z.output<typeof query>;
}

const memory = new AnswerMemory();

export function registerResults(api: Api, service: Service): void {
  for (const kind of ['data', 'meta'] as const) {
    api.get(
      `/crawler/jobs/:id/${kind}`,
      {
        config: { waits: true },
        schema: {
          tags: ['results'],
          summary: kind === 'data' ? 'The pages of a job: metadata and text' : 'The pages of a job: metadata only',
          description:
            'With `Accept: application/x-ndjson`: one page a line, to the end of the job; the last line is `{"end":true,"pages":N}`.',
          params: jobParams,
          querystring: query,
          response: { 200: kind === 'data' ? results : resultsMeta, '4xx': problemAnswer },
        },
      },
      (request, reply) => answer(service, request, reply, kind === 'data'),
    );
  }
}

async function answer(service: Service, request: Request, reply: Reply, withText: boolean): Promise<void> {
  const { org } = callerOf(request);
  const { id } = request.params;
  const { limit: rows, wait: waitSeconds, after: page, cursor: given } = request.query;
  const after = given === undefined ? page : positionOf(service.cursors, id, given);
  const signal = goneSignal(reply.raw, service);
  if (request.headers.accept?.includes('application/x-ndjson') === true) {
    return stream(service, request, reply, { after, withText, signal });
  }

  const read = async (): Promise<Results> => {
    const room = await service.answers.take(org, responseBytesMax, signal);
    onceGone(reply.raw, () => room.giveBack());
    // The answer, an error too, may have to wait behind others of its connection: what is not needed is kept from nobody.
    let needed = 0;
    try {
      const results = await readResults(service, org, id, { limit: rows, withText, after, waitMs: 0 }, signal);
      needed = bytesOf(results);
      return results;
    } finally {
      room.shrinkTo(needed);
    }
  };
  let found = await read();
  if (found.pages.length === 0 && found.more && waitSeconds > 0) {
    // While there is nothing to answer, no memory is kept for an answer.
    const glance = { limit: 1, withText: false, after, waitMs: waitSeconds * 1000 };
    const seen = await readResults(service, org, id, glance, signal);
    found = seen.pages.length === 0 ? seen : await read();
  }
  cutOffWhenSlow(reply.raw);
  const next = found.more ? cursorAt(service.cursors, id, found.position) : undefined;
  reply
    .header('x-job-status', found.status)
    .header('vary', 'accept, accept-encoding')
    .header('content-type', 'application/json; charset=utf-8');
  if (next !== undefined) reply.header('link', `<${nextUrl(request, next)}>; rel="next"`);
  if (hasEnded(found.status)) {
    const tag = `W/"${id}-${withText ? 'data' : 'meta'}-${after}-${rows}-${found.position}"`;
    reply.header('etag', tag).header('cache-control', 'private, no-cache');
    if (matchesTag(request.headers['if-none-match'], tag)) {
      found.release();
      await reply.code(304).send();
      return;
    }
  } else reply.header('cache-control', 'no-store');

  const tail = next === undefined ? ']}' : `],"cursor":"${next}","nextCursor":"${next}"}`;
  const packed = acceptsGzip(request.headers['accept-encoding']);
  const allocate = (bytes: number): Buffer => memory.take(bytes, reply.raw);
  const body = await resultsBody(found.pages, { before: '{"data":[', between: ',', after: tail }, packed, allocate);
  found.release();
  if (packed) reply.header('content-encoding', 'gzip');
  await reply.send(body);
}

/** One page a line, as they are committed. The last line tells a stream that ended from one that was cut. */
async function stream(
  service: Service,
  request: Request,
  reply: Reply,
  { after, withText, signal }: { readonly after: number; readonly withText: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const { org } = callerOf(request);
  const query = { after, withText, limit: 400, bytesMax: streamBytesMax };
  const followed = followResults(service, org, request.params.id, query, signal);
  const slices = budgetedSlices(followed, (bytes) => service.answers.take(org, bytes, signal));
  // The first slice decides between an answer and an error.
  const first = await slices.next();
  const packed = withText && acceptsGzip(request.headers['accept-encoding']);
  if (packed) reply.header('content-encoding', 'gzip');
  if (!first.done) reply.header('x-job-status', first.value.status);
  reply
    .header('content-type', 'application/x-ndjson; charset=utf-8')
    .header('vary', 'accept, accept-encoding')
    .header('cache-control', 'no-store');
  const lines = packed ? packedLines(first, slices) : plainLines(first, slices);
  const sent = reply.send(Readable.from(lines, { objectMode: false }));
  // The first page may be a while in coming, and the client is to know that it is being served.
  reply.raw.flushHeaders();
  await sent;
}

/** A client that takes too long over reading an answer is cut off, since the answer takes room in memory. */
function cutOffWhenSlow(response: ServerResponse): void {
  const timer = setTimeout(() => response.destroy(), answerReadSeconds * 1000);
  onceGone(response, () => clearTimeout(timer));
}

/** The same request with another cursor, relative (RFC 8288, 3.2). */
function nextUrl(request: Request, next: string): string {
  const [path = '', ...search] = request.url.split('?');
  const parameters = new URLSearchParams(search.join('?'));
  parameters.delete('after');
  parameters.set('cursor', next);
  return `${path}?${parameters.toString()}`;
}
