// Every option of a request, once: validation, the stored specification, the job as the API shows it, the flags of the
// command line and `docs/options.md` are derived from these rows. docs/add-an-option.md shows how to add one.
import { z } from 'zod';
import { defaultExcludeElements } from '../core/exclude-elements.ts';
import { cookiesInput, headersInput } from './headers-input.ts';
import { namesSent, type Sent } from './names-sent.ts';
import type { Option, Refusal } from './option.ts';
import { patternTargets } from '../url/pattern.ts';
import { extractInput, extractOf, problemOfSchema } from './extract-input.ts';
import {
  formatList,
  globs,
  imageShapes,
  isEmpty,
  linkShapes,
  optionalFlag,
  outputExpiry,
  pageFormats,
  patterns,
  screenshot,
  selectors,
  titleShapes,
  urlList,
  waitFor,
  webhookUrl,
  wholeNumber,
} from './schemas.ts';

/** The proxy that `advanced_proxy: true` means. */
export const advancedProxy = 'advanced_proxy';

type TitleShape = (typeof titleShapes)[number];

const formats = ['markdown', 'text', 'html'] as const;
const priorities = ['low', 'normal', 'high'] as const;
const scopes = ['host', 'path', 'subdomains'] as const;
/** 30 days. */
/** A year. */
const timeLimitSecondsMax = 31_536_000;
/** Other jobs on the host wait as long. */
const hostDelayMsMax = 60_000;

interface ScreenshotInput {
  readonly format: 'png' | 'jpeg';
  readonly full_page: boolean;
}

interface StoredScreenshot {
  readonly format: ScreenshotInput['format'];
  readonly fullPage: boolean;
}

function onlyMarkdown(name: string, usual: string, body: Readonly<Record<string, unknown>>): Refusal | undefined {
  const format = body['output_format'] ?? body['format'] ?? 'markdown';
  if (format === 'markdown' || body[name] === undefined || body[name] === usual) return undefined;
  return { code: 'invalid_body', message: `\`${name}\` applies only to Markdown. Leave it out, or request Markdown.` };
}

/** In the order of the API and the documents. */
export const options = {
  url: {
    schema: z.string({ error: 'Give a URL.' }),
    about: 'URL of the page, http or https. Without a scheme, `https://` is added.',
    places: ['scrape', 'map'],
  },
  urls: {
    schema: urlList(1_000),
    about:
      'Start URLs, http or https. Without a scheme, `https://` is added. A crawl takes 1,000 at most, a batch 10,000.',
    places: ['crawl', 'batch'],
    spec: { field: 'urls' },
    shown: { schema: z.array(z.string()).readonly() },
  },
  since: {
    schema: z.string({ error: 'Give the id of a job.' }).nullable().default(null),
    about:
      'Id of an ended crawl or batch: asks again about every page that it knew, about what failed and what a limit left, and follows links as always. Each page says whether it was `added` or `changed`, or is `unchanged`; `changes` counts them. Fields that are not given are those of that job, `urls` too; `headers`, `cookies`, `webhook_url`, `deliver` and `priority` are not taken over (docs/results.md).',
    places: ['crawl'],
    shown: {
      schema: z.string().nullable(),
      of: ({ spec: { baseline } }: { readonly spec: { readonly baseline?: { readonly of: string } } }) =>
        baseline?.of ?? null,
    },
    flag: {
      flags: '--since <job>',
      help: "ask a job's pages again, or `last`",
      reads: 'text',
    },
  },
  deliver: {
    schema: z.enum(['all', 'changed']).default('all'),
    about:
      'With `since`, and in schedules: `changed` delivers only pages that are new or changed. The others are `discarded` as `unchanged` and do not count against `page_limit`.',
    places: ['crawl'],
    spec: { field: 'deliver', from: (input: { readonly deliver?: 'all' | 'changed' }) => input.deliver ?? 'all' },
    shown: { schema: z.enum(['all', 'changed']) },
    flag: {
      flags: '--only-changed',
      help: 'with --since: only pages that are new or changed',
      reads: 'switch',
      sets: 'changed',
    },
    refuse: ({ deliver, since }) =>
      deliver === 'changed' && (since === undefined || since === null)
        ? {
            code: 'invalid_body',
            message: '`deliver: changed` needs `since`. Give the id of an earlier job, or leave it out.',
          }
        : undefined,
  },
  confirm_runs: {
    schema: wholeNumber(1, 30).default(2),
    about:
      'With `since`, and in schedules: pages that seem to be gone are `removed` when this number of runs in a row have found them gone; 1: at once. Responses of less certain kinds are accepted after five times that number (docs/results.md).',
    places: ['crawl'],
    spec: { field: 'confirmRuns', from: (input: { readonly confirm_runs?: number }) => input.confirm_runs ?? 2 },
    shown: { schema: z.int() },
    flag: {
      flags: '--confirm-runs <n>',
      help: 'with --since: runs in a row that must find a page gone',
      reads: 'number',
    },
  },
  trust_lastmod: {
    schema: z.boolean({ error: 'Give true or false.' }).default(false),
    about:
      'With `since`, and in schedules: `true` does not ask for pages whose `lastmod` in the sitemap stands still, on hosts that have told the truth with it; their `evidence` is `lastmod`. One page in twenty is asked for all the same, and each page after 30 days. docs/schedules.md says when a host is trusted.',
    places: ['crawl'],
    spec: {
      field: 'trustLastmod',
      from: (input: { readonly trust_lastmod?: boolean | undefined }) => input.trust_lastmod ?? false,
    },
    shown: { schema: z.boolean() },
    flag: {
      flags: '--trust-lastmod',
      help: 'with --since: pages that did not change by the sitemap are not asked for',
      reads: 'switch',
      sets: true,
    },
  },
  output_format: {
    schema: z.enum(formats).default('markdown'),
    about: 'The format of the `text` of each page.',
    places: ['crawl', 'scrape', 'batch', 'reextract'],
    scrapeName: 'format',
    spec: { field: 'outputFormat' },
    shown: { schema: z.enum(formats) },
    flag: {
      flags: '--format <format>',
      help: 'output format of the pages',
      reads: 'choice',
      choices: formats,
      default: 'markdown',
    },
  },
  formats: {
    schema: formatList(),
    about:
      'Further outputs of each page, in its field `formats`: `markdown`, `html` and `text` of the same content, `links` (all of the page: absolute, without fragment, each once), `images` (of the content, likewise, at most 2,000), `source` (the HTML as sent, decoded, at most 10 MiB; with a browser as rendered), `dropped` (what the rules left out of it). `output_format` is in `text` and is not repeated. A file has no `links`, `images`, `source` and `dropped`.',
    places: ['crawl', 'scrape', 'batch', 'reextract'],
    spec: { field: 'formats' },
    shown: { schema: z.array(z.enum(pageFormats)).readonly() },
    flag: {
      flags: '--formats <list>',
      help: `with --json, comma-separated: ${pageFormats.join(', ')}`,
      reads: 'commas',
    },
  },
  exclude_globs: {
    schema: globs().default([]),
    about:
      'URLs that match any of these globs are not crawled. A glob matches the whole URL, or path and query if it begins with `/`. `*` matches any characters but `/`, `**` any characters, `?` one character. At most 100 globs of 512 characters.',
    places: ['crawl', 'map'],
    spec: { field: 'excludeGlobs' },
    shown: { schema: z.array(z.string()).readonly() },
    flag: { flags: '--exclude <glob>', help: 'skip URLs that match; repeatable', reads: 'list' },
  },
  include_globs: {
    schema: globs().default([]),
    about: 'If given, only URLs that match one of these globs are crawled. Start URLs always are.',
    places: ['crawl', 'map'],
    spec: { field: 'includeGlobs' },
    shown: { schema: z.array(z.string()).readonly() },
    flag: { flags: '--include <glob>', help: 'only URLs that match; repeatable', reads: 'list' },
  },
  deliver_globs: {
    schema: globs().default([]),
    about:
      'If given, only pages that match one of these globs are delivered. The others, start pages too, are read for their links and discarded as `not_delivered`; they count only against `fetch_limit`. A redirected page matches by either URL.',
    places: ['crawl'],
    spec: { field: 'deliverGlobs' },
    shown: { schema: z.array(z.string()).readonly() },
    flag: {
      flags: '--deliver <glob>',
      help: 'keep only pages that match; repeatable',
      reads: 'list',
    },
  },
  exclude_patterns: {
    schema: patterns(),
    about:
      'URLs that match any of these regular expressions are not crawled. RE2 syntax, searched anywhere in `pattern_target`, case-sensitive. At most 100 of 512 characters; counted repetitions add up to at most 500 per pattern and 2,000 in all. A URL of more than 2,048 characters matches no pattern.',
    places: ['crawl', 'map'],
    spec: { field: 'excludePatterns' },
    shown: { schema: z.array(z.string()).readonly() },
    flag: { flags: '--exclude-pattern <re2>', help: 'skip URLs in which this matches; repeatable', reads: 'list' },
  },
  include_patterns: {
    schema: patterns(),
    about:
      'If given, only URLs that match one of these regular expressions, and one of `include_globs` if given, are crawled. Start URLs always are.',
    places: ['crawl', 'map'],
    spec: { field: 'includePatterns' },
    shown: { schema: z.array(z.string()).readonly() },
    flag: { flags: '--include-pattern <re2>', help: 'only URLs in which this matches; repeatable', reads: 'list' },
  },
  pattern_target: {
    schema: z.enum(patternTargets, { error: 'Give "url" or "path".' }).default('url'),
    about: 'The text in which the patterns are searched. `url`: the URL without its fragment. `path`: only its path.',
    places: ['crawl', 'map'],
    spec: { field: 'patternTarget' },
    shown: { schema: z.enum(patternTargets) },
    flag: {
      flags: '--pattern-target <part>',
      help: 'what patterns are searched in',
      reads: 'choice',
      choices: patternTargets,
      default: 'url',
    },
  },
  allow_external: {
    schema: optionalFlag(),
    about:
      'Also follow links to other hosts, with their own robots.txt and pace; their sitemaps are not read, and private networks are not entered. `page_limit` and `max_depth` bound the crawl.',
    places: ['crawl'],
    spec: { field: 'allowExternal' },
    shown: { schema: z.boolean() },
    flag: { flags: '--allow-external', help: 'also follow links to other hosts', reads: 'switch', sets: true },
  },
  ignore_query: {
    schema: optionalFlag(),
    about: 'Remove the query from links before they are compared and fetched. Start URLs keep theirs.',
    places: ['crawl', 'map'],
    spec: { field: 'ignoreQuery' },
    shown: { schema: z.boolean() },
    flag: { flags: '--ignore-query', help: 'remove the query from links', reads: 'switch', sets: true },
  },
  exclude_elements: {
    schema: selectors().optional(),
    about:
      'Comma-separated CSS selectors of elements to remove before conversion; `""` removes nothing. With `content: auto` only selectors given here apply.',
    defaultsTo: `\`${defaultExcludeElements}\``,
    places: ['crawl', 'scrape', 'batch', 'reextract'],
    spec: {
      field: 'excludeElements',
      // Null: the client set none, so the default list applies.
      from: (input: { readonly exclude_elements?: string | undefined }) => input.exclude_elements ?? null,
    },
    shown: {
      schema: z.string(),
      of: ({ spec }: { readonly spec: { readonly excludeElements: string | null; readonly content: string } }) =>
        // With `content: auto` the default list is not applied before conversion.
        spec.excludeElements ?? (spec.content === 'full' ? defaultExcludeElements : ''),
    },
    flag: {
      flags: '--exclude-elements <selectors>',
      help: 'remove what these CSS selectors match',
      fallback: 'none; with --full navigation, footers and the like',
      reads: 'text',
    },
  },
  include_elements: {
    schema: selectors().optional(),
    about:
      'Comma-separated CSS selectors. If given, the content is only the elements that match, in document order, without `exclude_elements`. If none matches, the option has no effect, and `extractionMethod` says so.',
    places: ['crawl', 'scrape', 'batch', 'reextract'],
    spec: {
      field: 'includeElements',
      from: ({ include_elements: given }: { readonly include_elements?: string | undefined }) =>
        given === undefined || given.trim() === '' ? null : given,
    },
    shown: {
      schema: z.string(),
      of: ({ spec }: { readonly spec: { readonly includeElements: string | null } }) => spec.includeElements ?? '',
    },
    flag: {
      flags: '--include-elements <selectors>',
      help: 'keep only what these CSS selectors match',
      reads: 'text',
    },
  },
  content: {
    schema: z.enum(['auto', 'full']).default('auto'),
    about:
      '`auto`: the main content if it can be detected, otherwise the whole page. `full`: the whole page without `exclude_elements`.',
    places: ['crawl', 'scrape', 'batch', 'reextract'],
    spec: { field: 'content' },
    shown: { schema: z.enum(['auto', 'full']) },
    flag: { flags: '--full', help: 'the whole page, not only its main content', reads: 'switch', sets: 'full' },
  },
  links: {
    schema: z.enum(linkShapes).default('inline'),
    about:
      'Links in the Markdown. `reference`: the URLs are listed at the end of the text, each once. `none`: the text of a link stays, without the URL. Only with Markdown.',
    places: ['crawl', 'scrape', 'batch', 'reextract'],
    spec: { field: 'links' },
    shown: { schema: z.enum(linkShapes) },
    flag: {
      flags: '--links <links>',
      help: 'links in the Markdown',
      reads: 'choice',
      choices: linkShapes,
      default: 'inline',
    },
    refuse: (body) => onlyMarkdown('links', 'inline', body),
  },
  images: {
    schema: z.enum(imageShapes).default('all'),
    about:
      'Images in the Markdown. `described`: only images with an alternative text. `none`: neither images nor their texts, except as the text of a link that contains only an image. Only with Markdown.',
    places: ['crawl', 'scrape', 'batch', 'reextract'],
    spec: { field: 'images' },
    shown: { schema: z.enum(imageShapes) },
    flag: {
      flags: '--images <images>',
      help: 'images in the Markdown',
      reads: 'choice',
      choices: imageShapes,
      default: 'all',
    },
    refuse: (body) => onlyMarkdown('images', 'all', body),
  },
  title: {
    // Clients send these values for "no".
    schema: z.union([z.enum(titleShapes), z.literal(''), z.literal(false), z.null()]).default('page'),
    about:
      '`auto`: Markdown and text begin with the title of the page, without the name of the site, if its content has no heading of the first level. `page`, `false`, `null`, `""`: the text as the page has it. Not with HTML.',
    places: ['crawl', 'scrape', 'batch', 'reextract'],
    spec: {
      field: 'title',
      from: ({ title }: { readonly title: string | false | null }): TitleShape => (title === 'auto' ? 'auto' : 'page'),
    },
    shown: { schema: z.enum(titleShapes) },
    flag: {
      flags: '--title <title>',
      help: 'auto: begin the text with the title',
      reads: 'choice',
      choices: titleShapes,
      default: 'page',
    },
    refuse: (body) =>
      body['title'] === 'auto' && (body['output_format'] ?? body['format']) === 'html'
        ? {
            code: 'invalid_body',
            message: '`title` applies to Markdown and text. Leave it out, or request one of them.',
          }
        : undefined,
  },
  extract: {
    // `x-ref`: its name in the OpenAPI document.
    schema: extractInput().meta({ 'x-ref': 'Extract?' }),
    about:
      'Structured data: pages get `extracted` beside `text`, from `fields` (where values stand), from what a page declares about its subject for the names of a JSON `schema`, or both. `when`: globs of the pages that have a record. `declared: false` reads no declarations, `declared_things: true` lists them in the metadata. `model: true` asks the language model of the operator about a few pages of each template, and reads the others as it taught; it needs a token with the permission `model`. See docs/extract.md.',
    places: ['crawl', 'scrape', 'batch', 'reextract'],
    spec: { field: 'extract', from: extractOf },
    shown: { schema: z.record(z.string(), z.unknown()).nullable().meta({ 'x-ref': 'Extract?' }) },
    flag: {
      flags: '--extract <file>',
      help: 'fields to read, in a JSON file',
      reads: 'json',
    },
    permission: {
      name: 'model',
      shown: 'extract.model: true',
      when: (value) => typeof value === 'object' && value !== null && 'model' in value && value.model === true,
    },
  },
  extract_object: {
    schema: z.unknown().optional().meta({ 'x-ref': 'RecordSchema?' }),
    about:
      'The `schema` of `extract`, as UseScraper names it: a JSON Schema with `properties`. Filled by what pages declare about themselves. An empty value is ignored.',
    places: ['crawl', 'scrape', 'batch'],
    refuse: ({ extract_object: given, extract }) => {
      if (isEmpty(given)) return undefined;
      if (!isEmpty(extract)) return { code: 'invalid_body', message: 'Give `extract_object` or `extract`, not both.' };
      const message = problemOfSchema(given);
      return message === undefined ? undefined : { code: 'invalid_body', message };
    },
  },
  output_expiry: {
    schema: outputExpiry().optional(),
    about:
      "Seconds for which the results are kept after the job's end; `null`: until they are deleted. `PATCH /crawler/jobs/{id}` changes it after the end.",
    defaultsTo: '`HAYRAKE_OUTPUT_EXPIRY`, which is never',
    places: ['crawl', 'batch'],
    spec: {
      field: 'outputExpirySeconds',
      from: ({ output_expiry: seconds }: { readonly output_expiry?: number | null | undefined }) => seconds ?? null,
    },
    shown: { schema: z.int().nullable() },
    flag: {
      flags: '--output-expiry <seconds>',
      help: 'how long results are kept after the end',
      reads: 'secondsOrNever',
    },
  },
  error_pages: {
    schema: z.boolean({ error: 'Give true or false.' }).default(false),
    about:
      '`true`: the page that the site sends with an error status, such as 404, is a page too, with this `statusCode`. `false`: the URL fails.',
    places: ['scrape', 'batch'],
    spec: {
      field: 'errorPages',
      // A crawl does not have the field: its dead links are no pages.
      from: ({ error_pages: wanted }: { readonly error_pages?: boolean | undefined }) => wanted ?? false,
    },
    shown: { schema: z.boolean() },
    flag: {
      flags: '--error-pages',
      help: 'also deliver the page of an error status, such as 404',
      reads: 'switch',
      sets: true,
    },
  },
  min_length: {
    schema: wholeNumber(0, 10_000_000).default(0),
    about: 'Pages with fewer characters of text are discarded (`below_min_length`).',
    places: ['crawl', 'batch'],
    spec: { field: 'minLength' },
    shown: { schema: z.int() },
    flag: { flags: '--min-length <n>', help: 'discard pages with fewer characters of text', reads: 'number' },
  },
  page_limit: {
    schema: wholeNumber(1, 10_000_000).default(10_000),
    about:
      'Maximum number of delivered pages. A job lists at most `HAYRAKE_JOB_URLS` URLs (1,000,000): raise that setting for larger limits.',
    places: ['crawl'],
    spec: { field: 'pageLimit' },
    shown: { schema: z.int() },
    flag: { flags: '--limit <n>', help: 'maximum number of pages', reads: 'number' },
  },
  fetch_limit: {
    schema: wholeNumber(1, 100_000_000).optional(),
    about: 'Maximum number of attempts at URLs, successful or not. A redirect to another host is one more attempt.',
    defaultsTo: 'ten times `page_limit`, at least 1,000',
    places: ['crawl'],
    spec: {
      field: 'fetchLimit',
      from: (input: { readonly fetch_limit?: number | undefined; readonly page_limit: number }) =>
        input.fetch_limit ?? Math.max(1_000, 10 * input.page_limit),
    },
    shown: { schema: z.int() },
    flag: {
      flags: '--fetch-limit <n>',
      help: 'maximum number of requests to the sites',
      fallback: 'ten times --limit, at least 1000',
      reads: 'number',
    },
  },
  time_limit: {
    schema: wholeNumber(1, timeLimitSecondsMax).default(2_592_000),
    about: 'Seconds after its creation when the job ends, even if URLs are left.',
    places: ['crawl', 'batch'],
    spec: { field: 'timeLimitSeconds' },
    shown: { schema: z.int() },
    flag: {
      flags: '--time-limit <seconds>',
      help: 'end after this time, even if URLs are left',
      reads: 'number',
    },
  },
  host_delay_ms: {
    schema: wholeNumber(0, hostDelayMsMax).nullable().default(null),
    about:
      'Milliseconds between the starts of two requests to a host. The longest of this, `HAYRAKE_HOST_DELAY_MS` and `Crawl-delay` holds for all jobs on the host while this one has requests there. `null`: no delay of its own.',
    places: ['crawl', 'batch'],
    spec: { field: 'hostDelayMs' },
    shown: { schema: z.int().nullable() },
    flag: {
      flags: '--job-delay-ms <ms>',
      help: 'pause between requests to a host',
      reads: 'number',
    },
  },
  host_concurrency: {
    schema: wholeNumber(1, 1_000).nullable().default(null),
    about:
      'Maximum number of requests in flight to a host. The lowest of this, `HAYRAKE_HOST_CONCURRENCY` and what the host bears holds for all jobs on the host while this one has requests there. `null`: no limit of its own.',
    places: ['crawl', 'batch'],
    spec: { field: 'hostConcurrency' },
    shown: { schema: z.int().nullable() },
    flag: {
      flags: '--job-concurrency <n>',
      help: 'requests in flight to a host',
      reads: 'number',
    },
  },
  unreachable_seconds: {
    schema: wholeNumber(1, 86_400).nullable().default(null),
    about:
      'Seconds for which a host that has not responded since the job was created is tried before its URLs fail. Other jobs do not count. After a response, and for pages that the crawl found, `HAYRAKE_UNREACHABLE_SECONDS` applies. `null`: 20, or `HAYRAKE_UNREACHABLE_SECONDS` if that is less.',
    places: ['crawl', 'batch'],
    spec: { field: 'unreachableSeconds' },
    shown: { schema: z.int().nullable() },
    flag: {
      flags: '--job-unreachable-seconds <s>',
      help: 'how long to try a host that has never responded',
      reads: 'number',
    },
  },
  url_timeout: {
    schema: wholeNumber(1, 86_400).nullable().default(60),
    about:
      'Seconds after the first turn of a URL when it ends, with the reason of its last attempt. Waiting for the pace of its host does not count; waiting for a host that fails does. `null`: no limit.',
    places: ['batch'],
    spec: {
      field: 'urlTimeoutSeconds',
      // A crawl does not have the field: nobody waits for one of its URLs.
      from: ({ url_timeout: seconds }: { readonly url_timeout?: number | null | undefined }) => seconds ?? null,
    },
    shown: { schema: z.int().nullable() },
  },
  max_depth: {
    schema: wholeNumber(0, 1_000).nullable().default(null),
    about: 'Maximum number of links from a start URL to a page. `null`: no limit; 0: only the start URLs.',
    places: ['crawl'],
    spec: { field: 'maxDepth' },
    shown: { schema: z.int().nullable() },
    flag: {
      flags: '--max-depth <n>',
      help: 'links from a start URL; 0: only start URLs',
      reads: 'number',
    },
  },
  force_crawling_mode: {
    schema: z.enum(['link', 'sitemap']).nullable().default(null),
    about: '`link`: only links; `sitemap`: only start URLs and sitemaps; `null`: both.',
    places: ['crawl', 'map'],
    spec: { field: 'forceCrawlingMode' },
    shown: { schema: z.enum(['link', 'sitemap']).nullable() },
    flag: {
      flags: '--sitemap-only',
      help: 'only URLs given or in sitemaps: no links',
      reads: 'switch',
      sets: 'sitemap',
    },
  },
  scope: {
    schema: z.enum(scopes).default('host'),
    about:
      'Links that belong to the crawl. `host`: to the hosts of the start URLs, with and without `www.`. `path`: of these, only URLs below the directory of a start URL. `subdomains`: also subdomains of the hosts.',
    places: ['crawl', 'map'],
    spec: { field: 'scope' },
    shown: { schema: z.enum(scopes) },
    flag: {
      flags: '--scope <scope>',
      help: 'links to follow; path: below the given URL',
      reads: 'choice',
      choices: scopes,
      default: 'host',
    },
  },
  follow_logout: {
    schema: z.boolean().default(false),
    about:
      'In a job with `cookies` or `headers`: `true` follows links that end a session, such as `/logout`. `false`: they are listed as `logout`.',
    places: ['crawl'],
    spec: { field: 'followLogout' },
    shown: { schema: z.boolean() },
    flag: {
      flags: '--follow-logout',
      help: 'when signed in, also follow links that sign out',
      reads: 'switch',
      sets: true,
    },
  },
  follow_nofollow: {
    schema: z.boolean().default(false),
    about: 'Follow links that their page marks as nofollow, individually or all of them.',
    places: ['crawl'],
    spec: { field: 'followNofollow' },
    shown: { schema: z.boolean() },
    flag: {
      flags: '--follow-nofollow',
      help: 'also follow links marked as nofollow',
      reads: 'switch',
      sets: true,
    },
  },
  trap_detection: {
    schema: z.boolean().default(true),
    about: '`false`: no URL is discarded as `trap`. Then only the limits of the job bound a site with endless URLs.',
    places: ['crawl'],
    spec: { field: 'trapDetection' },
    shown: { schema: z.boolean() },
    flag: { flags: '--no-trap-detection', help: 'discard no URL as a crawler trap', reads: 'switch', sets: false },
  },
  use_browser: {
    schema: z.union([z.boolean(), z.literal('auto')], { error: 'Give true, false or "auto".' }).default('auto'),
    about:
      '`auto`: pages without text unless JavaScript runs are rendered in a browser, if there is one (docs/browser.md). `true`: every page is; refused if there is no browser. `false`: none is.',
    places: ['crawl', 'scrape', 'map', 'batch'],
    spec: {
      field: 'useBrowser',
      from: (input: { readonly use_browser: boolean | 'auto'; readonly screenshot: object | null }) =>
        input.screenshot === null ? input.use_browser : true,
    },
    shown: { schema: z.union([z.boolean(), z.literal('auto')]) },
    flag: {
      flags: '--browser [when]',
      help: 'render pages in a browser',
      reads: 'named',
      values: { auto: 'auto', always: true, off: false },
      alone: 'auto',
    },
  },
  wait_for: {
    schema: waitFor(),
    about:
      'What to wait for on a rendered page: a CSS selector, or milliseconds of its virtual time, 0 to 20,000. `null` waits for timers of up to 5 s and all fetches. Only with a browser.',
    places: ['crawl', 'scrape', 'map', 'batch'],
    spec: {
      field: 'waitFor',
      from: (input: { readonly wait_for: string | number | null }) => input.wait_for,
    },
    shown: { schema: z.union([z.string(), z.int()]).nullable() },
    flag: {
      flags: '--wait-for <selector>',
      help: 'on a rendered page: selector, or milliseconds',
      reads: 'text',
    },
  },
  screenshot: {
    schema: screenshot(),
    about:
      'Also takes a picture of each page, 1,280 pixels wide: `{"format": "png" or "jpeg", "full_page": false or true}`. The first 1,024 pixels, or with `full_page` up to 12,000. At most 10 MiB. Implies `use_browser: true` (docs/browser.md).',
    places: ['crawl', 'scrape'],
    spec: {
      field: 'screenshot',
      from: ({ screenshot: given }: { readonly screenshot: ScreenshotInput | null }): StoredScreenshot | null =>
        given && { format: given.format, fullPage: given.full_page },
    },
    shown: {
      schema: z.object({ format: z.enum(['png', 'jpeg']), full_page: z.boolean() }).nullable(),
      of: ({ spec: { screenshot: stored } }: { readonly spec: { readonly screenshot: StoredScreenshot | null } }) =>
        stored && { format: stored.format, full_page: stored.fullPage },
    },
    flag: {
      flags: '--screenshot [what]',
      help: 'picture of each page; full: to its end',
      reads: 'named',
      values: { png: { format: 'png' }, jpeg: { format: 'jpeg' }, full: { format: 'png', full_page: true } },
      alone: 'png',
    },
    refuse: ({ screenshot: given, use_browser: browser }) =>
      browser !== false || given === undefined || given === null || given === false
        ? undefined
        : {
            code: 'invalid_body',
            message: '`screenshot` needs a browser, and `use_browser` is false. Leave one of them out.',
          },
  },
  store_raw: {
    schema: z.boolean().default(false),
    about:
      'Also keeps each page as its site sent it: headers and body, and the document of a rendered page (docs/results.md). Read it with `GET /crawler/jobs/{id}/pages/{n}/raw` or `export?format=warc`, and convert it again with `POST /crawler/jobs/{id}/reextract`.',
    places: ['crawl', 'batch'],
    spec: {
      field: 'storeRaw',
      from: (input: { readonly store_raw?: boolean | undefined }) => input.store_raw ?? false,
    },
    shown: { schema: z.boolean() },
    flag: {
      flags: '--store-raw',
      help: 'also keep each page as its site sent it, for `export --format warc` and `reextract`',
      reads: 'switch',
      sets: true,
    },
  },
  block_resources: {
    schema: z.boolean().optional(),
    defaultsTo: '`true`, with `screenshot` `false`',
    about: 'Do not load images, style sheets, fonts, video and audio: pages get empty ones. Only with a browser.',
    places: ['crawl', 'scrape', 'batch'],
    spec: {
      field: 'blockResources',
      from: (input: { readonly block_resources?: boolean | undefined; readonly screenshot: object | null }) =>
        input.block_resources ?? input.screenshot === null,
    },
    shown: { schema: z.boolean() },
    flag: {
      flags: '--load-resources',
      help: 'in a browser, load images, styles, fonts and media too',
      reads: 'switch',
      sets: false,
    },
  },
  include_linked_files: {
    schema: z.boolean().default(false),
    about:
      'Linked PDF, DOCX, XLSX, PPTX, ODT, ODS, ODP, EPUB, RTF, TXT, CSV, Markdown, JSON, YAML, XML and feed files, notebooks (`.ipynb`), messages (`.eml`) and web archives (`.mhtml`) become pages too. Only links of Markdown are followed.',
    places: ['crawl'],
    spec: { field: 'includeLinkedFiles' },
    shown: { schema: z.boolean() },
    flag: {
      flags: '--files',
      help: 'also linked PDF, Office, text and feed files',
      reads: 'switch',
      sets: true,
    },
  },
  respect_robots: {
    schema: z.boolean().default(true),
    about: '`false`: also crawl what robots.txt forbids. Needs a token with the permission `ignore_robots`.',
    places: ['crawl', 'scrape', 'map', 'batch'],
    spec: { field: 'respectRobots' },
    shown: { schema: z.boolean() },
    flag: { flags: '--ignore-robots', help: 'also crawl what robots.txt forbids', reads: 'switch', sets: false },
    permission: { name: 'ignore_robots', when: (value) => value === false },
  },
  insecure_tls: {
    schema: z.boolean().default(false),
    about:
      '`true`: accept any certificate of hosts whose address is in `HAYRAKE_ALLOW_PRIVATE`, but of no other host, also after a redirect. Such pages have `tlsVerified: false` in their metadata. 400 if the operator allows no private network. For a private authority, set `HAYRAKE_CA_FILE` instead.',
    places: ['crawl', 'scrape', 'map', 'batch'],
    spec: { field: 'insecureTls' },
    shown: { schema: z.boolean() },
    flag: {
      flags: '--insecure-tls',
      help: 'accept any certificate in private networks',
      reads: 'switch',
      sets: true,
    },
  },
  proxy: {
    schema: z
      .string({ error: 'Give the name of a proxy, or leave it out.' })
      .max(40, 'Give the name of a proxy: at most 40 characters.')
      .nullable()
      .default(null),
    about:
      'Every connection of the job, of its robots.txt and of its browser takes this proxy: a `NAME` in `HAYRAKE_PROXY`. 400 if there is none. The pace of a host holds over all proxies. Needs the permission `proxy`. `null`: as the operator has set for all.',
    places: ['crawl', 'scrape', 'map', 'batch'],
    spec: {
      field: 'proxy',
      from: ({
        proxy,
        advanced_proxy: isAdvanced,
      }: {
        readonly proxy: string | null;
        readonly advanced_proxy: boolean;
      }) => (isAdvanced ? advancedProxy : proxy),
    },
    shown: { schema: z.string().nullable() },
    flag: { flags: '--proxy <name>', help: 'a proxy of the operator, by its name', reads: 'text' },
    permission: { name: 'proxy', when: (value) => typeof value === 'string' },
  },
  advanced_proxy: {
    schema: z
      .unknown()
      .optional()
      .transform((given) => given === true),
    about: '`true`: `proxy: advanced_proxy`, for clients that send it. `false`, `null` and an empty value mean no.',
    defaultsTo: '`false`',
    places: ['crawl', 'scrape', 'map', 'batch'],
    refuse: ({ advanced_proxy: given, proxy }): Refusal | undefined =>
      given === true && typeof proxy === 'string'
        ? { code: 'invalid_body', message: '`advanced_proxy` names a proxy as `proxy` does. Give one of them.' }
        : given === true || isEmpty(given)
          ? undefined
          : { code: 'invalid_body', message: '`advanced_proxy` is `true` or `false`.' },
    permission: { name: 'proxy', when: (value) => value === true },
  },
  keep_cookies: {
    schema: z.boolean().default(true),
    about:
      'Return cookies to the sites that set them, until the job ends or the program restarts: those of start URLs with every request, those of other pages along their own redirects. Jobs share no cookies. `false`: ignore them. A name in `cookies` overrides one that a site sets.',
    places: ['crawl', 'scrape', 'map', 'batch'],
    spec: { field: 'keepCookies' },
    shown: { schema: z.boolean() },
    flag: { flags: '--no-keep-cookies', help: 'ignore the cookies that sites set', reads: 'switch', sets: false },
  },
  headers: {
    schema: headersInput,
    about:
      'Headers for every request to the hosts of the start URLs, and to no other host: an object of names and values, at most 20. Values are never shown or logged, and deleted when the job ends.',
    places: ['crawl', 'scrape', 'retry', 'map', 'batch'],
    spec: { field: 'headerNames', from: (input: Sent) => namesSent(input).headerNames },
    shown: { schema: z.array(z.string()).readonly().describe('Their names, in lower case.') },
    flag: {
      flags: '--header <name:value>',
      help: 'sent to the hosts of the URLs; repeatable',
      reads: 'pairs',
      separator: ':',
    },
  },
  cookies: {
    schema: cookiesInput,
    about: 'Cookies, sent like `headers`: an object of names and values, at most 20.',
    places: ['crawl', 'scrape', 'retry', 'map', 'batch'],
    spec: { field: 'cookieNames', from: (input: Sent) => namesSent(input).cookieNames },
    shown: { schema: z.array(z.string()).readonly().describe('Their names.') },
    flag: {
      flags: '--cookie <name=value>',
      help: 'sent to the hosts of the URLs; repeatable',
      reads: 'pairs',
      separator: '=',
    },
  },
  priority: {
    schema: z.enum(priorities).default('normal'),
    about:
      'Turns of the job among the jobs of its org: `high` gets about four of five while others wait, `low` one of twenty. `high` needs a token with the permission `high_priority`.',
    places: ['crawl', 'batch'],
    spec: { field: 'priority' },
    shown: { schema: z.enum(priorities) },
    flag: {
      flags: '--priority <priority>',
      help: 'share of turns among the jobs of the org',
      reads: 'choice',
      choices: priorities,
      default: 'normal',
    },
    permission: { name: 'high_priority', when: (value) => value === 'high' },
  },
  webhook_url: {
    schema: webhookUrl(),
    about:
      'Receives the events of the job, signed according to Standard Webhooks: `job.started`, `job.progress`, `job.finished`, and of a run with changes `schedule.changed`. An absolute https URL of at most 2,048 characters.',
    places: ['crawl', 'retry', 'batch'],
    shown: {
      schema: z.string().nullable(),
      of: ({ webhookUrl: url }: { readonly webhookUrl: string | null }) => url,
    },
    flag: { flags: '--webhook-url <url>', help: 'receives the events of the job, signed', reads: 'text' },
  },
  q: {
    schema: z.string().max(500, 'Give at most 500 characters.').optional(),
    about: 'Only URLs that contain this; ASCII letters match in upper and lower case.',
    places: ['map'],
    flag: { flags: '--containing <text>', help: 'only URLs that contain this', reads: 'text' },
  },
  limit: {
    schema: wholeNumber(1, 30_000).default(5_000),
    about: 'Maximum number of URLs in the response.',
    places: ['map'],
    flag: { flags: '--limit <urls>', help: 'maximum number of URLs', reads: 'number' },
  },
  timeout: {
    schema: wholeNumber(1, 300).default(60),
    about: 'Seconds after which a scrape fails with `timeout`, and a map returns what it has found.',
    places: ['scrape', 'map'],
    flag: { flags: '--timeout <seconds>', help: 'give up after this time', reads: 'number' },
  },
  link_crawling: {
    schema: z
      .unknown()
      .optional()
      .transform(() => undefined),
    about: 'Deprecated; accepted and ignored.',
    places: ['crawl'],
  },
} as const satisfies Readonly<Record<string, Option>>;

export type Options = typeof options;
export type OptionName = keyof Options;
