// A site whose every answer a test decides. It writes down who asked for what and when, and can go down and come back.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const loopDelay = monitorEventLoopDelay({ resolution: 10 });
loopDelay.enable();

/**
 * What a request may arrive later than it was sent: on its way, and since this process was kept from noticing. The next one need not,
 * so that between two requests that much may be missing; between any two with others between them, no more than that.
 */
export function latenessMs(): number {
  return 300 + loopDelay.max / 1e6;
}

/** How much sooner requests came than so far apart from each other, at the worst: of all pairs of them. */
export function hurryOf(requests: readonly { readonly at: number }[], delayMs: number): number {
  // Where a request would have been, had all kept exactly to the delay.
  const early = requests.map(({ at }, index) => index * delayMs - at);
  return Math.max(...early.map((ahead, index) => ahead - Math.min(...early.slice(0, index + 1))));
}

/** HTML, an answer with its head, or what answers itself. A missing answer is a 404. */
export type Answer = string | Head | ((request: IncomingMessage, response: ServerResponse) => void) | undefined;

export interface Head {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array;
}

/** `asks`: how often this path was asked for, with this time. */
export type Script = (path: string, asks: number) => Answer;

export interface SiteRequest {
  readonly path: string;
  /** Milliseconds since the epoch, with their fraction. */
  readonly at: number;
  readonly headers: IncomingHttpHeaders;
}

export interface ScriptedSite {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /** In the order of arrival; it grows while the site is up. */
  readonly requests: readonly SiteRequest[];
  /** What was asked for, without robots.txt. */
  pages(): readonly SiteRequest[];
  /** How often a path was asked for. */
  asks(path: string): number;
  /** Resolves when the log is as it is waited for. */
  until(condition: () => boolean): Promise<void>;
  /** Refuses connections from now on. */
  goDown(): Promise<void>;
  /** Listens on the same port again. */
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

export async function startScriptedSite(script: Script): Promise<ScriptedSite> {
  const requests: SiteRequest[] = [];
  const waiting = new Set<() => void>();
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    requests.push({ path, at: performance.timeOrigin + performance.now(), headers: request.headers });
    const count = (counts.get(path) ?? 0) + 1;
    counts.set(path, count);
    for (const look of waiting) look();
    give(script(path, count), request, response);
  });
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const goDown = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    pages: () => requests.filter(({ path }) => path !== '/robots.txt'),
    asks: (path) => counts.get(path) ?? 0,
    until: (condition) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!condition()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    goDown,
    comeBack: () => listen(port),
    close: goDown,
  };
}

function give(answer: Answer, request: IncomingMessage, response: ServerResponse): void {
  if (typeof answer === 'function') answer(request, response);
  else if (typeof answer === 'string') response.writeHead(200, { 'content-type': 'text/html' }).end(answer);
  else {
    const { status = answer === undefined ? 404 : 200, headers = {}, body = '' } = answer ?? {};
    response.writeHead(status, headers).end(body);
  }
}

/** A page with a text of its own, and links. */
export function page(path: string, links: readonly string[] = []): string {
  const list = links.map((href) => `<li><a href="${href}">To ${href}</a></li>`).join('');
  return `<title>${path}</title><main><p>This is what ${path} has to say.</p></main><ul>${list}</ul>`;
}

/** `/p/1`, `/p/2` and so on. */
export function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `/p/${index + 1}`);
}

/** A start page at `/` that links to so many pages, and no robots.txt. */
export function pagesScript(count: number): Script {
  const paths = numbered(count);
  return (path) => (path === '/' ? page('/', paths) : paths.includes(path) ? page(path) : undefined);
}

export function redirectTo(location: string, status = 302): Head {
  return { status, headers: { location } };
}

/** What a page was answered later. */
export function after(ms: number, answer: Answer): Answer {
  return (request, response) => void setTimeout(() => give(answer, request, response), ms);
}

/** The sites of one test file, ended together: a site is known by its port, so no port is given back before the end. */
export class ScriptedSites {
  readonly #sites: { close(): Promise<void> }[] = [];

  async start(script: Script): Promise<ScriptedSite> {
    return this.keep(await startScriptedSite(script));
  }

  /** Has a site of another kind ended with them. */
  keep<Site extends { close(): Promise<void> }>(site: Site): Site {
    this.#sites.push(site);
    return site;
  }

  async close(): Promise<void> {
    for (const site of this.#sites) await site.close();
  }
}
