// A browser that is killed, pages that eat, hang or flood, and a program that is killed: each page has one end, and nothing is left.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { startService } from '../service/start-service.ts';
import { isBrowserMissing, openRenderer, pageIn, pageOf, textOf } from './browser.ts';

/** Processes that this one, or another, started and that run; with those that they started. */
function childrenOf(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .flatMap((name) => {
      try {
        const [state, parent] = readFileSync(`/proc/${name}/stat`, 'latin1')
          .replace(/^.*\) /u, '')
          .split(' ');
        return state === 'Z' ? [] : [{ pid: Number(name), parent: Number(parent) }];
      } catch {
        return [];
      }
    });
  const found = new Set([pid]);
  for (let size = 0; size !== found.size;) {
    size = found.size;
    for (const one of parents) if (found.has(one.parent)) found.add(one.pid);
  }
  found.delete(pid);
  return [...found];
}

const isRunning = (pid: number): boolean => {
  try {
    return !/\) Z /u.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
};

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
};

/** Processes of a browser that this test process started. */
const browsers = (): number[] =>
  childrenOf(process.pid).filter((pid) => /chromium|bwrap|headless/u.test(commandOf(pid)));

const ordinary = (n: number) =>
  pageOf(
    `<body><script>setTimeout(() => document.body.append('page ${n}'), 500)</script>`,
    {},
    { contextKey: `job ${n % 3}` },
  );

describe.skipIf(isBrowserMissing)('faults of the browser (needs chromium-headless-shell and bubblewrap)', () => {
  test('20 kills under load: every page is rendered, and no process is left', async () => {
    const renderer = openRenderer({ pages: 4 });
    let ended = 0;
    let kills = 0;
    const done = new AbortController();
    const texts: string[] = [];
    const killing = (async () => {
      for (let before = 0; kills < 20 && !done.signal.aborted; await sleep(10)) {
        // Between two kills some pages get through: a browser that never works proves nothing.
        if (ended < before + 3) continue;
        before = ended;
        await sleep(30 * (kills % 4));
        const [pid] = browsers();
        if (pid === undefined) continue;
        process.kill(pid, 'SIGKILL');
        kills++;
      }
    })();
    const pages = Array.from({ length: 120 }, (_, n) => n);
    const lane = async (): Promise<void> => {
      for (let n = pages.shift(); n !== undefined; n = pages.shift()) {
        texts.push(textOf(await renderer.render(ordinary(n))));
        ended++;
      }
    };
    await Promise.all(Array.from({ length: 6 }, lane));
    done.abort();
    await killing;
    const { restarts } = renderer.status();
    await renderer.close();
    console.log(`${kills} kills, ${texts.length} pages, ${restarts} restarts`);
    expect(kills).toBe(20);
    expect(texts.toSorted((a, b) => a.localeCompare(b))).toEqual(
      Array.from({ length: 120 }, (_, n) => `page ${n}`).toSorted((a, b) => a.localeCompare(b)),
    );
    expect(browsers()).toEqual([]);
  });

  test('a page whose tab is killed from outside is rendered', async () => {
    const renderer = openRenderer({ pages: 2 });
    let kills = 0;
    const page = pageOf(
      `<body><script>fetch('/slow').then((r) => r.text()).then((text) => document.body.append(text))</script>`,
      {
        '/slow': () => {
          const tabs = kills === 0 ? browsers().filter((pid) => commandOf(pid).includes('--type=renderer')) : [];
          for (const pid of tabs) {
            process.kill(pid, 'SIGKILL');
            kills++;
          }
          return { type: 'text/plain', text: 'text of the page' };
        },
      },
    );
    try {
      expect(textOf(await renderer.render(page))).toBe('text of the page');
      expect(kills).toBeGreaterThan(0);
    } finally {
      await renderer.close();
    }
  });

  test.each([
    ['memory of objects', `const a = []; for (;;) a.push(new Array(1e6).fill(a.length))`, 'render_crashed'],
    ['requests', `for (let i = 0; i < 5000; i++) fetch('/x' + i).catch(() => {})`, 'render_crashed'],
  ])('a page that floods %s fails alone', async (_, script, reason) => {
    const renderer = openRenderer({ pages: 3 });
    try {
      const [bad, good] = await Promise.all([
        renderer.render(pageOf(`<body>x<script>${script}</script>`, {}, { contextKey: 'bad' })),
        renderer.render(ordinary(1)),
      ]);
      expect(bad).toMatchObject({ kind: 'failure', reason });
      expect(textOf(good)).toBe('page 1');
      expect(textOf(await renderer.render(ordinary(2)))).toBe('page 2');
    } finally {
      await renderer.close();
    }
  });

  test('an endless script costs its page the time, and the rest of the page is delivered', async () => {
    const renderer = openRenderer({ pages: 3, limits: { wallMs: 3_000 } });
    try {
      const [bad, good] = await Promise.all([
        renderer.render(pageOf('<body>before<script>for (;;);</script>after', {}, { contextKey: 'bad' })),
        renderer.render(ordinary(1)),
      ]);
      expect([textOf(bad), pageIn(bad).cut]).toEqual(['beforeafter', 'the time limit of the page']);
      expect(textOf(good)).toBe('page 1');
    } finally {
      await renderer.close();
    }
  });

  test('a browser that cannot be started costs nothing but the render', async () => {
    const renderer = openRenderer({ binary: '/bin/false' });
    expect(await renderer.render(ordinary(1))).toMatchObject({ kind: 'failure', reason: 'browser_missing' });
    await renderer.close();
  });

  test('a start is not waited for when the browser runs, or cannot be started', async () => {
    const renderer = openRenderer();
    const starting = renderer.starting?.();
    expect(starting).toBeInstanceOf(Promise);
    await starting;
    expect(renderer.starting?.()).toBeUndefined();
    expect(textOf(await renderer.render(ordinary(1)))).toBe('page 1');
    await renderer.close();
    const broken = openRenderer({ binary: '/bin/false' });
    await broken.starting?.();
    expect(broken.starting?.()).toBeUndefined();
    await broken.close();
  });

  test('no process of the browser outlives a program that is killed', async () => {
    const site = createServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<div id=root></div><script>for (;;);</script>'),
    );
    await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve));
    const service = await startService({ env: { HAYRAKE_BROWSER: 'auto' } });
    try {
      const { port } = site.address() as AddressInfo;
      await service.createJob({ urls: [`http://127.0.0.1:${port}/`], use_browser: true });
      const pid = service.pid ?? 0;
      const started = (): number[] => childrenOf(pid);
      await expect.poll(() => started().length, { timeout: 20_000 }).toBeGreaterThanOrEqual(5);
      const all = started();
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => all.filter(isRunning), { timeout: 15_000 }).toEqual([]);
    } finally {
      await service.close();
      site.closeAllConnections();
      site.close();
    }
  });
});
