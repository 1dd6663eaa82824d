// Which pages of a job are saved in which files, so that they can link to each other.
import type { OutputFormat } from '../core/job.ts';
import { withLinkTargets } from '../shape/link-targets.ts';
import type { PageJson } from './decode.ts';
import { NameSet } from './name-set.ts';
import { possibleNames } from './page-file.ts';

/** Pages of which the address after a redirect is kept: about 20 MB. Links to such addresses of later ones stay absolute. */
const movedMax = 100_000;

/**
 * The names are made of URLs, so 16 bytes per page tell which of the few possible names a page has. Memory stays small
 * for millions of pages.
 */
export class SavedPages {
  readonly #format: OutputFormat;
  readonly #pairs = new NameSet();
  /** URLs of pages by their address after a redirect. */
  readonly #moved = new Map<string, string>();

  constructor(format: OutputFormat) {
    this.#format = format;
  }

  add({ url, fetchedUrl }: PageJson['meta'], name: string): void {
    this.#pairs.add(pairOf(url, name));
    if (fetchedUrl !== url && this.#moved.size < movedMax) this.#moved.set(fetchedUrl, url);
  }

  /** Returns the page with relative links in place of those that lead to saved pages. `name` is its own file. */
  withLocalLinks(page: PageJson, name: string): PageJson {
    const local = (address: string): string | undefined => {
      const fragment = address.indexOf('#');
      const url = fragment === -1 ? address : address.slice(0, fragment);
      const target = this.#nameOf(url) ?? this.#nameOf(this.#moved.get(url));
      return target === undefined ? undefined : relativePath(name, target) + address.slice(url.length);
    };
    return { ...page, text: this.#format === 'html' ? htmlWith(page.text, local) : withLinkTargets(page.text, local) };
  }

  #nameOf(url: string | undefined): string | undefined {
    const parsed = url?.startsWith('http') === true ? URL.parse(url) : null;
    if (url === undefined || parsed === null) return undefined;
    return possibleNames(parsed, this.#format).find((name) => this.#pairs.has(pairOf(url, name)));
  }
}

function pairOf(url: string, name: string): string {
  return `${url}\n${name}`;
}

/** In HTML as this program writes it, `<` begins a tag, and attributes have double quotes. */
function htmlWith(html: string, newAddress: (address: string) => string | undefined): string {
  return html.replaceAll(/(<a href=")([^"]*)(?=")/g, (written, before: string, href: string) => {
    const replaced = newAddress(href.replaceAll('&quot;', '"').replaceAll('&nbsp;', '\u00a0').replaceAll('&amp;', '&'));
    return replaced === undefined ? written : before + replaced.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  });
}

/** Both are names of files with `/` as separator. */
function relativePath(from: string, to: string): string {
  const [directories, parts] = [from.split('/').slice(0, -1), to.split('/')];
  let shared = 0;
  while (shared < directories.length && shared < parts.length - 1 && directories[shared] === parts[shared]) shared++;
  const rest = parts.slice(shared).map((part) => encodeURIComponent(part).replaceAll(/[()]/g, percent));
  return [...directories.slice(shared).map(() => '..'), ...rest].join('/');
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
