// The peer: Crawlee 3, tuned, with the main content of each page as Markdown: chosen by Readability or Defuddle, both on linkedom.
// `jsonl` writes the pages to one file and keeps the queue in memory; `storage` is Crawlee's own, a file a page and a file a request.
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { Dataset, HttpCrawler, LogLevel, log } from '@crawlee/cheerio';
import { parseHTML } from 'linkedom';
import { configuration, tuned } from './crawlee-settings.ts';
import { contentExtractors, type PageDocument } from './extractors.ts';
import { crawlOnOrder } from './order.ts';

const [, , , extractor = 'readability', storage = 'jsonl', concurrencyGiven = '32'] = process.argv;
const extract = contentExtractors[extractor === 'defuddle' ? 'defuddle' : 'readability'];
const settings = configuration(storage === 'storage');
const file = storage === 'jsonl' ? createWriteStream('pages.jsonl') : undefined;

log.setLevel(LogLevel.OFF);
const dataset = storage === 'storage' ? await Dataset.open(undefined, { config: settings }) : undefined;
const crawler = new HttpCrawler(
  {
    ...tuned(Number(concurrencyGiven)),
    async requestHandler({ request, body, enqueueLinks }) {
      const url = request.loadedUrl ?? request.url;
      // One tree for links and content: Crawlee's own class for Cheerio would parse the page a second time.
      const { document } = parseHTML(body.toString());
      await enqueueLinks({ urls: linksOf(document, url), strategy: 'same-hostname' });
      const page = { url, ...(await extract(document, url)) };
      await dataset?.pushData(page);
      if (file?.write(`${JSON.stringify(page)}\n`) === false) await once(file, 'drain');
    },
  },
  settings,
);

await crawlOnOrder(async (startUrl) => {
  await crawler.run([startUrl]);
  file?.end();
  if (file) await finished(file);
});

function linksOf(document: PageDocument, base: string): string[] {
  const links: Iterable<{ getAttribute(name: string): string | null }> = document.querySelectorAll('a[href]');
  return Array.from(links, (link) => link.getAttribute('href') ?? '').flatMap(
    (href) => URL.parse(href, base)?.href ?? [],
  );
}
