// How well each peer finds the main text of a page, on pages whose main text people have marked: words of what the peer delivers
// against the words of that text.
//
//   node bench/text-score.ts FILE [extractor...]
//
// FILE has an object a line, packed with gzip or plain: `id`, `url`, `html`, `main_content`, and `without`, which lists pieces
// of boilerplate. The pages of WCXB (Murrough-Foley/web-content-extraction-benchmark) have this form when their fields are so named.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { agreementOf, textOfMarkdown, wordsOf } from './page-words.ts';
import { debianPython } from './requirements.ts';

interface MarkedPage {
  readonly id: string;
  readonly url: string;
  readonly html: string;
  readonly main_content: string;
  readonly without: readonly string[];
}

/** Means over all pages. */
export interface TextScore {
  readonly f1: number;
  readonly precision: number;
  readonly recall: number;
  /** Of the pieces of boilerplate, the part that got through. */
  readonly leak: number;
}

export type ExtractorName =
  | 'hayrake'
  | 'readability'
  | 'defuddle'
  | 'turndown'
  | 'mdream'
  | 'scrapy'
  | 'scrapy-readability';

/** Markdown of each page, in their order. */
type Extractor = (pages: readonly MarkedPage[]) => Promise<readonly string[]>;

/** Modules are loaded when they are needed: hayrake's own score needs none of the peers' packages. */
const extractors: Readonly<Record<ExtractorName, Extractor>> = {
  async hayrake(pages) {
    const { extractPage } = await import('../src/extract/extract-page.ts');
    const headers = { link: '', refresh: '', contentLanguage: '' };
    const options = { headers, robotsTag: new Set<string>(), content: 'auto', excludeElements: null } as const;
    return pages.map(({ html, url }) => extractPage(html, { ...options, url, outputFormat: 'markdown' }).text);
  },
  readability: (pages) => contentOf('readability', pages),
  defuddle: (pages) => contentOf('defuddle', pages),
  async turndown(pages) {
    const [{ load }, { withoutNavigation }] = await Promise.all([import('cheerio'), import('./peers/extractors.ts')]);
    return textsOf('turndown', pages, ({ html }) => withoutNavigation(load(html)));
  },
  async mdream(pages) {
    const { htmlToMarkdown } = await import('./peers/mdream.ts');
    return pages.map(({ html, url }) => htmlToMarkdown(html, url));
  },
  scrapy: (pages) => convertedByPython('memory', pages),
  'scrapy-readability': (pages) => convertedByPython('readability', pages),
};

export async function scoreTexts(file: string, name: ExtractorName): Promise<TextScore> {
  const pages = readMarkedPages(file);
  const texts = await extractors[name](pages);
  const rows = pages.map((page, index) => {
    const text = textOfMarkdown(texts[index] ?? '');
    const { f1, precision, recall } = agreementOf(wordsOf(text), wordsOf(page.main_content));
    return { f1, precision, recall, leak: leakOf(text, page.without) };
  });
  const mean = (key: keyof TextScore): number => rows.reduce((sum, row) => sum + row[key], 0) / rows.length;
  return { f1: mean('f1'), precision: mean('precision'), recall: mean('recall'), leak: mean('leak') };
}

function readMarkedPages(file: string): readonly MarkedPage[] {
  const bytes = readFileSync(file);
  const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString('utf8');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- given by the operator of the benchmark
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as MarkedPage);
}

async function contentOf(name: 'readability' | 'defuddle', pages: readonly MarkedPage[]): Promise<readonly string[]> {
  const { contentExtractors, extractFrom } = await import('./peers/extractors.ts');
  return textsOf(name, pages, async ({ html, url }) => (await extractFrom(html, url, contentExtractors[name])).text);
}

/** A page on which the extractor fails has no text, and counts. */
async function textsOf(
  name: string,
  pages: readonly MarkedPage[],
  textOf: (page: MarkedPage) => string | Promise<string>,
): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const page of pages) {
    try {
      texts.push(await textOf(page));
    } catch (error) {
      console.error(`${name} failed on ${page.id}: ${String(error)}`);
      texts.push('');
    }
  }
  return texts;
}

// oxlint-disable-next-line typescript/require-await -- as the others are
async function convertedByPython(mode: string, pages: readonly MarkedPage[]): Promise<readonly string[]> {
  const program = fileURLToPath(new URL('peers/scrapy.py', import.meta.url));
  const input = pages.map(({ id, url, html }) => JSON.stringify({ id, url, html })).join('\n');
  const { status, stdout } = spawnSync(debianPython, [program, '--convert', mode], {
    input,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'inherit'],
    maxBuffer: 2 ** 30,
  });
  if (status !== 0) throw new Error(`scrapy.py --convert ${mode} ended with ${status}.`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own program
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { text: string }).text);
}

function leakOf(text: string, boilerplate: readonly string[]): number {
  const haystack = text.toLowerCase();
  if (boilerplate.length === 0) return 0;
  return boilerplate.filter((piece) => haystack.includes(piece.toLowerCase())).length / boilerplate.length;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file, ...named] = process.argv.slice(2);
  if (file === undefined) throw new Error('Which file of marked pages? node bench/text-score.ts FILE [extractor...]');
  const all = Object.keys(extractors) as ExtractorName[];
  const unknown = named.filter((name) => !all.some((known) => known === name));
  if (unknown.length > 0) throw new Error(`There is no extractor ${unknown.join(', ')}. There are: ${all.join(', ')}`);
  console.log('| extractor | F1 | precision | recall | boilerplate |\n|---|--:|--:|--:|--:|');
  for (const name of all.filter((known) => named.length === 0 || named.includes(known))) {
    const { f1, precision, recall, leak } = await scoreTexts(file, name);
    console.log(`| ${name} | ${[f1, precision, recall, leak].map((figure) => figure.toFixed(3)).join(' | ')} |`);
  }
}
