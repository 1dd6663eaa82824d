// A site that lives: pages come, go, change and move, and it has bad nights. Pages are listed on hubs, and hubs on the home
// page. Two pages never have one text.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Random } from '../simulation/random.ts';

/** What a night brings besides the changes of the pages. */
export const badNights = {
  none: 'every URL is answered as it should be',
  some: 'some pages answer 403, 404 of the server, or nothing that can be read',
  ill: 'some pages are empty, in another language, JSON, or ask for a password',
  slow: 'some pages answer 500, or break off',
  errors: 'every URL answers 500',
  silence: 'no URL is answered',
  forbidden: 'every page answers 403',
  challenge: 'every page tests whether a person is there',
  maintenance: 'every page says 503',
  robots: 'robots.txt forbids all',
  robotsDown: 'robots.txt answers 500',
  dusk: 'after some pages, every URL answers 503',
  backSoon: 'after some pages, every URL shows one page, as if that was well',
  emptied: 'more than half of the pages answer 404',
} as const;
export type BadNight = keyof typeof badNights;

/** Nights of which it cannot be said beforehand which pages are read. */
export const vagueNights: ReadonlySet<BadNight> = new Set<BadNight>(['dusk', 'backSoon']);

interface Living {
  readonly hub: number;
  title: string;
  words: string;
  changedAt: number;
}

export type Answer =
  | { readonly kind: 'page'; readonly html: string }
  | { readonly kind: 'gone'; readonly status: 404 | 410 }
  | { readonly kind: 'moved'; readonly to: string }
  | { readonly kind: 'bad' };

const hubs = 4;
const words =
  'hay meadow clover barn rake dew summer harvest field grass seed root stem leaf bloom wind rain sun frost soil'.split(
    ' ',
  );
const backSoon =
  '<!doctype html><html lang="en"><head><title>Back soon</title></head><body><main><p>We will be back soon.</p></main></body></html>';
const challengePage =
  '<!doctype html><html><head><title>Just a moment...</title></head><body><script>window._cf_chl_opt={}</script></body></html>';

export class NightSite {
  readonly #random: Random;
  readonly #validator: 'etag' | 'date' | 'none' | 'restless';
  readonly #pages = new Map<string, Living>();
  /** Where a page was that has moved, and where it is; or how it is gone. */
  readonly #left = new Map<string, { readonly to?: string; readonly status: 404 | 410 | 301 }>();
  readonly #server = createServer((request, response) => this.#serve(request, response));
  #names = 0;
  #day = 0;
  #night: BadNight = 'none';
  #bad = new Set<string>();
  #asked = 0;
  #duskAt = 0;

  private constructor(random: Random) {
    this.#random = random;
    this.#validator = random.of(['etag', 'date', 'none', 'restless']);
  }

  static async start(random: Random, pages: number): Promise<NightSite> {
    const site = new NightSite(random);
    for (let page = 0; page < pages; page++) site.#add();
    await once(site.#server.listen(0, '127.0.0.1'), 'listening');
    return site;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Paths of all pages there are. */
  get paths(): string[] {
    return ['/', ...Array.from({ length: hubs }, (_, hub) => `/h${hub}`), ...this.#pages.keys()];
  }

  get size(): number {
    return this.#pages.size;
  }

  /** The path at which a page is that once was at this one. */
  nowAt(path: string): string {
    for (let at = path; ;) {
      const to = this.#left.get(at)?.to;
      if (to === undefined) return at;
      at = to;
    }
  }

  /** A day passes. Returns the paths of pages that are gone for good. */
  live(pace: 'calm' | 'grows' | 'shrinks'): void {
    this.#day++;
    const some = (most: number): number => this.#random.between(0, most);
    if (pace === 'grows') for (let count = this.size / 2; count > 0; count--) this.#add();
    if (pace === 'shrinks') for (let count = Math.ceil(this.size * 0.75); count > 0; count--) this.#remove(this.#any());
    if (pace !== 'calm') return;
    for (let count = some(3); count > 0; count--) this.#remove(this.#any());
    for (let count = some(2); count > 0; count--) this.#move(this.#any());
    for (let count = some(4); count > 0; count--) this.#add();
    for (let count = some(4); count > 0; count--) this.#edit(this.#any());
    if (this.#random.chance(0.3)) this.#swap(this.#any(), this.#any());
  }

  /** Night falls. */
  begin(night: BadNight): void {
    this.#night = night;
    this.#asked = 0;
    this.#duskAt = this.#random.between(3, Math.max(4, this.size - 3));
    const share = night === 'emptied' ? 0.8 : night === 'ill' ? 0.3 : night === 'some' || night === 'slow' ? 0.12 : 0;
    this.#bad = new Set([...this.#pages.keys()].filter(() => this.#random.chance(share)));
  }

  /** What the site says of a URL tonight. */
  answerTo(path: string): Answer {
    if (this.#isBad(path)) return this.#night === 'emptied' ? { kind: 'gone', status: 404 } : { kind: 'bad' };
    const left = this.#left.get(path);
    if (left?.to !== undefined) return { kind: 'moved', to: left.to };
    if (left) return { kind: 'gone', status: left.status === 410 ? 410 : 404 };
    const html = this.#html(path);
    return html === undefined ? { kind: 'gone', status: 404 } : { kind: 'page', html };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #isBad(path: string): boolean {
    const night = this.#night;
    if (night === 'none') return false;
    if (night === 'some' || night === 'ill' || night === 'slow' || night === 'emptied') return this.#bad.has(path);
    return (night !== 'dusk' && night !== 'backSoon') || this.#asked > this.#duskAt;
  }

  #any(): string {
    return this.#random.of([...this.#pages.keys()]);
  }

  #text(): string {
    const length = this.#random.between(20, 120);
    return Array.from({ length }, () => `${this.#random.of(words)}${this.#random.between(0, 99)}`).join(' ');
  }

  #add(of?: Living): string {
    const path = `/p${this.#names++}`;
    const hub = this.#random.between(0, hubs - 1);
    this.#pages.set(path, { hub, title: `Page ${this.#names}`, words: this.#text(), ...of, changedAt: this.#day });
    return path;
  }

  #remove(path: string): void {
    if (this.size <= 4) return;
    this.#pages.delete(path);
    this.#left.set(path, { status: this.#random.of([404, 410]) });
  }

  #move(path: string): void {
    const page = this.#pages.get(path);
    if (!page) return;
    this.#pages.delete(path);
    const to = this.#add(page);
    this.#left.set(path, this.#random.chance(0.5) ? { to, status: 301 } : { status: 404 });
  }

  #edit(path: string): void {
    const page = this.#pages.get(path);
    if (!page) return;
    if (this.#random.chance(0.3)) page.title = `Page ${this.#names++}`;
    else page.words = this.#text();
    page.changedAt = this.#day;
  }

  #swap(one: string, other: string): void {
    const [a, b] = [this.#pages.get(one), this.#pages.get(other)];
    if (!a || !b || a === b) return;
    [a.words, b.words, a.title, b.title] = [b.words, a.words, b.title, a.title];
    [a.changedAt, b.changedAt] = [this.#day, this.#day];
  }

  #html(path: string): string | undefined {
    const page = this.#pages.get(path);
    if (page) return html(page.title, `<p>${page.words}.</p>`, ['/', `/h${page.hub}`]);
    if (path === '/') return html('Home', '<p>The home of all pages.</p>', this.paths.slice(1, hubs + 1));
    const hub = /^\/h(\d)$/.exec(path)?.[1];
    if (hub === undefined) return undefined;
    const listed = [...this.#pages].flatMap(([name, of]) => (of.hub === Number(hub) ? [name] : []));
    return html(`Hub ${hub}`, `<p>Pages of hub ${hub}.</p>`, ['/', ...listed]);
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/';
    const type = { 'content-type': 'text/html; charset=utf-8' };
    if (this.#night === 'silence') return;
    if (path === '/robots.txt') {
      if (this.#night === 'robotsDown') return void response.writeHead(500).end();
      const body = this.#night === 'robots' ? 'User-agent: *\nDisallow: /\n' : 'User-agent: *\nDisallow:\n';
      return void response.writeHead(200, { 'content-type': 'text/plain' }).end(body);
    }
    const isPage = path === '/' || /^\/[hp]\d+$/.test(path);
    if (!isPage) return void response.writeHead(404, type).end('nothing');
    this.#asked++;
    const answer = this.answerTo(path);
    switch (answer.kind) {
      case 'bad':
        return this.#serveBad(path, response);
      case 'gone':
        return void response.writeHead(answer.status, type).end('nothing');
      case 'moved':
        return void response.writeHead(301, { location: answer.to }).end();
      case 'page': {
        const head = this.#head(path, answer.html);
        const isKnown =
          head['etag'] !== undefined
            ? request.headers['if-none-match'] === head['etag']
            : head['last-modified'] !== undefined && request.headers['if-modified-since'] === head['last-modified'];
        if (isKnown) response.writeHead(304, head).end();
        else response.writeHead(200, { ...type, ...head }).end(answer.html);
      }
    }
  }

  #head(path: string, body: string): Record<string, string> {
    const etag = (of: string): string => `"${createHash('sha256').update(of).digest('hex').slice(0, 16)}"`;
    switch (this.#validator) {
      case 'etag':
        return { etag: etag(body) };
      case 'restless':
        // Each day's deployment gives every page another one.
        return { etag: etag(`${this.#day} ${body}`) };
      case 'date': {
        // A hub changes with its pages.
        const changedAt = this.#pages.get(path)?.changedAt ?? this.#day;
        return { 'last-modified': new Date(Date.UTC(2026, 0, 1 + changedAt)).toUTCString() };
      }
      case 'none':
        return {};
    }
  }

  #serveBad(path: string, response: ServerResponse): void {
    const page = (status: number, body: string): unknown =>
      response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(body);
    const breakOff = (): unknown =>
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': '5000' }).end('<p>The beginning', () => {
        response.destroy();
      });
    const some = [
      () => page(403, 'no'),
      () => page(400, 'no'),
      () => page(451, 'no'),
      () => response.writeHead(204).end(),
      () => response.writeHead(200, { 'content-type': 'image/png' }).end('PNG'),
      () => response.writeHead(302, { location: path }).end(),
      () => page(200, challengePage),
    ];
    const number = Number(path.slice(2));
    const french = Array.from({ length: 40 }, (_, at) => `foin${number}${'abcdefgh'[at % 8]}`).join(' ');
    const ill = [
      () =>
        page(
          200,
          '<!doctype html><html lang="en"><title>Hay</title><nav><a href="/">Home</a></nav><main></main></html>',
        ),
      () =>
        page(200, `<!doctype html><html lang="fr"><title>Foin ${number}</title><main><p>${french}.</p></main></html>`),
      () => response.writeHead(200, { 'content-type': 'application/json' }).end('{"error":"rate limit"}'),
      () => page(200, '<title>Sign in</title><main><h1>Sign in</h1><form><input type="password"></form></main>'),
    ];
    const ways: Partial<Record<BadNight, () => unknown>> = {
      some: () => some[number % some.length]?.(),
      ill: () => ill[number % ill.length]?.(),
      slow: () => (number % 2 === 0 ? page(500, 'oh') : breakOff()),
      forbidden: () => page(403, 'no'),
      challenge: () => page(403, challengePage),
      maintenance: () => page(503, backSoon),
      dusk: () => page(503, backSoon),
      backSoon: () => page(200, backSoon),
      errors: () => page(500, 'oh'),
    };
    ways[this.#night]?.();
  }
}

function html(title: string, content: string, links: readonly string[]): string {
  const list = links.map((href) => `<li><a href="${href}">${href}</a></li>`).join('');
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1>${content}<ul>${list}</ul></main></body></html>`;
}
