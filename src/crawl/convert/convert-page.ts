// Converts one page. Runs in a converter thread, from top to bottom: unpack, decode, extract, judge the links,
// serialise.
import { leadsToLogout } from '../../extract/phrases/logout.ts';
import { type DecodedPage, decodeHtml, decodeRendered } from '../../extract/html/decode-html.ts';
import type { PageRecord } from '../../core/page.ts';
import { type ExtractedPage, extractPage, printable, type ExtractOptions } from '../../extract/extract-page.ts';
import { type ExtractedLink, linksMax } from '../../extract/scan/links.ts';
import { type PageData, type WantedData, wantedData } from '../../extract/fields/page-data.ts';
import { ParseBudgetError } from '../../extract/html/select-elements.ts';
import { lineHashes } from '../../extract/text/text-lines.ts';
import { freeBytes, freeIfOwned } from '../../core/process/free-bytes.ts';
import { ownedCopy, ownsMemory } from '../../core/bytes/owned-bytes.ts';
import { mediaType } from '../../core/bytes/media-type.ts';
import { toUtf8 } from '../../core/bytes/decode-bytes.ts';
import { type PageType, pageTypeOf } from '../../core/bytes/page-type.ts';
import { isXhtml } from '../../extract/html/is-xhtml.ts';
import type { CountedCode } from '../../core/job-codes.ts';
import type { Link } from '../../core/request.ts';
import { robotsTagDirectives } from '../../robots/robots-tag.ts';
import { dedupeKey } from '../../url/dedupe-key.ts';
import { isSameFamily, urlTemplates } from '../../url/url-template.ts';
import { inScope, type JudgedJob, judgeLink } from '../../url/scope.ts';
import { binaryKind } from './binary-data.ts';
import { isChallengePage } from './challenge-marks.ts';
import { copyKeys } from './copy-key.ts';
import { validatorFor } from './validator-for.ts';
import type { ConvertedPage, PageInput } from './converter.ts';
import { formatsOf, type PageToStore, textFormats, toPageRecord } from './page-record.ts';
import { writtenKeys } from './written-keys.ts';
import { readMarkdownPage, withAbsoluteTargets } from './markdown-page.ts';
import { type BrowserNeed, needsBrowser, needsNone, ownTextLength } from './needs-browser.ts';
import { isError, pageBytesMax, unpackBody } from './unpack-body.ts';
import type { Learning } from '../../extract/learn/learned-data.ts';
import type { JobSpec } from '../../core/job.ts';
import { compileGlob } from '../../url/glob.ts';

/** Beginning of a page in which the root of its XML stands. */
const xhtmlBytesMax = 64 * 2 ** 10;
/** Characters of `formats.source`. */
const sourceLengthMax = 10 * 2 ** 20;

const challenge = { reason: 'challenge', message: 'The page tests whether a person is there.' } as const;

/**
 * Empties the body, unless it is not a page. Leaves out links that `isKnown` at this depth: judging a link takes some
 * microseconds, and most links are on every page.
 */
export async function convertPage(
  input: PageInput,
  judged: JudgedJob,
  isKnown: (link: ExtractedLink, depth: number) => boolean = () => false,
): Promise<ConvertedPage> {
  const { spec } = input.job;
  const opened = await openPage(input);
  if ('kind' in opened) return opened;
  const { bytes, type, source, encoding } = opened;
  const text = spec.formats.includes('source') ? source.toString() : '';
  const asSource = spec.formats.includes('source') ? text.slice(0, sourceLengthMax).toWellFormed() : undefined;
  const isSourceCut = text.length > sourceLengthMax;
  const markdown = type === 'markdown' ? readMarkdownPage(source.toString()) : undefined;
  let extracted = extractedOf(input, markdown?.html, opened);
  if ('kind' in extracted) return extracted;
  if (isChallengePage(source, extracted.plainText)) return { kind: 'error', error: challenge };
  // What was read of the page is a copy.
  const unpacked = spec.storeRaw ? asOwned(bytes) : undefined;
  if (unpacked !== bytes) freeIfOwned(bytes);
  if (unpacked?.buffer !== input.body.buffer) freeBytes(input.body);
  if (markdown)
    extracted = asWritten(extracted, withAbsoluteTargets(markdown.body, { url: input.fetchedUrl, encoding }), spec);

  const target = targetOf(extracted, input, judged);
  if (target !== undefined) return { kind: 'moved', target };
  const isFollowed = spec.forceCrawlingMode !== 'sitemap' && spec.reextract === undefined;
  const links = isFollowed ? judgedLinks(extracted, input, judged, isKnown) : [];
  const lines = input.lines && {
    lines: lineHashes(`${extracted.metadata.title}\n${extracted.plainText}`, {
      url: input.fetchedUrl,
      images: extracted.images(),
      ...input.lines,
    }),
  };
  const need = markdown ? needsNone : needsBrowser(extracted, spec.content);
  const remarks = remarksOn({ ...extracted, isCut: extracted.isCut || isSourceCut }, need, extracted.data);
  const browser = {
    ownLength: ownTextLength(extracted, spec.content),
    ...(need.verdict !== 'no' && { browser: need }),
  };
  if (extracted.textLength < spec.minLength) {
    return {
      kind: 'short',
      detail: `${extracted.textLength} of ${spec.minLength} characters`,
      links,
      ...lines,
      ...remarks,
      ...browser,
    };
  }
  const page = recordOf(extracted, input, judged, asSource);
  const asks = extracted.data?.asks;
  return {
    kind: 'page',
    page,
    links,
    ...lines,
    ...remarks,
    ...browser,
    ...(unpacked && { unpacked }),
    ...(asks && { asks }),
  };
}

interface OpenedPage {
  readonly bytes: Uint8Array;
  readonly type: PageType | undefined;
  /** As UTF-8. */
  readonly source: Buffer;
  readonly encoding: string;
}

/** The body, unpacked and decoded, if it is a page. */
async function openPage(input: PageInput): Promise<OpenedPage | ConvertedPage> {
  const { headers } = input;
  const bytes = unpackBody(input.body, headers.contentEncoding, pageBytesMax);
  if (isError(bytes)) return { kind: 'error', error: bytes };
  const isTyped = input.isRendered === true || mediaType(headers.contentType) !== '';
  const binary = binaryKind(bytes, { isTyped });
  if (binary !== undefined) return { kind: 'binary', detail: binary };
  const type = typeOf(input);
  const { utf8, encoding } = await decoded(bytes, input, type);
  const source = Buffer.from(utf8.buffer, utf8.byteOffset, utf8.byteLength);
  if (type === 'xml' && !isXhtml(source.toString('utf8', 0, xhtmlBytesMax)))
    return { kind: 'binary', detail: headers.contentType };
  return { bytes, type, source, encoding };
}

function extractedOf(
  input: PageInput,
  html: string | undefined,
  { source, encoding, type }: OpenedPage,
): ExtractedPage | ConvertedPage {
  const { headers } = input;
  const { spec } = input.job;
  try {
    return extractPage(html ?? source, {
      url: input.fetchedUrl,
      encoding,
      isXml: type === 'xhtml' || type === 'xml',
      headers,
      robotsTag: robotsTagDirectives(headers.robotsTag),
      outputFormat: spec.outputFormat,
      formats: textFormats(spec),
      // All of a Markdown page is its content.
      content: html === undefined ? spec.content : 'full',
      excludeElements: spec.excludeElements,
      includeElements: spec.includeElements,
      findsLogout: input.job.keepsSession,
      listsDropped: spec.formats.includes('dropped'),
      data: dataOf(spec, [input.requestUrl, input.fetchedUrl], input.learning),
    });
  } catch (error) {
    if (error instanceof ParseBudgetError)
      return { kind: 'error', error: { reason: 'parse_budget', message: error.message } };
    throw error;
  }
}

function recordOf(
  extracted: ExtractedPage,
  input: PageInput,
  judged: JudgedJob,
  source: string | undefined,
): ReturnType<typeof toPageRecord> {
  const { headers } = input;
  const { spec } = input.job;
  const fetched = new URL(input.fetchedUrl);
  return toPageRecord({
    url: input.requestUrl,
    fetchedUrl: input.fetchedUrl,
    fetchedKey: dedupeKey(fetched),
    ...comparedBy(input, extracted, fetched),
    metadata: {
      ...extracted.metadata,
      ...extracted.data?.metadata,
      statusCode: input.statusCode,
      ...(input.isRendered === true && { rendered: true }),
      ...(input.isUnverified === true && { tlsVerified: false }),
      ...(headers.contentType !== '' && { contentType: headers.contentType }),
      ...(headers.etag !== '' && { etag: headers.etag }),
      ...(headers.lastModified !== '' && { lastModified: headers.lastModified }),
    },
    text: extracted.text,
    isSurrounding: ownTextLength(extracted, spec.content) === 0,
    extracted: extracted.data?.extracted,
    validator: validatorFor(input),
    earlier: input.earlier,
    formats: formatsOf(spec, {
      ...extracted.outputs,
      ...(spec.formats.includes('links') && { links: extracted.links.map(({ url }) => url) }),
      ...(spec.formats.includes('images') && { images: extracted.imageUrls() }),
      ...(source !== undefined && { source }),
      ...(spec.formats.includes('dropped') && { dropped: extracted.dropped }),
    }),
    shape: spec,
    statusCode: input.statusCode,
    asksPassword: extracted.asksPassword,
    droppedWords: extracted.droppedWords,
    found: extracted.data?.found,
    frames: framesOf(extracted, judged),
  });
}

/** Keys by which copies are found. A page of a re-extraction is no copy of another: it keeps its number. */
function comparedBy(
  { job: { spec }, isSelfFed = false }: PageInput,
  { canonical, plainText, metadata: { title }, links, text, imageUrls }: ExtractedPage,
  fetched: URL,
): Partial<Pick<PageToStore, 'copyKeys' | 'writtenKeys' | 'isCompared'>> {
  if (spec.reextract !== undefined) return { isCompared: false };
  const images = showsNoImage(text, spec) ? [] : imageUrls();
  return {
    copyKeys: copyKeys({ ...(canonical !== undefined && { canonical }), plainText, title, fetched }),
    writtenKeys: writtenKeys({ title, plainText, links: links.map(({ url }) => url), images, fetched, isSelfFed }),
  };
}

/** Spares most pages a walk. */
function showsNoImage(text: string, { outputFormat }: Pick<JobSpec, 'outputFormat'>): boolean {
  return outputFormat !== 'text' && !text.includes(outputFormat === 'html' ? '<img' : '![');
}

function framesOf({ frames, metadata }: ExtractedPage, judged: JudgedJob): PageRecord['frames'] | undefined {
  if (frames.some((url) => inScope(new URL(url), judged))) return 'own';
  return frames.length > 0 && metadata['wordCount'] === 0 ? 'foreign' : undefined;
}

/** Only memory of its own can move to another thread. */
function asOwned(bytes: Uint8Array): Uint8Array {
  return ownsMemory(bytes) ? bytes : ownedCopy(bytes);
}

function typeOf({ isRendered, file, headers }: PageInput): PageType | undefined {
  if (isRendered === true) return 'html';
  return file === 'markdown' ? file : pageTypeOf(headers.contentType);
}

function decoded(
  bytes: Uint8Array,
  { isRendered, headers: { contentType } }: PageInput,
  type: PageType | undefined,
): DecodedPage | Promise<DecodedPage> {
  if (isRendered === true) return decodeRendered(bytes, contentType);
  // Labels in Markdown are examples.
  return type === 'markdown' ? toUtf8(bytes, { contentType, isMarkup: false }) : decodeHtml(bytes, contentType);
}

/** The page with its own Markdown, unless the client selected elements of it. */
function asWritten(page: ExtractedPage, markdown: string, spec: PageInput['job']['spec']): ExtractedPage {
  // How the content of a page was found says nothing here.
  const { extractionMethod, extractionQuality: _, ...metadata } = page.metadata;
  if (extractionMethod === 'include_elements') return page;
  if (spec.excludeElements !== null) return { ...page, metadata };
  const written = printable(markdown);
  return {
    ...page,
    metadata,
    droppedWords: {},
    text: spec.outputFormat === 'markdown' ? written : page.text,
    outputs: page.outputs.markdown === undefined ? page.outputs : { ...page.outputs, markdown: written },
  };
}

function remarksOn(
  { links, isCut, hasUnfollowed }: Pick<ExtractedPage, 'links' | 'isCut' | 'hasUnfollowed'>,
  { verdict }: BrowserNeed,
  data: PageData | undefined,
): { readonly remarks?: readonly CountedCode[] } {
  const remarks: CountedCode[] = [];
  if (links.length >= linksMax) remarks.push('links_cut');
  if (isCut) remarks.push('truncated');
  if (hasUnfollowed) remarks.push('unfollowed_navigation');
  if (verdict === 'render') remarks.push('needs_javascript');
  if (data?.isIncomplete === true) remarks.push('extract_incomplete');
  if (data !== undefined && data.unreadable > 0) remarks.push('declared_unreadable');
  return remarks.length === 0 ? {} : { remarks };
}

/**
 * The redirect target of a page without content of its own. A page that forbids following its links, or also links
 * elsewhere, such as to itself in another language, remains a page with links.
 */
function targetOf(
  { refreshesTo, links }: ExtractedPage,
  { fetchedUrl, depth }: PageInput,
  judged: JudgedJob,
): string | undefined {
  if (refreshesTo === undefined) return undefined;
  const own = dedupeKey(new URL(fetchedUrl));
  const target = dedupeKey(new URL(refreshesTo));
  if (target === own) return undefined;
  for (const { url: text, nofollow } of links) {
    const url = new URL(text);
    const key = dedupeKey(url);
    if (key === own) continue;
    const { discard } = judgeLink({ url, nofollow, depth: depth + 1 }, judged);
    if (key === target ? discard?.reason === 'nofollow' : discard === undefined) return undefined;
  }
  return refreshesTo;
}

function judgedLinks(
  { links }: ExtractedPage,
  input: PageInput,
  judged: JudgedJob,
  isKnown: (link: ExtractedLink, depth: number) => boolean,
): Link[] {
  const depth = input.depth + 1;
  const unknown = links.filter((link) => !isKnown(link, depth));
  if (unknown.length === 0) return [];
  const own = urlTemplates(new URL(input.requestUrl));
  return unknown.map(({ url, nofollow, isLogout = false }) => {
    const found = new URL(url);
    const endsSession = judged.keepsSession && (isLogout || leadsToLogout(found));
    const link = judgeLink({ url: found, nofollow, depth, isLogout: endsSession }, judged);
    return Object.assign(link, link.discard === undefined && { selfFed: isSameFamily(urlTemplates(found), own) });
  });
}

interface JobData {
  readonly wanted: WantedData;
  readonly matches: (url: URL) => boolean;
}

/** Jobs whose selectors stay compiled. */
const jobsMax = 100;
const jobs = new Map<string, JobData>();

/** Returns what a job wants of a page of these URLs; undefined if it extracts nothing. */
function dataOf(
  { extract }: Pick<JobSpec, 'extract'>,
  urls: readonly string[],
  learning?: Learning,
): ExtractOptions['data'] {
  if (extract === null) return undefined;
  // A thread gets a copy of the option with each page.
  const name = JSON.stringify(extract);
  let job = jobs.get(name);
  if (!job) {
    if (jobs.size >= jobsMax) jobs.clear();
    const globs = extract.when.map(compileGlob);
    job = { wanted: wantedData(extract), matches: (url) => globs.length === 0 || globs.some((glob) => glob(url)) };
    jobs.set(name, job);
  }
  const { wanted, matches } = job;
  return { wanted, isWanted: urls.some((url) => matches(new URL(url))), learning };
}
