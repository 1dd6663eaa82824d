// Pages as their sites sent them. Nothing of them is ever shown from this origin.
import { z } from 'zod';
import { UserError } from '../../core/errors.ts';
import { readRaw } from '../../jobs/read-raw.ts';
import { cutOffWhenSlow } from '../response/cut-off-when-slow.ts';
import { matchesTag } from '../response/negotiation.ts';
import type { BytesReply } from '../response/send-lines.ts';
import { onceGone } from '../once-gone.ts';
import { type Api, callerOf, goneSignal, type Service } from '../service.ts';
import { pageParams, problemResponse } from './schemas.ts';

/** A body and a rendered document, of 20 MiB each. */
const rawBytesMax = 40 * 2 ** 20;

const query = z.object({
  rendered: z
    .union([z.literal(''), z.enum(['true', 'false'])], { error: 'Give `true` or `false`, once.' })
    .transform((value) => value !== 'false')
    .optional()
    .meta({
      'x-default': 'false',
      description: '`true`, or no value: the document after rendering, in UTF-8, of a page from the browser.',
    }),
});

export function registerRaw(api: Api, service: Service): void {
  api.get(
    '/crawler/jobs/:id/pages/:page/raw',
    {
      config: { waits: true },
      schema: {
        tags: ['results'],
        operationId: 'readRaw',
        summary: 'The bytes of a page, as the site sent them',
        description:
          'The body of the response without its content codings, if the job was created with `store_raw`. A download: no browser shows it. `X-Archive-Orig-Content-Type` has the type that the site gave.',
        params: pageParams,
        querystring: query,
        response: {
          200: {
            description: 'The bytes.',
            content: { 'application/octet-stream': { schema: z.string().meta({ format: 'binary' }) } },
          },
          '4xx': problemResponse,
          '5xx': problemResponse,
        },
      },
    },
    async (request, reply) => {
      const { org } = callerOf(request);
      const { id, page } = request.params;
      const isRendered = request.query.rendered === true;
      const room = await service.responses.take(org, rawBytesMax, goneSignal(reply.raw, service));
      onceGone(reply.raw, () => room.giveBack());
      let needed = 0;
      try {
        const { head, received, rendered } = await readRaw(service, org, id, page);
        const bytes = isRendered ? rendered : received;
        if (!bytes) throw notRendered();
        const tag = `"${id}-${page}${isRendered ? '-rendered' : ''}"`;
        reply.header('etag', tag).header('cache-control', 'private, no-cache');
        if (matchesTag(request.headers['if-none-match'], tag)) return await (reply as BytesReply).code(304).send();
        needed = received.length + (rendered?.length ?? 0);
        cutOffWhenSlow(reply.raw);
        return await (reply as BytesReply)
          .header('content-type', 'application/octet-stream')
          .header('content-disposition', `attachment; filename="${id}-${page}${isRendered ? '.html' : '.raw'}"`)
          .header('content-security-policy', "sandbox; default-src 'none'")
          .header(
            'x-archive-orig-content-type',
            printable(isRendered ? 'text/html; charset=utf-8' : head.read.contentType),
          )
          .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
      } finally {
        room.shrinkTo(needed);
      }
    },
  );
}

function notRendered(): UserError {
  return new UserError('no_raw', 'The page was not rendered, so there is no other document. Leave `rendered` out.');
}

function printable(type: string): string {
  return type.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 200);
}
