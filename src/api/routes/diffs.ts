// The difference between the text of a page and its earlier one.
import { maybe } from '../../core/resource.ts';
import { grouped } from '../../core/grouped.ts';
import { z } from 'zod';
import { diffBytesMax, diffMs, hunk } from '../../diff/text-diff.ts';
import { type DiffQuery, readDiff, type ShownDiff } from '../../jobs/read-diff.ts';
import { cutOffWhenSlow } from '../response/cut-off-when-slow.ts';
import type { BytesReply } from '../response/send-lines.ts';
import { onceGone } from '../once-gone.ts';
import { type Api, callerOf, goneSignal, type Service } from '../service.ts';
import { jobParams, problemResponse, scheduleParams } from './schemas.ts';

/** A difference has at most twice the text that is compared, and the frames of its lines. */
const diffResponseBytesMax = 12 * 2 ** 20;

const query = z.object({
  url: z.string({ error: 'Give the URL of the page, once.' }).describe('The page, as `changes` lists it.'),
});

const diff = z
  .object({
    job: z.string().describe('The job that found the page changed.'),
    runAt: z.int().describe('When it was created, in milliseconds since the epoch.'),
    url: z.string(),
    change: z.enum(['changed', 'unchanged']),
    reason: z.string().nullable().describe('`extracted`, `options` or `program`: as in the list of changes.'),
    contentHash: z.string().nullable(),
    previousContentHash: z.string().nullable(),
    title: maybe(z.string(), 'Only if the title has changed, as `previousTitle`.'),
    previousTitle: z.string().optional(),
    truncated: z
      .boolean()
      .describe(
        'The texts were not compared in full: only their beginnings were, or they differ so much that all lines between the first and the last difference count as changed.',
      ),
    hunks: z.array(hunk(z)).describe('Empty if the texts are equal, and only title, record or markup have changed.'),
  })
  .meta({ id: 'Diff' });

const description = `Compares texts, not markup: Markdown and text as they are delivered, of HTML what a reader sees. A unified diff; with \`Accept: application/json\` hunks with changed words. Of each text ${grouped(diffBytesMax)} bytes are compared, for ${diffMs / 1000} s: a diff that is not whole has \`truncated\`, or begins with \`# truncated: true\`. A page that was added or removed, or is unknown, is 400 (\`nothing_to_compare\`), a text that is no longer kept 410 (\`text_expired\`).`;
const response = {
  200: {
    description: 'The difference.',
    content: { 'text/x-diff': { schema: z.string() }, 'application/json': { schema: diff } },
  },
  '4xx': problemResponse,
  '5xx': problemResponse,
} as const;

export function registerDiffs(api: Api, service: Service): void {
  api.get(
    '/crawler/jobs/:id/changes/diff',
    {
      config: { waits: true },
      schema: {
        tags: ['results'],
        operationId: 'readDiff',
        summary: 'How the text of a page differs from its earlier one',
        description,
        params: jobParams,
        querystring: query,
        response,
      },
    },
    (request, reply) => sendDiff(service, request, reply, { job: request.params.id }),
  );
  api.get(
    '/crawler/schedules/:id/changes/diff',
    {
      config: { waits: true },
      schema: {
        tags: ['schedules'],
        operationId: 'readFeedDiff',
        summary: 'How the text of a page differs from the one before its last change',
        description: `${description} It is the newest run that is kept and changed the page. A page that none of them changed is 400 (\`nothing_to_compare\`).`,
        params: scheduleParams,
        querystring: query,
        response,
      },
    },
    (request, reply) => sendDiff(service, request, reply, { schedule: request.params.id }),
  );
}

type Request = Parameters<typeof callerOf>[0] & {
  readonly headers: { readonly accept?: string | undefined };
  readonly query: z.output<typeof query>;
};

async function sendDiff(service: Service, request: Request, reply: BytesReply, of: DiffQuery['of']): Promise<void> {
  const { org } = callerOf(request);
  const signal = goneSignal(reply.raw, service);
  const isJson = request.headers.accept?.includes('application/json') === true;
  const room = await service.responses.take(org, diffResponseBytesMax, signal);
  onceGone(reply.raw, () => room.giveBack());
  const form = isJson ? 'hunks' : 'patch';
  const shown = await readDiff(service, org, { of, url: request.query.url, form }, signal);
  room.shrinkTo(Buffer.byteLength(shown.text));
  cutOffWhenSlow(reply.raw);
  await reply
    .header('content-type', `${isJson ? 'application/json' : 'text/x-diff'}; charset=utf-8`)
    .header('vary', 'accept')
    .header('cache-control', 'private, no-cache')
    .send(isJson ? jsonOf(shown) : shown.text);
}

function jsonOf({ text, isTruncated, ...row }: ShownDiff): string {
  return `${JSON.stringify({ ...row, truncated: isTruncated }).slice(0, -1)},"hunks":${text}}`;
}
