// What a user can ask for when creating a job: one schema for API, CLI and documentation. The names are those of the API.
import { compile } from 'css-select';
import { z } from 'zod';
import { defaultExcludeElements } from '../core/exclude-elements.ts';
import { globProblem } from '../url/glob.ts';
import { timeLimitSecondsMax } from '../core/job.ts';
import { cookiesInput, headersInput } from './headers-input.ts';
import { webhookUrlLengthMax } from './webhook-url.ts';

/** A number of a body, told in one sentence whatever is wrong with it. */
export function wholeNumber(min: number, max: number) {
  const error = `Give a whole number from ${min.toLocaleString('en')} to ${max.toLocaleString('en')}.`;
  return z.int({ error }).min(min, error).max(max, error);
}

const webhookUrlMessage = 'Give an absolute https URL of at most 2,048 characters.';
const urlsMessage = 'Give a list of 1 to 1,000 URLs.';

const globs = z
  .array(
    z.string().superRefine((glob, context) => {
      const problem = globProblem(glob);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    }),
  )
  .max(100, 'Give at most 100 globs.');

const selectors = z
  .string()
  .max(4_096, 'Give at most 4,096 characters.')
  .superRefine((text, context) => {
    if (text.trim() === '') return;
    try {
      compile(text);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      context.addIssue({ code: 'custom', message: `This is not a list of CSS selectors: ${why}.` });
    }
  });

/** Known fields whose features are not built yet: refused rather than accepted and ignored. */
export const notSupportedYet: Readonly<Record<string, (value: unknown) => boolean>> = {
  use_browser: (value) => value === true,
};

export const jobInputSchema = z.strictObject(
  {
    urls: z
      .array(z.string({ error: 'Give a URL.' }), { error: urlsMessage })
      .min(1, urlsMessage)
      .max(1_000, urlsMessage)
      .describe('Start URLs: absolute, http or https.'),
    output_format: z.enum(['markdown', 'text', 'html']).default('markdown').describe('What `text` of a page is.'),
    exclude_globs: globs
      .default([])
      .describe(
        'URLs matching any are not crawled. A glob matches the whole URL, or path and query when it begins with `/`. `*` any run of characters but `/`, `**` any run, `?` one. At most 100 of 512 characters.',
      ),
    include_globs: globs.default([]).describe('When given, only URLs matching one are crawled. Start URLs always are.'),
    exclude_elements: selectors
      .optional()
      .describe(
        `Comma-separated CSS selectors removed before conversion; \`""\` removes nothing. Default: \`${defaultExcludeElements}\`. With \`content: auto\` only selectors given here apply.`,
      ),
    include_elements: selectors
      .optional()
      .describe(
        'Comma-separated CSS selectors: when given, only the elements that match are the content, in document order, less `exclude_elements`. Where none does, the page is converted as if this had not been given, and its `extractionMethod` says so.',
      ),
    content: z
      .enum(['auto', 'full'])
      .default('auto')
      .describe(
        '`auto`: the main content where it can be told apart, else the whole page. `full`: the whole page less `exclude_elements`.',
      ),
    output_expiry: wholeNumber(60, 31_536_000)
      .default(604_800)
      .describe("Seconds that results are kept after the job's end."),
    min_length: wholeNumber(0, 10_000_000)
      .default(0)
      .describe('Pages with less text than this many characters are discarded, and listed as such.'),
    page_limit: wholeNumber(1, 10_000_000).default(10_000).describe('Pages delivered at most, exactly.'),
    fetch_limit: wholeNumber(1, 100_000_000)
      .optional()
      .describe(
        'Attempts at URLs of the sites at most, delivered or not. Default: ten times `page_limit`, at least 1,000.',
      ),
    time_limit: wholeNumber(1, timeLimitSecondsMax)
      .default(2_592_000)
      .describe('Seconds after its creation at which the job ends, whatever is left. Default: 30 days.'),
    max_depth: wholeNumber(0, 1_000)
      .nullable()
      .default(null)
      .describe('Links followed from a start URL; `null` is no bound, 0 the start URLs alone.'),
    force_crawling_mode: z
      .enum(['link', 'sitemap'])
      .nullable()
      .default(null)
      .describe('`link`: links only; `sitemap`: start URLs and sitemaps only; `null`: both.'),
    allow_subdomains: z
      .boolean()
      .default(false)
      .describe("Crawl subdomains of the start URLs' hosts too. `www.` and the bare host always count as one."),
    use_browser: z
      .union([z.boolean(), z.literal('auto')], { error: 'Give true, false or "auto".' })
      .default('auto')
      .describe('Rendering is not supported yet: `auto` has the effect of `false`, `true` is refused.'),
    block_resources: z.boolean().default(true).describe('Of effect only when a browser is used.'),
    include_linked_files: z
      .boolean()
      .default(false)
      .describe(
        'Linked PDF, DOCX, XLSX, PPTX, EPUB, RTF, TXT, CSV, Markdown, JSON, XML and feed files become pages too, in `output_format`. Their own links are not followed.',
      ),
    respect_robots: z
      .boolean()
      .default(true)
      .describe(
        '`false`: what robots.txt forbids is crawled all the same. Needs a token with the permission `ignore_robots`.',
      ),
    headers: headersInput,
    cookies: cookiesInput,
    webhook_url: z
      .string({ error: webhookUrlMessage })
      .max(webhookUrlLengthMax, webhookUrlMessage)
      .nullable()
      .optional()
      .describe(
        'Told of what becomes of the job, signed as Standard Webhooks says: `job.started`, `job.progress`, `job.finished`. An absolute https URL of at most 2,048 characters.',
      ),
    link_crawling: z
      .unknown()
      .optional()
      .transform(() => undefined)
      .describe('Old; accepted and ignored.'),
  },
  { error: (issue) => (issue.code === 'invalid_type' ? 'Send a JSON object with at least `urls`.' : undefined) },
);

export type ParsedJobInput = z.output<typeof jobInputSchema>;
