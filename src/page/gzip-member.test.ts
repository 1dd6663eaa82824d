import { spawnSync } from 'node:child_process';
import { gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fragmentOf } from '../../test/fragment.ts';
import { GzipMember } from './gzip-member.ts';

const texts = fc.string({ unit: 'grapheme', maxLength: 400 });
/** The parts added, in order: literal text or a fragment of text, compressed at any level. */
const parts = fc.array(
  fc.record({
    text: texts,
    level: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
    drains: fc.boolean(),
  }),
  { maxLength: 40 },
);

type Part = typeof parts extends fc.Arbitrary<(infer Value)[]> ? Value : never;

function memberOf(added: readonly Part[]): Buffer {
  const member = new GzipMember();
  const drained: Buffer[] = [];
  for (const { text, level, drains } of added) {
    if (level === undefined) member.literal(text);
    else member.fragment(fragmentOf(text, level));
    if (drains) drained.push(member.drain());
  }
  member.end();
  return Buffer.concat([...drained, member.drain()]);
}

const textOf = (added: readonly Part[]): string => added.map(({ text }) => text).join('');

describe('GzipMember', () => {
  it('GzipMember: unpacks to its literals and fragments, however they were drained', () => {
    fc.assert(
      fc.property(parts, (added) => {
        expect(gunzipSync(memberOf(added)).toString()).toBe(Buffer.from(textOf(added)).toString());
      }),
    );
  });

  it('GzipMember: is complete when it is empty', () => {
    expect(gunzipSync(memberOf([])).toString()).toBe('');
  });

  it.each([0, 1, 65_534, 65_535, 65_536, 131_070, 131_071, 1_000_000])(
    'GzipMember: contains a literal of %i bytes',
    (length) => {
      const text = 'literal '.repeat(Math.ceil(length / 8)).slice(0, length);
      const added = [text, 'x', text].map((part) => ({ text: part, level: undefined, drains: false }));
      expect(gunzipSync(memberOf(added)).toString()).toBe(textOf(added));
    },
  );

  it('GzipMember: counts bytes, not characters', () => {
    const added = [{ text: 'ü🌾'.repeat(30_000), level: undefined, drains: false }];
    expect(gunzipSync(memberOf(added)).toString()).toBe(textOf(added));
  });

  it('GzipMember: is one member without bytes after it', () => {
    const bytes = memberOf([
      { text: 'one', level: undefined, drains: false },
      { text: 'two', level: 6, drains: false },
    ]);
    // Node ignores unreadable bytes after a member, but always rejects a member that lacks a byte.
    expect(() => gunzipSync(bytes.subarray(0, -1))).toThrow('unexpected end of file');
    expect(bytes.indexOf(Buffer.from([0x1f, 0x8b, 8]), 1)).toBe(-1);
  });

  /** Readers by other authors. Python's stops at the end of the first member and reports the rest. */
  const readers = [
    ['gzip', 'gzip', ['-dc']],
    [
      'Python',
      'python3',
      [
        '-c',
        'import sys,zlib; d=zlib.decompressobj(31); o=d.decompress(sys.stdin.buffer.read()); assert d.eof and not d.unused_data; sys.stdout.buffer.write(o)',
      ],
    ],
  ] as const;

  it.for(readers)('GzipMember: is read completely by %s', ([, program, args], { skip }) => {
    if (spawnSync(program, ['--version']).error) skip(`${program} is not installed`);
    for (const added of fc.sample(parts, { numRuns: 10, seed: 1 })) {
      const long = [...added, { text: 'long '.repeat(30_000), level: undefined, drains: false }];
      const { stdout, status } = spawnSync(program, args, { input: memberOf(long), maxBuffer: 2 ** 24 });
      expect(status).toBe(0);
      expect(stdout.toString()).toBe(Buffer.from(textOf(long)).toString());
    }
  });
});
