// Pages of a generated site: each links to others, and has another text for each version of it.
const words = 'hay rake field meadow barn summer wagon scythe stack clover dry wind early late long short'.split(' ');
const linksOfAPage = 20;

/** `bytes`: of each page, about. */
export interface GeneratedSite {
  readonly pages: number;
  readonly bytes: number;
}

export function generatedPage({ pages, bytes }: GeneratedSite, page: number, version: number): string {
  const menu = Array.from({ length: 40 }, (_, index) => `<a href="/${index}">Section ${index} of the manual</a>`);
  const links = Array.from({ length: linksOfAPage }, (_, index) => {
    const to = (page * linksOfAPage + index + 1) % pages;
    return `<a href="/${to}">page ${to}</a>`;
  });
  let state = page * 7_919 + version * 104_729 + 1;
  const word = (): string => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return `${words[(state >> 8) % words.length]}${(state >> 16) % 50}`;
  };
  const head = `<!doctype html><html lang="en"><head><title>Page ${page}</title></head><body>`;
  const nav = bytes > 5_000 ? `<nav>${menu.join('\n')}</nav>` : '';
  const end = `<p>${links.join(' ')}</p></main><footer>Made of grass</footer></body></html>`;
  let text = `<main><h1>Page ${page}</h1>`;
  while (head.length + nav.length + text.length + end.length < bytes)
    text += `<p>${Array.from({ length: 50 }, word).join(' ')}.</p>\n`;
  return head + nav + text + end;
}
