// What the headers of a request to the reader ask for. A header that this service cannot obey is refused: a client that sends
// it expects another page.
import { grouped } from '../../core/grouped.ts';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { UserError } from '../../core/errors.ts';

const formats = ['markdown', 'html', 'text'] as const;
export type ReaderFormat = (typeof formats)[number];

/** What is done with the page after it was read. */
export interface ReaderWants {
  /** The list of its links follows the text. */
  readonly links: boolean;
  /** So does the list of its images. */
  readonly images: boolean;
  readonly maxTokens: number | undefined;
  readonly tokenBudget: number | undefined;
}

/** Headers that ask for something that this service does not do. */
const refused = [
  'x-proxy-url',
  'x-proxy',
  'x-set-cookie',
  'x-with-generated-alt',
  'x-with-iframe',
  'x-with-shadow-dom',
  'x-keep-img-data-url',
  'x-respond-timing',
  'x-no-gfm',
  'x-md-heading-style',
  'x-md-hr',
  'x-md-bullet-list-marker',
  'x-md-em-delimiter',
  'x-md-strong-delimiter',
  'x-md-link-reference-style',
  'x-locale',
  'x-referer',
  'x-user-agent',
  'x-base',
  'x-instruction',
  'x-json-schema',
  'x-page-action',
];

/** For the document of the API: {@link readerHeaders} checks the values. */
export const readerHeaderSchema = z.looseObject(
  Object.fromEntries(
    Object.entries({
      'x-respond-with': '`markdown` (default), `html` or `text`.',
      'x-target-selector': 'CSS selectors: only these elements.',
      'x-remove-selector': 'CSS selectors: without these elements.',
      'x-timeout': 'Whole seconds, 1 to 300; 60 without it.',
      'x-wait-for-selector': 'A CSS selector, awaited in the browser.',
      'x-engine': '`browser`, `direct` or `auto` (default).',
      'x-md-link-style': '`inlined` (default), `referenced` or `discarded`.',
      'x-retain-images': '`all` (default) or `none`.',
      'x-with-links-summary': '`true`: the links of the page follow its text.',
      'x-with-images-summary': '`true`: the images of the content follow its text.',
      'x-max-tokens': 'The text is cut after as many tokens, and says so.',
      'x-token-budget': 'A page with more tokens is a 422.',
    }).map(([name, about]) => [name, z.string().optional().describe(about)]),
  ),
);

/** Options of a scrape, and the headers that they come from. */
export const readerHeaderNames: Readonly<Record<string, string>> = {
  include_elements: 'x-target-selector',
  exclude_elements: 'x-remove-selector',
  wait_for: 'x-wait-for-selector',
  use_browser: 'x-engine',
  links: 'x-md-link-style',
  images: 'x-retain-images',
};

export function readerHeaders(headers: IncomingHttpHeaders): {
  readonly options: { readonly format: ReaderFormat } & Readonly<Record<string, unknown>>;
  readonly wants: ReaderWants;
} {
  const given = (name: string): string | undefined => {
    const value = headers[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  for (const name of refused)
    if (given(name) !== undefined && !isNo(given(name)))
      throw new UserError('invalid_parameter', `\`${name}\` is not supported. Leave it out.`);
  const one = <Value>(name: string, values: Readonly<Record<string, Value>>): Value | undefined => {
    const text = given(name)?.toLowerCase();
    if (text === undefined) return undefined;
    const value = Object.hasOwn(values, text) ? values[text] : undefined;
    if (value === undefined) throw wrong(name, `Give one of ${Object.keys(values).join(', ')}.`);
    return value;
  };
  const number = (name: string, max: number, what: string): number | undefined => {
    const text = given(name);
    if (text === undefined) return undefined;
    if (/^\d{1,9}$/.test(text) && Number(text) >= 1 && Number(text) <= max) return Number(text);
    throw wrong(name, `Give ${what} from 1 to ${grouped(max)}.`);
  };
  const asked = ['x-respond-with', 'x-return-format'].find((name) => given(name) !== undefined) ?? '';
  const format = one(asked, { markdown: 'markdown', html: 'html', text: 'text' } as const) ?? 'markdown';
  const links = one('x-with-links-summary', { true: true, all: true, false: false }) ?? false;
  const images = one('x-with-images-summary', { true: true, all: true, false: false }) ?? false;
  const waitFor = given('x-wait-for-selector');
  const options = {
    format,
    formats: links || images ? [...(links ? ['links'] : []), ...(images ? ['images'] : [])] : undefined,
    include_elements: given('x-target-selector'),
    exclude_elements: given('x-remove-selector'),
    timeout: number('x-timeout', 300, 'whole seconds'),
    wait_for: waitFor,
    // A selector can only be waited for in a browser.
    use_browser:
      one('x-engine', { browser: true, direct: false, auto: 'auto' }) ?? (waitFor === undefined ? undefined : true),
    links: one('x-md-link-style', { inlined: 'inline', referenced: 'reference', discarded: 'none' }),
    images: one('x-retain-images', { all: 'all', none: 'none' }),
  };
  return {
    options: { ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)), format },
    wants: {
      links,
      images,
      maxTokens: number('x-max-tokens', 100_000_000, 'a number of tokens'),
      tokenBudget: number('x-token-budget', 100_000_000, 'a number of tokens'),
    },
  };
}

function isNo(value: string | undefined): boolean {
  return value === 'false' || value === 'none' || value === '0';
}

function wrong(name: string, message: string): UserError {
  return new UserError('invalid_parameter', `\`${name}\`: ${message}`);
}
