// A tab that renders several pages of one job and host: each page must be as if the tab were new.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BrowserRenderer } from '../../src/render/browser-renderer.ts';
import { isBrowserMissing, openRenderer, origin, pageOf, textOf } from './browser.ts';

const body = (script: string): string => `<!doctype html><body>text <script>${script}</script>`;
const next = body(`setTimeout(() => document.body.append('of the next page'), 1000)`);
const nextText = 'text of the next page';

describe.skipIf(isBrowserMissing)('a used tab (needs chromium-headless-shell and bubblewrap)', () => {
  let renderer: BrowserRenderer;
  beforeAll(() => {
    // One tab, so that each page follows the one before it.
    renderer = openRenderer({ pages: 1, limits: { wallMs: 4_000 } });
  });
  afterAll(() => renderer.close());

  /** Two pages of a context of their own; what they request is collected. */
  const inTurn = async (key: string, first: string, second: string) => {
    const requested: string[] = [];
    const render = (path: string, html: string) => {
      const page = pageOf(html, {}, { url: `${origin}/${path}`, contextKey: key });
      return renderer.render({
        ...page,
        ask: async (request) => {
          requested.push(`${path}: ${new URL(request.url).pathname}`);
          return page.ask(request);
        },
      });
    };
    await render('first', first);
    return { shown: await render('second', second), requested };
  };

  test('is used again: the time of the second page begins where the first ended', async () => {
    const begin = body(`localStorage.at = Date.now()`);
    const { shown } = await inTurn('age', begin, body(`document.body.append(Date.now() - localStorage.at)`));
    // A new tab begins with the real time, at most a few hundred milliseconds later.
    expect(Number(textOf(shown).split(' ')[1])).toBeGreaterThan(5_000);
  });

  test.each<[string, string]>([
    ['an interval that requests', `setInterval(() => fetch('/again'), 100)`],
    ['an endless worker', `new Worker(URL.createObjectURL(new Blob(['for (;;);'])))`],
    ['a worker with an interval', `new Worker(URL.createObjectURL(new Blob(['setInterval(() => {}, 1)'])))`],
    [
      'a handler that asks whether to leave',
      `addEventListener('beforeunload', (e) => { e.preventDefault(); e.returnValue = 'x' })`,
    ],
    ['a handler that never ends', `addEventListener('pagehide', () => { for (;;); })`],
    ['an endless loop', `for (;;);`],
    ['a redirect', `location = '/elsewhere'`],
    ['a dialog', `alert(1)`],
    ['changed builtins', `Array.prototype.map = setTimeout = null`],
    ['many elements', `document.body.append(...Array.from({ length: 20000 }, () => document.createElement('p')))`],
    ['a fetch that never ends', `fetch('/never')`],
    ['history', `for (let i = 0; i < 60; i++) history.pushState(i, '', '/state/' + i)`],
  ])('renders the next page whole after %s', async (name, script) => {
    const { shown } = await inTurn(name, body(script), next);
    expect(textOf(shown)).toBe(nextText);
    expect(shown).toMatchObject({ kind: 'page', url: `${origin}/second`, routes: [] });
    expect(shown).not.toHaveProperty('cut');
  });

  test('has no name, no session storage and no way back from the page before', async () => {
    const first = body(`window.name = 'kept'; sessionStorage.x = 'kept'; localStorage.y = 'shared'`);
    const second = body(
      `document.body.append(window.name, sessionStorage.x, localStorage.y); history.back(); history.go(-2)`,
    );
    const { shown } = await inTurn('storage', first, second);
    expect(textOf(shown)).toBe('text undefinedshared');
  });

  test('sends nothing of the page before, while it is left', async () => {
    const first =
      body(`document.addEventListener('visibilitychange', () => fetch('/left', { method: 'POST', keepalive: true }));
      addEventListener('pagehide', () => fetch('/hidden', { keepalive: true }));
      addEventListener('unload', () => fetch('/unloaded', { keepalive: true }))`);
    const { shown, requested } = await inTurn('leaving', first, next);
    expect(textOf(shown)).toBe(nextText);
    expect(requested).toEqual([]);
  });
});
