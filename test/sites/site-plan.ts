// Collects the URLs of a site: what is served at each, and how each has to end.
import type { Ending, Expected, Site, SiteAnswer } from './site.ts';

/** What a site serves: HTML, or an answer. */
export type Served = string | SiteAnswer;

type Requests = number | readonly [least: number, most: number];

export class SitePlan {
  readonly #answers = new Map<string, SiteAnswer>();
  readonly #expected = new Map<string, Expected>();

  /** Must be delivered. `has` is in its text once; undefined where a page has no text. */
  page(path: string, served: Served, has: string | undefined): void {
    this.serve(path, served);
    this.expect(path, { kind: 'page', has }, 1);
  }

  /**
   * URLs with equal, or nearly equal, texts: one is delivered, and which may depend on the order of the requests. Those that share a
   * group across calls are copies of each other. `or`: reasons that a URL may have instead of `duplicate_of`.
   */
  copies(
    group: string,
    paths: readonly string[],
    served: Served,
    has: string | undefined,
    options: { readonly requests?: Requests; readonly or?: readonly string[] } = {},
  ): void {
    const { requests = 1, or } = options;
    for (const path of paths) {
      this.serve(path, served);
      this.expect(path, { kind: 'copy', group, has, ...(or && { or }) }, requests);
    }
  }

  /** A URL that redirects to one of the group: requested once. The target, where the job knows it, is not requested again. */
  redirect(group: string, path: string, location: string, has: string | undefined, status = 301): void {
    this.serve(path, { status, headers: { location }, isFile: true });
    this.expect(path, { kind: 'copy', group, has }, 1);
  }

  /** Requested, and listed with this reason. */
  ends(path: string, reason: string, served: Served, requests: Requests = 1): void {
    this.serve(path, served);
    this.expect(path, { kind: 'ended', reason }, requests);
  }

  /** Listed with this reason, and never requested. A page is served there, so that a request does not show by a 404. */
  refused(path: string, reason: string): void {
    this.serve(path, `<title>Never</title><p>A crawler must not read ${path.replaceAll('&', '&amp;')}.</p>`);
    this.expect(path, { kind: 'refused', reason }, 0);
  }

  /** A file for crawlers, such as robots.txt. */
  control(path: string, served: SiteAnswer, requests: Requests = 1): void {
    this.serve(path, { isFile: true, ...served });
    this.expect(path, { kind: 'unlisted', why: 'It is for crawlers.' }, requests);
  }

  /** Never a URL of the job, and never requested, although pages name it. */
  unlisted(path: string, why: string): void {
    this.serve(path, `<title>Never</title><p>A crawler must not read ${path.replaceAll('&', '&amp;')}.</p>`);
    this.expect(path, { kind: 'unlisted', why }, 0);
  }

  /** robots.txt, as plain text. */
  robots(lines: readonly string[]): void {
    this.control('/robots.txt', { type: 'text/plain', body: `${lines.join('\n')}\n` });
  }

  sitemap(path: string, paths: readonly string[]): void {
    const urls = paths.map((each) => `<url><loc>{{origin}}${each.replaceAll('&', '&amp;')}</loc></url>`);
    this.control(path, {
      type: 'application/xml',
      body: `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="${sitemapNamespace}">${urls.join('\n')}</urlset>`,
    });
  }

  sitemapIndex(path: string, paths: readonly string[], before = ''): void {
    const sitemaps = paths.map((each) => `<sitemap><loc>{{origin}}${each}</loc></sitemap>`);
    this.control(path, {
      type: 'application/xml',
      body: `<?xml version="1.0" encoding="UTF-8"?>${before}<sitemapindex xmlns="${sitemapNamespace}">${sitemaps.join('\n')}</sitemapindex>`,
    });
  }

  /** Serves a path without an expectation. */
  serve(path: string, served: Served): void {
    const name = normalName(path);
    if (this.#answers.has(name)) throw new Error(`${name} is served twice`);
    this.#answers.set(name, typeof served === 'string' ? { body: served } : served);
  }

  /** Adds an expectation without serving anything. */
  expect(path: string, ending: Ending, requests: Requests): void {
    const name = normalName(path);
    if (this.#expected.has(name)) throw new Error(`${name} is expected to end in two ways`);
    this.#expected.set(name, {
      ...ending,
      name,
      requests: typeof requests === 'number' ? [requests, requests] : requests,
    });
  }

  answer(path: string): SiteAnswer | undefined {
    return this.#answers.get(normalName(path));
  }

  site(more: Omit<Site, 'answer' | 'expected'> & Partial<Pick<Site, 'answer'>>): Site {
    return { answer: ({ path }) => this.answer(path), expected: [...this.#expected.values()], ...more };
  }
}

const sitemapNamespace = 'http://www.sitemaps.org/schemas/sitemap/0.9';

const secure = 'https://{{host}}';

/** A path percent-encoded as a browser sends it, without its fragment; that of https with its scheme; another URL as it is. */
function normalName(path: string): string {
  if (path.startsWith(secure)) return secure + normalName(path.slice(secure.length));
  if (!path.startsWith('/')) return path;
  const { pathname, search } = new URL(path, 'http://site.example');
  return pathname + search;
}
