import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chunksOf } from './chunks.ts';

const chunks = (text: string, charsMax: number): string[] =>
  [...chunksOf(text, charsMax)].map(({ start, end }) => text.slice(start, end));
const headings = (text: string, charsMax: number): (readonly string[])[] =>
  [...chunksOf(text, charsMax)].map((chunk) => chunk.headings);
const words = (count: number): string => 'word '.repeat(count).trim();

describe('chunksOf', () => {
  test('chunksOf: returns sections with their headings', () => {
    const text = `# A\n\n${words(50)}\n\n## B *b* \`c\`\n\n${words(50)}\n\n# C\n\n${words(10)}\n`;
    expect(headings(text, 300)).toEqual([['A'], ['A', 'B b c'], ['C']]);
    expect(chunks(text, 300)[1]).toMatch(/^## B/);
  });

  test('chunksOf: joins small sections of one parent, and never of two', () => {
    expect(headings('## B\n\nb\n\n## C\n\nc\n\n# D\n\nd\n', 1_000)).toEqual([[], ['D']]);
    expect(headings('# A\n\n## B\n\nb\n\n## C\n\nc\n', 1_000)).toEqual([['A']]);
  });

  test.each([
    ['a table', `| a | b |\n| --- | --- |\n${'| c | d |\n'.repeat(100)}`],
    ['code', `\`\`\`\n${'a line\n\n'.repeat(100)}\`\`\`\n`],
    ['a list item', `- a\n\n  ${'b b\n\n  '.repeat(100)}c\n`],
    ['a list item with nested items', `- a\n${'  - b\n'.repeat(100)}`],
    ['a footnote', `[^1]: a\n\n    ${'b\n\n    '.repeat(100)}c\n`],
    ['a word', `${'a'.repeat(900)}\n`],
    ['a link', `[${words(100)}](/u)\n`],
  ])('chunksOf: does not cut %s', (_, block) => {
    expect(chunks(`a\n\n${block}\nb\n`, 200)).toContainEqual(expect.stringContaining(block.trimEnd()));
  });

  test('chunksOf: cuts a list between items, text after a sentence, and keeps a heading with its text', () => {
    expect(chunks('- item\n'.repeat(100), 210).every((chunk) => /^(?:- item\n){1,30}$/.test(chunk))).toBe(true);
    expect(chunks('A short sentence. '.repeat(100), 210).slice(0, -1)).toEqual(
      Array.from({ length: 9 }, () => 'A short sentence. '.repeat(11)),
    );
    const text = `${words(38)}\n\n## B\n\n${words(38)}\n`;
    expect(chunks(text, 200)[1]).toMatch(/^## B\n\nword/);
  });

  test('chunksOf: returns chunks that join to the text', () => {
    const piece = fc.constantFrom(
      'a ',
      'b. ',
      '\n',
      '\n\n',
      '# c\n',
      '- d\n',
      '> e',
      '```\n',
      '| f |\n',
      '  ',
      '[g](h)',
      '日本。',
      '🌾',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 300 }), fc.integer({ min: 20, max: 200 }), (pieces, charsMax) => {
        const text = pieces.join('');
        const joined = chunks(text, charsMax).join('');
        expect(joined.trim()).toBe(text.trim());
        expect(joined === '' || joined === text).toBe(true);
      }),
      { numRuns: 500, seed: 1 },
    );
  });
});
