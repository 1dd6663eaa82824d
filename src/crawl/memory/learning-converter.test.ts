// A site whose every page is asked about until three were answered, and a model that answers when the test says so.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ownedCopy } from '../../core/bytes/owned-bytes.ts';
import type { StoredLessons } from '../../core/ports/lessons.ts';
import type { ModelQuestion, ModelReply } from '../../core/ports/model.ts';
import type { ConvertedPage, Converter, PageInput, UntilAnswered } from '../convert/converter.ts';
import { LearningConverter } from './learning-converter.ts';
import { unpackLessons } from './site-lessons.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }));
afterEach(() => void vi.useRealTimers());

const enough = 3;

function start() {
  const asked: { readonly prompt: string; readonly answer: (reply: ModelReply) => void }[] = [];
  const stored = new Map<string, StoredLessons>();
  const convertPage = ({ fetchedUrl, learning }: PageInput): Promise<ConvertedPage> => {
    const { view, mayAsk = false, answer } = learning ?? {};
    const asks = { signature: [1], template: 0, prompt: fetchedUrl, html: `<p>text of ${fetchedUrl}` };
    const isAsked = mayAsk && (view?.asked ?? 0) < enough;
    const page = { kind: 'page', page: { told: answer?.answer }, links: [], ...(isAsked && { asks }) };
    return Promise.resolve(page as unknown as ConvertedPage);
  };
  const converter = new LearningConverter({
    converter: { convertPage, close: () => Promise.resolve() } as unknown as Converter,
    teacher: {
      teach: ({ given, rules }) => {
        const answer = given as Record<string, string>;
        return Promise.resolve({ lesson: { answer, unsupported: [], has: Object.keys(answer), misses: [], rules } });
      },
    },
    model: {
      ask: ({ page }: ModelQuestion) => {
        const { promise, resolve } = Promise.withResolvers<ModelReply>();
        asked.push({ prompt: page, answer: resolve });
        return promise;
      },
    },
    lessons: {
      read: (_, site) => Promise.resolve(stored.get(site)),
      write: (_, site, revision, data) => {
        stored.set(site, { revision: revision + 1, data });
        return Promise.resolve(true);
      },
      knowing: () => Promise.resolve([]),
      list: () => Promise.resolve([]),
      countCall: () => Promise.resolve(true),
    },
    callsPerDay: 0,
    hasBrowser: false,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  });
  const convert = (at: number, untilAnswered?: UntilAnswered): Promise<ConvertedPage> => {
    const input = {
      job: {
        asking: { id: 'job', org: 'org', mayAsk: true },
        spec: { extract: { model: true, schema: null, fields: {} } },
      },
      fetchedUrl: `https://site.example/${at}`,
      body: ownedCopy(new Uint8Array()),
    };
    return converter.convertPage(input as unknown as PageInput, untilAnswered);
  };
  return { asked, stored, convert };
}

const toldTo = async (page: Promise<ConvertedPage>): Promise<unknown> => {
  const { page: made, remarks } = (await page) as unknown as { page: { told?: object }; remarks?: readonly string[] };
  return made.told ?? remarks ?? 'read';
};

test('LearningConverter: asks about two pages of a site at a time, and reads those that wait with what they taught', async () => {
  const { asked, convert } = start();
  const pages = [1, 2, 3, 4, 5].map((at) => toldTo(convert(at)));
  for (const at of [0, 1, 2]) {
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked).toHaveLength(Math.min(enough + 1, at + 2));
    asked[at]?.answer({ kind: 'answer', value: { name: `${at}` } });
  }
  await vi.advanceTimersByTimeAsync(1_000);
  asked[3]?.answer({ kind: 'answer', value: { name: '3' } });
  expect(await Promise.all(pages)).toEqual([{ name: '0' }, { name: '1' }, { name: '2' }, { name: '3' }, 'read']);
});

test('LearningConverter: delivers a page after 60 s without its answer, which teaches all the same', async () => {
  const { asked, stored, convert } = start();
  const pages = [1, 2, 3].map((at) => toldTo(convert(at)));
  await vi.advanceTimersByTimeAsync(59_000);
  const unanswered = Promise.race([...pages, Promise.resolve('none yet')]);
  expect(await unanswered).toBe('none yet');
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await Promise.all(pages)).toEqual(pages.map(() => ['model_unavailable']));
  asked[0]?.answer({ kind: 'answer', value: { name: 'late' } });
  await vi.advanceTimersByTimeAsync(0);
  expect(unpackLessons('site', stored.get('site.example')!).pages).toMatchObject([{ has: ['name'] }]);
  expect(asked).toHaveLength(2);
});

test('LearningConverter: asks nothing for a page that must not wait any longer', async () => {
  const { asked, convert } = start();
  const first = [1, 2].map((at) => convert(at));
  const untilAnswered = (): Promise<void> => Promise.reject(new DOMException('ended', 'AbortError'));
  await expect(convert(3, untilAnswered)).rejects.toThrow('ended');
  for (const { answer } of asked) answer({ kind: 'unavailable', why: 'down' });
  await Promise.all(first);
  expect(asked).toHaveLength(2);
});
