// Bodies that are too much, or not packed as they say: each fails at once, for itself, and is not asked for again.
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JobAnswer, startService, type TestService } from '../service/start-service.ts';
import {
  endless,
  growthOf,
  gzipBomb,
  type HostileSites,
  http,
  ledgerBySite,
  ordinaryPage,
  ordinaryPaths,
  type RawAnswer,
  type SiteLedger,
  startHostileSites,
  warmUp,
} from './hostile-site.ts';

const MiB = 2 ** 20;
/** All of them at the same time: bodies of 20 MiB, and what they are unpacked to. Measured: 139 to 226, by chance. */
const grownMiBMax = 384;

/** A connection that nobody needed is closed after a few seconds. */
const idleConnections = { timeout: 15_000 };

const zeros = Buffer.alloc(64 * MiB);
const page = ordinaryPage('a page that is packed');
const packed = gzipSync(page);
/** 2 GiB. */
const bomb = gzipBomb(32);

const cases: Readonly<Record<string, readonly [answer: RawAnswer, reason: string]>> = {
  'gzip of 10 GiB': [packedAs('gzip', gzipBomb(160)), 'body_too_large'],
  'gzip of 2 GiB in 32 members': [packedAs('gzip', repeated(gzipSync(zeros), 32)), 'body_too_large'],
  'brotli of 64 MiB in 100 bytes': [packedAs('br', brotli(zeros)), 'body_too_large'],
  'zlib of 64 MiB as deflate': [packedAs('deflate', deflateSync(zeros)), 'body_too_large'],
  'raw deflate of 64 MiB': [packedAs('deflate', deflateRawSync(zeros)), 'body_too_large'],
  'zstd of 64 MiB in 2 KB': [packedAs('zstd', zstdCompressSync(zeros)), 'body_too_large'],
  'zstd of 10 GiB in 160 frames': [packedAs('zstd', repeated(zstdCompressSync(zeros), 160)), 'body_too_large'],
  'two million empty frames of zstd': [packedAs('zstd', repeated(zstdCompressSync(''), 2_000_000)), 'bad_encoding'],
  'a bomb of zstd in zstd': [packedAs('zstd, zstd', zstdCompressSync(zstdCompressSync(zeros))), 'body_too_large'],
  'one byte more than 20 MiB': [packedAs('gzip', gzipSync(Buffer.alloc(20 * MiB + 1, ' '))), 'body_too_large'],
  'a bomb packed twice': [packedAs('gzip, gzip', gzipSync(bomb)), 'body_too_large'],
  'a bomb in the first unpacking': [packedAs('br, gzip', bomb), 'body_too_large'],
  'a bomb packed three times': [packedAs('gzip, gzip, gzip', gzipSync(gzipSync(bomb))), 'bad_encoding'],
  'a body without end': [endless('', 'a'.repeat(64 * 1024)), 'body_too_large'],
  'chunks without end': [
    endless('Transfer-Encoding: chunked', `10000\r\n${'a'.repeat(0x10000)}\r\n`),
    'body_too_large',
  ],
  'a body of 1 TB, announced': [endless('Content-Length: 1000000000000', 'a'.repeat(1_024)), 'body_too_large'],

  'six codings': [packedAs('gzip, gzip, gzip, gzip, gzip, gzip', packed), 'bad_encoding'],
  '1,000 codings': [packedAs(Array.from({ length: 1_000 }, () => 'gzip').join(','), packed), 'bad_encoding'],
  'a coding that was not asked for': [packedAs('compress', packed), 'bad_encoding'],
  'a coding that nobody knows': [packedAs('squash', packed), 'bad_encoding'],
  'gzip that is plain': [packedAs('gzip', page), 'bad_encoding'],
  'gzip that is brotli': [packedAs('gzip', brotli(page)), 'bad_encoding'],
  'gzip that is cut off': [packedAs('gzip', packed.subarray(0, -20)), 'bad_encoding'],
  'gzip with a wrong checksum': [packedAs('gzip', withWrongChecksum(packed)), 'bad_encoding'],
  'gzip that is empty': [packedAs('gzip', ''), 'bad_encoding'],
  'brotli that is cut off': [packedAs('br', brotli(page).subarray(0, -5)), 'bad_encoding'],
  'deflate that is plain': [packedAs('deflate', page), 'bad_encoding'],
  'zlib that is cut off': [packedAs('deflate', deflateSync(page).subarray(0, -1)), 'bad_encoding'],
  'raw deflate that is cut off': [packedAs('deflate', deflateRawSync(page).subarray(0, -1)), 'bad_encoding'],
  'zstd that is gzip': [packedAs('zstd', packed), 'bad_encoding'],
  'zstd that is cut off': [packedAs('zstd', zstdCompressSync(page).subarray(0, -1)), 'bad_encoding'],
  'zstd that is empty': [packedAs('zstd', ''), 'bad_encoding'],
  'zstd that needs 128 MiB of memory': [
    packedAs(
      'zstd',
      zstdCompressSync(zeros, { params: { [constants.ZSTD_c_windowLog]: 27, [constants.ZSTD_c_contentSizeFlag]: 0 } }),
    ),
    'bad_encoding',
  ],
};

let service: TestService;
let sites: HostileSites;
let job: JobAnswer;
let ledger: SiteLedger;
let grownMiB: number;
beforeAll(async () => {
  service = await startService({ env: { HAYRAKE_CONVERTER_THREADS: '2' } });
  await warmUp(service);
  sites = await startHostileSites(Object.fromEntries(Object.entries(cases).map(([name, [answer]]) => [name, answer])));
  ({ result: job, grownMiB } = await growthOf(service, () => service.crawl({ urls: sites.urls })));
  ledger = await ledgerBySite(service, job.id, sites);
});
afterAll(async () => {
  await sites.close();
  await service.close();
});

test.each(Object.entries(cases))('%s', (name, [, reason]) => {
  expect(ledger.hostile(name)).toMatchObject({ status: 'failed', reason, attempts: 1 });
  expect(sites.of(name).asked.filter((path) => path === '/hostile')).toHaveLength(1);
  expect(ledger.delivered(name)).toEqual(ordinaryPaths);
});

test('the job ends, the service lives, and nothing of it stays open', async () => {
  expect(job).toMatchObject({ status: 'succeeded', progress: { failed: Object.keys(cases).length } });
  expect((await service.api('/healthz')).status).toBe(200);
  expect(service.stderr).toBe('');
  await expect.poll(() => Object.keys(cases).filter((name) => sites.of(name).open() > 0), idleConnections).toEqual([]);
});

test(`together they cost less than ${grownMiBMax} MiB of memory`, () => {
  expect(grownMiB).toBeLessThan(grownMiBMax);
});

function packedAs(codings: string, body: string | Uint8Array): RawAnswer {
  return http(body, { headers: { 'content-encoding': codings } });
}

function repeated(bytes: Uint8Array, times: number): Uint8Array {
  return Buffer.concat(Array.from({ length: times }, () => bytes));
}

function brotli(body: string | Uint8Array): Uint8Array {
  return brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
}

function withWrongChecksum(bytes: Uint8Array): Uint8Array {
  const wrong = Buffer.from(bytes);
  wrong.writeUInt32LE(wrong.readUInt32LE(wrong.length - 8) ^ 1, wrong.length - 8);
  return wrong;
}
