// A WARC of this service, read by warcio, the reader of the Webrecorder tools.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { startCodedSite } from '../objects/coded-site.ts';
import { startService } from '../service/start-service.ts';

const warcio = path.join(import.meta.dirname, 'node_modules/warcio');
const isInstalled = existsSync(warcio);

interface ReadRecord {
  readonly warcType: string | null;
  readonly warcTargetURI: string | null;
  readonly httpHeaders: { readonly headers: Iterable<[string, string]>; readonly statusCode: number } | null;
  readFully(isContentDecoded: boolean): Promise<Uint8Array>;
}

test.skipIf(!isInstalled)(
  'export as warc: warcio reads each page as the site sent it, however it was coded (needs `npm ci --ignore-scripts --prefix test/programs`)',
  async () => {
    const site = await startCodedSite({ pages: 60, marker: 'archived' });
    const service = await startService();
    try {
      const body = { urls: [`${site.origin}/`], store_raw: true, force_crawling_mode: 'link' };
      const { id } = await service.untilEnded((await service.crawl(body)).id);
      const { body: file } = await service.raw(`/crawler/jobs/${id}/export?format=warc`);
      expect(gunzipSync(file).toString('latin1')).not.toContain('s3cret');
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
        expect([...(record.httpHeaders?.headers ?? [])]).toContainEqual(['x-name', 'value']);
      }
      const count = (type: string): number => types.filter((one) => one === type).length;
      expect([types[0], count('response'), count('metadata'), types.length]).toEqual(['warcinfo', 60, 60, 121]);
      // A record has the URL that the bytes came from.
      const sent = new Map(Array.from(site.sent, ([to, bytes]) => [to.replace('/to/', '/p/'), bytes]));
      expect([...read.keys()].toSorted()).toEqual([...sent.keys()].toSorted());
      for (const [to, bytes] of sent) expect(read.get(to)?.equals(bytes), to).toBe(true);
    } finally {
      await service.close();
      await site.close();
    }
  },
);
