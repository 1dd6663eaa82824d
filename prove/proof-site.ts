// A site with every kind of outcome: pages linked criss-cross, a page that only the sitemap names, a redirect, a page
// that robots.txt forbids, and a page that is missing until the site is healed and then leads to another.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface ProofSite {
  readonly origin: string;
  /** Paths that must be scraped, forbidden and failed before the site is healed. */
  readonly expected: { readonly scraped: ReadonlySet<string>; readonly outside: string; readonly failed: string };
  /** Paths that a retry must add after that. */
  readonly expectedOfRetry: ReadonlySet<string>;
  /** From now on no page is missing. */
  heal(): void;
  /** From now on one page is gone, or is there again. Returns its path. */
  lose(isGone: boolean): string;
  /** All requests for pages. A redirect and its target count as one: a death costs both. */
  readonly requestsBegun: () => number;
  close(): Promise<void>;
}

export async function startProofSite({
  pages,
  delayMs,
}: {
  readonly pages: number;
  readonly delayMs: number;
}): Promise<ProofSite> {
  let isHealed = false;
  let isLost = false;
  let begun = 0;
  const numbered = Array.from({ length: pages }, (_, index) => (index === 0 ? '/' : `/page/${index}`));
  const lost = '/unlinked';
  const indexOf = new Map(numbered.map((path, index) => [path, index]));

  const htmlOf = (path: string): string | undefined => {
    const index = indexOf.get(path);
    if (path === lost && isLost) return undefined;
    if (index !== undefined) {
      const near = [2 * index + 1, 2 * index + 2, (index * 7 + 3) % pages].filter((target) => target < pages);
      return page(path, [...near.map((target) => numbered[target] ?? '/'), '/broken', '/private', '/moved']);
    }
    if (path === '/broken') return isHealed ? page(path, ['/behind', '/']) : undefined;
    return path === '/unlinked' || path === '/target' || path === '/behind' ? page(path, ['/']) : undefined;
  };

  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const answer = (status: number, type: string, body: string, headers = {}): void => {
      setTimeout(() => response.writeHead(status, { 'content-type': type, ...headers }).end(body), delayMs);
    };
    if (path === '/robots.txt') {
      answer(
        200,
        'text/plain',
        `User-agent: *\nDisallow: /private\nSitemap: http://${request.headers.host}/sitemap.xml\n`,
      );
      return;
    }
    if (path === '/sitemap.xml') {
      const url = `<url><loc>http://${request.headers.host}/unlinked</loc></url>`;
      answer(200, 'application/xml', `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${url}</urlset>`);
      return;
    }
    // Nothing links to the target, so the client was redirected.
    if (path !== '/target') begun++;
    if (path === '/moved') {
      answer(302, 'text/plain', '', { location: '/target' });
      return;
    }
    const html = htmlOf(path);
    answer(html === undefined ? 404 : 200, 'text/html', html ?? '<p>There is nothing here.</p>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    expected: { scraped: new Set([...numbered, '/unlinked', '/moved']), outside: '/private', failed: '/broken' },
    expectedOfRetry: new Set(['/broken', '/behind']),
    heal: () => {
      isHealed = true;
    },
    lose: (isGone) => {
      isLost = isGone;
      return lost;
    },
    requestsBegun: () => begun,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function page(path: string, links: readonly string[]): string {
  const list = links.map((link) => `<li><a href="${link}">${link}</a>`).join('');
  return `<!doctype html><title>${path}</title><main><p>This is ${path}, and there is no other like it.</p></main><ul>${list}</ul>`;
}
