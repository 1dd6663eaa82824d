import { expect, test } from 'vitest';
import { JobRecorder } from '../observe/job-recorder.ts';
import { forwardFrontier } from './forward-frontier.ts';
import type { CrawlStatus } from './ports/crawl-status.ts';
import type { Frontier } from './ports/frontier.ts';
import type { JobStore } from './ports/stores.ts';

const args = ['first', [], 'third', 'fourth'];

/** A frontier that notes every call; as an instance of a class, it has no methods of its own. */
function noting(): { readonly frontier: Frontier; readonly calls: [string, unknown[]][] } {
  const calls: [string, unknown[]][] = [];
  const methods = new Proxy(
    {},
    { get: (_, name) => (name === 'isShared' ? true : (...all: unknown[]) => void calls.push([String(name), all])) },
  );
  return { frontier: Object.create(methods) as Frontier, calls };
}

async function callAll(frontier: Frontier): Promise<string[]> {
  const names = Object.keys(frontier).filter((name) => name !== 'isShared');
  for (const name of names)
    await (frontier as unknown as Record<string, (...all: unknown[]) => unknown>)[name]?.(...args);
  return names;
}

test.each([
  ['forwardFrontier', forwardFrontier],
  ['JobRecorder', (frontier: Frontier) => new JobRecorder({} as CrawlStatus, {} as JobStore).frontier(frontier)],
])('%s: passes on every call with all of its arguments', async (_, wrap) => {
  const { frontier, calls } = noting();
  const wrapped = wrap(frontier);
  const names = await callAll(wrapped);
  expect(names).toHaveLength(16);
  expect(calls).toEqual(names.map((name) => [name, args]));
});
