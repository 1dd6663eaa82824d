// What the browser makes of pages, with all of its fences.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Rendered } from '../../src/core/ports/renderer.ts';
import type { BrowserRenderer } from '../../src/render/browser-renderer.ts';
import { isBrowserMissing, openRenderer, origin, pageIn, pageOf, textOf } from './browser.ts';

const body = (script: string, html = ''): string => `<!doctype html><body>${html}<script>${script}</script>`;
const append = (text: string): string => `document.body.append('${text}')`;

describe.skipIf(isBrowserMissing)('a page in the browser (needs chromium-headless-shell and bubblewrap)', () => {
  let renderer: BrowserRenderer;
  beforeAll(() => {
    renderer = openRenderer();
  });
  afterAll(() => renderer.close());

  test.each<[string, string, string]>([
    ['a timer of 3 s', body(`setTimeout(() => ${append('late')}, 3000)`), 'late'],
    ['an interval', body(`let n = 0; setInterval(() => { if (++n === 10) ${append('ten')} }, 100)`), 'ten'],
    [
      'thirty frames',
      body(`let n = 0; const f = () => ++n === 30 ? ${append('thirty')} : requestAnimationFrame(f); f()`),
      'thirty',
    ],
    ['an idle callback', body(`requestIdleCallback(() => ${append('idle')})`), 'idle'],
    [
      'an animation',
      body(`document.body.animate([{opacity: 0}, {opacity: 1}], 1e5).finished.then(() => ${append('shown')})`),
      'shown',
    ],
    ['a view transition', body(`document.startViewTransition(() => ${append('moved')})`), 'moved'],
    ['dialogs', body(`alert(1); confirm(2); prompt(3); ${append('after')}`), 'after'],
    ['a popup', body(`window.open('${origin}/other'); ${append('here')}`), 'here'],
    [
      'a download',
      body(
        `const a = document.createElement('a'); a.download = 'x'; a.href = 'data:text/plain,x'; a.click(); ${append('here')}`,
      ),
      'here',
    ],
    ['document.write', '<!doctype html><script>document.write("<body>written")</script>', 'written'],
    ['a reload of itself', body('location.reload()', 'stays'), 'stays'],
    ['a frame of another site', body('', 'around <iframe src="http://other.example/"></iframe>'), 'around'],
  ])('with %s is waited for', async (_, html, text) => {
    expect(textOf(await renderer.render(pageOf(html)))).toBe(text);
  });

  test('a fetch stops the time of the page, so that timers after it count', async () => {
    const script = `setTimeout(async () => {
      const { word } = await (await fetch('/api')).json();
      setTimeout(() => document.body.append(word), 2500);
    }, 800)`;
    const slow = async (): Promise<string> => sleep(600, '{"word":"fetched"}');
    expect(textOf(await renderer.render(pageOf(body(script), { '/api': slow })))).toBe('fetched');
  });

  test('scripts, modules, workers and POST requests are answered', async () => {
    const js = (text: string) => ({ type: 'text/javascript', text });
    const html = `<!doctype html><body><p id=m></p><p id=w></p><p id=q></p><script type=module src=/main.js></script>`;
    const rendered = await renderer.render(
      pageOf(html, {
        '/main.js': js(`import { name } from './part.js'; m.textContent = name;
          new Worker('/worker.js').onmessage = ({ data }) => { w.textContent = data; };
          const r = await fetch('/graphql', { method: 'POST', body: '{"query":"{x}"}' }); q.textContent = (await r.json()).echo;`),
        '/part.js': js(`export const name = 'module'`),
        '/worker.js': js(`postMessage('worker')`),
        '/graphql': ({ method, body: sent }) =>
          JSON.stringify({ echo: `${method} ${Buffer.from(sent ?? []).toString()}` }),
      }),
    );
    expect(textOf(rendered)).toBe('module worker POST {"query":"{x}"}');
    expect(pageIn(rendered).requests).toBe(4);
  });

  test('cookies of the job are seen, and those that an answer sets are kept for the job alone', async () => {
    const html = body(
      `fetch('/set').then(() => fetch('/see')).then((r) => r.text()).then((t) => document.body.append(document.cookie, '; ', t))`,
    );
    const sent: (string | undefined)[] = [];
    const see = ({ headers }: { headers: Readonly<Record<string, string>> }): string => {
      sent.push(headers['cookie']);
      return 'seen';
    };
    const set = {
      ask: async (request: { url: string; headers: Readonly<Record<string, string>> }) => ({
        kind: 'resource' as const,
        statusCode: 200,
        headers: [['set-cookie', 'secret=2; HttpOnly; Path=/']] as const,
        body: Buffer.from(request.url.endsWith('/see') ? see(request) : ''),
      }),
      cookies: 'given=1',
    };
    expect(textOf(await renderer.render(pageOf(html, {}, set)))).toBe('given=1; seen');
    expect(sent).toEqual(['given=1; secret=2']);
    await renderer.render(pageOf(body(`fetch('/see')`), { '/see': see }, { contextKey: 'another job' }));
    expect(sent.at(-1)).toBeUndefined();
  });

  test('closed shadow roots and slots are part of the document', async () => {
    const html = body(
      `customElements.define('x-a', class extends HTMLElement { connectedCallback() {
        this.attachShadow({ mode: 'closed' }).innerHTML = '<h1><slot name=t>none</slot></h1><p>before <slot></slot> after</p>'; } });
       customElements.define('x-b', class extends HTMLElement { connectedCallback() {
        this.attachShadow({ mode: 'open' }).innerHTML = '<x-a><b slot=t>Title</b><slot></slot></x-a>'; } });`,
      '<x-b>light &amp; &lt;dark&gt;</x-b>',
    );
    const { html: flat } = pageIn(await renderer.render(pageOf(html)));
    expect(flat).toContain('<h1><b slot="t">Title</b></h1><p>before light &amp; &lt;dark&gt; after</p>');
    expect(flat).not.toContain('<slot');
  });

  // A quick machine ends the time of a page before its first frame, so each is rendered in new tabs and in used ones.
  test.each<[string, string, string]>([
    [
      'blocks that come into view',
      body(
        `const o = new IntersectionObserver((seen) => seen.forEach(({ isIntersecting, target }) => {
          if (isIntersecting) { o.unobserve(target); target.append('x'); } }));
          document.querySelectorAll('i').forEach((b) => o.observe(b))`,
        '<i style="display:block;height:190px"></i>'.repeat(60),
      ),
      'x'.repeat(60),
    ],
    [
      'rows that follow when the last one comes into view',
      body(
        `let rows = 0;
        const more = () => { for (let i = 0; i < 10; i++, rows++) list.insertAdjacentHTML('beforeend', '<p style="height:150px">x'); };
        const o = new IntersectionObserver(([{ isIntersecting }]) => {
          if (isIntersecting && rows < 60) setTimeout(() => { more(); o.unobserve(end); o.observe(end); }, 300); });
        more(); o.observe(end)`,
        '<div id=list></div><hr id=end>',
      ),
      'x'.repeat(60),
    ],
    [
      'an element that is measured',
      body(
        `new ResizeObserver(([{ contentRect }]) => document.body.append(contentRect.width)).observe(d)`,
        '<div id=d style="width:300px"></div>',
      ),
      '300',
    ],
    ['a lazy image', body(`i.onload = () => ${append('loaded')}`, '<img id=i loading=lazy src=/a.png>'), 'loaded'],
  ])('%s: what a page does when it is shown is waited for', async (_, html, text) => {
    const contextKeys = ['new', 'a', 'b', 'c', 'new', 'new', 'new', 'new'].map((key) => `${key} ${text}`);
    for (const contextKey of contextKeys) {
      expect(textOf(await renderer.render(pageOf(html, {}, { contextKey }))).replaceAll(' ', '')).toBe(text);
    }
  });

  const openStore = `const store = (then) => { const opening = indexedDB.open('x');
    opening.onupgradeneeded = () => opening.result.createObjectStore('s');
    opening.onsuccess = () => then((mode) => opening.result.transaction('s', mode).objectStore('s')); };`;
  test.each<[string, string, string]>([
    [
      'a database, whose content is shown after a request and a timer',
      `${openStore} store((s) => { s('readwrite').put('/api', 'k').onsuccess = () => s('readonly').get('k').onsuccess = async (e) => {
        const text = await (await fetch(e.target.result)).text();
        setTimeout(() => s('readonly').count().onsuccess = () => document.body.append(text), 900); }; })`,
      'fetched',
    ],
    [
      'a cache',
      `caches.open('x').then(async (c) => { await c.put('/k', new Response('cached')); document.body.append(await (await c.match('/k')).text()); })`,
      'cached',
    ],
    [
      'a database that is used without end',
      `${openStore} store((s) => { const again = () => s('readonly').count().onsuccess = again; again(); document.body.append('here'); })`,
      'here',
    ],
    [
      'a service worker, which it does not get',
      `navigator.serviceWorker.register('/sw.js').then(() => document.body.append('registered'))`,
      'registered',
    ],
  ])('a page that waits for %s', async (_, script, text) => {
    for (const contextKey of [`new ${text}`, 'b', 'b', 'b'].map((key) => `storage ${key}`)) {
      const more = { contextKey, url: 'https://site.example/' };
      const rendered = pageIn(await renderer.render(pageOf(body(script), { '/api': 'fetched' }, more)));
      expect([textOf(rendered), rendered.cut]).toEqual([text, undefined]);
    }
  });

  test.each<[string, string, string]>([
    ['location', body(`location.href = '/next?a=1'`), `${origin}/next?a=1`],
    ['location of another host', body(`location.replace('https://other.example/')`), 'https://other.example/'],
    ['meta refresh', '<meta http-equiv=refresh content="0;url=/next"><body>x', `${origin}/next`],
    ['a form', body(`document.forms[0].submit()`, '<form action=/next></form>'), `${origin}/next?`],
  ])('%s is handed back, and nothing is requested from there', async (_, html, url) => {
    const asked: string[] = [];
    const ask = async (request: { url: string }) => {
      asked.push(request.url);
      return { kind: 'refused', reason: 'test' } as const;
    };
    expect(await renderer.render(pageOf(html, {}, { ask }))).toEqual({ kind: 'redirect', url });
    expect(asked).toEqual([]);
  });

  test('addresses that a page gives itself are routes', async () => {
    const html = body(
      `history.pushState({}, '', '/a'); history.pushState({}, '', '/b'); history.replaceState({}, '', '#c')`,
    );
    const { routes, url } = pageIn(await renderer.render(pageOf(html)));
    expect(routes).toEqual([`${origin}/a`, `${origin}/b`, `${origin}/b#c`]);
    expect(url).toBe(`${origin}/b#c`);
  });

  test('wait_for: a selector, or milliseconds of the time of the page', async () => {
    const late = body(`setTimeout(() => { document.body.innerHTML = '<p id=x>late</p>' }, 12000)`);
    expect(textOf(await renderer.render(pageOf(late)))).toBe('');
    expect(textOf(await renderer.render(pageOf(late, {}, { waitFor: 13_000 })))).toBe('late');
    const waited = await renderer.render(pageOf(late, {}, { waitFor: 'p#x' }));
    expect([textOf(waited), pageIn(waited).waitMatched]).toEqual(['late', true]);
    for (const waitFor of ['#never', 'no[selector']) {
      expect(pageIn(await renderer.render(pageOf(late, {}, { waitFor }))).waitMatched).toBe(false);
    }
  });

  test('blocked resources are answered with nothing, and scripts that wait for them go on', async () => {
    const html = body(
      `const l = document.createElement('link'); l.rel = 'stylesheet'; l.href = '/a.css';
       l.onload = () => document.body.append('style '); l.onerror = () => document.body.append('no style '); document.head.append(l);
       const i = new Image(); i.onload = () => document.body.append('image '); i.src = '/a.png'`,
    );
    const rendered = await renderer.render(pageOf(html));
    expect(textOf(rendered).split(' ').toSorted()).toEqual(['image', 'style']);
    expect(pageIn(rendered).requests).toBe(0);
  });

  test('at most 60 requests are asked for; the page is delivered with what it has', async () => {
    const html = body(
      `for (let i = 0; i < 100; i++) fetch('/api?' + i).then(() => document.body.append('x'), () => {})`,
    );
    const rendered = pageIn(await renderer.render(pageOf(html, { '/api': '{}' })));
    expect([rendered.requests, textOf(rendered).length, rendered.cut]).toEqual([60, 60, 'more than 60 requests']);
  });

  test('scripts have a limit of their own: without one of its modules an application does not start', async () => {
    const module = (number: number): string =>
      number === 150
        ? `fetch('/api').then((r) => r.text()).then((t) => document.body.append(t))`
        : `import '/m${number + 1}.js'`;
    const preloads = Array.from({ length: 150 }, (_, n) => `<link rel=modulepreload href=/m${n + 1}.js>`).join('');
    const scripts = Object.fromEntries(
      Array.from({ length: 150 }, (_, n) => [`/m${n + 1}.js`, { type: 'text/javascript', text: module(n + 1) }]),
    );
    const html = `<!doctype html>${preloads}<body><script type=module src=/m1.js></script>`;
    const rendered = pageIn(await renderer.render(pageOf(html, { ...scripts, '/api': '"text"' })));
    expect([textOf(rendered), rendered.requests, rendered.cut]).toEqual(['"text"', 151, undefined]);
  });

  test('at most 500 scripts are asked for', async () => {
    const html = body(`for (let i = 0; i < 600; i++) document.head.append(
      Object.assign(document.createElement('script'), { src: '/s.js?' + i }))`);
    const script = { type: 'text/javascript', text: `document.body.append('x')` };
    const rendered = pageIn(await renderer.render(pageOf(html, { '/s.js': script })));
    expect([rendered.requests, textOf(rendered).length, rendered.cut]).toEqual([500, 500, 'more than 500 scripts']);
  });

  test.each([
    'file:///etc/passwd',
    'chrome://version',
    'data:text/html,x',
    'about:blank',
    'view-source:http://a.example/',
    '',
  ])('%j is not opened, whoever asks for it', async (url) => {
    const rendered: Rendered = await renderer.render(pageOf('x', {}, { url }));
    expect(rendered).toMatchObject({ kind: 'failure', message: 'Only http and https URLs are rendered.' });
  });

  test('a picture of the page', async () => {
    const more = { screenshot: { format: 'png', fullPage: false } as const, blockResources: false };
    const { screenshot } = pageIn(await renderer.render(pageOf('<body style="background:#0a0">x', {}, more)));
    const picture = Buffer.from(screenshot ?? []);
    expect(picture.subarray(1, 4).toString()).toBe('PNG');
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([1_280, 1_024]);
  });
});
