/** Parses a page and reads what its head, its links and its declarations say, before its content is chosen. */
import type { ChildNode, Document } from 'domhandler';
import type { FetchedHeaders } from '../core/ports/fetcher.ts';
import type { PageMetadata } from '../core/page.ts';
import { markedThings } from './declared/marked-things.ts';
import { mayHoldBuilderCodes, removeBuilderCodes } from './html/builder-codes.ts';
import { joinCodeLines } from './html/code-lines.ts';
import { removeButtons } from './html/heading-buttons.ts';
import { latePartsIn, moveLateParts } from './html/late-parts.ts';
import { renameElement } from './html/nodes.ts';
import { parsePage } from './html/parse-html.ts';
import { revealEmails } from './html/protected-emails.ts';
import { nameTabs } from './html/tab-names.ts';
import { extractMetadata } from './metadata/metadata.ts';
import { readJsonLd } from './scan/json-ld.ts';
import { parseLinkHeader } from './scan/link-header.ts';
import type { PageStatements } from './scan/page-statements.ts';
import { type PageUrls, pageUrls } from './scan/page-urls.ts';
import { robotsDirectives } from './scan/robots-meta.ts';
import { type PageElements, scanPage } from './scan/scan-page.ts';

export interface OpenOptions {
  /** The fetched URL, after redirects. */
  readonly url: string;
  /** Of the queries of its links: a name of the Encoding Standard in lower case. @default 'utf-8' */
  readonly encoding?: string;
  /** The page is XHTML. @default false */
  readonly isXml?: boolean;
  readonly headers: Pick<FetchedHeaders, 'link' | 'refresh' | 'contentLanguage'>;
  /** `X-Robots-Tag` directives that apply to this crawler, in lower case. */
  readonly robotsTag: ReadonlySet<string>;
  readonly content: 'auto' | 'full';
}

export interface OpenPage {
  readonly document: Document;
  readonly isCut: boolean;
  readonly elements: PageElements;
  readonly urls: PageUrls;
  readonly statements: PageStatements;
  readonly metadata: PageMetadata;
  /** The page had codes of a page builder in place of content. */
  readonly hadPlaceholders: boolean;
  /** Buttons that were in headings. */
  readonly removed: readonly ChildNode[];
}

/** `keepsAll`: also what no text needs, such as colours of code. Opening the next page ends the use of this one. */
export function openPage(source: string | Uint8Array, options: OpenOptions, keepsAll: boolean): OpenPage {
  const { document, ascii, isCut } = parsePage(source, { keepsAll, isXml: options.isXml === true });
  const hadPlaceholders = mayHoldBuilderCodes(ascii) && removeBuilderCodes(document);
  const lateParts = latePartsIn(ascii);
  if (lateParts.size > 0) moveLateParts(document, lateParts);
  const elements = scanPage(document);
  revealEmails(elements.linking);
  for (const root of elements.shadowRoots) renameElement(root, 'div');
  const removed = elements.buttonHeadings.flatMap(removeButtons);
  if (elements.hasCodeLines) joinCodeLines(document);
  if (options.content === 'auto' && elements.hasTabs) nameTabs(document);
  const urls = pageUrls(options.url, elements.base, options.encoding);
  const statements: PageStatements = {
    links: parseLinkHeader(options.headers.link),
    refresh: options.headers.refresh,
    contentLanguage: options.headers.contentLanguage,
    robots: robotsDirectives(elements.metas, options.robotsTag),
    things: readJsonLd(elements.jsonLd),
    marked: once(() => (elements.hasMarkup ? markedThings(document, urls.readable) : [])),
  };
  const metadata = extractMetadata(elements, urls, statements, options.url);
  return { document, isCut, elements, urls, statements, metadata, hadPlaceholders, removed };
}

function once<Value>(read: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= read());
}
