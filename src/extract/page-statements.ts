import type { Things } from './json-ld.ts';
import type { HeaderLink } from './link-header.ts';

/** What is said about a page beside its elements: by the headers of its answer, to robots, and as JSON-LD. */
export interface PageStatements {
  /** Of the `Link` headers. */
  readonly links: readonly HeaderLink[];
  /** `Refresh` as sent, empty when absent. */
  readonly refresh: string;
  /** `Content-Language` as sent, empty when absent. */
  readonly contentLanguage: string;
  /** Directives for us, in lower case, of headers and elements. */
  readonly robots: ReadonlySet<string>;
  /** Of its JSON-LD. */
  readonly things: Things;
}
