// A WARC of this service, read by warcio, the reader of the Webrecorder tools.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { startService } from '../service/start-service.ts';
import { startTestSite } from '../service/test-site.ts';

const warcio = path.join(import.meta.dirname, 'node_modules/warcio');
const isInstalled = existsSync(warcio);

interface ReadRecord {
  readonly warcType: string | null;
  readonly warcTargetURI: string | null;
  readonly httpHeaders: { readonly headers: Iterable<[string, string]>; readonly statusCode: number } | null;
  readFully(isContentDecoded: boolean): Promise<Uint8Array>;
}

test.skipIf(!isInstalled)(
  'export as warc: warcio reads each page as the site sent it (needs `npm ci --ignore-scripts --prefix test/programs`)',
  async () => {
    const texts = ['grüner Heuhaufen 🌾', 'a second stack', 'packed'];
    const bodies = texts.map((text, at) =>
      Buffer.from(`<!doctype html><title>${at}</title><main>${text} <a href="/1">1</a> <a href="/2">2</a></main>`),
    );
    const site = await startTestSite({
      '/': (_, response) => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(bodies[0]),
      '/1': (_, response) =>
        response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'id=s3cret' }).end(bodies[1]),
      '/2': (_, response) =>
        response
          .writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
          .end(gzipSync(bodies[2] ?? Buffer.alloc(0))),
    });
    const service = await startService();
    try {
      const body = { urls: [`${site.origin}/`], store_raw: true, force_crawling_mode: 'link' };
      const { id } = await service.untilEnded((await service.crawl(body)).id);
      const { body: file } = await service.raw(`/crawler/jobs/${id}/export?format=warc`);
      const { WARCParser } = (await import(path.join(warcio, 'dist/index.js'))) as {
        WARCParser: new (stream: ReadableStream) => AsyncIterable<ReadRecord>;
      };
      const read = new Map<string, Buffer>();
      const types: (string | null)[] = [];
      for await (const record of new WARCParser(new Blob([new Uint8Array(file)]).stream())) {
        types.push(record.warcType);
        const payload = Buffer.from(await record.readFully(true));
        if (record.warcType !== 'response') continue;
        expect(record.httpHeaders?.statusCode).toBe(200);
        read.set(new URL(record.warcTargetURI ?? '').pathname, payload);
        expect(JSON.stringify([...(record.httpHeaders?.headers ?? [])])).not.toContain('s3cret');
      }
      expect(types).toEqual(['warcinfo', ...Array(3).fill('response'), ...Array(3).fill('metadata')]);
      expect([...read.keys()].toSorted()).toEqual(['/', '/1', '/2']);
      for (const [index, pathname] of ['/', '/1', '/2'].entries())
        expect(read.get(pathname)?.equals(bodies[index] ?? Buffer.alloc(0)), pathname).toBe(true);
    } finally {
      await service.close();
      await site.close();
    }
  },
);
