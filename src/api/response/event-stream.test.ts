import { describe, expect, test } from 'vitest';
import { fragmentOf } from '../../../test/fragment.ts';
import type { Results } from '../../jobs/read-results.ts';
import { eventChunks } from './event-stream.ts';

const running: Results = {
  status: 'running',
  pages: [],
  erasures: 0,
  total: 2,
  position: 0,
  more: true,
  release: () => {},
};
const page = (number: number): Results['pages'][number] => ({
  page: number,
  meta: fragmentOf(`"url":"http://a.test/${number}"}`),
});

/**
 * Returns the events sent for these slices, `stepMs` apart, with the job's progress as `progress` gives it at each
 * step.
 */
async function sent(
  slices: readonly Results[],
  options: { readonly stepMs: number; readonly progress?: readonly string[] },
): Promise<string[]> {
  const { stepMs, progress = [] } = options;
  let now = 0;
  let step = 0;
  const each = async function* (): AsyncGenerator<Results> {
    for (const [index, slice] of slices.entries()) {
      now = index * stepMs;
      step = index;
      yield slice;
    }
  };
  const rest = each();
  const parts = { progress: async () => progress[step] ?? 'same', now: () => now };
  const chunks: string[] = [];
  for await (const chunk of eventChunks(await rest.next(), rest, parts)) chunks.push(chunk.toString());
  return chunks;
}

describe('eventChunks', () => {
  test('eventChunks: begins with the reconnection time and the progress, and finishes with an end event', async () => {
    const chunks = await sent(
      [
        { ...running, pages: [page(1), page(2)] },
        { ...running, status: 'failed', more: false },
      ],
      {
        stepMs: 10,
      },
    );
    expect(chunks).toEqual([
      'retry: 2000\n\nevent: progress\ndata: same\n\n' +
        'event: page\nid: 1\ndata: {"meta":{"page":1,"url":"http://a.test/1"}}\n\n' +
        'event: page\nid: 2\ndata: {"meta":{"page":2,"url":"http://a.test/2"}}\n\n',
      'event: end\nid: 2\ndata: {"status":"failed","pages":2}\n\n',
    ]);
  });

  test('eventChunks: sends progress at most once a second, and only when it has changed', async () => {
    const progress = ['a', 'b', 'c', 'd', 'd', 'd', 'd', 'd', 'e', 'f'];
    const chunks = await sent(
      progress.map(() => running),
      { stepMs: 300, progress },
    );
    expect(chunks.join('').match(/data: \w/g)).toEqual(['data: a', 'data: d', 'data: e']);
  });

  test('eventChunks: sends a comment after 15 seconds of silence', async () => {
    const chunks = await sent(
      Array.from({ length: 47 }, () => running),
      { stepMs: 1_000 },
    );
    expect(chunks.slice(1)).toEqual([': still here\n\n', ': still here\n\n', ': still here\n\n']);
  });

  test('eventChunks: counts the silence from the last event that was sent', async () => {
    const slices = Array.from({ length: 25 }, (_, index) =>
      index === 10 ? { ...running, pages: [page(1)] } : running,
    );
    const chunks = await sent(slices, { stepMs: 1_000 });
    expect(chunks.slice(1)).toEqual([expect.stringContaining('event: page\nid: 1\n')]);
  });

  test('eventChunks: sends nothing when there is no slice', async () => {
    expect(await sent([], { stepMs: 1 })).toEqual([]);
  });
});
