// A page as a file: its name, and what is in it.
import { hash } from 'node:crypto';
import type { OutputFormat } from '../core/job.ts';
import type { PageJson } from './decode.ts';
import { type FrontMatter, withFrontMatter } from './front-matter.ts';

/** Bytes of one part of a path; file systems allow 255, and an ending is added. */
const segmentBytesMax = 120;
const segmentsMax = 20;
const endings: Readonly<Record<OutputFormat, string>> = { markdown: '.md', text: '.txt', html: '.html' };

export interface PageFile {
  /** `HOST/PATH.md`, with `/` between its parts on every system. The first part is the host. */
  readonly name: string;
  readonly content: string;
}

/**
 * One file a page, with names from the URLs. They are made of characters that are harmless on every system. Pages whose names
 * would be the same get a hash of their URL in addition. The same pages in the same order get the same names.
 */
export class PageFileNames {
  readonly #format: OutputFormat;
  readonly #frontMatter: FrontMatter;
  readonly #taken = new Set<string>();

  constructor(format: OutputFormat, frontMatter: FrontMatter = 'full') {
    this.#format = format;
    this.#frontMatter = frontMatter;
  }

  /** The file of the next page. */
  fileOf(page: PageJson): PageFile {
    return {
      name: this.#nameFor(new URL(page.meta.url)),
      content: this.#format === 'html' ? page.text : withFrontMatter(page, this.#frontMatter),
    };
  }

  #nameFor(url: URL): string {
    const name = [harmless(url.host), ...pathSegments(url)].join('/');
    // `a.html` is `a.md`, unless another page has that name.
    let chosen = name.replace(pageEnding, '');
    if (this.#taken.has(comparable(chosen))) chosen = name;
    for (let n = 0; this.#taken.has(comparable(chosen)); n++) {
      chosen = `${name}-${hash('sha256', `${url.href}${n === 0 ? '' : ` ${n}`}`, 'hex').slice(0, 8)}`;
    }
    this.#taken.add(comparable(chosen));
    return chosen + endings[this.#format];
  }
}

/** What says no more than that it is a page. */
const pageEnding = /(?<=[^/. ])[. ]*\.(?:html?|xhtml|php|aspx?|jsp|md|markdown)$/i;

/** Some file systems take upper and lower case for the same, and both ways to write an accent. */
function comparable(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC');
}

function pathSegments(url: URL): string[] {
  const parts = url.pathname.split('/').slice(1);
  const last = parts.pop() ?? '';
  const file = `${last === '' ? 'index' : last}${url.search === '' ? '' : `_${url.search.slice(1)}`}`;
  const directories = parts.filter((part) => part !== '').slice(0, segmentsMax);
  return [...directories.map((part) => noFile(harmless(decoded(part)))), harmless(decoded(file))];
}

/** A directory must not be called what a file may be called. */
function noFile(name: string): string {
  return /\.(md|txt|html)$/i.test(name) ? `${name}_` : name;
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
