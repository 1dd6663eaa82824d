// A small site on a free port whose pages each test writes itself. It remembers who asked for what and when, and can hold
// a page back, so that a test decides how long a job runs.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type SiteHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** HTML to be answered with, or what answers. */
export type SitePage = string | SiteHandler;

export interface SiteRequest {
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly headers: IncomingHttpHeaders;
}

export interface Gate {
  /** Resolves when the page was asked for: its answer is being held back. */
  readonly reached: Promise<void>;
  /** Lets everybody through, from now on. */
  readonly open: () => void;
}

export interface TestSite {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly origin: string;
  /** In the order of arrival; it grows while the site is up. */
  readonly requests: readonly SiteRequest[];
  /** Adds or replaces pages, by path with query. What is not there is a 404. */
  add(pages: Readonly<Record<string, SitePage>>): void;
  /** Holds a page back until its gate is opened. */
  hold(path: string): Gate;
  close(): Promise<void>;
}

export async function startTestSite(pages: Readonly<Record<string, SitePage>> = {}): Promise<TestSite> {
  const table = new Map<string, SitePage>(Object.entries(pages));
  const gates = new Map<string, { readonly opened: Promise<void>; reach(): void; open(): void }>();
  const requests: SiteRequest[] = [];

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '/';
    requests.push({ path, at: Date.now(), headers: request.headers });
    const gate = gates.get(path);
    gate?.reach();
    await gate?.opened;
    const page = table.get(path);
    if (typeof page === 'function') page(request, response);
    else if (page === undefined) response.writeHead(404, { 'content-type': 'text/html' }).end('nothing here');
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  };

  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    add: (more) => {
      for (const [path, page] of Object.entries(more)) table.set(path, page);
    },
    hold: (path) => {
      const reached = Promise.withResolvers<void>();
      const opened = Promise.withResolvers<void>();
      gates.set(path, { opened: opened.promise, reach: reached.resolve, open: opened.resolve });
      return { reached: reached.promise, open: opened.resolve };
    },
    close: async () => {
      for (const gate of gates.values()) gate.open();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A page of HTML with as much text as asked for. The text differs from page to page, since equal pages are duplicates. */
export function htmlPage(options: {
  readonly title?: string;
  readonly description?: string;
  readonly links?: readonly string[];
  readonly text?: string;
}): string {
  const { title, description, links = [], text = title ?? '' } = options;
  const head = [
    title === undefined ? '' : `<title>${title}</title>`,
    description === undefined ? '' : `<meta name="description" content="${description}">`,
  ].join('');
  const list = links.map((href) => `<li><a href="${href}">${href}</a></li>`).join('');
  return `<!doctype html><html lang="en"><head>${head}</head><body><main><p>${text}</p></main><ul>${list}</ul></body></html>`;
}

/** A start page at `/` and `count - 1` more pages behind it, each with a text of its own. */
export function numberedPages(count: number): Record<string, string> {
  const paths = Array.from({ length: Math.max(0, count - 1) }, (_, index) => `/page/${index + 2}`);
  const pages = paths.map((path, index) => [
    path,
    htmlPage({ title: `Page ${index + 2}`, text: `This is page ${index + 2}.` }),
  ]);
  return { '/': htmlPage({ title: 'Page 1', text: 'This is page 1.', links: paths }), ...Object.fromEntries(pages) };
}
