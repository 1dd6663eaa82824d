// A page as a file: name and content.
import { hash } from 'node:crypto';
import type { OutputFormat } from '../core/job.ts';
import type { PageJson } from './decode.ts';
import { type FrontMatter, withFrontMatter } from './front-matter.ts';
import { NameSet } from './name-set.ts';

/** Bytes of one path part; file systems allow 255, and an extension is added. */
const segmentBytesMax = 120;
const segmentsMax = 20;
const endings = { markdown: '.md', text: '.txt', html: '.html', json: '.json' } as const;

/** `json`: the row of the API. */
export type FileFormat = OutputFormat | 'json';

export interface PageFile {
  /** `HOST/PATH.md`, with `/` as separator on every system. The first part is the host. */
  readonly name: string;
  readonly content: string;
}

/**
 * One file per page, named after its URL. Names use only characters that are harmless on every system. If two names
 * would be equal, the later page gets a hash of its URL added. The same pages in the same order get the same names.
 */
export class PageFileNames {
  readonly #format: FileFormat;
  readonly #frontMatter: FrontMatter;
  readonly #taken = new NameSet();

  constructor(format: FileFormat, frontMatter: FrontMatter = 'full') {
    this.#format = format;
    this.#frontMatter = frontMatter;
  }

  /** The file of the next page. */
  fileOf(page: PageJson): PageFile {
    return { name: this.nameOf(page), content: this.contentOf(page) };
  }

  /** The name of the next page. */
  nameOf({ meta }: PageJson): string {
    const names = chosenNames(new URL(meta.url));
    let name = names.next();
    while (name.done !== true && this.#taken.has(comparable(name.value))) name = names.next();
    this.#taken.add(comparable(name.value));
    return name.value + endings[this.#format];
  }

  contentOf(page: PageJson): string {
    if (this.#format === 'json') return `${JSON.stringify(page)}\n`;
    return this.#format === 'html' ? page.text : withFrontMatter(page, this.#frontMatter);
  }
}

/** The names that a page can have, the most likely first. More than these happen only by chance. */
export function possibleNames(url: URL, format: OutputFormat): readonly string[] {
  const names = chosenNames(url);
  return Array.from({ length: possibleMax }, () => names.next().value + endings[format]);
}

const possibleMax = 4;

/** Yields names until one is free. */
function* chosenNames(url: URL): Generator<string, never> {
  const name = [harmless(url.host), ...pathSegments(url)].join('/');
  // `a.html` becomes `a.md`, unless another page has that name.
  yield name.replace(pageEnding, '');
  yield name;
  for (let n = 0; ; n++) yield `${name}-${hash('sha256', `${url.href}${n === 0 ? '' : ` ${n}`}`, 'hex').slice(0, 8)}`;
}

/** Extensions that only say "page". */
const pageEnding = /(?<=[^/. ])[. ]*\.(?:html?|xhtml|php|aspx?|jsp|md|markdown)$/i;

/** Some file systems ignore case, also where `ß` stands for `SS`, and the difference between two ways to write an accent. */
function comparable(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

function pathSegments(url: URL): string[] {
  const parts = url.pathname.split('/').slice(1);
  const last = parts.pop() ?? '';
  const file = `${last === '' ? 'index' : last}${url.search === '' ? '' : `_${url.search.slice(1)}`}`;
  const directories = parts.filter((part) => part !== '').slice(0, segmentsMax);
  return [...directories.map((part) => noFile(harmless(decoded(part)))), harmless(decoded(file))];
}

/** A directory must not have a name that a file can have. */
function noFile(name: string): string {
  return /\.(md|txt|html|json)$/i.test(name) ? `${name}_` : name;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // Not UTF-8: the percent signs stay.
    return part;
  }
}

/** No separators, control characters or characters that Windows forbids; no leading dots; no reserved names. */
function harmless(part: string): string {
  const clean = part
    .replaceAll(/[\p{Cc}\p{Cf}<>:"/\\|?*]/gu, '_')
    .replace(/^\.+/, '_')
    .replace(/[. ]+$/, '_');
  const named =
    /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³])(\.|$)/i.test(clean) || clean === '' ? `_${clean}` : clean;
  const bytes = Buffer.from(named);
  if (bytes.length <= segmentBytesMax) return named;
  return `${bytes
    .subarray(0, segmentBytesMax - 9)
    .toString()
    .replace(/\uFFFD$/, '')}-${hash('sha256', part, 'hex').slice(0, 8)}`;
}
