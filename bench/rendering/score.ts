// How well hayrake tells pages that need a browser from those that do not: `node bench/rendering/score.ts [FILE...]`.
// Each FILE has pages that are known to have their text: a JSON object a line, plain or packed with gzip, with `url` and `html`.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { betterOf, needsBrowser, ownTextLength } from '../../src/crawl/convert/needs-browser.ts';
import { extractPage, type ExtractedPage } from '../../src/extract/extract-page.ts';
import { buildPages, type BuiltPage } from './build.ts';
import { openPageRenderer } from './render-page.ts';
import { servePages } from './serve-pages.ts';

interface Row {
  readonly name: string;
  readonly needsBrowser: boolean;
  /** Rules were written while looking at the first half. */
  readonly half: 'tuned on' | 'held out';
  readonly verdict: 'no' | 'try' | 'render';
  readonly sign: string;
  readonly fetchedLength: number;
  readonly renderedLength: number;
  readonly isRendered: boolean;
}

await scoreBuiltPages();
for (const file of process.argv.slice(2)) scoreStaticPages(file);

async function scoreBuiltPages(): Promise<void> {
  const out = mkdtempSync(path.join(tmpdir(), 'hayrake-rendering-'));
  try {
    const pages = await buildPages(out);
    const rows = await rowsOf(pages, out);
    for (const row of rows) console.log(lineOf(row));
    for (const half of ['tuned on', 'held out'] as const) {
      const some = rows.filter((row) => row.half === half);
      console.log(`\n${half}: ${some.length} pages, ${some.filter((row) => row.needsBrowser).length} need a browser`);
      console.log(`  verdict render         ${figures(some, ({ verdict }) => verdict === 'render')}`);
      console.log(`  verdict render or try  ${figures(some, ({ verdict }) => verdict !== 'no')}`);
      console.log(`  delivered as rendered  ${figures(some, ({ isRendered }) => isRendered)}`);
    }
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

async function rowsOf(pages: readonly BuiltPage[], out: string): Promise<Row[]> {
  const server = await servePages(out);
  const renderer = await openPageRenderer(2);
  try {
    const rows: Row[] = [];
    const left = [...pages];
    const work = async (): Promise<void> => {
      for (let page = left.shift(); page !== undefined; page = left.shift()) {
        const url = `${server.origin}/${page.name}/`;
        rows.push(rowOf(page, url, await renderer.render(url, page.html)));
      }
    };
    await Promise.all([work(), work()]);
    return rows.toSorted((one, other) => one.name.localeCompare(other.name));
  } finally {
    await renderer.close();
    await server.close();
  }
}

function rowOf({ name, html, needsBrowser: needs }: BuiltPage, url: string, renderedHtml: string): Row {
  const page = extracted(url, html);
  const { verdict, sign } = needsBrowser(page);
  const fetched = { ownLength: ownTextLength(page) };
  const rendered = { ownLength: ownTextLength(extracted(url, renderedHtml)) };
  return {
    name,
    needsBrowser: needs,
    half: (createHash('sha256').update(name).digest()[0] ?? 0) % 2 === 0 ? 'tuned on' : 'held out',
    verdict,
    sign,
    fetchedLength: fetched.ownLength,
    renderedLength: rendered.ownLength,
    isRendered: verdict !== 'no' && betterOf(verdict, fetched, rendered) === rendered,
  };
}

function scoreStaticPages(file: string): void {
  const bytes = readFileSync(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  const pages = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly url: string; readonly html: string });
  // Once for V8, then measured.
  judge(pages);
  const { flagged, extractMs, judgeMs } = judge(pages);
  console.log(`\n${file}: ${pages.length} pages, ${flagged.length} flagged`);
  for (const line of flagged) console.log(`  ${line}`);
  console.log(
    `  CPU ms a page: reading it ${(extractMs / pages.length).toFixed(2)}, the verdict ${(judgeMs / pages.length).toFixed(3)} (${((100 * judgeMs) / extractMs).toFixed(1)} %)`,
  );
}

function judge(pages: readonly { readonly url: string; readonly html: string }[]): {
  readonly flagged: readonly string[];
  readonly extractMs: number;
  readonly judgeMs: number;
} {
  const flagged: string[] = [];
  let [extractMs, judgeMs] = [0, 0];
  for (const { url, html } of pages) {
    const startedAt = process.cpuUsage().user;
    const page = extracted(url, html);
    const readAt = process.cpuUsage().user;
    const { verdict, sign } = needsBrowser(page);
    judgeMs += (process.cpuUsage().user - readAt) / 1000;
    extractMs += (readAt - startedAt) / 1000;
    if (verdict !== 'no') flagged.push(`${verdict} (${sign}), ${page.textLength} characters: ${url}`);
  }
  return { flagged, extractMs, judgeMs };
}

function extracted(url: string, html: string): ExtractedPage {
  return extractPage(html, {
    url,
    headers: { link: '', refresh: '', contentLanguage: '' },
    robotsTag: new Set(),
    outputFormat: 'markdown',
    content: 'auto',
    excludeElements: null,
  });
}

function lineOf({
  name,
  needsBrowser: needs,
  half,
  verdict,
  sign,
  fetchedLength,
  renderedLength,
  isRendered,
}: Row): string {
  const mark = needs === isRendered ? '  ' : '! ';
  const lengths = `${String(fetchedLength).padStart(5)} ${String(renderedLength).padStart(6)}`;
  return `${mark}${name.padEnd(26)} ${half}  ${needs ? 'needs' : '     '} ${verdict.padEnd(6)} ${lengths} ${isRendered ? 'rendered' : 'as fetched'.padEnd(8)}  ${sign}`;
}

function figures(rows: readonly Row[], isFlagged: (row: Row) => boolean): string {
  const right = rows.filter((row) => row.needsBrowser && isFlagged(row)).length;
  const wrong = rows.filter((row) => !row.needsBrowser && isFlagged(row)).length;
  const missed = rows.filter((row) => row.needsBrowser && !isFlagged(row)).length;
  const share = (of: number): string => (right + of === 0 ? '-' : (right / (right + of)).toFixed(3));
  return `precision ${share(wrong)}, recall ${share(missed)} (${right} right, ${wrong} wrong, ${missed} missed)`;
}
