// Pages that take all the memory they can get: all processes of the browser together stay within the limit, the other
// pages are rendered, and nothing is left.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Rendered } from '../../src/core/ports/renderer.ts';
import { type BrowserGroup, openBrowserGroup } from '../../src/render/browser-group.ts';
import { BrowserMemory } from '../../src/render/browser-memory.ts';
import type { BrowserRenderer } from '../../src/render/browser-renderer.ts';
import { isBrowserMissing, openRenderer, pageOf, textOf } from './browser.ts';
import { watchPeak } from './peak-memory.ts';

const mib = 2 ** 20;
const memoryMax = 1_024 * mib;
/** Without a group, what a page takes between two looks. */
const toleranceBytes = 128 * mib;

const probed = await openBrowserGroup(memoryMax);
await probed?.remove();
const canMakeGroup = probed !== undefined;

const hogs: Readonly<Record<string, string>> = {
  'large buffers': `const a = []; for (;;) a.push(new Uint8Array(1e8).fill(1))`,
  'small buffers, with each failure caught': `const a = []; for (;;) try { a.push(new Uint8Array(1e6).fill(1)) } catch {}`,
  strings: `const a = []; for (let i = 0;; i++) a.push(('x'.repeat(1e6) + i).split('').join('y'))`,
  elements: `for (;;) document.body.append(Object.assign(document.createElement('p'), { textContent: Math.random() }))`,
  canvases: `const a = []; for (;;) {
    const canvas = Object.assign(document.createElement('canvas'), { width: 4000, height: 4000 });
    const context = canvas.getContext('2d');
    context.fillRect(0, 0, 4000, 4000);
    context.getImageData(0, 0, 1, 1);
    a.push(canvas);
  }`,
  bitmaps: `const a = []; (async () => { for (;;) {
    const data = new ImageData(4000, 4000);
    data.data.fill(7);
    a.push(await createImageBitmap(data));
  } })()`,
  'WebAssembly memories': `const a = []; for (;;) {
    const memory = new WebAssembly.Memory({ initial: 1000, maximum: 1000 });
    new Uint8Array(memory.buffer).fill(1);
    a.push(memory);
  }`,
  blobs: `const a = []; for (let i = 0;; i++) a.push(new Blob([new Uint8Array(5e7).fill(i)]))`,
  workers: `const url = URL.createObjectURL(new Blob(['const a = []; for (;;) a.push(new Uint8Array(1e7).fill(1))']));
    for (let i = 0; i < 3; i++) new Worker(url)`,
};
const hog = (name: string, more: string = '') =>
  pageOf(`<body>text<script>${hogs[name]}</script>`, {}, { contextKey: `${name} ${more}` });
const ordinary = (n: number) =>
  pageOf(`<body><script>setTimeout(() => document.body.append('page ${n}'), 500)</script>`, {}, { contextKey: 'good' });

/** Renders the pages while ordinary ones are rendered one after the other. Returns the endings and the texts. */
async function renderAmong(renderer: BrowserRenderer, pages: readonly ReturnType<typeof pageOf>[]) {
  const done = new AbortController();
  const texts: string[] = [];
  const others = (async () => {
    for (let n = 0; !done.signal.aborted || n < 3; n++) texts.push(textOf(await renderer.render(ordinary(n))));
  })();
  const ends = await Promise.all(pages.map((page) => renderer.render(page)));
  done.abort();
  await others;
  return { ends, texts, expected: texts.map((_, n) => `page ${n}`) };
}

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const cases: readonly (readonly [string, readonly string[]])[] = [
  ...['large buffers', 'canvases', 'WebAssembly memories'].map((name) => [name, [name]] as const),
  ['blobs, which the browser keeps', ['blobs']],
  ['buffers, in three tabs at a time', ['large buffers', 'large buffers', 'large buffers']],
  ['different things, in four tabs at a time', ['strings', 'elements', 'bitmaps', 'workers']],
];

describe.skipIf(isBrowserMissing || !canMakeGroup)(
  'the memory of the browser in a cgroup (needs root, chromium-headless-shell and bubblewrap)',
  () => {
    const peakOf = ({ processesFile }: BrowserGroup): number => {
      const files = ['memory.peak', 'memory.max_usage_in_bytes'].map((name) =>
        path.join(path.dirname(processesFile), name),
      );
      return Number(readFileSync(files.find(existsSync) ?? '', 'utf8'));
    };

    test.each([
      ...cases,
      // Without a cgroup, such a page keeps within the limit of its process and runs for a minute.
      ['small buffers, with each failure caught', ['small buffers, with each failure caught']] as const,
    ])(
      'browser memory: is at most 1,024 MiB in a cgroup when a page takes %s',
      { timeout: 240_000 },
      async (_, names) => {
        const group = await openBrowserGroup(memoryMax);
        if (group === undefined) throw new Error('no group');
        const renderer = openRenderer({ openMemory: async () => new BrowserMemory(group) });
        cleanups.push(() => renderer.close());
        const { ends, texts, expected } = await renderAmong(
          renderer,
          names.map((name, n) => hog(name, String(n))),
        );
        const peak = peakOf(group);
        console.log(
          `${names.join(', ')}: ${Math.round(peak / mib)} MiB, ${group.kills()} kills, ${texts.length} other pages`,
        );
        expect(texts).toEqual(expected);
        for (const end of ends) expect(end).toMatchObject({ kind: 'failure', reason: 'render_crashed' });
        expect(peak).toBeLessThanOrEqual(memoryMax);
        await renderer.close();
        expect(existsSync(group.processesFile)).toBe(false);
      },
    );

    test('openBrowserGroup: removes the group of a process that was killed', async () => {
      const first = await openBrowserGroup(memoryMax);
      if (first === undefined) throw new Error('no group');
      cleanups.push(() => first.remove());
      // As if another process, which no longer exists, had made it.
      const parent = path.dirname(path.dirname(first.processesFile));
      const old = path.join(parent, 'hayrake-browser-999999999-abc');
      mkdirSync(old);
      const second = await openBrowserGroup(memoryMax);
      expect([existsSync(old), existsSync(first.processesFile)]).toEqual([false, true]);
      await second?.remove();
    });
  },
);

describe.skipIf(isBrowserMissing)(
  'the memory of the browser without a cgroup (needs chromium-headless-shell and bubblewrap)',
  () => {
    test.each(cases)(
      'browser memory: is at most 1,024 MiB and a tolerance without a cgroup when a page takes %s',
      { timeout: 240_000 },
      async (_, names) => {
        const renderer = openRenderer({ openMemory: async () => new BrowserMemory(undefined) });
        cleanups.push(() => renderer.close());
        await renderer.render(ordinary(0));
        const peakOf = watchPeak();
        const { ends, texts, expected } = await renderAmong(
          renderer,
          names.map((name, n) => hog(name, String(n))),
        );
        const peak = await peakOf();
        console.log(`${names.join(', ')}: ${Math.round(peak / mib)} MiB, ${texts.length} other pages`);
        expect(texts).toEqual(expected);
        // A page that was refused memory ends its script, and its text is there.
        const isExpected = (end: Rendered): boolean =>
          end.kind === 'page' || (end.kind === 'failure' && end.reason === 'render_crashed');
        expect(ends.filter((end) => !isExpected(end))).toEqual([]);
        expect(peak).toBeLessThanOrEqual(memoryMax + toleranceBytes);
      },
    );
  },
);
