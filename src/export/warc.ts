// WARC 1.1 (ISO 28500:2017): a gzip member for each record, so that a reader can begin at any of them. The same job gives
// the same bytes.
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { LedgerEntry } from '../core/ports/stores.ts';
import type { RawPage } from '../core/raw-page.ts';
import type { ExportedJob } from './export-format.ts';

const pack = promisify(gzip);

export interface Archived {
  readonly pages: AsyncIterable<{ readonly page: number; readonly raw: RawPage }>;
  readonly entries: AsyncIterable<LedgerEntry>;
}

/**
 * First the pages: the response, and for a rendered page the document as a resource. Then the outcome of each URL of the
 * ledger, as metadata.
 */
export async function* encodeWarc({ pages, entries }: Archived, job: ExportedJob): AsyncGenerator<Uint8Array> {
  const nameOf = (what: string): string => idOf(`${job.id} ${what}`);
  const info = fieldsOf({
    software: 'hayrake',
    format: 'WARC File Format 1.1',
    conformsTo: 'http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/',
    isPartOf: job.id,
  });
  const common = { 'WARC-Warcinfo-ID': nameOf('info') };
  yield record(
    {
      'WARC-Type': 'warcinfo',
      'WARC-Record-ID': nameOf('info'),
      'WARC-Date': dateOf(job.createdAt),
      'Content-Type': 'application/warc-fields',
    },
    [info],
  );
  for await (const {
    page,
    raw: { head, received, rendered },
  } of pages) {
    const target = { 'WARC-Date': dateOf(head.fetchedAt), ...common };
    const response = nameOf(`response ${page}`);
    yield record(
      {
        'WARC-Type': 'response',
        'WARC-Record-ID': response,
        'WARC-Target-URI': head.fetchedUrl,
        ...target,
        'WARC-Payload-Digest': digestOf(received),
        'Content-Type': 'application/http;msgtype=response',
      },
      [httpHead(head, received.length), received],
    );
    if (!rendered) continue;
    yield record(
      {
        'WARC-Type': 'resource',
        'WARC-Record-ID': nameOf(`resource ${page}`),
        'WARC-Concurrent-To': response,
        // A reader that replays a URL must find what the site sent.
        'WARC-Target-URI': `urn:rendered:${head.fetchedUrl}`,
        ...target,
        'WARC-Payload-Digest': digestOf(rendered),
        'Content-Type': 'text/html; charset=utf-8',
      },
      [rendered],
    );
  }
  for await (const {
    entry,
    url,
    status,
    reason,
    detail,
    page,
    depth,
    statusCode,
    attempts,
    attemptedAt,
    foundOn,
  } of entries) {
    const outcome = { outcome: status, reason, detail, page, statusCode, attempts, via: foundOn, hopsFromSeed: depth };
    yield record(
      {
        'WARC-Type': 'metadata',
        'WARC-Record-ID': nameOf(`entry ${entry}`),
        ...(page !== null && { 'WARC-Refers-To': nameOf(`response ${page}`) }),
        'WARC-Target-URI': url,
        'WARC-Date': dateOf(attemptedAt ?? job.createdAt),
        ...common,
        'Content-Type': 'application/warc-fields',
      },
      [fieldsOf(outcome)],
    );
  }
}

type Fields = Readonly<Record<string, string | number | null>>;

async function record(fields: Fields, block: readonly Uint8Array[]): Promise<Uint8Array> {
  const length = block.reduce((sum, part) => sum + part.length, 0);
  const head = `WARC/1.1\r\n${linesOf({ ...fields, 'Content-Length': length })}\r\n`;
  return pack(Buffer.concat([Buffer.from(head), ...block, Buffer.from('\r\n\r\n')]));
}

function fieldsOf(fields: Fields): Buffer {
  return Buffer.from(linesOf(fields));
}

function linesOf(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, value]) => (value === null ? '' : `${name}: ${oneLine(String(value))}\r\n`))
    .join('');
}

/** Headers that described the body as it was sent. It is stored without its codings, in one piece. */
const ofTransfer = new Set(['content-encoding', 'content-length', 'transfer-encoding']);

function httpHead({ statusCode, headers }: RawPage['head'], length: number): Buffer {
  const lines = headers
    .filter(([name]) => /^[!#$%&'*+.^_`|~\w-]+$/.test(name))
    .map(([name, value]) => `${ofTransfer.has(name) ? `X-Archive-Orig-${name}` : name}: ${oneLine(value)}\r\n`);
  // The phrase says nothing that the number does not, and HTTP/2 has none.
  const status = `HTTP/1.1 ${statusCode} ${statusCode < 400 ? 'OK' : 'Error'}\r\n`;
  // A header's characters are its bytes.
  return Buffer.from(`${status}${lines.join('')}Content-Length: ${length}\r\n\r\n`, 'latin1');
}

/** A line break would begin another field. */
function oneLine(value: string): string {
  return value.replaceAll(/[\r\n\0]+/g, ' ');
}

function dateOf(at: number): string {
  return new Date(at).toISOString();
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${hash('sha256', bytes, 'hex')}`;
}

/** A UUID of version 8: made of a hash. */
function idOf(name: string): string {
  const hex = hash('sha256', name, 'hex');
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 3) | 8).toString(16);
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return `<urn:uuid:${parts.join('-')}>`;
}
