// The practical limit: undici fetches, breadth first and each URL once; htmlparser2 finds links; mdream converts. It obeys
// nothing, checks nothing and survives nothing; what it makes stays in memory. Pages are read on the main thread, or in as many
// threads as the second argument says.
import { Worker } from 'node:worker_threads';
import { Pool } from 'undici';
import { PageReader } from './bare-loop-reader.ts';
import type { FetchedPage, ReadBatch } from './bare-loop-thread.ts';
import { crawlOnOrder } from './order.ts';

const [, , , threadsGiven = '0', connectionsGiven = '16'] = process.argv;
const threads = Number(threadsGiven);
const connections = Number(connectionsGiven);
/** On their way: being fetched, or waiting to be read. */
const pagesMax = connections * 4;

/** Takes a page, and says later what was in it. */
type Read = (page: FetchedPage) => void;

let onRead: (batch: ReadBatch) => void = () => {};
const read: Read = threads === 0 ? readHere() : readInThreads(threads);

await crawlOnOrder(crawl);
process.exit();

function crawl(startUrl: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const { origin } = new URL(startUrl);
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const seen = new Set([startUrl]);
  // In the order of discovery; what has been asked for stays.
  const found = [startUrl];
  let next = 0;
  let under = 0;

  function advance(): void {
    for (; under < pagesMax && next < found.length; next++) {
      under++;
      fetchPage(found[next] ?? '');
    }
    if (under === 0) resolve();
  }

  function fetchPage(url: string): void {
    const chunks: Buffer[] = [];
    let isPage = false;
    pool.dispatch(
      { method: 'GET', path: url.slice(origin.length) },
      {
        onRequestStart: () => {},
        onResponseStart: (_controller, status, headers) => {
          isPage = status === 200 && headers['content-type']?.toString().startsWith('text/html') === true;
        },
        onResponseData: (_controller, chunk) => {
          if (isPage) chunks.push(chunk);
        },
        onResponseEnd: () => {
          if (isPage) read({ url, body: joined(chunks) });
          else onRead({ pages: 1, links: [] });
        },
        onResponseError: (_controller, error) => reject(error),
      },
    );
  }

  onRead = ({ pages, links }) => {
    under -= pages;
    for (const link of links) {
      if (seen.has(link)) continue;
      seen.add(link);
      found.push(link);
    }
    advance();
  };
  advance();
  return promise;
}

/** In memory of its own, that can be handed to another thread. */
function joined(chunks: readonly Buffer[]): Buffer {
  const body = Buffer.allocUnsafeSlow(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) at += chunk.copy(body, at);
  return body;
}

function readHere(): Read {
  const reader = new PageReader();
  return ({ url, body }) => onRead({ pages: 1, links: reader.read(url, Buffer.from(body.buffer)) });
}

/** In batches of what came in during one turn of the event loop, for the thread that has the fewest pages. */
function readInThreads(count: number): Read {
  const lanes = Array.from({ length: count }, () => {
    const worker = new Worker(new URL('bare-loop-thread.ts', import.meta.url));
    const lane = { worker, pages: 0 };
    worker.on('message', (batch: ReadBatch) => {
      lane.pages -= batch.pages;
      onRead(batch);
    });
    return lane;
  });
  let waiting: FetchedPage[] = [];

  function send(): void {
    const batch = waiting;
    waiting = [];
    const lane = lanes.reduce((least, other) => (other.pages < least.pages ? other : least));
    lane.pages += batch.length;
    lane.worker.postMessage(
      batch,
      batch.map(({ body }) => body.buffer as ArrayBuffer),
    );
  }

  return (page) => {
    if (waiting.length === 0) setImmediate(send);
    waiting.push(page);
  };
}
