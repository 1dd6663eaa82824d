import { describe, expect, test } from 'vitest';
import type { Link } from '../../core/request.ts';
import { CopyWatch } from './copy-watch.ts';

/** Pages of one job, one after the other: the key of each, or what it showed. */
async function shown(
  keys: readonly string[],
  options: { readonly answer?: string | undefined; readonly pausesMs?: readonly number[] } = {},
): Promise<{ readonly kinds: readonly string[]; readonly asked: number; readonly again: readonly string[] }> {
  const watch = new CopyWatch(options.pausesMs ?? [60_000]);
  const kinds: string[] = [];
  const again: string[] = [];
  let asked = 0;
  for (const [index, key] of keys.entries()) {
    const url = new URL(`https://a.test/${index}`);
    const link: Link = { url: url.href, key: url.href, host: 'a.test:443', depth: 1 };
    const verdict = await watch.judge({ jobId: 'job', url, key, content: key, linkTo: () => link }, () => {
      asked++;
      return Promise.resolve(options.answer);
    });
    kinds.push(verdict.kind);
    if (verdict.kind === 'fine') again.push(...verdict.again.map((one) => one.url));
  }
  return { kinds, asked, again };
}

const pages = (count: number, name = 'page'): string[] => Array.from({ length: count }, (_, at) => `${name} ${at}`);
const copies = (count: number, key = 'back soon'): string[] => Array.from({ length: count }, () => key);

describe('CopyWatch', () => {
  test('CopyWatch: takes a page for that of its URL until ten others show it too', async () => {
    expect(await shown([...pages(12), ...copies(10)])).toMatchObject({ asked: 0, kinds: copies(22, 'fine') });
  });

  test('CopyWatch: leaves the host alone when an earlier page shows the copy too', async () => {
    const { kinds, asked } = await shown([...pages(12), ...copies(13)], { answer: 'back soon' });
    expect([kinds.slice(0, 22), kinds.slice(22), asked]).toEqual([copies(22, 'fine'), copies(3, 'strained'), 1]);
  });

  test('CopyWatch: names the copies when the site shows its pages again', async () => {
    const { again } = await shown([...pages(12), ...copies(12), ...pages(2, 'later')], { answer: 'back soon' });
    expect(again).toEqual(Array.from({ length: 9 }, (_, at) => `https://a.test/${at + 13}`));
  });

  test('CopyWatch: asks once when an earlier page is as it was', async () => {
    expect(await shown([...pages(12), ...copies(40)], { answer: 'page 11' })).toMatchObject({
      asked: 1,
      kinds: copies(52, 'fine'),
    });
  });

  test('CopyWatch: finds copies with others between them', async () => {
    const mixed = copies(12).flatMap((copy, at) => [copy, `other ${at}`]);
    expect((await shown([...pages(12), ...mixed], { answer: 'back soon' })).kinds).toContain('strained');
  });

  test('CopyWatch: suspects none of the first ten pages', async () => {
    expect((await shown(['shell', ...pages(9), ...copies(40, 'shell')], { answer: 'shell' })).asked).toBe(0);
  });

  test('CopyWatch: asks again when the host paused before it could be asked', async () => {
    const watch = new CopyWatch();
    let asked = 0;
    const judge = async (index: number, key: string): Promise<{ readonly kind: string }> => {
      const url = new URL(`https://a.test/${index}`);
      const link: Link = { url: url.href, key: url.href, host: 'a.test:443', depth: 1 };
      return watch.judge({ jobId: 'job', url, key, content: key, linkTo: () => link }, () =>
        ++asked === 1 ? Promise.reject(new Error('paused')) : Promise.resolve('back soon'),
      );
    };
    for (const [index, key] of [...pages(12), ...copies(10)].entries()) await judge(index, key);
    await expect(judge(22, 'back soon')).rejects.toThrow('paused');
    expect(await judge(22, 'back soon')).toMatchObject({ kind: 'strained' });
    expect(asked).toBe(2);
  });

  test('CopyWatch: gives up after the last pause', async () => {
    const { kinds } = await shown([...pages(12), ...copies(13)], { answer: 'back soon', pausesMs: [] });
    expect(kinds.slice(22)).toEqual(copies(3, 'lasting'));
  });
});
