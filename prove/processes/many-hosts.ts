// Forty hosts that link to each other, each a port with its own delay. They record every request.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly path: string;
  /** Milliseconds by the machine's clock. */
  readonly at: number;
}

export interface ManyHosts {
  /** In the order of the hosts. */
  readonly origins: readonly string[];
  /** Every request to a host, by origin, in the order of their arrival. */
  readonly asked: ReadonlyMap<string, readonly Asked[]>;
  /** The paths that must become pages. */
  readonly paths: readonly string[];
  /** Required gap between the starts of two requests, by origin. */
  delayMsOf(origin: string): number;
  /** Forgets the recorded requests. */
  forget(): void;
  /** From now on these paths have another text, or are gone, on every host. */
  publish(news: { readonly edited: readonly string[]; readonly gone: readonly string[] }): void;
  close(): Promise<void>;
}

export interface ManyHostsOptions {
  readonly hosts: number;
  readonly pagesOfAHost: number;
  /** The delay that the clients' own settings require. */
  readonly delayMs: number;
  /** The `Crawl-delay` of every fourth host, in its robots.txt. */
  readonly crawlDelayMs: number;
  /** The address to listen on. @default 127.0.0.1 */
  readonly address?: string;
}

const responseMs = 10;
/** Named only by the sitemap. */
const unlinked = '/unlinked';

/** Milliseconds by the machine's clock, the same in every process. */
export function machineNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export async function startManyHosts(options: ManyHostsOptions): Promise<ManyHosts> {
  const { hosts, pagesOfAHost, delayMs, crawlDelayMs, address = '127.0.0.1' } = options;
  const numbered = Array.from({ length: pagesOfAHost - 1 }, (_, index) => (index === 0 ? '/' : `/page/${index}`));
  const servers: Server[] = [];
  const origins: string[] = [];
  const asked = new Map<string, Asked[]>();
  const edited = new Set<string>();
  const gone = new Set<string>();
  const hasCrawlDelay = (host: number): boolean => host % 4 === 3;

  const linksOf = (host: number, index: number): string[] => {
    const near = [2 * index + 1, 2 * index + 2, (index * 7 + 3) % numbered.length].filter((to) => to < numbered.length);
    const next = origins[(host * 3 + index + 1) % hosts] ?? '';
    return [...near.map((to) => numbered[to] ?? '/'), `${next}${numbered[(index * 5 + host) % numbered.length]}`];
  };

  const bodyOf = (host: number, path: string): [type: string, body: string] | undefined => {
    const origin = origins[host] ?? '';
    if (path === '/robots.txt') {
      const delay = hasCrawlDelay(host) ? `Crawl-delay: ${crawlDelayMs / 1000}\n` : '';
      return ['text/plain', `User-agent: *\n${delay}Disallow: /private\nSitemap: ${origin}/sitemap.xml\n`];
    }
    if (path === '/sitemap.xml') {
      const urls = `<url><loc>${origin}${unlinked}</loc></url>`;
      return ['application/xml', `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`];
    }
    const index = path === unlinked ? 0 : numbered.indexOf(path);
    if (index === -1 || gone.has(path)) return undefined;
    const list = linksOf(host, index).map((link) => `<li><a href="${link}">${link}</a>`);
    return [
      'text/html',
      `<!doctype html><title>${path}</title><main><p>This is ${path} of host ${host}, and no other.${edited.has(path) ? ' It is new.' : ''}</p></main><ul>${list.join('')}</ul>`,
    ];
  };

  for (let host = 0; host < hosts; host++) {
    const log: Asked[] = [];
    const server = createServer((request, response) => {
      const path = request.url ?? '/';
      log.push({ path, at: machineNow() });
      const [type, body] = bodyOf(host, path) ?? [];
      setTimeout(() => {
        if (type === undefined) response.writeHead(404).end();
        else response.writeHead(200, { 'content-type': type }).end(body);
      }, responseMs);
    });
    server.listen(0, address);
    await once(server, 'listening');
    const origin = `http://${address}:${(server.address() as AddressInfo).port}`;
    servers.push(server);
    origins.push(origin);
    asked.set(origin, log);
  }

  return {
    origins,
    asked,
    paths: [...numbered, unlinked],
    delayMsOf: (origin) => Math.max(delayMs, hasCrawlDelay(origins.indexOf(origin)) ? crawlDelayMs : 0),
    forget: () => {
      for (const log of asked.values()) log.length = 0;
    },
    publish: (news) => {
      for (const path of news.edited) edited.add(path);
      for (const path of news.gone) gone.add(path);
    },
    close: async () => {
      const closed = servers.map((server) => once(server, 'close'));
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
      await Promise.all(closed);
    },
  };
}
