import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { CdpPipe } from './cdp-pipe.ts';
import { BrowserTime } from './browser-time.ts';
import { openTab, TabCrashedError } from './tab.ts';

test('a tab whose process ends before the tab is watched is given up after 5 seconds', async () => {
  const [toBrowser, fromBrowser] = [new PassThrough(), new PassThrough()];
  const methods: string[] = [];
  // The browser itself answers; the process of the tab does not.
  toBrowser.on('data', (chunk: Buffer) => {
    for (const text of chunk.toString().split('\0').filter(Boolean)) {
      const { id, method, sessionId } = JSON.parse(text) as { id: number; method: string; sessionId?: string };
      methods.push(method);
      const result = { targetId: 'target', sessionId: 'session' };
      if (sessionId === undefined) fromBrowser.write(`${JSON.stringify({ id, result })}\0`);
    }
  });
  const time = new BrowserTime(0);
  const cdp = new CdpPipe(toBrowser, fromBrowser, () => {});
  const startedAt = performance.now();
  await expect(openTab({ cdp, time, browserContextId: 'context' })).rejects.toThrow(TabCrashedError);
  expect(performance.now() - startedAt).toBeGreaterThan(4_900);
  expect(methods.at(-1)).toBe('Target.closeTarget');
  time.close();
  cdp.close();
}, 30_000);
