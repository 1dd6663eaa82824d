// A site that changes between crawls: pages by name, all linked from the home page.
import { createHash } from 'node:crypto';
import { htmlPage, startTestSite, type Gate, type TestSite } from './test-site.ts';

/** `page`: its text again. Else a status, `redirect` and a URL, or another body. */
type Ending = 'page' | number | `redirect ${string}` | { readonly body: string; readonly type?: string };

export interface Living extends Pick<TestSite, 'origin' | 'close'> {
  /** Adds or changes pages, by name. */
  write(pages: Readonly<Record<string, string>>): void;
  answer(endings: Readonly<Record<string, Ending>>): void;
  /** Each page has another ETag from now on. */
  deploy(): void;
  /** Shows this on each page, next to its text. */
  strew(text: string): void;
  hold(path: string): Gate;
  /** Paths of pages that were asked for since {@link forget}. */
  asked(): readonly string[];
  /** Those of them that were asked for with a validator. */
  conditional(): readonly string[];
  forget(): void;
}

const born = Date.UTC(2026, 0, 1);

export async function startLivingSite({
  pages,
  validator = 'etag',
}: {
  readonly pages: Readonly<Record<string, string>>;
  readonly validator?: 'etag' | 'date' | 'none';
}): Promise<Living> {
  const texts = new Map<string, string>();
  const changedAt = new Map<string, number>();
  const endings = new Map<string, Ending>();
  const site = await startTestSite();
  let clock = born;
  let deployed = 0;
  let strewn = '';
  let from = 0;

  const bodyOf = (path: string): string =>
    path === '/'
      ? htmlPage({
          title: 'home',
          text: `The home of ${texts.size} pages.`,
          links: [...texts.keys()].map((name) => `/${name}`),
        })
      : htmlPage({
          title: texts.get(path.slice(1)) ?? path,
          text: `All about ${texts.get(path.slice(1)) ?? path}.${strewn}`,
          links: ['/'],
        });
  const serve = (path: string): void => {
    site.add({
      [path]: (request, response) => {
        const ending = endings.get(path.slice(1)) ?? 'page';
        if (typeof ending === 'number')
          return void response.writeHead(ending, { 'content-type': 'text/html' }).end('no');
        if (typeof ending === 'object')
          return void response.writeHead(200, { 'content-type': ending.type ?? 'text/html' }).end(ending.body);
        if (ending !== 'page')
          return void response.writeHead(301, { location: ending.slice('redirect '.length) }).end();
        const body = bodyOf(path);
        const etag = `"${createHash('sha256').update(`${deployed} ${body}`).digest('hex').slice(0, 16)}"`;
        const date = new Date(changedAt.get(path) ?? born).toUTCString();
        const isKnown =
          validator === 'etag'
            ? request.headers['if-none-match'] === etag
            : validator === 'date' && request.headers['if-modified-since'] === date;
        const head = validator === 'etag' ? { etag } : validator === 'date' ? { 'last-modified': date } : {};
        if (isKnown) response.writeHead(304, head).end();
        else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...head }).end(body);
      },
    });
  };
  const write = (more: Readonly<Record<string, string>>): void => {
    clock += 86_400_000;
    const size = texts.size;
    for (const [name, text] of Object.entries(more)) {
      texts.set(name, text);
      changedAt.set(`/${name}`, clock);
      serve(`/${name}`);
    }
    if (texts.size !== size) changedAt.set('/', clock);
  };
  serve('/');
  serve('/elsewhere');
  serve('/beyond');
  write(pages);
  const ofPages = (): TestSite['requests'] =>
    site.requests.slice(from).filter(({ path }) => !/^\/(?:robots\.txt|sitemap|llms)/.test(path));
  return {
    origin: site.origin,
    close: () => site.close(),
    hold: (path) => site.hold(path),
    write,
    strew: (text) => {
      strewn = `</p><p class="seen">${text}</p><p>`;
    },
    deploy: () => {
      deployed++;
    },
    answer: (some) => {
      for (const [name, ending] of Object.entries(some)) {
        endings.set(name, ending);
        serve(`/${name}`);
      }
    },
    asked: () => ofPages().map(({ path }) => path),
    conditional: () =>
      ofPages()
        .filter(({ headers }) => headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined)
        .map(({ path }) => path),
    forget: () => {
      from = site.requests.length;
    },
  };
}
