// A site of as many pages as a test wants, linked criss-cross, that answers after a moment and keeps count.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface GeneratedSite {
  readonly origin: string;
  /** Paths of all pages, `/` first. */
  readonly paths: readonly string[];
  /** How often each path was asked for. */
  readonly asked: ReadonlyMap<string, number>;
  /** Resolves when so many more pages have been asked for. */
  morePages(count: number): Promise<void>;
  /** The same, or when each page has been asked for at least once: on a busy machine one crawl ends before its tenth kill. */
  morePagesOrAll(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startGeneratedSite(options: {
  readonly pages: number;
  readonly delayMs: number;
  /** Words of a page, beside its links. @default a few */
  readonly words?: number;
}): Promise<GeneratedSite> {
  const { pages, delayMs, words = 0 } = options;
  const more = words === 0 ? '' : `<p>${'There is more to be said. '.repeat(Math.ceil(words / 6))}</p>`;
  const paths = Array.from({ length: pages }, (_, index) => (index === 0 ? '/' : `/page/${index}`));
  const indexes = new Map(paths.map((path, index) => [path, index]));
  const asked = new Map<string, number>();
  let pagesAsked = 0;
  const waiting = new Set<{ readonly at: number; readonly orAll: boolean; wake(): void }>();
  const areAllAsked = (): boolean => paths.every((path) => asked.has(path));

  const untilAsked = (count: number, orAll: boolean): Promise<void> =>
    new Promise((resolve) => {
      const waiter = { at: pagesAsked + count, orAll, wake: () => (waiting.delete(waiter), resolve()) };
      waiting.add(waiter);
    });

  const htmlOf = (index: number): string => {
    // The first two make a tree that reaches all, the others lead across it.
    const links = [2 * index + 1, 2 * index + 2, (index * 7 + 3) % pages, (index * 13 + 5) % pages];
    const list = links.flatMap((target) => (target < pages ? `<li><a href="${paths[target]}">${target}</a>` : []));
    return `<!doctype html><title>Page ${index}</title><main><p>This is page ${index} of many.</p>${more}</main><ul>${list.join('')}</ul>`;
  };

  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    asked.set(path, (asked.get(path) ?? 0) + 1);
    const index = indexes.get(path);
    if (index === undefined) {
      response.writeHead(404).end();
      return;
    }
    pagesAsked++;
    for (const waiter of waiting) if (pagesAsked >= waiter.at || (waiter.orAll && areAllAsked())) waiter.wake();
    setTimeout(() => response.writeHead(200, { 'content-type': 'text/html' }).end(htmlOf(index)), delayMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    asked,
    morePages: (count) => untilAsked(count, false),
    morePagesOrAll: (count) => (areAllAsked() ? Promise.resolve() : untilAsked(count, true)),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
