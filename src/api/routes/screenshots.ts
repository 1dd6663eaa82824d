// Pictures of pages.
import { z } from 'zod';
import { screenshotBytesMax } from '../../core/page.ts';
import { readScreenshot } from '../../jobs/read-screenshot.ts';
import { cutOffWhenSlow } from '../response/cut-off-when-slow.ts';
import { matchesTag } from '../response/negotiation.ts';
import { onceGone } from '../once-gone.ts';
import type { BytesReply } from '../response/send-lines.ts';
import { pageParams, problemResponse } from './schemas.ts';
import { type Api, callerOf, goneSignal, type Service } from '../service.ts';

const picture = { schema: z.string().meta({ format: 'binary' }) };

export function registerScreenshots(api: Api, service: Service): void {
  api.get(
    '/crawler/jobs/:id/pages/:page/screenshot',
    {
      config: { waits: true },
      schema: {
        tags: ['results'],
        operationId: 'readScreenshot',
        summary: 'The screenshot of a page',
        description:
          'A picture of each page is taken if the job was created with `screenshot`. It never changes, and is kept as long as the results of the job.',
        params: pageParams,
        response: {
          200: { description: 'The picture.', content: { 'image/png': picture, 'image/jpeg': picture } },
          '4xx': problemResponse,
          '5xx': problemResponse,
        },
      },
    },
    async (request, reply) => {
      const { org } = callerOf(request);
      const { id, page } = request.params;
      const room = await service.responses.take(org, screenshotBytesMax, goneSignal(reply.raw, service));
      onceGone(reply.raw, () => room.giveBack());
      let needed = 0;
      try {
        const { type, bytes } = await readScreenshot(service.pages, org, id, page);
        const tag = `"${id}-${page}"`;
        // A cache must ask again: results can be deleted, and another person can use the browser after a session.
        reply.header('etag', tag).header('cache-control', 'private, no-cache');
        if (matchesTag(request.headers['if-none-match'], tag)) return await (reply as BytesReply).code(304).send();
        needed = bytes.length;
        cutOffWhenSlow(reply.raw);
        return await (reply as BytesReply)
          .header('content-type', type)
          .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
      } finally {
        room.shrinkTo(needed);
      }
    },
  );
}
