import { describe, expect, test } from 'vitest';
import { RenderMemory } from './render-memory.ts';

const trial = { verdict: 'try', sign: 'little text' } as const;
const shell = { verdict: 'render', sign: 'empty mount #root' } as const;
const page = (path: string): URL => new URL(path, 'https://site.example');

function learnt(gained: boolean, need: typeof trial | typeof shell = trial): RenderMemory {
  const memory = new RenderMemory();
  for (const path of ['/places/mill', '/places/barn', '/places/rake']) {
    expect(memory.advise('job', page(path), need)).toBe(need.verdict);
    memory.learn('job', page(path), need, gained);
  }
  return memory;
}

const next = (memory: RenderMemory, pages: number, need: typeof trial | typeof shell = trial): string[] =>
  Array.from({ length: pages }, (_, at) => memory.advise('job', page(`/places/${at}`), need));

describe('RenderMemory', () => {
  const places = (advice: readonly string[], looked: string): number[] =>
    advice.flatMap((one, at) => (one === looked ? [at + 1] : []));

  test('RenderMemory: advises no after three renders without gain, except for re-checks that become rare', () => {
    const advice = next(learnt(false), 5_000);
    expect(places(advice, 'try')).toEqual([50, 150, 350, 750, 1_550, 3_150, 4_750]);
    expect(advice).not.toContain('render');
  });

  test('RenderMemory: advises render after three renders with gain, except for re-checks', () => {
    const advice = next(learnt(true), 200);
    expect(places(advice, 'try')).toEqual([50, 150]);
    expect(advice).not.toContain('no');
  });

  test('RenderMemory: starts again when a render contradicts the advice', () => {
    const memory = learnt(false);
    memory.learn('job', page('/places/x'), trial, true);
    expect(next(memory, 3)).toEqual(['try', 'try', 'try']);
    const sure = learnt(true);
    sure.learn('job', page('/places/x'), trial, false);
    expect(next(sure, 3)).toEqual(['try', 'try', 'try']);
  });

  test.each([
    ['another job', 'other', '/places/x', trial],
    ['another host', 'job', 'https://www.site.example/places/x', trial],
    ['another port', 'job', 'https://site.example:8443/places/x', trial],
    ['another directory', 'job', '/people/x', trial],
    ['another sign', 'job', '/places/x', shell],
  ])('RenderMemory: does not apply what it learned to %s', (_, jobId, path, need) => {
    expect(learnt(false).advise(jobId, page(path), need)).toBe(need.verdict);
  });

  test('RenderMemory: treats directories that differ in a number as one', () => {
    const memory = new RenderMemory();
    for (const year of [2023, 2024, 2025]) memory.learn('job', page(`/news/${year}/a`), trial, false);
    expect(memory.advise('job', page('/news/2026/b?page=2'), trial)).toBe('no');
  });

  test('RenderMemory: advises no for a page that has its text', () => {
    expect(learnt(true).advise('job', page('/places/x'), { verdict: 'no', sign: '' })).toBe('no');
  });

  test('RenderMemory: advises no for all directories of a template after renders without gain in four', () => {
    const memory = new RenderMemory();
    const inDirectory = (name: string): string => memory.advise('job', page(`/${name}/`), trial);
    for (const name of ['a', 'b', 'c']) memory.learn('job', page(`/${name}/`), trial, false);
    for (let at = 0; at < 5; at++) memory.learn('job', page('/a/'), trial, false);
    expect(inDirectory('e')).toBe('try');
    memory.learn('job', page('/d/'), trial, false);
    expect(inDirectory('e')).toBe('no');
    expect(memory.advise('job', page('/e/'), { ...trial, verdict: 'render' })).toBe('render');
    expect(memory.advise('job', page('/e/'), shell)).toBe('render');
    expect(
      places(
        Array.from({ length: 200 }, (_, at) => inDirectory(`f${at}`)),
        'try',
      ),
    ).toEqual([49, 149]);
    memory.learn('job', page('/g/'), trial, true);
    expect(inDirectory('e')).toBe('try');
  });

  test('RenderMemory: remembers at most groupsMax groups', () => {
    // Each directory takes a group, and the host with this sign another one.
    const memory = new RenderMemory({ groupsMax: 3 });
    for (let at = 0; at < 3; at++) memory.learn('job', page('/a/'), trial, false);
    memory.learn('job', page('/b/'), trial, false);
    expect(memory.advise('job', page('/a/'), trial)).toBe('no');
    memory.learn('job', page('/c/'), trial, false);
    memory.learn('job', page('/d/'), trial, true);
    expect(memory.advise('job', page('/a/'), trial)).toBe('try');
  });
});
