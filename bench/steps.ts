// What each step of reading a page takes, one after the other on the pages of a corpus, in one thread and with all code compiled; and
// what the bare loop's reading of the same pages takes. Serves nothing, fetches nothing: reads files.
//
//   node bench/steps.ts [corpus...]
import { globSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { extractPage, type ExtractOptions } from '../src/extract/extract-page.ts';
import { readJsonLd } from '../src/extract/scan/json-ld.ts';
import { extractLinks } from '../src/extract/scan/links.ts';
import { chooseContent } from '../src/extract/content/main-content.ts';
import { toMarkdown } from '../src/extract/write/markdown/to-markdown.ts';
import { pageUrls } from '../src/extract/scan/page-urls.ts';
import { parseHtml } from '../src/extract/html/parse-html.ts';
import { scanPage } from '../src/extract/scan/scan-page.ts';
import { corpusFolder, corpusNames } from './corpus.ts';
import { PageReader } from './peers/bare-loop-reader.ts';

const pagesMax = 500;
/** To have all code compiled. */
const warmUpRounds = 3;
const rounds = 7;

interface Page {
  readonly url: string;
  readonly body: Buffer;
  readonly html: string;
}

type Step = (page: Page) => unknown;

const none = { links: [], refresh: '', contentLanguage: '', robots: new Set<string>(), things: readJsonLd([]) };

const steps: Readonly<Record<string, () => Step>> = {
  'the bare loop': () => {
    const reader = new PageReader();
    return ({ url, body }) => reader.read(url, body);
  },
  tree:
    () =>
    ({ html }) =>
      parseHtml(html),
  'tree, links': () => linked,
  'tree, links, Markdown of all': () => (page) => {
    const { document, urls } = linked(page);
    return toMarkdown({ nodes: document.children, skipped: new Set<never>() }, urls.readable);
  },
  'tree, links, content, its Markdown': () => (page) => {
    const { document, urls } = linked(page);
    return toMarkdown(chooseContent(document, 'auto', null), urls.readable);
  },
  'the whole of it': () => (page) => extractPage(page.html, optionsOf(page)),
  'the whole of it, packed': () => (page) => deflateRawSync(extractPage(page.html, optionsOf(page)).text, { level: 4 }),
};

function linked({ html, url }: Page): {
  readonly document: ReturnType<typeof parseHtml>;
  readonly urls: ReturnType<typeof pageUrls>;
} {
  const document = parseHtml(html);
  const elements = scanPage(document);
  const urls = pageUrls(url, elements.base);
  extractLinks(elements, urls, none);
  return { document, urls };
}

function optionsOf({ url }: Page): ExtractOptions {
  const headers = { link: '', refresh: '', contentLanguage: '' };
  return { url, headers, robotsTag: new Set(), outputFormat: 'markdown', content: 'auto', excludeElements: null };
}

/** Pages from all of the corpus. */
function sampleOf(corpus: string): Page[] {
  const folder = corpusFolder(corpus);
  // Parts of it may stand elsewhere.
  const parts = readdirSync(folder).map((name) => realpathSync(path.join(folder, name)));
  const files = parts.flatMap((part) => (part.endsWith('.html') ? [part] : globSync(`${part}/**/*.html`))).toSorted();
  const every = Math.ceil(files.length / pagesMax);
  return files
    .filter((_, index) => index % every === 0)
    .map((file) => {
      const body = readFileSync(file);
      return { url: `http://127.0.0.1${file}`, body, html: body.toString() };
    });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

const named = process.argv.slice(2);
console.log(`Node ${process.versions.node}, processor ms a page\n`);
for (const corpus of named.length > 0 ? named : corpusNames) {
  const pages = sampleOf(corpus);
  const bytes = pages.reduce((sum, { body }) => sum + body.length, 0);
  console.log(
    `| ${corpus}: ${pages.length} pages of ${(bytes / pages.length / 1000).toFixed(0)} KB | ms a page |\n|---|--:|`,
  );
  const taken = new Map<string, number[]>();
  for (let round = 0; round < warmUpRounds + rounds; round++) {
    for (const [name, make] of Object.entries(steps)) {
      const step = make();
      const before = process.threadCpuUsage();
      for (const page of pages) step(page);
      const { user, system } = process.threadCpuUsage(before);
      if (round >= warmUpRounds) taken.set(name, [...(taken.get(name) ?? []), (user + system) / 1000 / pages.length]);
    }
  }
  for (const [name, all] of taken) console.log(`| ${name} | ${median(all).toFixed(2)} |`);
  console.log('');
}
