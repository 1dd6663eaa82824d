// A machine that is busy with other work: the time limits of a page count the time in which its browser could run.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { isBrowserMissing, openRenderer, pageIn, pageOf, probedBwrap, textOf } from './browser.ts';

const cleanups: (() => unknown)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).toReversed()) cleanup();
});

const canPin = process.platform === 'linux' && spawnSync('taskset', ['--version']).status === 0;

/** `bwrap`, but on one processor, and after everything else that wants it. */
function bwrapOnBusyProcessor(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-busy-'));
  cleanups.push(() => rmSync(directory, { recursive: true }));
  const script = path.join(directory, 'bwrap');
  writeFileSync(script, `#!/bin/sh\nexec nice -n 8 taskset -c 0 ${probedBwrap} "$@"\n`);
  chmodSync(script, 0o755);
  return script;
}

function keepProcessorBusy(): void {
  for (let count = 0; count < 4; count++) {
    // In a session of its own: Linux shares a processor among sessions before it shares it among their processes.
    const child = spawn('taskset', ['-c', '0', process.execPath, '-e', 'for (;;);'], {
      stdio: 'ignore',
      detached: true,
    });
    cleanups.push(() => child.kill('SIGKILL'));
  }
}

/** A page whose script works for about `millions` steps, and then writes. */
const working = (millions: number) =>
  pageOf(
    `<body>before<script>let n = 0; for (let i = 0; i < ${millions}e6; i++) n = (n * 31 + i) % 1000003;
    setTimeout(() => document.body.append(' after'), 1000)</script>`,
  );

describe.skipIf(isBrowserMissing || !canPin)(
  'a busy machine (needs chromium-headless-shell, bubblewrap, taskset)',
  () => {
    test('a page is not cut off because its browser had to wait for the processor', async () => {
      const bwrap = bwrapOnBusyProcessor();
      const quiet = openRenderer({ bwrap, pages: 1 });
      cleanups.push(() => quiet.close());
      await quiet.render(working(1));
      const alone: number[] = [];
      for (let round = 0; round < 3; round++) alone.push(pageIn(await quiet.render(working(100))).tookMs);
      await quiet.close();
      const wallMs = Math.min(...alone) * 1.5;
      const renderer = openRenderer({ bwrap, pages: 1, limits: { wallMs } });
      cleanups.push(() => renderer.close());
      expect(textOf(await renderer.render(working(1)))).toBe('before after');
      let tookMs = 0;
      // A page that had to wait less proves nothing.
      for (let tries = 0; tries < 5 && tookMs <= wallMs; tries++) {
        keepProcessorBusy();
        const rendered = pageIn(await renderer.render(working(100)));
        expect([textOf(rendered), rendered.cut]).toEqual(['before after', undefined]);
        ({ tookMs } = rendered);
      }
      expect(tookMs).toBeGreaterThan(wallMs);
    });

    test('an endless script on a busy machine is ended all the same', async () => {
      const renderer = openRenderer({ bwrap: bwrapOnBusyProcessor(), pages: 1, limits: { wallMs: 1_000 } });
      cleanups.push(() => renderer.close());
      await renderer.render(working(1));
      keepProcessorBusy();
      const rendered = pageIn(await renderer.render(pageOf('<body>before<script>for (;;);</script>')));
      expect([textOf(rendered), rendered.cut]).toEqual(['before', 'the time limit of the page']);
    });
  },
);
