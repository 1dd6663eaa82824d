import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
  type InputType,
} from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { unpackBeginning, unpackBody } from './unpack-body.ts';
import { zstdFrames } from './zstd-frames.ts';

const MiB = 2 ** 20;
const text = Array.from({ length: 20_000 }, (_, line) => `<p>Line ${line} of a page.</p>`).join('\n');
const page = Buffer.from(text);

const packed: Readonly<Record<string, readonly [encoding: string, body: Uint8Array]>> = {
  gzip: ['gzip', gzipSync(page)],
  br: ['br', brotliCompressSync(page)],
  'zlib as deflate': ['deflate', deflateSync(page)],
  'zlib as deflate, packed by the fastest way': ['deflate', deflateSync(page, { level: 1 })],
  'zlib as deflate, with a window of 512 bytes': ['deflate', deflateSync(page, { windowBits: 9 })],
  'raw deflate': ['deflate', deflateRawSync(page)],
  'raw deflate that is stored': ['deflate', deflateRawSync(page, { level: 0 })],
  zstd: ['zstd', zstdCompressSync(page)],
  'zstd with a checksum': ['zstd', zstd(page, { [constants.ZSTD_c_checksumFlag]: 1 })],
  'zstd without a size': ['zstd', zstd(page, { [constants.ZSTD_c_contentSizeFlag]: 0 })],
  'zstd of one small block': ['zstd', zstdCompressSync('small')],
};

function zstd(body: InputType, params: Readonly<Record<number, number>>): Uint8Array {
  return zstdCompressSync(body, { params });
}

function skippable(bytes: number): Uint8Array {
  const frame = Buffer.alloc(8 + bytes, 7);
  frame.writeUInt32LE(0x18_4d_2a_5c, 0);
  frame.writeUInt32LE(bytes, 4);
  return frame;
}

function unpacked(encoding: string, body: Uint8Array, bytesMax = 20 * MiB): string {
  const result = unpackBody(body, encoding, bytesMax);
  return result instanceof Uint8Array ? Buffer.from(result).toString() : result.reason;
}

async function beginning(encoding: string, body: Uint8Array, bytesMax = 20 * MiB): Promise<string | undefined> {
  const result = await unpackBeginning(body, encoding, bytesMax);
  return result === undefined ? undefined : Buffer.from(result).toString();
}

describe.each(Object.entries(packed))('%s', (name, [encoding, body]) => {
  const expected = name.includes('small') ? 'small' : text;

  test(`unpackBody: unpacks ${name}, and unpackBeginning does too`, async () => {
    expect(unpacked(encoding, body)).toBe(expected);
    expect(await beginning(encoding, body)).toBe(expected);
  });

  test(`unpackBody: unpacks ${name} after gzip`, () => {
    expect(unpacked(`${encoding} gzip`, gzipSync(body))).toBe(expected);
  });

  test(`unpackBody: rejects ${name} that is truncated anywhere, and unpackBeginning does too`, async () => {
    expect(unpacked(encoding, new Uint8Array(0))).toBe('bad_encoding');
    // There it is an empty file, which forbids nothing.
    expect(await beginning(encoding, new Uint8Array(0))).toBe('');
    const lengths = [1, 2, 3, 4, 5, 6, 9, 13, body.length >> 1, body.length - 5, body.length - 2, body.length - 1];
    for (const length of new Set(lengths.filter((length) => length > 0 && length < body.length))) {
      const cut = body.subarray(0, length);
      expect(unpacked(encoding, cut), `${length} of ${body.length} bytes`).toBe('bad_encoding');
      expect(await beginning(encoding, cut), `${length} of ${body.length} bytes`).toBeUndefined();
    }
  });

  test(`unpackBody: allows ${name} of exactly the limit and no more, and unpackBeginning cuts at the limit`, async () => {
    expect(unpacked(encoding, body, expected.length)).toBe(expected);
    expect(unpacked(encoding, body, expected.length - 1)).toBe('body_too_large');
    expect(await beginning(encoding, body, expected.length - 1)).toBe(expected.slice(0, -1));
  });

  test(`unpackBody: ignores zeros after ${name}, and unpackBeginning does too`, async () => {
    const followed = Buffer.concat([body, Buffer.alloc(7)]);
    expect(unpacked(encoding, followed)).toBe(expected);
    expect(await beginning(encoding, followed)).toBe(expected);
  });
});

describe('unpackBody with a broken body', () => {
  test.each([
    ['plain text as deflate', 'deflate', page],
    ['plain text as zstd', 'zstd', page],
    ['gzip as deflate', 'deflate', gzipSync(page)],
    ['gzip as zstd', 'zstd', gzipSync(page)],
    ['zstd as gzip', 'gzip', zstdCompressSync(page)],
    ['zlib with a wrong checksum', 'deflate', flipped(deflateSync(page))],
    ['zstd with a wrong checksum', 'zstd', flipped(zstd(page, { [constants.ZSTD_c_checksumFlag]: 1 }))],
    ['zstd with a broken block', 'zstd', Buffer.from(zstdCompressSync(page)).fill(0xff, 20, 60)],
    // RFC 9659: 8 MiB. libzstd by itself would take 128 MiB of memory.
    ['zstd with a window of 128 MiB', 'zstd', windowOf(27)],
    [
      'zstd with a truncated second frame',
      'zstd',
      Buffer.concat([zstdCompressSync('a'), zstdCompressSync(page)]).subarray(0, -9),
    ],
    ['a truncated skippable frame', 'zstd', skippable(100).subarray(0, 50)],
  ])('unpackBody: returns bad_encoding for %s', async (_, encoding, body) => {
    expect(unpacked(encoding, body)).toBe('bad_encoding');
    expect(await beginning(encoding, body)).toBeUndefined();
  });
});

describe('unpackBody with several zstd frames', () => {
  test('unpackBody: joins several zstd frames, and ignores skippable frames', async () => {
    const frames = [
      skippable(0),
      zstdCompressSync('one '),
      skippable(70_000),
      zstdCompressSync(''),
      zstdCompressSync('two'),
    ];
    expect(unpacked('zstd', Buffer.concat(frames))).toBe('one two');
    expect(await beginning('zstd', Buffer.concat(frames))).toBe('one two');
    expect(await beginning('zstd', Buffer.concat(frames), 5)).toBe('one t');
  });

  test('unpackBody: counts all zstd frames against the limit', () => {
    const frame = zstdCompressSync(Buffer.alloc(3 * MiB));
    const repeated = (times: number): Uint8Array => Buffer.concat(Array.from({ length: times }, () => frame));
    expect(unpackBody(repeated(3), 'zstd', 9 * MiB)).toHaveLength(9 * MiB);
    expect(unpacked('zstd', Buffer.concat([repeated(3), zstdCompressSync('x')]), 9 * MiB)).toBe('body_too_large');
    expect(unpacked('zstd', repeated(900), 9 * MiB)).toBe('body_too_large');
  });

  test('unpackBody: rejects more than 1,000 zstd frames', async () => {
    const empty = zstdCompressSync('');
    const of = (times: number): Uint8Array => Buffer.concat(Array.from({ length: times }, () => empty));
    expect(unpacked('zstd', of(1_000))).toBe('');
    expect(unpacked('zstd', of(1_001))).toBe('bad_encoding');
    // Reading them all would take minutes, and fail by the test's time limit.
    expect(unpacked('zstd', of(2_000_000))).toBe('bad_encoding');
    expect(await beginning('zstd', of(50_000), 500 * 1024)).toBeUndefined();
  });
});

test.each([
  ['gzip', gzipSync(Buffer.alloc(256 * MiB))],
  ['deflate', deflateSync(Buffer.alloc(256 * MiB))],
  ['deflate', deflateRawSync(Buffer.alloc(256 * MiB))],
  ['br', brotliCompressSync(Buffer.alloc(256 * MiB), { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } })],
  ['zstd', zstdCompressSync(Buffer.alloc(256 * MiB))],
])('unpackBody: stops a bomb of 256 MiB as %s at the limit', async (encoding, bomb) => {
  expect(unpacked(encoding, bomb)).toBe('body_too_large');
  expect(unpacked(`${encoding} zstd`, zstdCompressSync(bomb))).toBe('body_too_large');
  expect(await beginning(encoding, bomb, 1_000)).toHaveLength(1_000);
});

test('zstdFrames: finds frames of every level, checksum, size field and length', () => {
  for (const level of [-5, 1, 3, 19]) {
    for (const [checksum, size] of [
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ] as const) {
      for (const length of [0, 1, 255, 256, 65_791, 65_792, 300_000]) {
        const frame = zstd(page.subarray(0, length), {
          [constants.ZSTD_c_compressionLevel]: level,
          [constants.ZSTD_c_checksumFlag]: checksum,
          [constants.ZSTD_c_contentSizeFlag]: size,
        });
        const { frames, isWhole } = zstdFrames(Buffer.concat([frame, frame]));
        expect({ isWhole, lengths: frames.map((found) => found.length) }).toEqual({
          isWhole: true,
          lengths: [frame.length, frame.length],
        });
      }
    }
  }
});

/** With one other bit in the last byte. */
function flipped(bytes: Uint8Array): Uint8Array {
  const at = bytes.length - 1;
  const wrong = Buffer.from(bytes);
  wrong.writeUInt8(wrong.readUInt8(at) ^ 1, at);
  return wrong;
}

function windowOf(log: number): Uint8Array {
  const params = { [constants.ZSTD_c_windowLog]: log, [constants.ZSTD_c_contentSizeFlag]: 0 };
  return zstd(Buffer.alloc(20 * MiB, 'ab'), params);
}
