// The text of a page, converted afresh from its HTML.
import { constants, inflateRawSync } from 'node:zlib';
import { ownedCopy } from '../../src/core/bytes/owned-bytes.ts';
import { convertPage } from '../../src/crawl/convert/convert-page.ts';
import { briefOf } from '../../src/crawl/job/job-cache.ts';
import { readFetchedHeaders } from '../../src/fetch/response/response-head.ts';
import { rowStart } from '../../src/page/row.ts';
import { compileJob } from '../../src/url/scope.ts';
import { jobSpec } from '../../test/job-spec.ts';

export async function textOfPage(url: string, html: string): Promise<string> {
  const brief = briefOf({ id: 'fresh', spec: jobSpec({ urls: [url] }), scopeHosts: [new URL(url).host] }, 0);
  const converted = await convertPage(
    {
      job: brief,
      requestUrl: url,
      fetchedUrl: url,
      depth: 0,
      statusCode: 200,
      headers: readFetchedHeaders({ 'content-type': 'text/html; charset=utf-8' }),
      body: ownedCopy(Buffer.from(html)),
    },
    compileJob(brief),
  );
  if (converted.kind !== 'page') throw new Error(`${url} is no page: ${converted.kind}`);
  const { deflated } = converted.page.body;
  const rest = inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
  return (JSON.parse(rowStart(1) + rest) as { readonly text: string }).text;
}
