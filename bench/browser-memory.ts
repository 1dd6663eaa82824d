// Memory of the browser and of the process that drives it, over many rendered pages. The content of each page is checked.
//
//   node bench/browser-memory.ts [pages, default 2000]
import { createBrowserRenderer } from '../src/render/browser-renderer.ts';
import { findUsableBrowser } from '../src/render/probe-browser.ts';

const pages = Number(process.argv[2] ?? 2_000);
if (!Number.isInteger(pages) || pages < 1) throw new Error('How many pages? A whole number, 1 or more.');
const { path: binary, bwrapPath: bwrap, problem } = await findUsableBrowser({ browser: 'auto', sandbox: 'require' });
if (problem || binary === undefined) throw new Error(problem?.message ?? 'There is no browser.');
const tabs = 4;
const log = { debug: () => {}, info: () => {}, warn: console.warn, error: console.error };
const renderer = createBrowserRenderer({ binary, bwrap, pages: tabs, log });
const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);

/** A page with a list that a script makes from an answer, as applications have it. */
const script = `fetch('/api' + location.pathname).then((r) => r.json()).then((rows) => {
  document.body.append(...rows.map((row) => Object.assign(document.createElement('p'), { textContent: row })));
})`;

let done = 0;
let wrong = 0;
let peak = 0;
console.log('| pages | browser, MiB | this process, MiB | starts |\n|--:|--:|--:|--:|');
const startedAt = performance.now();
const lane = async (): Promise<void> => {
  for (let number = done++; number < pages; number = done++) {
    const rendered = await renderer.render({
      url: `http://site.example/${number}`,
      contextKey: `job ${number % 20}`,
      statusCode: 200,
      contentType: 'text/html',
      body: Buffer.from(`<!doctype html><title>${number}</title><body><script>${script}</script>`),
      cookies: '',
      userAgent: 'hayrake/bench',
      blockResources: true,
      signal: new AbortController().signal,
      ask: () => {
        const rows = Array.from({ length: 200 }, (_, at) => `Row ${at} of page ${number}.`);
        return Promise.resolve({
          kind: 'resource',
          statusCode: 200,
          headers: [['content-type', 'application/json']],
          body: Buffer.from(JSON.stringify(rows)),
        });
      },
    });
    if (rendered.kind !== 'page' || !rendered.html.includes(`Row 199 of page ${number}.`)) wrong++;
    peak = Math.max(peak, renderer.status().memoryBytes);
    if ((number + 1) % Math.max(1, Math.floor(pages / 10)) === 0) {
      const { memoryBytes, restarts } = renderer.status();
      console.log(`| ${number + 1} | ${mib(memoryBytes)} | ${mib(process.memoryUsage().rss)} | ${restarts + 1} |`);
    }
  }
};
await Promise.all(Array.from({ length: tabs }, lane));
const seconds = (performance.now() - startedAt) / 1000;
console.log(
  `\n${pages} pages, ${wrong} wrong, ${(pages / seconds).toFixed(1)} pages/s; browser at most ${mib(peak)} MiB`,
);
await renderer.close();
process.exitCode = wrong === 0 ? 0 : 1;
