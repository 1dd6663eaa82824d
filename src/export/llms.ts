// Two texts for language models: an index of the pages as https://llmstxt.org describes, and all pages in one text.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { PageJson } from '../page/decode.ts';
import { eachKeptPage, type Encode, type ExportedJob } from './export-format.ts';

/** Further sections of a site are listed together. */
export const sectionsMax = 100;
/** Characters of a description. */
export const descriptionCharsMax = 300;
/** Characters of a section that are compressed together. */
const blockChars = 64 * 1024;

const firstSection = 'Pages';
const lastSection = 'Other pages';

export const encodeLlms: Encode = async function* (slices, job) {
  const host = hostOf(job.startUrl);
  const sections = new Map<string, Section>();
  for await (const page of eachKeptPage(slices)) {
    const name = sectionOf(page, host);
    const known = sections.has(name) || sections.size < sectionsMax ? name : lastSection;
    const section = sections.get(known) ?? new Section();
    sections.set(known, section);
    section.add(indexLine(page));
  }
  yield head(job, host);
  const names = [...sections.keys()].filter((name) => name !== firstSection && name !== lastSection).toSorted();
  for (const name of [firstSection, ...names, lastSection]) {
    const section = sections.get(name);
    if (!section) continue;
    yield `\n## ${inline(name)}\n\n`;
    yield* section.texts();
  }
};

export const encodeLlmsFull: Encode = async function* (slices, job) {
  yield head(job, hostOf(job.startUrl));
  for await (const { meta, text } of eachKeptPage(slices)) {
    const title = inline(meta.meta.title) || inline(meta.url);
    yield `\n---\n\n# ${title}\n\nSource: ${meta.url}\n\n${text}${text.endsWith('\n') ? '' : '\n'}`;
  }
};

/** Lines of one section. They resemble each other, so most are kept compressed. */
class Section {
  readonly #blocks: Uint8Array[] = [];
  #block = '';

  add(line: string): void {
    this.#block += line;
    if (this.#block.length < blockChars) return;
    this.#blocks.push(deflateRawSync(this.#block, { level: 1 }));
    this.#block = '';
  }

  *texts(): Generator<string | Uint8Array> {
    for (const block of this.#blocks) yield inflateRawSync(block);
    yield this.#block;
  }
}

function head({ total, startUrl, createdAt }: ExportedJob, host: string): string {
  const count = `${total} ${total === 1 ? 'page' : 'pages'}`;
  return `# ${inline(host)}\n\n> ${count} from ${startUrl}, crawled on ${new Date(createdAt).toISOString().slice(0, 10)}.\n`;
}

/** The first directory of the path; for pages of another host its name. */
function sectionOf({ meta }: PageJson, host: string): string {
  const url = new URL(meta.url);
  if (url.host !== host) return url.host;
  const [, directory = '', ...rest] = url.pathname.split('/');
  return rest.length === 0 || directory === '' ? firstSection : directory;
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? '';
}

function indexLine({ meta }: PageJson): string {
  const { title, description } = meta.meta;
  const what = inline(description).slice(0, descriptionCharsMax).trimEnd();
  const url = meta.url.replaceAll('(', '%28').replaceAll(')', '%29');
  return `- [${inline(title) || url}](${url})${what === '' ? '' : `: ${what}`}\n`;
}

/** One line of plain text as Markdown that cannot end its link or start markup. */
function inline(text: string): string {
  return text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .replaceAll(/[\\[\]<>`*_]/g, String.raw`\$&`);
}
