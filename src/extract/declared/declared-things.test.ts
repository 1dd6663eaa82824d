import { describe, expect, test } from 'vitest';
import { declaredThings, type SourcedThing } from './declared-things.ts';

describe('declaredThings', () => {
  test('declaredThings: leaves out a thing with one value under many names at each level', () => {
    let values: Record<string, unknown> = { name: 'deep' };
    for (let depth = 0; depth < 8; depth++)
      values = Object.fromEntries(Array.from('abcdefghij', (name) => [name, values]));
    const bomb: SourcedThing = { source: 'microdata', types: ['Thing'], values };
    const rake: SourcedThing = { source: 'json-ld', types: ['Product'], values: { name: 'Garden rake' } };
    expect(declaredThings([bomb, rake], [])).toEqual({
      things: [{ source: 'json-ld', type: ['Product'], values: { name: 'Garden rake' } }],
      omitted: 1,
    });
  });
});
