// Converts one file in a process of its own, as the service does, and prints the outcome and the peak memory.
// `node convert-alone.ts KIND < FILE`
import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { constants, inflateRawSync } from 'node:zlib';
import type { FileKind } from '../../src/core/bytes/file-kind.ts';
import { ConverterPool } from '../../src/crawl/convert/thread/converter-pool.ts';
import { briefOf } from '../../src/crawl/job/job-cache.ts';
import { readFetchedHeaders } from '../../src/fetch/response/response-head.ts';
import { rowStart } from '../../src/page/row.ts';
import { jobSpec } from '../job-spec.ts';
import { ownedCopy } from '../../src/core/bytes/owned-bytes.ts';

export interface Converted {
  /** `page`, or the reason why it is none. */
  readonly outcome: string;
  readonly message?: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The first 1,000 characters. */
  readonly text: string;
  /** Of all threads of the process. */
  readonly processorMs: number;
  /** Most resident memory of the process, and what it had before. */
  readonly peakMiB: number;
  readonly startMiB: number;
}

const memory = (line: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`^${line}:\\s+(\\d+) kB`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;

const kind = process.argv[2] as FileKind;
const body = new Uint8Array(await buffer(process.stdin));
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
// As open-converters.ts has them.
const limits = { deadlineMs: 5_000, fileDeadlineMs: 20_000, memoryMbMax: 512, sharedMbMax: 128 };
const pool = new ConverterPool({ threads: 1, ...limits }, log);
const url = `http://site.example/file.${kind}`;
const startMiB = memory('VmRSS');
const processorTime = process.cpuUsage();
const converted = await pool.convertPage({
  job: briefOf({ id: 'job', spec: jobSpec({ urls: [url] }), scopeHosts: ['site.example'] }, 1),
  requestUrl: url,
  fetchedUrl: url,
  depth: 0,
  statusCode: 200,
  headers: readFetchedHeaders({}),
  body: ownedCopy(body),
  file: kind,
});
const { user, system } = process.cpuUsage(processorTime);
const measured = { processorMs: Math.round((user + system) / 1000), peakMiB: Math.round(memory('VmHWM')), startMiB };
const told: Converted = { ...shown(), ...measured };
await pool.close();
console.log(JSON.stringify(told));

function shown(): Pick<Converted, 'outcome' | 'message' | 'metadata' | 'text'> {
  if (converted.kind === 'error') {
    const { reason, message } = converted.error;
    return { outcome: reason, message, metadata: {}, text: '' };
  }
  if (converted.kind !== 'page') return { outcome: converted.kind, metadata: {}, text: '' };
  const inflated = inflateRawSync(converted.page.body.deflated, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
  const { meta, text } = JSON.parse(rowStart(1) + inflated) as { meta: { meta: {} }; text: string };
  return { outcome: 'page', metadata: meta.meta, text: text.slice(0, 1_000) };
}
