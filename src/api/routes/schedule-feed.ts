// What a schedule knows of its site: what changed over all of its runs, and all pages as they are now.
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { UserError } from '../../core/errors.ts';
import { feedKinds } from '../../core/ports/changes.ts';
import { followFeed, readFeed } from '../../jobs/schedules/read-feed.ts';
import { readSnapshot, type SnapshotPages } from '../../jobs/schedules/read-snapshot.ts';
import { responseBytesMax, type Results } from '../../jobs/read-results.ts';
import { BaselineAhead } from '../../jobs/schedules/baseline-ahead.ts';
import { getSchedule } from '../../jobs/schedules/manage-schedules.ts';
import { resultsBody } from '../../page/join-rows.ts';
import { ResponseMemory } from '../response/response-memory.ts';
import { budgetedSlices, bytesOf } from '../response/budgeted-slices.ts';
import { cutOffWhenSlow } from '../response/cut-off-when-slow.ts';
import { pageLines } from '../response/ndjson-lines.ts';
import { type BytesReply, sendLines, sendList, wantsLines, wantsPacked } from '../response/send-lines.ts';
import { shapedBody, shapingOf } from '../response/shaped-results.ts';
import { onceGone } from '../once-gone.ts';
import { streamBytesMax } from '../limits.ts';
import { type Api, callerOf, goneSignal, type Service } from '../service.ts';
import { kindsOf, viewChange, withText } from './changes.ts';
import {
  cursor,
  feed,
  limit,
  problemResponse,
  shapeParameters,
  snapshotMeta,
  snapshotPages,
  wait,
  scheduleParams,
} from './schemas.ts';

const tags = ['schedules'];
/** Slice size of a stream. */
const rowsOfSlice = 400;

const feedQuery = z.object({
  change: kindsOf(feedKinds),
  text: withText,
  from: z
    .literal('now', { error: 'Give `now`, or leave it out to begin with the oldest row.' })
    .optional()
    .meta({ description: '`now`: without a cursor, only what comes from now on.' }),
  limit,
  cursor,
  wait,
});
const snapshotQuery = z.object({ limit, cursor, ...shapeParameters });

export function registerScheduleFeed(api: Api, service: Service): void {
  const parts: Parts = { ...service, ahead: new BaselineAhead(service.changes) };
  api.get(
    '/crawler/schedules/:id/changes',
    {
      config: { waits: true },
      schema: {
        tags,
        operationId: 'readFeed',
        summary: 'What changed, over all runs of a schedule',
        description:
          'Pages that were added, changed and removed, in order, each row once, while runs go: the first run adds all of its pages. What did not change, or is unknown, is in the changes of each run. `cursor` is always given; keep it, and ask again later. Rows are kept for 90 days or `keep` runs, whichever is longer. With an older cursor, or after a client deleted a run that was not read: 410 (`changes_expired`), whose `snapshot` is where to read all pages, and whose `cursor` continues after them. With `Accept: application/x-ndjson`: one row per line, up to now; the last line is `{"end":true,"changes":N,"cursor":"..."}`.',
        params: scheduleParams,
        querystring: feedQuery,
        response: { 200: feed },
      },
    },
    async (request, reply) => {
      const { org } = callerOf(request);
      const { change: kinds, text, limit: rows, cursor: given, wait: waitSeconds, from } = request.query;
      const { id } = request.params;
      const query = { kinds, withText: text, limit: rows, cursor: given, fromNow: from === 'now' };
      const signal = goneSignal(reply.raw, service);
      if (wantsLines(request.headers)) {
        const slices = followFeed(service, org, id, { ...query, limit: rowsOfSlice }, signal);
        await sendList(
          reply,
          request.headers,
          slices,
          ({ changes }) => changes.map((row) => viewChange(row)),
          ({ isUpToDate, cursor: after }, count) => (isUpToDate ? { changes: count, cursor: after } : undefined),
        );
        return reply;
      }
      const found = await readFeed(service, org, id, { ...query, waitMs: waitSeconds * 1000 }, signal);
      return {
        data: found.changes.map((row) => viewChange(row)),
        cursor: found.cursor,
        upToDate: found.isUpToDate,
      };
    },
  );

  for (const kind of ['data', 'meta'] as const) {
    api.get(
      `/crawler/schedules/:id/${kind}`,
      {
        config: { waits: true },
        schema: {
          tags,
          operationId: kind === 'data' ? 'readSnapshot' : 'readSnapshotMeta',
          summary:
            kind === 'data'
              ? 'All pages that a schedule knows: metadata and text'
              : 'All pages that a schedule knows: metadata only',
          description:
            'As its newest ended run left them: delivered by it, or by an earlier one and unchanged since. Numbered in the order of their URLs. The first response chooses the run, its `cursor` keeps it, and its `changesCursor` is where the feed follows on these pages. With `Accept: application/x-ndjson`: one page per line; the last line is `{"end":true,"pages":N}`.',
          params: scheduleParams,
          querystring: snapshotQuery,
          response: {
            200: kind === 'data' ? snapshotPages : snapshotMeta,
            '4xx': problemResponse,
            '5xx': problemResponse,
          },
        },
      },
      (request, reply) => sendSnapshot(parts, request, reply, kind === 'data'),
    );
  }
}

interface Request extends Pick<FastifyRequest, 'headers' | 'caller'> {
  readonly params: { readonly id: string };
  readonly query: z.output<typeof snapshotQuery>;
}

interface Parts extends Service {
  readonly ahead: BaselineAhead;
}

const memory = new ResponseMemory();

async function sendSnapshot(service: Parts, request: Request, reply: BytesReply, isData: boolean): Promise<void> {
  const { org } = callerOf(request);
  const { id } = request.params;
  const signal = goneSignal(reply.raw, service);
  const areLines = wantsLines(request.headers);
  const formatOf = async (): Promise<unknown> => (await getSchedule(service, org, id)).job['output_format'];
  const shaping = isData ? await shapingOf(request.query, areLines, formatOf) : undefined;
  const query = { limit: request.query.limit, cursor: request.query.cursor, withText: isData };
  if (areLines) {
    const lines = budgetedSlices(snapshotSlices(service, org, id, { ...query, limit: rowsOfSlice }, signal), (bytes) =>
      service.responses.take(org, bytes, signal),
    );
    const first = await lines.next();
    return sendLines(reply, request.headers, pageLines(first, lines, shaping));
  }
  const room = await service.responses.take(org, responseBytesMax, signal);
  onceGone(reply.raw, () => room.giveBack());
  const found = await readSnapshot(service, org, id, { ...query, bytesMax: responseBytesMax });
  room.shrinkTo(bytesOf(found));
  if (found.pages.length === 0 && found.damaged !== undefined) throw pageDamaged(found.damaged, found.next);
  cutOffWhenSlow(reply.raw);
  const packed = wantsPacked(request.headers);
  const tail = JSON.stringify({
    run: found.run,
    ...(found.changes !== undefined && { changesCursor: found.changes }),
    ...(found.next !== undefined && { cursor: found.next, nextCursor: found.next }),
  }).slice(1);
  const envelope = { before: '{"data":[', between: ',', after: `],${tail}` };
  const body =
    shaping === undefined
      ? await resultsBody(found.pages, envelope, packed, (bytes) => memory.take(bytes, reply.raw))
      : await shapedBody(found.pages, envelope, shaping, packed);
  reply
    .header('vary', 'accept, accept-encoding')
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', 'no-store');
  if (packed) reply.header('content-encoding', 'gzip');
  await reply.send(body);
}

function pageDamaged(page: number, next: string | undefined): UserError {
  return new UserError(
    'page_damaged',
    `Page ${page} is damaged: the stored bytes have changed. Continue after it with the \`cursor\` of this response, if there is one. To get the page, crawl it again.`,
    [],
    { page, ...(next !== undefined && { cursor: next }) },
  );
}

async function* snapshotSlices(
  service: Parts,
  org: string,
  id: string,
  query: Pick<Parameters<typeof readSnapshot>[3], 'limit' | 'cursor' | 'withText'>,
  signal: AbortSignal,
): AsyncGenerator<Results> {
  let { cursor: at } = query;
  while (!signal.aborted) {
    const slice: SnapshotPages = await readSnapshot(service, org, id, {
      ...query,
      cursor: at,
      bytesMax: streamBytesMax,
    });
    at = slice.next;
    yield {
      status: 'succeeded',
      pages: slice.pages,
      total: slice.number,
      erasures: 0,
      position: slice.number,
      more: at !== undefined,
      release: () => {},
      ...(slice.damaged !== undefined && { damagedPage: slice.damaged }),
    };
    if (at === undefined) return;
  }
}
