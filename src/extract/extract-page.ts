/** HTML in; links, metadata and the main content out. {@link extractPage} is the entry point for pages. */
import { hash } from 'node:crypto';
import type { OutputFormat } from '../core/job.ts';
import type { DroppedText } from '../core/dropped-text.ts';
import type { PageMetadata } from '../core/page.ts';
import { textBeginning } from './html/node-text.ts';
import { valueLengthMax } from './metadata/metadata-values.ts';
import { hasUnfollowedWays } from './scan/unfollowed.ts';
import { isBarePage } from './content/bare-page.ts';
import { outsideRule, postsRule } from './content/dropped-lengths.ts';
import { droppedText, saidRule } from './content/dropped-text.ts';
import { contentImages } from './content/content-images.ts';
import { countWords } from './text/count-words.ts';
import { subjectWordsMin } from './text/page-title.ts';
import { includedContent } from './content/include-elements.ts';
import type { ExtractedLink } from './scan/links.ts';
import { extractLinks, framesOf, immediateRefresh } from './scan/links.ts';
import { type ChosenContent, chooseContent } from './content/main-content.ts';
import { withOutsideNotes } from './content/outside-notes.ts';
import { writePage } from './write/markdown/to-markdown.ts';
import { type PageData, readPageData, type WantedData } from './fields/page-data.ts';
import { type Asks, type Learning, readLearnedData } from './learn/learned-data.ts';
import { type OpenOptions, type OpenPage, openPage } from './open-page.ts';
import type { PageContent } from './content/page-content.ts';
import { withoutRepeatedImages } from './content/repeated-images.ts';
import { saidOnce } from './said-once.ts';
import { withThreadTitle } from './forum/thread-title.ts';
import type { RuleTable } from './rules/table.ts';
import { type ScriptSigns, scriptSigns } from './scripts/script-signs.ts';
import { statedContent } from './scripts/stated-content.ts';
import { toHtml } from './write/to-html.ts';

export interface ExtractOptions extends OpenOptions {
  readonly outputFormat: OutputFormat;
  /** Further outputs of the same content. @default none */
  readonly formats?: readonly OutputFormat[];
  /** The client's CSS selectors; null if the client gave none and the default list applies. */
  readonly excludeElements: string | null;
  /** Notes which links say that they end a session. @default false */
  readonly findsLogout?: boolean;
  /** CSS selectors of the elements that alone are the content. @default none: the content is chosen */
  readonly includeElements?: string | null;
  /** Lists what of the page is in no output. @default false */
  readonly listsDropped?: boolean | undefined;
  /** Structured data to read, and whether the URL is one that has a record. @default none */
  readonly data?:
    | { readonly wanted: WantedData; readonly isWanted: boolean; readonly learning?: Learning | undefined }
    | undefined;
  /** For measurements. @default all */
  readonly rules?: RuleTable;
}

export interface ExtractedPage {
  readonly metadata: PageMetadata;
  /** Its structured data, if it is wanted. */
  readonly data?: PageData & { readonly asks?: Asks };
  /** In the output format. Well-formed Unicode without control characters. */
  readonly text: string;
  /** One for each of the requested `formats`. */
  readonly outputs: Outputs;
  /** Characters of the plain text of the main content, for any output format. */
  readonly textLength: number;
  /** Main content as plain text, for any output format. */
  readonly plainText: string;
  /** Addresses of the first images in the main content, as written. */
  readonly images: () => readonly string[];
  /** Absolute URLs of the images in the main content, each once. */
  readonly imageUrls: () => readonly string[];
  /** What of the page is in no output, by rule; empty unless {@link ExtractOptions.listsDropped}. */
  readonly dropped: readonly DroppedText[];
  /** Estimated words that the rules left out, by rule; empty if they were not asked. */
  readonly droppedWords: Readonly<Record<string, number>>;
  /** Links of the headers and of the whole page, not only of its main content. */
  readonly links: readonly ExtractedLink[];
  /** URLs of its frames. */
  readonly frames: readonly string[];
  /** The page has a field for a password. */
  readonly asksPassword: boolean;
  /** See `hasUnfollowedWays`. */
  readonly hasUnfollowed: boolean;
  /** The page exceeds the size limit; only its beginning was read. */
  readonly isCut: boolean;
  /** Signs of what the page shows without scripts and what needs them. Each call walks the page. */
  readonly scriptSigns: () => ScriptSigns;
  /** Absolute http(s) URL. */
  readonly canonical?: string;
  /** Target of an immediate redirect. Absent if the page has text of its own. */
  readonly refreshesTo?: string;
}

/** Of those who posted. */
const authorsMax = 100;
/** Characters of a line that the metadata repeats. */
const saidLengthMax = 200;
/** Images that tell apart pages with the same text. */
const comparedImagesMax = 100;
/** Images of the format `images`. */
const listedImagesMax = 2_000;

/** Texts by format. */
export type Outputs = { readonly [Format in OutputFormat]?: string };

/** Throws only a `ParseBudgetError`, if the client's selectors take too long on the page. */
export function extractPage(source: string | Uint8Array, options: ExtractOptions): ExtractedPage {
  const { outputFormat, formats = [], excludeElements, includeElements } = options;
  // Selectors can name any element, and HTML output keeps syntax colours and line ends.
  const writesHtml = outputFormat === 'html' || formats.includes('html');
  const keepsAll =
    writesHtml || excludeElements !== null || typeof includeElements === 'string' || options.data !== undefined;
  const open = openPage(source, options, keepsAll);
  const { document, isCut, elements, urls, statements, metadata, hadPlaceholders, removed } = open;
  const links = extractLinks(elements, urls, statements, options.findsLogout);
  const hasUnfollowed = hasUnfollowedWays(elements);
  const data = options.data && dataOf(source, options.data, open, options.url);
  const refresh = immediateRefresh(elements, urls, statements);
  // Check before the content is taken out of the document.
  const refreshesTo = refresh !== undefined && isBarePage(document) ? refresh : undefined;
  const headline = typeof metadata['headline'] === 'string' ? metadata['headline'] : '';
  const { content: chosen, extraction, choice } = contentOf(open, headline, options);
  const isChosen = options.content === 'auto' && typeof includeElements !== 'string';
  const said = isChosen && choice !== undefined && choice.method !== 'thread' ? saidOnce(chosen, metadata) : [];
  const { nodes, skipped } = isChosen ? withOutsideNotes(chosen, document, elements.linking) : chosen;
  // Without the boxes by which it was chosen: they need not outlive this.
  const content: PageContent = { nodes, skipped: said.length === 0 ? skipped : new Set([...skipped, ...said]) };
  const dropped =
    options.listsDropped === true
      ? droppedText(
          document,
          content,
          choice?.page,
          removed,
          said,
          choice?.method === 'thread' ? postsRule : outsideRule,
        )
      : [];
  for (const line of said) choice?.dropped?.add(saidRule, textBeginning([line], saidLengthMax).length);
  const droppedWords = choice?.dropped?.words() ?? {};

  const { markdown, text: written, headings } = writePage(content, urls.readable);
  const plainText = printable(written);
  const writers = {
    text: () => plainText,
    markdown: () => printable(markdown),
    html: () => printable(toHtml(content, urls.readable)),
  };
  const text = writers[outputFormat]();
  const subject = choice?.method === 'thread' ? undefined : subjectOf(headings, plainText, options.url, headline);
  const { canonical } = metadata;
  return {
    ...(data && { data }),
    metadata: {
      ...metadata,
      ...(choice?.authors?.length && metadata['author'] === undefined
        ? { author: choice.authors.slice(0, authorsMax).join(', ').slice(0, valueLengthMax) }
        : {}),
      ...extraction,
      ...(subject !== undefined && { headline: subject }),
      ...(headings.length > 0 && { headings }),
      ...(isCut && { truncated: true }),
      wordCount: countWords(plainText),
      ...(plainText !== '' && { contentHash: contentHash(plainText) }),
    },
    text,
    outputs: Object.fromEntries(formats.map((format) => [format, writers[format]()])),
    textLength: plainText.length,
    plainText,
    images: () => contentImages(content, comparedImagesMax),
    imageUrls: () => [
      ...new Set(contentImages(content, listedImagesMax).flatMap((source) => urls.crawlable(source) ?? [])),
    ],
    dropped,
    droppedWords,
    links,
    frames: framesOf(elements, urls),
    asksPassword: elements.asksPassword,
    hasUnfollowed,
    isCut,
    scriptSigns: () => scriptSigns(document, hadPlaceholders),
    ...(typeof canonical === 'string' ? { canonical } : {}),
    ...(refreshesTo !== undefined && { refreshesTo }),
  };
}

/**
 * The first `<h1>` of the content if it stands above the text: a title for search engines can say something else. Few words can
 * name a part of the site, and the subject of a start page is the site.
 */
function subjectOf(headings: readonly string[], text: string, url: string, headline: string): string | undefined {
  const first = headings.find((one) => one.startsWith('# '))?.slice(2) ?? '';
  if (countWords(first) < subjectWordsMin) return undefined;
  const at = text.indexOf(first);
  return at !== -1 && at <= aboveLengthMax && (headline === '' || URL.parse(url)?.pathname !== '/') ? first : undefined;
}

/** Of what can stand above a heading: the part of the site, a date. */
const aboveLengthMax = 200;

function dataOf(
  source: string | Uint8Array,
  { wanted, isWanted, learning }: NonNullable<ExtractOptions['data']>,
  open: OpenPage,
  url: string,
): NonNullable<ExtractedPage['data']> {
  if (!learning) return readPageData(wanted, isWanted, open);
  const html = (): string => (typeof source === 'string' ? source : new TextDecoder().decode(source));
  return readLearnedData(wanted, isWanted, open, url, learning, html);
}

/** Returns the content and how it was chosen. `choice` is what the rules chose, if they were asked. */
function contentOf(
  { document, elements, statements: { things } }: OpenPage,
  headline: string,
  options: ExtractOptions,
): { readonly content: PageContent; readonly extraction: Extraction; readonly choice?: ChosenContent } {
  const { includeElements = null, excludeElements } = options;
  const included = includeElements === null ? undefined : includedContent(document, { ...options, includeElements });
  if (included) return { content: included, extraction: { extractionMethod: 'include_elements' } };
  const chosen = chooseContent(document, options.content, excludeElements, options.url, options.rules, elements);
  const choice = chosen.method === 'thread' ? { ...chosen, nodes: withThreadTitle(chosen.nodes, headline) } : chosen;
  const { quality, confidence: extractionQuality, method } = choice;
  const as = (
    content: PageContent,
    extractionMethod: Extraction['extractionMethod'],
  ): ReturnType<typeof contentOf> => ({
    content,
    extraction: { extractionMethod, extractionQuality },
    choice,
  });
  if (includeElements !== null) return as(choice, 'include_elements_unmatched');
  if (options.content !== 'auto') return as(choice, method);
  // JSON-LD can repeat what the client excluded.
  const mayBeStated = excludeElements === null && quality < statedQualityMax;
  const stated = mayBeStated ? statedContent(choice, things) : undefined;
  return stated ? as(stated, 'json_ld') : as(withoutRepeatedImages(choice), method);
}

/** A page that shows more does not need its JSON-LD content. */
const statedQualityMax = 0.4;

interface Extraction {
  readonly extractionMethod: ChosenContent['method'] | 'json_ld' | 'include_elements' | 'include_elements_unmatched';
  readonly extractionQuality?: number;
}

/** Equal for equal text, in every output format. */
export function contentHash(plainText: string): string {
  return hash('sha256', plainText, 'base64url').slice(0, 22);
}

/**
 * Keeps what a database, a terminal and JSON all accept: no lone surrogates, no control characters except tab and line
 * end.
 */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\0-\x08\x0b-\x1f\x7f]/g, '').toWellFormed();
}
