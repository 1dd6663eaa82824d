import { describe, expect, test } from 'vitest';
import type { EndedTemplate } from '../../core/ports/frontier.ts';
import { ScriptLinks } from './script-links.ts';

const at = (path: string): URL => new URL(path, 'https://a.test');
const words = ['apple', 'pear', 'plum', 'fig', 'lime', 'kiwi', 'melon', 'grape', 'lemon', 'date', 'berry', 'peach'];
const names = words.map((word) => `/of/${word}`);
const numbers = words.map((_, n) => `/item/${n + 1}`);

/** Ends that URLs led to, with their number. */
function endsOf(links: ScriptLinks, paths: readonly string[], job = 'job'): [number, EndedTemplate][] {
  return paths.flatMap((path, n): [number, EndedTemplate][] => {
    const ended = links.dead(job, at(path));
    return ended ? [[n + 1, ended]] : [];
  });
}

describe('ScriptLinks', () => {
  test.each([
    ['numbers', numbers, '/item/*'],
    ['names', names, '/of/*'],
    ['names of files', names.map((path) => `${path}.html`), '/of/*'],
    ['queries', numbers.map((_, n) => `/find?q=${n}`), '/*'],
    ['names at the root', words.map((word) => `/${word}`), '/*'],
  ])('dead: ends ten links that differ in %s, once', (_, paths, form) => {
    const template = `a.test:443${form}`;
    expect(endsOf(new ScriptLinks(), paths)).toEqual([[10, { template, pages: 10, byScript: true }]]);
  });

  test('dead: ends the template of a directory of which others were served', () => {
    const links = new ScriptLinks();
    links.served('job', at('/item/about'));
    expect(endsOf(links, numbers)).toEqual([[10, { template: 'a.test:443/item/#', pages: 10, byScript: true }]]);
    expect(links.endedForm('job', at('/item/99'))).toBe('a.test:443/item/#');
    expect(links.endedForm('job', at('/item/contact'))).toBeUndefined();
  });

  test.each([0, 5, 9])('dead: never ends a form of which one was served after %i others', (before) => {
    const links = new ScriptLinks();
    expect(endsOf(links, numbers.slice(0, before))).toEqual([]);
    links.served('job', at('/item/100'));
    expect(endsOf(links, numbers)).toEqual([]);
    expect(links.endedForm('job', at('/item/99'))).toBeUndefined();
  });

  test('endedForm: keeps jobs, hosts and directories apart', () => {
    const links = new ScriptLinks();
    endsOf(links, names);
    expect(links.endedForm('job', at('/of/other'))).toBe('a.test:443/of/*');
    expect(links.endedForm('other', at('/of/other'))).toBeUndefined();
    expect(links.endedForm('job', new URL('https://b.test/of/other'))).toBeUndefined();
    expect(links.endedForm('job', at('/on/other'))).toBeUndefined();
  });

  test('dead: ends no form beyond the number that is watched', () => {
    const links = new ScriptLinks({ formsMax: 2 });
    links.served('job', at('/first/page'));
    expect(endsOf(links, names)).toEqual([]);
    expect(endsOf(links, names, 'other')).toHaveLength(1);
  });

  test('dead: forgets the first job beyond the number that is watched', () => {
    const links = new ScriptLinks({ jobsMax: 1 });
    endsOf(links, names);
    endsOf(links, names, 'other');
    expect(links.endedForm('job', at('/of/x'))).toBeUndefined();
    expect(links.endedForm('other', at('/of/x'))).toBe('a.test:443/of/*');
  });
});
