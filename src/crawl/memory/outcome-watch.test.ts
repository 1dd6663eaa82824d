import { describe, expect, test } from 'vitest';
import type { Link } from '../../core/request.ts';
import { OutcomeWatch, type Shown, type Verdict } from './outcome-watch.ts';

/** `text`: a page of its own, or of others with the same; else the way of an outcome that is none. */
type Outcome = { readonly text: string; readonly words?: number } | { readonly way: string };

interface Options {
  /** What pages show that are asked once more. */
  readonly sample?: Shown | undefined;
  readonly pausesMs?: readonly number[];
}

/** Outcomes of one job, one after the other. */
async function judged(outcomes: readonly Outcome[], { sample, pausesMs = [60_000] }: Options = {}) {
  const watch = new OutcomeWatch({ pausesMs });
  const asked: string[] = [];
  const verdicts: Verdict[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    const url = new URL(`https://a.test/${index}`);
    const link: Link = { url: url.href, key: url.href, host: 'a.test:443', depth: 1 };
    const shown =
      'way' in outcome
        ? { way: outcome.way, words: 0, template: undefined }
        : { key: outcome.text, content: outcome.text, words: outcome.words ?? 100, template: `/${index % 2}` };
    const place = { jobId: 'job', host: 'a.test:443', url, linkTo: () => link };
    verdicts.push(
      await watch.judge({ ...shown, ...place }, (sampled) => {
        asked.push(sampled.pathname);
        return Promise.resolve(sample);
      }),
    );
  }
  return { kinds: verdicts.map(({ kind }) => kind), asked, verdicts };
}

const pages = (count: number, name = 'page'): Outcome[] =>
  Array.from({ length: count }, (_, at) => ({ text: `${name} ${at}` }));
const same = (count: number, text = 'back soon'): Outcome[] => Array.from({ length: count }, () => ({ text }));
const gone = (count: number, way = 'gone'): Outcome[] => Array.from({ length: count }, () => ({ way }));
const times = <Kind>(count: number, kind: Kind): Kind[] => Array<Kind>(count).fill(kind);

describe('OutcomeWatch', () => {
  test('OutcomeWatch: takes nine outcomes in one way as they are', async () => {
    expect(await judged([...pages(12), ...gone(9)])).toMatchObject({ asked: [], kinds: times(21, 'fine') });
  });

  test.each<[what: string, outcomes: Outcome[], sample: Shown]>([
    ['the same way', gone(13), { way: 'gone', words: 0 }],
    ['the text that the others show', same(14), { key: 'back soon', words: 90 }],
    [
      'one of eight texts',
      Array.from({ length: 24 }, (_, at) => ({ text: `parked ${at % 8}` })),
      { key: 'parked 3', words: 90 },
    ],
    ['no page in another way', gone(13), { way: 'type image/png', words: 0 }],
    ['less than a tenth of their words', gone(13), { key: 'other', words: 9 }],
  ])('OutcomeWatch: leaves the host alone when two pages that it had served show %s', async (_, outcomes, sample) => {
    const { kinds, asked } = await judged([...pages(12), ...outcomes], { sample });
    expect(asked).toEqual(['/0', '/1']);
    expect(kinds.at(-1)).toBe('strained');
    expect(kinds.slice(0, 21)).toEqual(times(21, 'fine'));
  });

  test.each<[what: string, sample: Shown | undefined]>([
    ['are as they were', { key: 'page 0', words: 100 }],
    ['have changed', { key: 'another', words: 50 }],
    ['cannot be asked', undefined],
  ])(
    'OutcomeWatch: takes a way as ordinary when pages that it had served %s, and asks half as often then',
    async (_, sample) => {
      const { kinds, asked } = await judged([...pages(12), ...gone(400)], { sample });
      expect(kinds).toEqual(times(412, 'fine'));
      // After 10, 30, 70, 150, 310: each page once.
      expect(asked.filter((path) => path === '/0')).toHaveLength(5);
    },
  );

  test('OutcomeWatch: finds a way with pages between', async () => {
    const mixed = gone(12).flatMap((one, at) => (at % 3 === 0 ? [one, { text: `other ${at}` }] : [one]));
    expect((await judged([...pages(12), ...mixed], { sample: { way: 'gone', words: 0 } })).kinds).toContain('strained');
  });

  test('OutcomeWatch: suspects none of the first ten pages', async () => {
    expect((await judged([{ text: 'shell' }, ...pages(9), ...same(40, 'shell')])).asked).toEqual([]);
  });

  test('OutcomeWatch: samples nothing where the site has shown no page of its own', async () => {
    const { kinds, asked } = await judged(gone(40), { sample: { way: 'gone', words: 0 } });
    expect([kinds, asked]).toEqual([times(40, 'fine'), []]);
  });

  test('OutcomeWatch: names what ended so when the site shows its pages again', async () => {
    const { verdicts } = await judged([...pages(12), ...gone(12), ...pages(2, 'later')], {
      sample: { way: 'gone', words: 0 },
    });
    const [back, next] = verdicts.slice(-2);
    // The tenth and later ones were handed back.
    expect(back).toMatchObject({ kind: 'fine', spoilt: [] });
    expect(back?.kind === 'fine' && back.again.map(({ url }) => url)).toEqual(
      Array.from({ length: 9 }, (_, at) => `https://a.test/${at + 12}`),
    );
    expect(next).toEqual({ kind: 'fine', again: [], spoilt: [] });
  });

  test('OutcomeWatch: samples again when the host paused before it could be asked', async () => {
    const watch = new OutcomeWatch();
    let asked = 0;
    const judge = async (index: number, outcome: Outcome): Promise<Verdict> => {
      const url = new URL(`https://a.test/${index}`);
      const link: Link = { url: url.href, key: url.href, host: 'a.test:443', depth: 1 };
      const place = { jobId: 'job', host: 'a.test:443', url, linkTo: () => link };
      const shown = 'way' in outcome ? { way: outcome.way, words: 0 } : { key: outcome.text, words: 9 };
      return watch.judge({ ...shown, ...place, template: 'way' in outcome ? undefined : '/' }, () =>
        ++asked === 1 ? Promise.reject(new Error('paused')) : Promise.resolve({ way: 'gone', words: 0 }),
      );
    };
    for (const [index, outcome] of [...pages(12), ...gone(9)].entries()) await judge(index, outcome);
    await expect(judge(21, { way: 'gone' })).rejects.toThrow('paused');
    expect(await judge(21, { way: 'gone' })).toMatchObject({ kind: 'strained' });
  });

  test('OutcomeWatch: gives up after the last pause, and names once what ended so before', async () => {
    const { verdicts } = await judged([...pages(12), ...gone(12)], { sample: { way: 'gone', words: 0 }, pausesMs: [] });
    expect(verdicts.slice(21).map((one) => one.kind === 'lasting' && one.spoilt.length)).toEqual([9, 0, 0]);
  });

  test('OutcomeWatch: pauses no longer than its patience', async () => {
    const watch = new OutcomeWatch({ patienceMs: 0, pausesMs: [60_000] });
    expect(watch).toBeDefined();
  });
});
