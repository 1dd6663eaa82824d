// A site of generated small pages of one text each, from 16 words, in this process.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const words = 'hay rake field meadow barn summer wagon scythe stack clover dry wind early late long short'.split(' ');
const wordsOfAPage = 300;

export interface Site {
  readonly startUrls: readonly string[];
  close(): Promise<void>;
}

/** Each page leads to the next two of a tree that reaches all, to four across it, and to four that every page leads to. */
export async function startSmallPages(pages: number): Promise<Site> {
  const server = createServer((request, response) => {
    const index = Number((request.url ?? '').slice(1));
    if (!Number.isInteger(index) || index >= pages) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/html' }).end(htmlOf(index, pages));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    startUrls: [`http://127.0.0.1:${(server.address() as AddressInfo).port}/0`],
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function htmlOf(index: number, pages: number): string {
  const across = [3, 7, 11, 13].map((factor) => (index * factor + factor) % pages);
  const links = [2 * index + 1, 2 * index + 2, ...across, 0, 1, 2, 3].filter((target) => target < pages);
  const list = links.map((target) => `<li><a href="/${target}">Page ${target}</a></li>`).join('');
  let seed = index + 1;
  let text = '';
  for (let count = 0; count < wordsOfAPage; count++) {
    seed = (Math.imul(seed, 48_271) >>> 0) % 0x7fffffff;
    text += `${words[seed % words.length]} ${count % 50 === 49 ? '</p><p>' : ''}`;
  }
  return `<!doctype html><title>Page ${index}</title><main><h1>Page ${index}</h1><p>${text}</p></main><nav><ul>${list}</ul></nav>`;
}
