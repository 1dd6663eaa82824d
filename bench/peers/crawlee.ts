// The peer: Crawlee 3 with Cheerio, every page converted to Markdown by Turndown. `default` is what its documentation begins
// with: all settings as they are, each page stored in a file. `memory` is tuned, and stores nothing; `joplin` is the same with
// the plugin that converts tables which the original leaves as HTML, in time quadratic in the table's size.
import { CheerioCrawler, type CheerioCrawlerOptions, Configuration, Dataset, LogLevel, log } from '@crawlee/cheerio';
import { gfm as joplin } from '@joplin/turndown-plugin-gfm';
import { gfm as original } from 'turndown-plugin-gfm';
import TurndownService from 'turndown';
import { crawlOnOrder } from './order.ts';

const [, , , mode = 'memory', concurrencyGiven = '32'] = process.argv;
const concurrency = Number(concurrencyGiven);

const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' });
turndown.use(mode === 'joplin' ? joplin : original);
const pages: { url: string; title: string; text: string }[] = [];

const tuned: CheerioCrawlerOptions = {
  // Equal bounds: the pool neither starts slowly nor backs off.
  minConcurrency: concurrency,
  maxConcurrency: concurrency,
  autoscaledPoolOptions: { loggingIntervalSecs: null },
  maxRequestRetries: 0,
  sameDomainDelaySecs: 0,
  // Neither proxies nor blocking here, so sessions would be work for nothing.
  useSessionPool: false,
  persistCookiesPerSession: false,
  retryOnBlocked: false,
  preNavigationHooks: [
    (_context, options) => {
      // Making up a browser's headers for each request costs CPU and serves nobody here.
      options.useHeaderGenerator = false;
    },
  ],
};

log.setLevel(LogLevel.OFF);
const crawler = new CheerioCrawler(
  {
    ...(mode === 'default' ? {} : tuned),
    async requestHandler({ request, $, enqueueLinks }) {
      await enqueueLinks({ strategy: 'same-hostname' });
      const title = $('title').text();
      $('nav, header, footer, script, style, noscript, svg').remove();
      const page = {
        url: request.loadedUrl ?? request.url,
        title,
        text: turndown.turndown($('body').html() ?? ''),
      };
      if (mode === 'default') await Dataset.pushData(page);
      else pages.push(page);
    },
  },
  mode === 'default'
    ? Configuration.getGlobalConfig()
    : new Configuration({ persistStorage: false, availableMemoryRatio: 1, maxUsedCpuRatio: 1 }),
);

await crawlOnOrder(async (startUrl) => {
  await crawler.run([startUrl]);
});
