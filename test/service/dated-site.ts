// A site whose sitemap has the date of each page, true or not.
import { htmlPage, startTestSite, type TestSite } from './test-site.ts';

export interface DatedSite extends Pick<TestSite, 'origin' | 'close' | 'hold'> {
  /** Gives pages another text. The sitemap says so only if it is told. */
  change(pages: Iterable<number>, how: { readonly isDated: boolean }): void;
  remove(page: number): void;
  /** Paths of pages that were asked for since the last call. */
  asked(): readonly string[];
}

const born = Date.UTC(2026, 0, 1);
/** How long ago pages were changed, as the sitemap says. */
const agoMs = 3_600_000;

/** Pages `/0`, `/1` and so on, of which the sitemap and the home page name all. */
export async function startDatedSite(count: number): Promise<DatedSite> {
  const site = await startTestSite();
  const pages = Array.from({ length: count }, () => ({ version: 0, date: born, isThere: true }));
  let [from, clock] = [0, Date.now() - agoMs];
  site.add({
    '/robots.txt': (_, response) => void response.end(`Sitemap: ${site.origin}/sitemap.xml`),
    '/sitemap.xml': (_, response) => {
      const entries = pages.map(
        ({ date }, page) =>
          `<url><loc>${site.origin}/${page}</loc><lastmod>${new Date(date).toISOString()}</lastmod></url>`,
      );
      const xml = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</urlset>`;
      response.writeHead(200, { 'content-type': 'application/xml' }).end(xml);
    },
    '/': htmlPage({ title: 'home', text: `The home of ${count} pages.`, links: pages.map((_, page) => `/${page}`) }),
    ...Object.fromEntries(
      pages.map((state, page) => [
        `/${page}`,
        (request, response): void => {
          const etag = `"${page}-${state.version}"`;
          if (!state.isThere) return void response.writeHead(404, { 'content-type': 'text/html' }).end('gone');
          if (request.headers['if-none-match'] === etag) return void response.writeHead(304, { etag }).end();
          const text = `Field ${page} was mown ${state.version} times, and the hay of it lies in barn ${page * 7}.`;
          const body = htmlPage({ title: `Field ${page}`, text, links: ['/'] });
          response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', etag }).end(body);
        },
      ]),
    ),
  });
  return {
    origin: site.origin,
    close: () => site.close(),
    hold: (path) => site.hold(path),
    change: (some, { isDated }) => {
      clock += 1_000;
      for (const page of some) {
        const state = pages[page];
        if (!state) throw new Error(`there is no page ${page}`);
        state.version++;
        if (isDated) state.date = clock;
      }
    },
    remove: (page) => Object.assign(pages[page] ?? {}, { isThere: false }),
    asked: () => {
      const paths = site.requests.slice(from).map(({ path }) => path);
      from = site.requests.length;
      return paths.filter((path) => !/^\/(?:robots\.txt|sitemap|llms)/.test(path));
    },
  };
}
