// Sites without end, as crawlers meet them: each a function from a URL to the page there, so that every URL has one.
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** HTML, or undefined where the site has nothing. */
export type Pages = (url: URL) => string | undefined;

export interface EndlessSite {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly origin: string;
  /** Paths with queries, in the order in which they were asked for. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** The first of `pages` that knows a URL answers. */
export async function startEndlessSite(
  pages: readonly Pages[],
  options: { readonly delayMs?: number } = {},
): Promise<EndlessSite> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    asked.push(path);
    const url = new URL(path, `http://${request.headers.host}`);
    const html = pages.map((page) => page(url)).find((page) => page !== undefined);
    const answer = (): unknown =>
      response.writeHead(html === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' }).end(html);
    if (options.delayMs === undefined) answer();
    else void sleep(options.delayMs).then(answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Unlike an address, what a link says can be the same from page to page. */
type Link = readonly [href: string, says: string];

export function page(title: string, text: string, links: readonly Link[] = []): string {
  const list = links.map(([href, says]) => `<li><a href="${href}">${says}</a></li>`).join('');
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body><p>${text}</p><ul>${list}</ul></body></html>`;
}

const syllables = ['ba', 'ke', 'li', 'mo', 'nu', 'ra', 'se', 'ti', 'vo', 'zu'];

/** A word for each number, without digits. */
export function wordOf(number: number): string {
  return Array.from(String(number), (digit) => syllables[Number(digit)]).join('');
}

/** What a person would have written: another text for every number. */
export function textOf(number: number): string {
  const word = wordOf(number);
  return `The ${word} of our farm is an old kind. Whoever has tasted ${word}s in June will not buy them again in March.`;
}

/** `/` and so many articles, each linked from `/`, and from each a link to somewhere else, which `/` has as well. */
export function articles(count: number, elsewhere: (article: number) => string): Pages {
  const paths = Array.from({ length: count }, (_, index) => `/articles/${wordOf(index)}`);
  return ({ pathname }) => {
    if (pathname === '/') {
      const links = paths.map((path, index): Link => [path, wordOf(index)]);
      return page('Our farm', 'All that we have written.', [[elsewhere(0), 'Elsewhere'], ...links]);
    }
    const index = paths.indexOf(pathname);
    return index === -1 ? undefined : page(wordOf(index), textOf(index), [[elsewhere(index), 'Elsewhere']]);
  };
}

/** `/` and so many articles, each found only on the one before, and from each a link to somewhere else. */
export function articleChain(count: number, elsewhere: (article: number) => string): Pages {
  const paths = Array.from({ length: count }, (_, index) => (index === 0 ? '/' : `/articles/${wordOf(index)}`));
  return ({ pathname }) => {
    const index = paths.indexOf(pathname);
    const links: Link[] = [
      [elsewhere(index), 'Elsewhere'],
      [paths[index + 1] ?? '/', 'Next'],
    ];
    return index === -1 ? undefined : page(wordOf(index), textOf(index), links);
  };
}

const months = 'January February March April May June July August September October November December'.split(' ');
const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** `/calendar/2026/5` with its days behind it, each with the way to the one before and the one after, for ever. */
export const calendar: Pages = ({ pathname }) => {
  const [, year, month, day] = /^\/calendar\/(\d+)\/(\d+)(?:\/(\d+))?$/.exec(pathname)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const isMonth = Number.isNaN(day);
  const inDays = (days: number): Date => new Date(Date.UTC(year, month - 1, (isMonth ? 1 : day) + days));
  const monthPath = (date: Date): string => `/calendar/${date.getUTCFullYear()}/${date.getUTCMonth() + 1}`;
  const dayPath = (date: Date): string => `${monthPath(date)}/${date.getUTCDate()}`;
  const name = `${months[month - 1]} ${year}`;
  if (isMonth) {
    const days = Array.from({ length: 28 }, (_, index): Link => [dayPath(inDays(index)), String(index + 1)]);
    const around: Link[] = [
      [monthPath(inDays(-1)), 'Before'],
      [monthPath(inDays(31)), 'Next'],
    ];
    return page('Calendar', `Events in ${name}: none.`, [...around, ...days]);
  }
  return page('Calendar', `${weekdays[inDays(0).getUTCDay()]}, ${day} ${name}. No events on this day.`, [
    [dayPath(inDays(-1)), 'Before'],
    [dayPath(inDays(1)), 'Next'],
    [monthPath(inDays(0)), name],
  ]);
};

/** `/plan?month=2026-05` and so on, each with the way to the one before and the one after. */
export const plan: Pages = ({ pathname, searchParams }) => {
  const [, year, month] = /^(\d+)-(\d+)$/.exec(searchParams.get('month') ?? '')?.map(Number) ?? [];
  if (pathname !== '/plan' || year === undefined || month === undefined) return undefined;
  const monthAfter = (count: number): string => new Date(Date.UTC(year, month - 1 + count)).toISOString().slice(0, 7);
  const grid = Array.from({ length: 31 }, (_, day) => `<td>${day + 1}</td>`).join('');
  return page('Plan', `${months[month - 1]} ${year}</p><table><tr>${grid}</tr></table><p>Nothing is planned.`, [
    [`/plan?month=${monthAfter(-1)}`, 'Before'],
    [`/plan?month=${monthAfter(1)}`, 'Next'],
  ]);
};

/** `/search?s=...`: nothing is found, and other words are proposed, new ones each time. */
export function search(): Pages {
  let proposed = 0;
  return ({ pathname }) => {
    if (pathname !== '/search') return undefined;
    const links = Array.from({ length: 5 }, (): Link => [`/search?s=${wordOf((proposed += 1))}`, 'Try another word']);
    return page('Search', 'Nothing was found.', links);
  };
}

const facets = {
  colour: ['red', 'green', 'blue', 'black'],
  size: ['small', 'medium', 'large'],
  sort: ['price', 'name', 'newest'],
  page: ['1', '2', '3', '4'],
  view: ['grid', 'list'],
  wood: ['ash', 'birch', 'cedar', 'elm'],
};

/** `/shop`: the same twenty products in every order, and a link for every choice that can be added or changed. */
export const shop: Pages = ({ pathname, search, searchParams }) => {
  if (pathname !== '/shop') return undefined;
  const links = Object.entries(facets).flatMap(([name, values]) =>
    values.map((value): Link => {
      const chosen = new URLSearchParams(searchParams);
      chosen.set(name, value);
      return [`/shop?${chosen.toString()}`, value];
    }),
  );
  const products = Array.from({ length: 20 }, (_, index) => `Rake ${wordOf((index + search.length) % 20)}, by hand.`);
  return page('Shop', products.join('</p><p>'), links);
};

/** Under `/help/` there is a page everywhere, which says so, with links that forgot their first slash. */
export const softNotFound: Pages = ({ pathname }) => {
  if (!pathname.startsWith('/help/')) return undefined;
  const links = ['help/contact/', 'help/order/', 'order/contact/'].map((path): Link => [path, path]);
  return page('Not found', `Sorry, the page ${pathname} was not found.`, links);
};

/** `/s/{session}/{name}`: every page begins a session of its own, and hands it on in the path of all its links. */
export function sessions(): Pages {
  let begun = 0;
  return ({ pathname }) => {
    const name = /^\/s\/[\da-f]{32}\/([a-z]+)$/.exec(pathname)?.[1];
    if (name === undefined) return undefined;
    const session = sessionOf((begun += 1));
    const links = Array.from({ length: 40 }, (_, index): Link => [`/s/${session}/${wordOf(index)}`, wordOf(index)]);
    return page(name, `All about ${name}: there is not much to say.`, links);
  };
}

export function sessionOf(number: number): string {
  return hash('md5', String(number));
}
