import type { HeaderLink } from './link-header.ts';

/** What is said about a page beside its elements: by the headers of its answer, and to robots. */
export interface PageStatements {
  /** Of the `Link` headers. */
  readonly links: readonly HeaderLink[];
  /** `Refresh` as sent, empty when absent. */
  readonly refresh: string;
  /** `Content-Language` as sent, empty when absent. */
  readonly contentLanguage: string;
  /** Directives for us, in lower case, of headers and elements. */
  readonly robots: ReadonlySet<string>;
}
