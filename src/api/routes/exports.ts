// A job as one file. Pages are encoded in a thread of their own, as fast as the client reads.
import type { FileHandle } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { UserError } from '../../core/errors.ts';
import { hasEnded } from '../../core/job.ts';
import type { Log } from '../../core/ports/log.ts';
import { encodeApart, writeApart } from '../../export/encode-apart.ts';
import { type ExportFormat, exportedJob } from '../../export/export-format.ts';
import { exportFileName } from '../../export/file-name.ts';
import {
  archiveFormat,
  exportFormats,
  type ExportName,
  exportNames,
  formatNamed,
  type FormatName,
} from '../../export/formats.ts';
import { archiveOf, refuseWithoutRaw } from '../../jobs/read-raw.ts';
import { type Export, exportJob } from '../../jobs/export-job.ts';
import type { Results } from '../../jobs/read-results.ts';
import { budgetedSlices } from '../response/budgeted-slices.ts';
import { rangeIn } from '../response/byte-range.ts';
import { chained } from '../response/chained.ts';
import { matchesTag } from '../response/negotiation.ts';
import { type BytesReply, wantsPacked } from '../response/send-lines.ts';
import { responseReadSeconds, streamBytesMax } from '../limits.ts';
import { onceGone } from '../once-gone.ts';
import { type Api, callerOf, goneSignal, type Service } from '../service.ts';
import { jobParams, problemResponse, wholeNumber, flag } from './schemas.ts';

const query = z.object({
  // Validated below, so that the error lists the formats.
  format: z.string({ error: `Give one of these, once: ${exportNames.join(', ')}.` }).meta({
    enum: [...exportNames],
    examples: ['zip'],
    description: exportNames.map((name) => `\`${name}\`: ${factsOf(name).description}`).join(' '),
  }),
  partial: flag('`true`: of a job that has not ended, the pages that it has so far.'),
  end: flag('Only for `jsonl`: `true` adds a last line, `{"end":true,"pages":N}`, which a cut file does not have.'),
  after: wholeNumber('after', {
    min: 0,
    max: 10_000_000,
    default: 0,
    description: 'Only for `jsonl`: start after this page number, to continue a download that was cut.',
  }),
});

/** The parts of a request that determine the response. */
interface Request extends Pick<FastifyRequest, 'headers' | 'method' | 'caller'> {
  readonly params: { readonly id: string };
  readonly query: z.output<typeof query>;
}

/** Bytes: the schema of the OpenAPI document says no more about them. */
const file = z.string().meta({ format: 'binary' });
const mediaTypes = new Set(exportNames.map((name) => factsOf(name).contentType.replace(/;.*$/, '')));

interface Parts {
  readonly service: Service;
  readonly log: Log;
  /** The version of the program. */
  readonly version: string;
}

export function registerExports(api: Api, parts: Parts): void {
  api.get(
    '/crawler/jobs/:id/export',
    {
      config: { waits: true, isExport: true },
      schema: {
        tags: ['results'],
        operationId: 'exportJob',
        summary: 'The pages of a job as one file',
        description:
          'Streamed, except `sqlite`, which is written to the disk of the service first and then takes `Range`. The same ended job gives the same bytes, with a strong `ETag`. An org gets one export at a time. A response that ends early breaks the connection. After `jsonl`, the trailer `X-Pages` has the number of lines.',
        params: jobParams,
        querystring: query,
        response: {
          200: {
            description: 'The file.',
            content: Object.fromEntries([...mediaTypes].map((type) => [type, { schema: file }])),
          },
          206: z.null().describe('The requested part of the file, only for `sqlite`.'),
          304: z.null().describe('The file is the one with the `ETag` of `If-None-Match`.'),
          '4xx': problemResponse,
          '5xx': problemResponse,
        },
      },
    },
    (request, reply) => response(parts, request, reply),
  );
}

async function response({ service, log, version }: Parts, request: Request, reply: BytesReply): Promise<void> {
  const { org } = callerOf(request);
  const { id } = request.params;
  const { partial: isPartial, after, end: withEnd } = request.query;
  const name = formatNamed(request.query.format);
  const format: Partial<ExportFormat> & typeof archiveFormat = factsOf(name);
  const isLines = 'isLines' in format && format.isLines === true;
  if (!isLines && after > 0) throw onlyForLines('after', name);
  if (!isLines && withEnd) throw onlyForLines('end', name);
  const signal = goneSignal(reply.raw, service);
  const opened = await exportJob(
    service,
    org,
    id,
    { isPartial, after, skipsDamaged: isLines, bytesMax: streamBytesMax },
    signal,
  );
  if (name === 'warc') refuseWithoutRaw(opened.job);
  const packed = 'loadPacked' in format && format.loadPacked !== undefined && wantsPacked(request.headers);
  const { job, total } = opened;
  // Compressors differ between versions of Node.
  const form = [
    name,
    version,
    process.versions.node,
    ...(after > 0 ? [after] : []),
    ...(withEnd ? ['end'] : []),
    ...(packed ? ['gzip'] : []),
  ];
  const tag = hasEnded(job.status) ? `"${job.id}-${job.erasures}-${form.join('-')}"` : undefined;
  reply
    .header('x-job-status', job.status)
    .header('x-pages', String(total))
    .header('vary', 'accept-encoding')
    .header('cache-control', tag === undefined ? 'no-store' : 'private, no-cache')
    .header('accept-ranges', 'loadWriter' in format ? 'bytes' : 'none');
  if (tag !== undefined) reply.header('etag', tag);
  if (tag !== undefined && matchesTag(request.headers['if-none-match'], tag)) {
    await reply.code(304).send();
    return;
  }
  reply
    .header('content-type', format.contentType)
    .header('content-disposition', `attachment; filename="${exportFileName(job, format.ending)}"`);
  if (packed) reply.header('content-encoding', 'gzip');
  if (request.method === 'HEAD') {
    // For no body at all, the framework would say that the file has 0 bytes.
    await reply.send(Readable.from([]));
    return;
  }
  const report = service.onExport(name);
  let hasFailed = false;
  // The response is broken off, which is all that a client can still be shown.
  const onFailed = (error: unknown): void => {
    if (signal.aborted) return;
    hasFailed = true;
    log.error('an export failed, and its response was broken off', { job: job.id, format: name, error });
  };
  const what = { service, org, packed, isLines, withEnd, opened, signal, onFailed };
  try {
    if (name === 'warc') await sendArchive(what, reply);
    else
      await ('loadWriter' in format
        ? sendFile({ ...what, name }, request, reply, tag)
        : sendStream({ ...what, name }, reply));
  } catch (error) {
    hasFailed ||= !signal.aborted;
    throw error;
  } finally {
    report(hasFailed ? 'failed' : reply.raw.writableFinished ? 'complete' : 'cut');
  }
}

function factsOf(name: ExportName): ExportFormat | typeof archiveFormat {
  return name === 'warc' ? archiveFormat : exportFormats[name];
}

function onlyForLines(field: string, name: ExportName): UserError {
  const message = `\`${field}\` is only for \`format=jsonl\`. Leave it out of an export as ${name}.`;
  return new UserError('invalid_parameter', message, [{ field, message }]);
}

interface Sent {
  readonly service: Service;
  readonly org: string;
  readonly packed: boolean;
  readonly isLines: boolean;
  readonly withEnd: boolean;
  readonly opened: Export;
  readonly signal: AbortSignal;
  /** Called when the bytes end early although the client still reads. */
  readonly onFailed: (error: unknown) => void;
}

/** Made by the main thread, which unpacks and packs on others: the bytes of a page stay as they are. */
async function sendArchive(
  { service, opened: { job, total }, signal, ...what }: Sent,
  reply: BytesReply,
): Promise<void> {
  const archive = archiveOf(service, job, total, signal);
  const { encodeWarc } = await import('../../export/warc.ts');
  const chunks = encodeWarc(archive, exportedJob(job, total));
  const sent = reply.send(Readable.from(watched(chunks, reply.raw, what), { objectMode: false }));
  reply.raw.flushHeaders();
  await sent;
}

interface SentPages extends Sent {
  readonly name: FormatName;
}

function slicesOf({ service, org, opened, signal }: Sent): AsyncGenerator<Results> {
  return budgetedSlices(opened.slices, (bytes) => service.responses.take(org, bytes, signal));
}

async function sendStream(what: SentPages, reply: BytesReply): Promise<void> {
  const { name, packed, isLines, withEnd, opened, signal } = what;
  const slices = slicesOf(what);
  // The first slice decides between a file and an error.
  const first = await slices.next();
  const task = { format: name, job: { ...exportedJob(opened.job, opened.total), withEnd }, packed };
  let lines = 0;
  const counted = async function* (): AsyncGenerator<Results> {
    for await (const slice of chained(first, slices)) {
      lines += slice.pages.length + (slice.damagedPage === undefined ? 0 : 1);
      yield slice;
    }
  };
  const chunks = encodeApart(task, counted(), signal);
  // The header says how many pages there are, the trailer how many came.
  if (isLines) reply.trailer('x-pages', async () => String(lines));
  const sent = reply.send(Readable.from(watched(chunks, reply.raw, what), { objectMode: false }));
  // The first bytes can take a while; the headers show the client that it is being served.
  reply.raw.flushHeaders();
  await sent;
}

async function sendFile(
  what: SentPages,
  { headers }: Request,
  reply: BytesReply,
  tag: string | undefined,
): Promise<void> {
  const { service, name, opened, signal } = what;
  const task = { format: name, job: exportedJob(opened.job, opened.total), packed: false };
  const handle = await writeApart(task, slicesOf(what), service.exportFiles, signal);
  try {
    const { size } = await handle.stat();
    const range = rangeOrNothing(headers, tag, size, reply);
    const { start, end } = range ?? { start: 0, end: size - 1 };
    if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${size}`);
    reply.header('content-length', String(end - start + 1));
    const chunks = fileChunks(handle, start, end);
    await reply.send(Readable.from(watched(chunks, reply.raw, what), { objectMode: false }));
  } finally {
    await handle.close();
  }
}

function rangeOrNothing(headers: Request['headers'], tag: string | undefined, size: number, reply: BytesReply) {
  try {
    return rangeIn(headers, tag, size);
  } catch (error) {
    reply.header('content-range', `bytes */${size}`);
    throw error;
  }
}

const fileChunkBytes = 256 * 1024;

async function* fileChunks(handle: FileHandle, start: number, end: number): AsyncGenerator<Uint8Array> {
  for (let at = start; at <= end;) {
    const wanted = Math.min(fileChunkBytes, end + 1 - at);
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(wanted), 0, wanted, at);
    if (bytesRead === 0) throw new Error('the file of an export became shorter');
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Cuts off a client that reads nothing for too long: it holds the only export of its org. */
async function* watched(
  chunks: AsyncGenerator<Uint8Array>,
  response: ServerResponse,
  { onFailed }: Pick<Sent, 'onFailed'>,
): AsyncGenerator<Uint8Array> {
  let timer: NodeJS.Timeout | undefined;
  onceGone(response, () => clearTimeout(timer));
  try {
    for await (const chunk of chunks) {
      timer = setTimeout(() => response.destroy(), responseReadSeconds * 1000);
      yield chunk;
      clearTimeout(timer);
    }
  } catch (error) {
    onFailed(error);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
