import { expect, test } from 'vitest';
import { fragmentOf } from '../../test/fragment.ts';
import { compareApart } from './compare-apart.ts';
import type { DiffTask } from './diff-thread.ts';
import { diffBytesMax } from './text-diff.ts';

const page = (text: string, meta: object = {}) => {
  const address = {
    url: 'https://a.test/',
    fetchedUrl: 'https://a.test/',
    meta: { title: 'title', description: '', ...meta },
  };
  // As it is stored: see `PageRecord`.
  return fragmentOf(`${JSON.stringify(address).slice(1)},"text":${JSON.stringify(text)}}`);
};
const taskOf = (before: string, after: string, more: Partial<DiffTask> = {}): DiffTask => ({
  before: page(before),
  after: page(after),
  format: 'markdown',
  patch: undefined,
  ...more,
});
const { signal } = new AbortController();
const quick = taskOf('one', 'two');
const slow = taskOf(
  Array.from({ length: diffBytesMax / 10 }, (_, at) => `a${at}`).join('\n'),
  Array.from({ length: diffBytesMax / 10 }, (_, at) => `b${at}`).join('\n'),
);

test('compareApart: compares the texts of two stored pages', async () => {
  expect(await compareApart('a', quick, signal)).toMatchObject({ kind: 'compared', isTruncated: false });
  const patch = { url: 'https://a.test/', at: 0 };
  expect(await compareApart('a', { ...quick, patch }, signal)).toMatchObject({
    text: expect.stringContaining('\n-one\n+two\n'),
  });
});

test('compareApart: of HTML compares what a reader sees', async () => {
  const html = taskOf(
    '<p class="a">Apples &amp; pears</p>\n<p>Figs</p>',
    '<p id="b">Apples &amp; <b>plums</b></p>\n<p>Figs</p>',
    {
      format: 'html',
      patch: { url: 'https://a.test/', at: 0 },
    },
  );
  const found = await compareApart('a', html, signal);
  expect(found).toMatchObject({ text: expect.stringContaining('\n-Apples & pears\n+Apples & plums\n Figs\n') });
});

test('compareApart: shows nothing of a page that was erased, nor of a damaged one', async () => {
  const erased = page('', { erasedAt: 1 });
  expect(await compareApart('a', { ...quick, before: erased }, signal)).toEqual({ kind: 'erased' });
  expect(await compareApart('a', { ...quick, after: erased }, signal)).toEqual({ kind: 'erased' });
  const damaged = { ...page('x'), crc: 1 };
  expect(await compareApart('a', { ...quick, after: damaged }, signal)).toEqual({ kind: 'damaged' });
});

test('compareApart: does the texts of one org one after the other, and those of another meanwhile', async () => {
  const ended: string[] = [];
  await Promise.all([
    compareApart('a', slow, signal).then(() => ended.push('slow')),
    compareApart('a', quick, signal).then(() => ended.push('waits')),
    compareApart('b', quick, signal).then(() => ended.push('meanwhile')),
  ]);
  expect(ended).toEqual(['meanwhile', 'slow', 'waits']);
});

test('compareApart: ends the thread when nobody waits any more, and the next has its turn', async () => {
  const gone = new AbortController();
  const left = compareApart('a', slow, gone.signal);
  const next = compareApart('a', quick, signal);
  gone.abort();
  await expect(left).rejects.toMatchObject({ code: 'overloaded' });
  expect(await next).toMatchObject({ kind: 'compared' });
});
