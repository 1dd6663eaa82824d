// The service of the demo ends with the demo, however that ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';

const demo = path.join(import.meta.dirname, '../../demo/demo.ts');

const ends: readonly (readonly [string, (child: ChildProcess) => void])[] = [
  ['SIGTERM', (child) => child.kill('SIGTERM')],
  ['SIGHUP', (child) => child.kill('SIGHUP')],
  ['SIGKILL', (child) => child.kill('SIGKILL')],
  ['its reader leaves', (child) => child.stdout?.destroy()],
];

test.each(ends)('demo: takes the service and its files along when %s', async (_, end) => {
  const child = spawn(process.execPath, [demo], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  let [api, directory] = ['', ''];
  for await (const line of createInterface({ input: child.stdout })) {
    api ||= /API\s+(http:\S+?)\/crawler/.exec(line)?.[1] ?? '';
    directory ||= /Data\s+(\S+)/.exec(line)?.[1] ?? '';
    if (directory !== '') break;
  }
  expect([api !== '', existsSync(directory)]).toEqual([true, true]);
  end(child);
  await ended;
  // After a SIGKILL the service ends by itself.
  while (existsSync(directory))
    await once(process.stdout, 'never', { signal: AbortSignal.timeout(50) }).catch(() => {});
  await expect(fetch(`${api}/healthz`)).rejects.toThrow('fetch failed');
});
