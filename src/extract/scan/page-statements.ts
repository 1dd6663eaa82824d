import type { Thing, Things } from './json-ld.ts';
import type { HeaderLink } from './link-header.ts';

/** What a page states outside its elements: in response headers, to robots, and as JSON-LD. */
export interface PageStatements {
  /** Links of the `Link` headers. */
  readonly links: readonly HeaderLink[];
  /** `Refresh` as sent; empty if absent. */
  readonly refresh: string;
  /** `Content-Language` as sent; empty if absent. */
  readonly contentLanguage: string;
  /** Directives for this crawler, in lower case, from headers and elements. */
  readonly robots: ReadonlySet<string>;
  /** Things of the page's JSON-LD. */
  readonly things: Things;
  /** Things that its elements mark up, as microdata and RDFa. Only the first call walks the page. @default none */
  readonly marked?: () => readonly (Thing & { readonly markup: 'microdata' | 'rdfa' })[];
}
