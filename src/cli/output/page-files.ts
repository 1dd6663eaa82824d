import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hash } from 'node:crypto';
import type { OutputFormat } from '../../core/job.ts';
import type { PageJson } from '../../jobs/page-json.ts';

/** Bytes of one part of a path; file systems allow 255, and an ending is added. */
const segmentBytesMax = 120;
const segmentsMax = 20;
const endings: Readonly<Record<OutputFormat, string>> = { markdown: '.md', text: '.txt', html: '.html' };

/**
 * One file a page, `DIRECTORY/HOST/PATH.md`, with paths from the URLs. The names are made of what is harmless on every
 * system; pages whose names would be the same get a hash of their URL in addition. Writing the same pages again, in the
 * same order, gives the same names.
 */
export class PageFiles {
  readonly #directory: string;
  readonly #format: OutputFormat;
  readonly #taken = new Set<string>();
  readonly #hosts = new Set<string>();

  constructor(directory: string, format: OutputFormat) {
    this.#directory = directory;
    this.#format = format;
  }

  /** The directories that were written to, one a host. */
  get directories(): readonly string[] {
    return [...this.#hosts].map((host) => path.join(this.#directory, host));
  }

  async write(page: PageJson): Promise<void> {
    const file = this.#fileOf(new URL(page.meta.url));
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, this.#format === 'html' ? page.text : withFrontMatter(page));
  }

  #fileOf(url: URL): string {
    const host = harmless(url.host);
    this.#hosts.add(host);
    const name = path.join(host, ...pathSegments(url));
    let chosen = name;
    for (let n = 0; this.#taken.has(comparable(chosen)); n++) {
      chosen = `${name}-${hash('sha256', `${url.href}${n === 0 ? '' : ` ${n}`}`, 'hex').slice(0, 8)}`;
    }
    this.#taken.add(comparable(chosen));
    return path.join(this.#directory, chosen + endings[this.#format]);
  }
}

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

/** YAML front matter. JSON strings are YAML strings, whatever the page put into its title, but for a few characters. */
export function withFrontMatter({ meta, text }: PageJson): string {
  const { url, fetchedUrl, meta: metadata } = meta;
  const fields = { title: metadata.title, url, ...(fetchedUrl !== url && { fetchedUrl }), ...withoutTitle(metadata) };
  const lines = Object.entries(fields).map(
    ([name, value]) => `${/^[A-Za-z]\w*$/.test(name) ? name : JSON.stringify(name)}: ${yaml(value)}`,
  );
  return `---\n${lines.join('\n')}\n---\n\n${text}${text.endsWith('\n') ? '' : '\n'}`;
}

function yaml(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function withoutTitle(metadata: PageJson['meta']['meta']): Record<string, unknown> {
  const { title: _, ...rest } = metadata;
  return rest;
}
