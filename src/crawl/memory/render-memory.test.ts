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

describe('what rendering has brought', () => {
  test('three renders in vain are enough, but for every 50th page', () => {
    expect(next(learnt(false), 100)).toEqual(Array.from({ length: 100 }, (_, at) => (at % 50 === 49 ? 'try' : 'no')));
  });

  test('three that gained make the next ones certain, but for every 50th page', () => {
    expect(next(learnt(true), 50)).toEqual([...Array.from({ length: 49 }, () => 'render'), 'try']);
  });

  test('one that turns out otherwise begins anew', () => {
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
  ])('%s is judged for itself', (_, jobId, path, need) => {
    expect(learnt(false).advise(jobId, page(path), need)).toBe(need.verdict);
  });

  test('numbers in a directory make no other', () => {
    const memory = new RenderMemory();
    for (const year of [2023, 2024, 2025]) memory.learn('job', page(`/news/${year}/a`), trial, false);
    expect(memory.advise('job', page('/news/2026/b?page=2'), trial)).toBe('no');
  });

  test('a page that has its text is no page of any group', () => {
    expect(learnt(true).advise('job', page('/places/x'), { verdict: 'no', sign: '' })).toBe('no');
  });

  test('never remembers more than it may', () => {
    const memory = new RenderMemory({ groupsMax: 2 });
    for (let at = 0; at < 3; at++) memory.learn('job', page('/a/'), trial, false);
    memory.learn('job', page('/b/'), trial, false);
    expect(memory.advise('job', page('/a/'), trial)).toBe('no');
    memory.learn('job', page('/c/'), trial, false);
    memory.learn('job', page('/d/'), trial, false);
    expect(memory.advise('job', page('/a/'), trial)).toBe('try');
  });
});
