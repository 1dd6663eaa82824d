// The fields that say how a page is fetched and converted: of `/scrape` and `/batch/scrape`, and `scrapeOptions` of a crawl.
import { badRequest } from './facade-error.ts';
import {
  asBoolean,
  asNumber,
  asTexts,
  becomes,
  isFilled,
  quiet,
  refuses,
  type Rule,
  type Rules,
  translate,
  type Translation,
  warns,
} from './fields.ts';

/** What `formats` can name, and the output that it stands for. */
const outputs: Readonly<Record<string, string>> = {
  markdown: 'markdown',
  html: 'html',
  rawHtml: 'source',
  links: 'links',
  images: 'images',
};

/** The format of structured data; it becomes the option `extract`. */
const record = 'json';
const noSchema =
  '`formats`: `json` needs a `schema`, a JSON Schema with `properties`. There is no model that reads a prompt alone.';

const promise = 'This service cannot keep this promise.';

export const pageFields: Rules = {
  formats: (value, to, name) => {
    to.options['formats'] = formatsIn(value, to, name);
  },
  onlyMainContent: (value, { options }, name) => {
    if (!asBoolean(value, name)) options['content'] = 'full';
  },
  includeTags: becomes('include_elements', selectorsIn),
  excludeTags: becomes('exclude_elements', selectorsIn),
  headers: (value, { options }, name) => {
    const { headers, cookies } = headersIn(value, name);
    options['headers'] = headers;
    options['cookies'] = cookies;
  },
  timeout: becomes('timeout', secondsIn),
  waitFor: (value, { options, warnings }, name) => {
    const ms = asNumber(0, 60_000)(value, name);
    if (ms === 0) return;
    options['wait_for'] = Math.min(20_000, Math.ceil(ms));
    warnings.push(`\`${name}\` applies only to pages that are rendered in a browser, and is at most 20,000.`);
  },
  mobile: refuses('Pages are fetched as a desktop browser gets them.'),
  actions: refuses('Pages are read, not operated.'),
  location: warns('Requests leave from where the service runs.'),
  proxy: warns('There is one way out of the service.', (value) => value !== 'basic' && value !== 'auto'),
  skipTlsVerification: warns('Certificates are always verified.'),
  parsers: (value, { warnings }, name) => {
    if (!isFilled(value) || JSON.stringify(value).includes('maxPages'))
      warnings.push(`\`${name}\` has no effect: PDFs are always read whole.`);
  },
  parsePDF: warns('PDFs are always read.', (value) => value === false),
  removeBase64Images: warns('The Markdown never contains the bytes of images.', (value) => value === false),
  blockAds: quiet,
  fastMode: quiet,
  storeInCache: quiet,
  maxAge: quiet,
  minAge: refuses('A page is always fetched, never taken from a cache.'),
  origin: quiet,
  integration: quiet,
  useMock: quiet,
  auditMetadata: quiet,
  toolDetail: quiet,
  agent: quiet,
  domainTools: refuses('There are no tools of domains.'),
  zeroDataRetention: refuses(promise),
  lockdown: refuses(promise),
  redactPII: refuses(promise),
  threatProtection: refuses(promise),
  profile: refuses('There are no browser profiles.'),
  jsonOptions: recordOptions,
  extract: recordOptions,
  changeTrackingOptions: refuses(
    'A scrape is compared with no earlier one. A schedule, or a job with `since`, says what changed.',
  ),
};

/** The page options of a crawl: a page there has as much patience as any. */
export const pageFieldsOfJob: Rules = {
  ...pageFields,
  timeout: warns('A crawl waits for hosts that do not respond.'),
};

/** The page options of a batch. */
export const pageFieldsOfBatch: Rules = { ...pageFields, timeout: becomes('url_timeout', secondsIn) };

/**
 * Completes the options that depend on several fields. The first text format that was requested becomes the output
 * format. If none was, that is `text`, which no client of this facade can request, so documents show it to nobody.
 */
export function finishPageOptions({ options }: Translation): void {
  const given = (options['formats'] as readonly string[] | undefined) ?? ['markdown'];
  const wanted = given.filter((format) => format !== record);
  if (given.includes(record) && options['extract'] === undefined) throw badRequest(noSchema);
  // Clients send the schema of a record with every request, and the format only if they want one.
  if (!given.includes(record)) delete options['extract'];
  const main = wanted.find((format) => format === 'markdown' || format === 'html') ?? 'text';
  options['output_format'] = main;
  options['formats'] = wanted.filter((format) => format !== main);
  if (options['content'] !== 'full') return;
  // The default list of our own `content: full` removes navigation, and these clients want the whole page.
  const excluded = options['exclude_elements'];
  options['exclude_elements'] = ['script, style, noscript', ...(typeof excluded === 'string' ? [excluded] : [])].join(
    ', ',
  );
}

/** Whole seconds of milliseconds. */
export function secondsIn(value: unknown, name: string): number {
  return Math.ceil(asNumber(1, 300_000)(value, name) / 1_000);
}

function formatsIn(value: unknown, to: Translation, name: string): readonly string[] {
  if (!Array.isArray(value)) throw badRequest(`\`${name}\`: Give a list.`);
  const wanted = new Set(value.map((item: unknown) => formatOf(item, to, name)));
  return wanted.size === 0 ? ['markdown'] : [...wanted];
}

function formatOf(item: unknown, to: Translation, name: string): string {
  const isObject = typeof item === 'object' && item !== null;
  const type: unknown = isObject && 'type' in item ? item.type : item;
  if (type === 'json' || type === 'extract') {
    if (isObject) readRecordOptions({ ...item, type: null }, to, name);
    return record;
  }
  const known = typeof type === 'string' && Object.hasOwn(outputs, type) ? outputs[type] : undefined;
  if (known === undefined || (isObject && Object.keys(item).length > 1)) {
    const shown = JSON.stringify(item)?.slice(0, 100) ?? String(item);
    throw badRequest(`\`${name}\`: ${shown} is not available. Available: ${Object.keys(outputs).join(', ')}, json.`);
  }
  return known;
}

function recordOptions(value: unknown, to: Translation, name: string): void {
  readRecordOptions(value, to, name);
}

function readRecordOptions(value: unknown, to: Translation, name: string): void {
  const prompt = warns('There is no model that reads it. The schema is filled by what pages declare.');
  const rules: Rules = {
    schema: (schema) => {
      to.options['extract'] = { schema };
    },
    prompt,
    systemPrompt: prompt,
    agent: refuses('Pages are read, not operated.'),
  };
  translate(value, { ...rules, type: quiet }, to, `${name}.`);
}

function selectorsIn(value: unknown, name: string): string | undefined {
  const given = asTexts(value, name);
  return given.length === 0 ? undefined : given.join(', ');
}

/** Cookies have an option of their own here. */
function headersIn(value: unknown, name: string) {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest(`\`${name}\`: Give an object of names and values.`);
  const headers: Record<string, unknown> = {};
  const cookies: Record<string, string> = {};
  for (const [key, text] of Object.entries(value as Record<string, unknown>)) {
    if (key.toLowerCase() !== 'cookie') headers[key] = text;
    else {
      for (const pair of String(text).split(';')) {
        const at = pair.indexOf('=');
        if (at > 0) cookies[pair.slice(0, at).trim()] = pair.slice(at + 1).trim();
        else if (pair.trim() !== '') throw badRequest(`\`${name}\`: The cookie has a part without \`=\`.`);
      }
    }
  }
  return { headers, cookies: Object.keys(cookies).length === 0 ? null : cookies };
}

/** Page options of a crawl, under a name of their own. */
export const scrapeOptions: Rule = (value, to, name) => translate(value, pageFieldsOfJob, to, `${name}.`);
