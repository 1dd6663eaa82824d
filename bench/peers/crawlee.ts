// The peer: Crawlee 3 with Cheerio, every page converted to Markdown by Turndown, all of it in memory. Started by
// main-job.ts: prints `{"ready":true}`, crawls once it gets a line, prints `{"pages","seconds"}`, ends with its input.
//
//   echo | node bench/crawlee.ts http://127.0.0.1:8000/index.html [concurrency, default 32] [original | joplin]
import { once } from 'node:events';
import { CheerioCrawler, Configuration, LogLevel, log } from '@crawlee/cheerio';
import { gfm as joplin } from '@joplin/turndown-plugin-gfm';
import { gfm as original } from 'turndown-plugin-gfm';
import TurndownService from 'turndown';

const startUrl = process.argv[2];
const concurrency = Number(process.argv[3] ?? 32);
// Joplin's plugin converts tables that the original leaves as HTML, in time quadratic in the table's size.
const plugin = process.argv[4] === 'joplin' ? joplin : original;
if (startUrl === undefined) throw new Error('Which URL?');

log.setLevel(LogLevel.OFF);
const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' }).use(plugin);
const pages: { url: string; title: string; text: string }[] = [];

const crawler = new CheerioCrawler(
  {
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
    async requestHandler({ request, $, enqueueLinks }) {
      await enqueueLinks({ strategy: 'same-hostname' });
      const title = $('title').text();
      $('nav, header, footer, script, style, noscript, svg').remove();
      pages.push({ url: request.loadedUrl ?? request.url, title, text: turndown.turndown($('body').html() ?? '') });
    },
  },
  new Configuration({ persistStorage: false, availableMemoryRatio: 1, maxUsedCpuRatio: 1 }),
);

console.log(JSON.stringify({ ready: true }));
await once(process.stdin, 'data');
const start = performance.now();
await crawler.run([startUrl]);
console.log(JSON.stringify({ pages: pages.length, seconds: (performance.now() - start) / 1000 }));
if (!process.stdin.readableEnded) await once(process.stdin.resume(), 'end');
