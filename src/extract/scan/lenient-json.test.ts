import { describe, expect, test } from 'vitest';
import { readLenientJson } from './lenient-json.ts';

const one = { name: 'Rake', list: [1, 2] };

describe('readLenientJson', () => {
  test.each<readonly [string, string, readonly unknown[]]>([
    ['plain JSON', '{"name":"Rake","list":[1,2]}', [one]],
    ['commas after the last value', '{"name":"Rake","list":[1,2,],}', [one]],
    ['two objects', '{"name":"Rake","list":[1,2]}\n{"a":1}', [one, { a: 1 }]],
    ['two objects with a separator', '{"a":1};{"b":2},{"c":3}', [{ a: 1 }, { b: 2 }, { c: 3 }]],
    ['two objects in a list without a comma', '[{"a":1}{"b":2}]', [[{ a: 1 }, { b: 2 }]]],
    ['entities for quotes', '{&quot;name&quot;:&quot;Rake&quot;,&quot;list&quot;:[1,2]}', [one]],
    ['a brace too many', '{"name":"Rake","list":[1,2]}}', [one]],
    ['a bracket too many inside', '{"name":"Rake","list":[1,2]]}', [one]],
    ['line ends within texts', '{"name":"a\nb\tc"}', [{ name: 'a b c' }]],
    ['comments', '/* a */ {"name": "Rake", // said "so"\n "list":[1,2]}', [one]],
    ['comments of old browsers', '<!-- {"a":1} -->', [{ a: 1 }]],
    ['CDATA', '//<![CDATA[\n{"a":1}\n//]]>', [{ a: 1 }]],
    ['what looks like errors within texts', '{"a":"x, ]} {// /* \\" &amp;"}', [{ a: 'x, ]} {// /* " &amp;' }]],
  ])('readLenientJson: reads %s', (_, text, values) => {
    expect(readLenientJson(text)).toEqual({ values, isCut: false });
  });

  test.each<readonly [string, string, readonly unknown[]]>([
    ['half of an object', '{"a":1,"b":{"c":2}', []],
    ['a text without an end', '{"a":"x', []],
    ['a value that a template left out', '{"a":,"b":1}', []],
    ['one bad object after a good one', '{"a":1}{"b":oops}', [{ a: 1 }]],
    ['more after a brace too many', '{"a":{"b":1}},"c":2}', [{ a: { b: 1 } }]],
    ['other text', 'window.x = 1', []],
  ])('readLenientJson: says that something was left with %s', (_, text, values) => {
    expect(readLenientJson(text)).toEqual({ values, isCut: true });
  });

  test.each([
    ['texts', String.raw`\"`],
    ['comments', '/*'],
    ['lists', '['],
    ['objects', '{"a":'],
    ['bad objects', '{a}'],
  ])('readLenientJson: takes time in proportion to a script of endless %s', (_, part) => {
    expect(readLenientJson(`{"${part.repeat(100_000)}`).isCut).toBe(true);
    expect(readLenientJson(`{${part.repeat(100_000)}`).isCut).toBe(true);
  });
});
