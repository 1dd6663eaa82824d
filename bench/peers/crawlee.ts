// The peer: Crawlee 3 with Cheerio, every page converted to Markdown by Turndown. `default` is what its documentation begins
// with: all settings as they are, each page stored in a file. `memory` is tuned, and stores nothing.
import { CheerioCrawler, Configuration, Dataset, LogLevel, log } from '@crawlee/cheerio';
import { configuration, tuned } from './crawlee-settings.ts';
import { withoutNavigation } from './extractors.ts';
import { crawlOnOrder } from './order.ts';

const [, , , mode = 'memory', concurrencyGiven = '32'] = process.argv;

const pages: { url: string; title: string; text: string }[] = [];

log.setLevel(LogLevel.OFF);
const crawler = new CheerioCrawler(
  {
    ...(mode === 'default' ? {} : tuned(Number(concurrencyGiven))),
    async requestHandler({ request, $, enqueueLinks }) {
      await enqueueLinks({ strategy: 'same-hostname' });
      const title = $('title').text();
      const page = { url: request.loadedUrl ?? request.url, title, text: withoutNavigation($) };
      if (mode === 'default') await Dataset.pushData(page);
      else pages.push(page);
    },
  },
  mode === 'default' ? Configuration.getGlobalConfig() : configuration(false),
);

await crawlOnOrder(async (startUrl) => {
  await crawler.run([startUrl]);
});
