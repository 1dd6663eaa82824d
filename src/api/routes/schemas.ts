// Schemas of requests and responses: they validate requests and generate the OpenAPI document.
import { maybe } from '../../core/resource.ts';
import { grouped } from '../../core/grouped.ts';
import { feedKinds, pageChange } from '../../core/ports/changes.ts';
import { z } from 'zod';
import { type ErrorCode, errorCodes } from '../../core/errors.ts';
import type { Locator } from '../../core/extract.ts';
import { seriesPoint } from '../../core/job-series.ts';
import { jobKinds, jobProgress, jobStatuses } from '../../core/job.ts';
import { isMissing, jobFinding, type JobCode, jobCodes, type NoticeCode } from '../../core/job-codes.ts';
import { webhookFail } from '../../core/webhook-event.ts';
import { siteRules } from '../../core/ports/site-rules.ts';
import { jobsCountedMax, jobsSearchedMax, ledgerKinds, ledgerStatuses } from '../../core/ports/stores.ts';
import { canonicalJobId } from '../../jobs/job-id.ts';
import { scrapeError } from '../../jobs/scrape-error.ts';
import { truncations } from '../../jobs/map-site.ts';
import type { TreeNode } from '../../jobs/read-tree.ts';
import { imageShapes, linkShapes, titleShapes } from '../../options/schemas.ts';
import { shownShape } from '../../options/shown.ts';
import { marker } from './extract-schemas.ts';

const chunkCharsMessage = 'Give a whole number from 200 to 20000, in digits, once.';

/** A query parameter that is a whole number in digits. Absent, empty and `null` give the default. */
export function wholeNumber(
  name: string,
  options: { readonly min: number; readonly max: number; readonly default: number; readonly description: string },
) {
  const { min, max } = options;
  const message = `Give a whole number from ${min} to ${max}, in digits, once.`;
  return z
    .string({ error: message })
    .refine(
      (text) =>
        text === '' || text === 'null' || (/^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max),
      message,
    )
    .transform((text) => (text === '' || text === 'null' ? options.default : Number(text)))
    .default(options.default)
    .meta({
      title: name,
      type: ['integer', 'null'],
      minimum: min,
      maximum: max,
      'x-default': options.default,
      description: options.description,
    });
}

/** An optional query parameter that is text. Empty counts as absent. */
export function text(description: string) {
  return z
    .string({ error: 'Give it once.' })
    .transform((value) => (value === '' ? undefined : value))
    .optional()
    .describe(description);
}

/** Characters of a search parameter. */
export const queryLengthMax = 500;

/** An optional query parameter with a part of a URL. Empty counts as absent. */
export function partOfUrl(description: string) {
  const message = `Give at most ${queryLengthMax} characters, once.`;
  return z
    .string({ error: message })
    .max(queryLengthMax, message)
    .transform((value) => (value === '' ? undefined : value))
    .optional()
    .describe(description);
}

/** An optional query parameter that is one of these. Empty counts as absent. */
export function optionalStatus<const Values extends readonly [string, ...string[]]>(
  values: Values,
  description: string,
) {
  return z
    .union([z.literal(''), z.enum(values)], { error: `Give one of these, once: ${values.join(', ')}.` })
    .transform((value) => (value === '' ? undefined : value))
    .optional()
    .meta({ description });
}

/** A query parameter that is one of these. Empty counts as absent. */
function oneOf<Value extends string>(values: readonly Value[], usual: NoInfer<Value>, description: string) {
  return z
    .union([z.literal(''), z.enum(values)], { error: `Give one of these, once: ${values.join(', ')}.` })
    .transform((value) => (value === '' ? usual : value))
    .default(usual as never)
    .meta({ 'x-default': usual, description });
}

export const limit = wholeNumber('limit', {
  min: 1,
  max: 400,
  default: 400,
  description: 'Maximum number of rows. Default: 400.',
});
export const wait = wholeNumber('wait', {
  min: 0,
  max: 60,
  default: 10,
  description: 'Seconds to wait when a running job has nothing new yet.',
});
export const shapeParameters = {
  links: oneOf(
    linkShapes,
    'inline',
    'Links in Markdown: as stored, as references to a list at the end of the text, or only their text.',
  ),
  images: oneOf(imageShapes, 'all', 'Images in Markdown: as stored, only those with an alternative text, or none.'),
  title: oneOf(
    titleShapes,
    'page',
    'Title at the beginning of Markdown that has no heading of the first level: none, or that of the page.',
  ),
  chunk: optionalStatus(
    ['heading'],
    'With `Accept: application/x-ndjson`: each line is a chunk of a page instead of a page, split at headings, and never within a table, list item or code block.',
  ),
  chunk_chars: z
    .string({ error: chunkCharsMessage })
    .refine(
      (given) => given === '' || (/^\d{1,5}$/.test(given) && Number(given) >= 200 && Number(given) <= 20_000),
      chunkCharsMessage,
    )
    .transform((given) => (given === '' ? undefined : Number(given)))
    .optional()
    .meta({
      type: 'integer',
      minimum: 200,
      maximum: 20_000,
      'x-default': 2_000,
      description: 'Approximate number of characters per chunk. Needs `chunk`.',
    }),
};
/** Absent, empty and `null` mean the beginning. */
export const cursor = z
  .string({ error: 'Give it once.' })
  .transform((value) => (value === '' || value === 'null' ? undefined : value))
  .optional()
  .meta({ type: ['string', 'null'], description: 'Taken from the previous response.' });

/** A query parameter that is `true` or `false`, and `false` without a value. */
export function flag(description: string) {
  return z
    .union([z.literal(''), z.enum(['true', 'false'])], { error: 'Give `true` or `false`, once.' })
    .transform((value) => value === 'true')
    .default(false)
    .meta({ 'x-default': 'false', description });
}

export const jobParams = z.object({
  id: z.string().transform(canonicalJobId).describe('The id of the job, in upper or lower case.'),
});

export const pageParams = jobParams.extend({ page: z.string().describe('The number of the page, from 1.') });

export const scheduleParams = z.object({ id: z.string().describe('The id of the schedule, in upper or lower case.') });

export const cursors = {
  cursor: maybe(z.string(), 'Where to continue. Absent when nothing remains.'),
  nextCursor: maybe(z.string(), 'The same as `cursor`.'),
};

/** The cursor of a response, under both names. */
export function withCursor(cursor: string | undefined): { cursor?: string; nextCursor?: string } {
  return cursor === undefined ? {} : { cursor, nextCursor: cursor };
}

export const progress = jobProgress(z).meta({ id: 'Progress' });

const codes = Object.keys(jobCodes) as JobCode[];

/** A time in a response. */
function time(what: string) {
  return z.int().describe(`${what} In milliseconds since the epoch.`);
}

function timeOrNull(what: string) {
  return z.int().nullable().describe(`${what} In milliseconds since the epoch.`);
}

const noticeShape = {
  code: z
    .enum(codes.filter((code): code is NoticeCode => !isMissing(code)))
    .describe('Stable. docs/errors.md lists the codes.'),
  message: z.string().describe('The same for people.'),
  at: time('When it was noticed first.'),
  count: maybe(z.int(), 'How often it happened, if that is counted.'),
  example: maybe(z.string(), 'The first case, usually a URL.'),
};

export const finding = jobFinding(z).meta({ id: 'Finding' });

export const changeCounts = z.object({
  added: z.int(),
  changed: z.int(),
  moved: z.int(),
  unchanged: z.int(),
  removed: z.int(),
  unknown: z.int(),
});

export const job = z
  .object({
    id: z.string().describe('26 characters. Newer jobs sort first.'),
    org: z.string().describe('The org of the token that created the job: only its tokens see it.'),
    kind: z.enum(jobKinds).describe('The request that created the job.'),
    status: z
      .enum(jobStatuses)
      .describe(
        '`starting` and `running` jobs get further pages; `succeeded`, `failed` and `cancelled` ones have ended.',
      ),
    createdAt: time('When the job was created.'),
    finishedAt: timeOrNull('When the job ended; null until then.'),
    stoppedAt: timeOrNull(
      'When the crawl was stopped, by `stop` or in the terminal; null if it was not, or has ended. The status stays as it was. `resume` continues it, `cancel` ends it.',
    ),
    complete: z
      .boolean()
      .nullable()
      .describe(
        'Whether the result is all that the job was to crawl: true if there is no finding. Null until the job ends, and for `map` and `scrape`.',
      ),
    findings: z
      .array(finding)
      .readonly()
      .describe('Why the result is less than the site: one of each code, by count. docs/errors.md lists the codes.'),
    ...shownShape,
    expiresAt: timeOrNull(
      'When the results are or were removed; null while the job runs, and if they are kept until they are deleted.',
    ),
    expired: z.boolean().describe('Whether the results are gone: they have expired, or were deleted.'),
    sitemapPageCount: z.int().describe('URLs that sitemaps named.'),
    fetchedBytes: z.int().describe('Bytes of all bodies fetched for the job, as sent.'),
    progress: progress.describe('URLs of the job, each counted once.'),
    reasons: z
      .record(z.string(), z.int())
      .describe(
        'Number of URLs that were discarded, failed or are outside, by reason. They add up to these three counts in `progress`.',
      ),
    droppedWords: z
      .record(z.string(), z.int())
      .describe(
        'Words that the content rules left out of the pages, by rule, the most first. Estimated from lengths: six characters are a word. `outside-content` is what stands outside the chosen element, `outside-posts` what stands in no post of a thread. Elements of `exclude_elements` do not count.',
      ),
    notices: z
      .array(z.object(noticeShape))
      .readonly()
      .describe('What is worth knowing about the job, although nothing is missing for it.'),
    webhookFails: z.array(webhookFail(z)).readonly().describe('The last 20 failed attempts to deliver to the webhook.'),
    reextractOf: maybe(z.string(), 'The job whose raw bodies this one converts again.'),
    retryOf: maybe(z.string(), 'The job whose failures this one crawls again.'),
    changes: maybe(
      changeCounts,
      'With `since`: pages that are new, and what became of the pages of the earlier job. `removed` and `unknown` (not asked, or no clear answer: the page is still known) are decided at the end.',
    ),
    schedule: maybe(z.string(), 'The schedule whose run this is.'),
    costCents: z.int().describe('Always 0: for clients that expect the field.'),
  })
  .meta({ id: 'Job' });

export const jobList = z
  .object({
    data: z.array(job),
    counts: z
      .object({
        starting: z.int(),
        running: z.int(),
        succeeded: z.int(),
        failed: z.int(),
        cancelled: z.int(),
        stopped: z.int(),
      })
      .describe(
        'Jobs by status, with the same `q` and `kind` and whatever `status` is. `starting` and `running` count `stopped` jobs too.',
      ),
    countsCut: maybe(
      z.literal(true),
      `Present if there may be more jobs than \`counts\` says. It covers the newest ${grouped(jobsCountedMax)} jobs of each status and kind; with \`q\` the newest ${grouped(jobsSearchedMax)} of all.`,
    ),
    ...cursors,
  })
  .meta({ id: 'JobList' });

/** Every field of a page's metadata: a test compares this list with the output of conversion. */
export const pageMetadata = z
  .looseObject({
    title: z.string(),
    description: z.string(),
    language: maybe(z.string(), 'As the page declares it, otherwise the first of the `Content-Language` header.'),
    canonical: maybe(
      z.string(),
      'The URL that the page declares as its original, in a `<link rel=canonical>`, otherwise in a `Link` header.',
    ),
    headline: maybe(z.string(), 'The title of the text: `title` without the site name, if that can be separated.'),
    author: maybe(z.string(), 'Names, separated by commas.'),
    publishedTime: maybe(z.string(), 'In ISO 8601 if it can be parsed, otherwise as the page writes it.'),
    modifiedTime: maybe(z.string(), 'In ISO 8601 if it can be parsed, otherwise as the page writes it.'),
    siteName: z.string().optional(),
    image: z.string().optional(),
    keywords: z.array(z.string()).optional(),
    pageCount: maybe(z.int(), 'For linked files: pages of a PDF, slides of a presentation.'),
    rendered: maybe(z.boolean(), '`true` if the text comes from the browser. Absent otherwise.'),
    tlsVerified: maybe(
      z.boolean(),
      '`false` if a certificate could not be verified: of the page, a redirect to it, or a resource in the browser (`insecure_tls`). Absent otherwise.',
    ),
    truncated: maybe(
      z.boolean(),
      '`true` if a limit ended the reading: text, metadata and links cover only the beginning.',
    ),
    warning: maybe(
      z.enum(['no_text_layer', 'unreadable_text']),
      '`no_text_layer`: pages of this PDF are images, such as scans, without text. `unreadable_text`: it has `unreadableCharacters`.',
    ),
    unreadableCharacters: maybe(
      z.int(),
      'For PDFs: characters whose fonts do not say which letters they are. Absent if there are none.',
    ),
    type: maybe(z.string(), 'The kind of the page in the vocabulary of schema.org, such as `NewsArticle`.'),
    ogType: maybe(z.string(), 'The kind of the page in the vocabulary of Open Graph, such as `article`.'),
    productName: z.string().optional(),
    productBrand: z.string().optional(),
    productSku: z.string().optional(),
    productPrice: maybe(z.string(), 'As the page writes it; with several offers, that of the first.'),
    productCurrency: z.string().optional(),
    productAvailability: maybe(z.string(), 'Such as `InStock`.'),
    ratingValue: z.number().optional(),
    ratingCount: z.number().optional(),
    breadcrumbs: maybe(z.array(z.string()), 'From the top of the site down to the page.'),
    questions: maybe(z.array(z.string()), 'The questions that the page answers.'),
    headings: maybe(
      z.array(z.string()),
      'The outline of the content, such as `## Sizes`: at most 100, of 200 characters each.',
    ),
    robots: maybe(
      z.array(z.string()),
      'The directives of the page for robots, in lower case, those for all and those for hayrake. The crawl obeys `nofollow` and `none`, and only reports the others, `noindex` included.',
    ),
    extractionMethod: maybe(
      z.string(),
      'How the content was found. `article`, `main`: the element of that name or role. `body`: the page without what surrounds its content. `thread`: the posts of a forum. `noscript`: what the page shows without scripts. `json_ld`: what the page shows, followed by its text in JSON-LD. `whole`: all of it. `include_elements`: the elements that matched; `include_elements_unmatched`: none matched.',
    ),
    extractionQuality: maybe(z.number(), 'Confidence that this is the content, from 0 to 1.'),
    wordCount: maybe(z.int(), 'Words of the main content.'),
    contentHash: maybe(
      z.string(),
      'Changes only when the text of the content does, whatever the output format. Absent if there is no text.',
    ),
    declaredThings: maybe(
      z.array(
        z.looseObject({
          source: z.enum(['json-ld', 'microdata', 'rdfa', 'opengraph']),
          type: z.array(z.string()),
          main: z.literal(true).optional(),
          values: z.record(z.string(), z.unknown()),
        }),
      ),
      'With `declared_things` of `extract`: what the page declares, at most 32 KiB; `main` marks the subject of the page.',
    ),
    declaredThingsOmitted: maybe(z.int(), 'Number of declared things that did not fit.'),
    extractedFrom: maybe(
      z.object({
        rules: z.int().describe('Version of learned rules; 0 if there are none.'),
        certainty: z.literal('only').optional().describe('The page declares no other thing, whose name may differ.'),
        fields: z
          .record(
            z.string(),
            z.object({ source: z.enum(['declared', 'css', 'learned', 'model']), raw: z.string().optional() }),
          )
          .describe('Where each value comes from, and its text on the page.'),
        problems: z
          .record(
            z.string(),
            z.enum(['missing', 'type', 'ambiguous', 'cut', 'disagree', 'unsupported', 'unasked', 'bad_answer']),
          )
          .describe(
            'Why values are `null` or in doubt: `missing`, `type` (it is not of its type), `ambiguous` (a number or date that can mean two), `cut` by a limit. With `model`: `disagree` (two places of the page tell different values, or one looks like no answer), `unsupported` (the answer is not on the page), `unasked`, `bad_answer`.',
          ),
        hash: z.string().describe('Changes only when the record does.'),
      }),
      'With `extract`: where the values of `extracted` come from.',
    ),
    erasedAt: maybe(
      z.int(),
      'When the page was erased, in milliseconds since the epoch: nothing else is left of its content. Absent otherwise.',
    ),
    statusCode: z.int().optional(),
    contentType: maybe(z.string(), 'The `Content-Type` header as sent.'),
    change: maybe(
      z.enum(['added', 'changed', 'unchanged']),
      'With `since`: the page compared with that of the earlier job.',
    ),
    evidence: maybe(
      z.enum(['304', 'bytes', 'hash', 'lastmod']),
      'How that is known: the site said so; the bytes are equal, and so are the options and the program; or title, text and record are compared. `lastmod`: it was not asked for, with `trust_lastmod`.',
    ),
    etag: maybe(z.string(), 'The `ETag` header as sent, for a conditional request.'),
    lastModified: maybe(z.string(), 'The `Last-Modified` header as sent, for a conditional request.'),
  })
  .describe(
    'Metadata taken from the page and its headers: title and description, possibly empty, and other fields where the page has them.',
  );

const fieldNames = Object.keys(pageMetadata.shape);
const fieldsMessage = `Give names of metadata fields once, separated by commas. Available: ${fieldNames.join(', ')}.`;

/** Parameter of `/meta`. Absent and empty mean all fields. */
export const fields = z
  .string({ error: fieldsMessage })
  .transform((given) => (given === '' ? undefined : given.split(',').map((name) => name.trim())))
  .refine((names) => names?.every((name) => fieldNames.includes(name)) ?? true, fieldsMessage)
  .optional()
  .meta({
    type: 'string',
    description:
      'Return only these metadata fields of each page, separated by commas, such as `title,description,wordCount`. Fields that a page does not have are left out, and so are `title` and `description` unless named.',
  });

/** Parameter of `/data`: refused rather than ignored. */
export const noFields = z
  .literal('', { error: 'The rows of `/data` always have all metadata. Use `fields` with `/meta`.' })
  .transform(() => undefined)
  .optional()
  .meta({ description: 'Only for `/meta`.' });

const pageMeta = z
  .object({
    page: z.int().describe('1, 2, 3, ... in the order of commit, without gaps.'),
    url: z.string().describe('The URL of the crawled page.'),
    fetchedUrl: z.string().describe('The URL that was finally fetched, after redirects.'),
    meta: pageMetadata,
  })
  .meta({ id: 'PageMeta' });

export const droppedTexts = z
  .array(
    z.object({
      rule: z
        .string()
        .describe(
          'The name of the rule. `outside-content`: it stands outside the element that is the content; `outside-posts`: in no post of a thread. `said-in-metadata`: a line that repeats the metadata. `selectors`: `exclude_elements` or `include_elements`. `rest`: all texts after the first 999.',
        ),
      text: z.string().describe('Its beginning, at most 500 characters. Plain text from the page.'),
      cut: z.literal(true).optional().describe('It is longer than shown.'),
      words: z.int().describe('Words of all of it.'),
    }),
  )
  .readonly()
  .describe('What the rules left out of the page, box by box, in its order.');

const formatsShown = z
  .object({
    markdown: z.string().optional(),
    html: z.string().optional(),
    text: z.string().optional(),
    links: z.array(z.string()).readonly().optional(),
    images: z.array(z.string()).readonly().optional(),
    source: z.string().optional(),
    dropped: droppedTexts.optional(),
  })
  .describe('Further outputs, if the job has `formats`: those requested, except the one that is `text`.');

const extractedShown = z
  .record(z.string(), z.unknown())
  .nullable()
  .optional()
  .describe(
    'Only with `extract`: the record of the page, at most 64 KiB, with every field; `null` if the page has no record.',
  );

const shownPage = {
  meta: pageMeta,
  text: z.string().describe('The page in the output format of the job.'),
  extracted: extractedShown,
  formats: formatsShown.optional(),
};
export const results = z.object({ data: z.array(z.object(shownPage)), ...cursors }).meta({ id: 'Results' });

export const resultsMeta = z
  .object({ data: z.array(z.object({ meta: pageMeta })), ...cursors })
  .meta({ id: 'ResultsMeta' });

export const searchResults = z
  .object({
    data: z.array(
      z.object({
        page: z.int().describe('The number of the page, as in `/data`.'),
        url: z.string(),
        title: z.string(),
        score: z.number().describe('Higher is better. Comparable only within one response.'),
        snippet: z
          .string()
          .describe('A part of the text with hits, or its beginning. Plain text from the page: escape it for display.'),
        snippetParts: z
          .array(z.object({ text: z.string(), hit: z.literal(true).optional() }))
          .readonly()
          .describe('The same text in parts. `hit` marks those that match; text of a page cannot make such a mark.'),
      }),
    ),
    pages: z.int().describe('Number of committed pages of the job.'),
    indexedPages: z
      .int()
      .describe(
        'The number of pages that were searched, from the first on. Less than `pages` while indexing continues.',
      ),
    damagedPages: maybe(
      z.int(),
      'Pages among them that were left out because their stored bytes have changed. Absent if there are none.',
    ),
    ...cursors,
  })
  .meta({ id: 'SearchResults' });

const scrapeAnswered = {
  url: z.string(),
  jobId: z.string().describe('The job of this scrape. It can be read for an hour.'),
};

export const scrapeResponse = z
  .discriminatedUnion('status', [
    z.object({
      status: z.literal('scraped'),
      ...scrapeAnswered,
      text: z.string().describe('The page in the requested format.'),
      extracted: extractedShown,
      formats: formatsShown.optional(),
      meta: pageMetadata
        .extend({ fetchedUrl: z.string().describe('The URL that was finally fetched, after redirects.') })
        .describe('Metadata taken from the page and its headers.'),
      screenshot: maybe(
        z.string(),
        'Path of the picture, if `screenshot` was requested and the picture could be taken. Kept for an hour.',
      ),
    }),
    z.object({
      status: z.literal('failed'),
      ...scrapeAnswered,
      error: scrapeError,
    }),
  ])
  .meta({ id: 'ScrapeResponse' });

export const siteMap = z
  .object({
    status: z.enum(['mapped', 'failed']).describe('`failed`: no URL was found; `error` says why.'),
    url: z.string(),
    jobId: z.string().describe('The job of this map. It can be read for an hour.'),
    data: z
      .array(
        z.object({
          url: z.string(),
          lastmod: maybe(z.string(), 'When the page was last changed, according to a sitemap.'),
        }),
      )
      .describe('The page first, then what it and the sitemaps name, in the order of discovery. Each URL once.'),
    truncated: z.boolean().describe('URLs can be missing; `truncatedBy` says why.'),
    truncatedBy: maybe(
      z.enum(truncations),
      '`limit`: there are more, in `GET /crawler/jobs/{jobId}/urls?reason=depth` for an hour. `timeout`: the time was up. `unread`: part of the site could not be read; `findings` and `notices` say which.',
    ),
    sitemapPageCount: z.int().describe('URLs that sitemaps named.'),
    notices: z.array(z.object(noticeShape)),
    findings: z.array(finding).describe('Why URLs may be missing.'),
    error: maybe(scrapeError, 'Why the page itself could not be read.'),
  })
  .meta({ id: 'SiteMap' });

const change = {
  job: z.string(),
  runAt: z.int().describe('When the job was created, in milliseconds since the epoch.'),
  ...pageChange(z).shape,
  meta: maybe(pageMeta, 'With `text=true`: as in `/data`.'),
  text: maybe(z.string(), 'With `text=true`.'),
  cursor: z.string().describe('Continues after this change.'),
  superseded: maybe(
    z.literal(true),
    'The text is no longer kept. A later row has a newer one, or says that the page was removed.',
  ),
  damaged: maybe(z.literal(true), 'The stored text is damaged. Crawl the page again to get it.'),
};
export const changeList = z.object({ data: z.array(z.object(change)), ...cursors }).meta({ id: 'ChangeList' });

export const feed = z
  .object({
    data: z.array(z.object(change)).describe(`Rows are ${feedKinds.map((kind) => `\`${kind}\``).join(', ')}.`),
    cursor: z.string().describe('Where to continue. Always present: keep it for the next time.'),
    upToDate: z.boolean().describe('Nothing follows yet.'),
  })
  .meta({ id: 'Feed' });

const snapshot = {
  run: z.string().nullable().describe('The run whose pages these are; `null` as long as no run knows one.'),
  changesCursor: maybe(z.string(), 'In the first response: `GET .../changes` with this cursor follows on these pages.'),
  ...cursors,
};
export const snapshotPages = z
  .object({ data: z.array(z.object(shownPage)), ...snapshot })
  .meta({ id: 'SnapshotPages' });
export const snapshotMeta = z
  .object({ data: z.array(z.object({ meta: pageMeta })), ...snapshot })
  .meta({ id: 'SnapshotMeta' });

export const urlList = z
  .object({
    data: z.array(
      z.object({
        url: z.string(),
        kind: z.enum(ledgerKinds),
        status: z.enum(ledgerStatuses),
        reason: z.string().optional(),
        detail: z.string().optional(),
        depth: z.int(),
        attempts: z.int(),
        attemptedAt: maybe(z.int(), 'When the last attempt ended, in milliseconds since the epoch.'),
        statusCode: z.int().optional(),
        page: z.int().optional(),
        foundOn: z.string().optional(),
        foundBy: maybe(
          z.literal('script'),
          'Only scripts made links to it: rendered pages had it, and not as received.',
        ),
        lastmod: maybe(z.string(), 'When the page was last changed, according to a sitemap.'),
      }),
    ),
    explanation: maybe(
      z.array(z.string()).readonly(),
      'With `url`: the outcome of that URL in sentences, also if the job did not discover it.',
    ),
    ...cursors,
  })
  .meta({ id: 'UrlList' });

export const hostList = z
  .object({
    data: z.array(
      z.object({
        host: z.string().describe('Name and port.'),
        jobs: z.array(z.string()).readonly().describe('Ids of your jobs that wait for the host, ten at most.'),
        isLeased: z.boolean().describe('Some process works on it now.'),
        delayMs: z.int().describe('Time between the starts of two requests.'),
        backOffUntil: maybe(
          z.int(),
          'No request before this time, in milliseconds since the epoch. Absent: the host can be asked now.',
        ),
        robots: maybe(
          z.enum(['unknown', 'read', 'unreachable']),
          'Whether robots.txt was read; `unreachable`: nothing may be fetched until it responds. This and the next fields are absent if the process that answers does not work on the host.',
        ),
        concurrency: maybe(z.int(), 'Requests in flight at most, as the host bears it.'),
        inFlight: z.int().optional(),
        circuit: maybe(
          z.enum(['closed', 'open', 'half_open']),
          '`open`: the host does not respond, and is not asked. `half_open`: it is tried again.',
        ),
        lastError: maybe(z.object({ reason: z.string(), message: z.string() }), 'Why the circuit opened.'),
      }),
    ),
    ...cursors,
  })
  .meta({ id: 'HostList' });

const place = z.record(z.string(), z.unknown()).meta({ [marker]: 'Place' }) as z.ZodType as z.ZodType<Locator>;

export const rules = z
  .object({
    pages: z.int().describe('Pages that the job has read for a record: those that match `when`.'),
    values: z
      .record(z.string(), z.int())
      .describe('How many of them have a value, by field; inside another as `reviews.by`.'),
    sites: z.array(siteRules(z, place)).readonly(),
    fields: z
      .record(z.string(), z.unknown())
      .meta({ [marker]: 'fields', description: 'For `fields` of the next job.' }),
  })
  .meta({ id: 'Rules' });

export const stats = z
  .object({
    step: z.int().describe('Milliseconds of a step.'),
    data: z.array(seriesPoint(z)).readonly(),
  })
  .meta({ id: 'Stats' });

const treeSums = {
  urls: z.int(),
  scraped: z.int(),
  discarded: z.int(),
  failed: z.int(),
  outside: z.int(),
  queued: z.int().describe('In flight too.'),
};
const treeOthers = z.object(treeSums).optional().describe('What is not among the rows of this level.');

const treeNode: z.ZodType<TreeNode> = z
  .object({
    segment: z.string().describe('Empty: the URL of the level above, with any query.'),
    prefix: z.string().describe('The beginning of these URLs: `prefix` of a request for the next level.'),
    ...treeSums,
    get data() {
      return z.array(treeNode).readonly().optional();
    },
    others: treeOthers,
  })
  .meta({ id: 'TreeNode' });

export const tree = z
  .object({
    prefix: z.string().optional(),
    data: z.array(treeNode).readonly().describe('Most URLs first.'),
    others: treeOthers,
  })
  .meta({ id: 'Tree' });

export const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe('What is wrong and what to change.'),
    instance: z.string(),
    code: z.enum(Object.keys(errorCodes) as ErrorCode[]).describe('Stable. New codes can be added.'),
    requestId: z.string(),
    errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
    page: maybe(z.int(), 'With `page_damaged`: the number of the page.'),
    cursor: maybe(z.string(), 'With `page_damaged`: continue after that page.'),
    reason: maybe(z.string(), 'With `page_unreadable`: why, as in the list of URLs.'),
    message: z.string().describe('The same as `detail`.'),
  })
  .meta({ id: 'Problem' });

/** Every error of every route. */
export const problemResponse = {
  description: 'What is wrong and what to change.',
  content: { 'application/problem+json': { schema: problem } },
};

/** For routes without a body: a body would be ignored, so it is refused. */
export const noBody = z.strictObject({}, { error: 'This request takes no fields. Send no body.' }).nullish();
