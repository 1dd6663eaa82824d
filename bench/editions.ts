// Proof that a crawl with `since` finds every change of a real documentation and nothing else: the pages of a package are
// crawled, 1 % of them are edited, 1 % deleted and 1 % added, a tenth gets a new date only, and they are crawled again.
//
//   node bench/editions.ts [corpus, default all]...
import { cpSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { contentsOf, corpusFolder, corpusNames, type ServedCorpus, serveFolder } from './corpus.ts';
import { crawl, type JobAnswer, readAll, readLedger, type Service, startService } from './service.ts';

type Kind = 'added' | 'changed' | 'removed';

interface Change {
  readonly change: string;
  readonly url: string;
}

const words = 'hay rake field meadow barn summer wagon scythe stack clover dry wind early late long short'.split(' ');
/** A paragraph with enough text that it belongs to the content of its page. */
const paragraph = /<p(?:\s[^>]*)?>(?=[^<]{40})/g;

const given = process.argv.slice(2);
let isExact = true;
console.log(
  '| | pages | edited | deleted | added | new date only | missed | not expected |\n|---|--:|--:|--:|--:|--:|--:|--:|',
);
for (const name of given.length > 0 ? given : corpusNames) await compareEditions(name);
process.exitCode = isExact ? 0 : 1;

async function compareEditions(name: string): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'hayrake-editions-'));
  cpSync(corpusFolder(name), folder, { recursive: true, dereference: true });
  const site = await serveFolder(folder, contentsOf(name));
  const service = await startService();
  try {
    const first = await crawl(service, site.contentsUrl);
    const { pages, expected, dated } = await changeFiles(service, first, site, folder);
    const second = await crawl(service, site.contentsUrl, 100_000, { since: first.id });
    const found = new Map((await changesOf(service, second)).map(({ url, change }) => [url, change]));

    const missed = [...expected].filter(([url, kind]) => found.get(url) !== kind);
    const others = [...found].filter(([url, kind]) => expected.get(url) !== kind);
    const count = (kind: Kind): number => [...expected.values()].filter((one) => one === kind).length;
    const cells = [pages, count('changed'), count('removed'), count('added'), dated, missed.length, others.length];
    console.log(`| ${name} | ${cells.join(' | ')} |`);
    for (const [url, kind] of missed.slice(0, 10))
      console.error(`missed: ${url} is ${kind}, found as ${found.get(url)}`);
    for (const [url, kind] of others.slice(0, 10)) console.error(`not expected: ${url} is reported as ${kind}`);
    isExact &&= missed.length === 0 && others.length === 0;
  } finally {
    await service.stop();
    await site.close();
    rmSync(folder, { recursive: true });
  }
}

/** Makes the second edition, and returns what a crawl of it must report. */
async function changeFiles(service: Service, job: JobAnswer, site: ServedCorpus, folder: string) {
  const delivered = (await readLedger(service, job)).filter(({ page }) => page !== undefined).map(({ url }) => url);
  const fileOf = (url: string): string => path.join(folder, decodeURIComponent(new URL(url).pathname));
  // A page without such a paragraph is not chosen: an edit that no reader sees is no change.
  const editable = delivered.filter(
    (url) =>
      url !== site.contentsUrl && url.endsWith('.html') && readFileSync(fileOf(url), 'utf8').search(paragraph) >= 0,
  );
  const share = Math.max(1, Math.round(delivered.length / 100));
  // Spread over the whole site: each third of a step has its own kind of change.
  const step = Math.floor(editable.length / share);
  const spread = (offset: number): string[] =>
    Array.from({ length: share }, (_, index) => editable[index * step + Math.floor(offset * step)] ?? '');

  const expected = new Map<string, Kind>();
  const edited = spread(0);
  const deleted = spread(1 / 3);
  for (const [index, url] of edited.entries()) {
    // Next to the page that links to it.
    const added = new URL(`second-edition-${index}.html`, url).href;
    writeFileSync(fileOf(added), newPage(index));
    edit(
      fileOf(url),
      `The second edition of this page has <a href="${path.basename(added)}">a new part ${index}</a>. `,
    );
    expected.set(url, 'changed').set(added, 'added');
  }
  for (const url of deleted) {
    rmSync(fileOf(url));
    expected.set(url, 'removed');
  }
  const dated = editable.filter((url, index) => index % 10 === 0 && !expected.has(url));
  const tomorrow = Date.now() / 1000 + 86_400;
  for (const url of dated) utimesSync(fileOf(url), tomorrow, tomorrow);
  return { pages: delivered.length, expected, dated: dated.length };
}

/** Puts a sentence at the start of the paragraph in the middle of the page. */
function edit(file: string, sentence: string): void {
  const html = readFileSync(file, 'utf8');
  const starts = [...html.matchAll(paragraph)];
  const start = starts[Math.floor(starts.length / 2)];
  if (start === undefined) throw new Error(`${file} has no paragraph.`);
  const at = start.index + start[0].length;
  writeFileSync(file, html.slice(0, at) + sentence + html.slice(at));
}

function newPage(index: number): string {
  const sentence = (from: number): string =>
    Array.from({ length: 30 }, (_, word) => `${words[(from + word * (index + 3)) % words.length]}${from % 7}`).join(
      ' ',
    );
  const text = Array.from(
    { length: 6 },
    (_, part) => `<p>Part ${part} of ${index}: ${sentence(index * 31 + part)}.</p>`,
  );
  return `<!doctype html><title>New part ${index}</title><main><h1>New part ${index}</h1>${text.join('\n')}</main>`;
}

async function changesOf(service: Service, job: JobAnswer): Promise<Change[]> {
  const kinds = 'added,changed,removed,unknown';
  return (await readAll<Change>(service, `/crawler/jobs/${job.id}/changes?limit=400&change=${kinds}`)).flat();
}
