import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { type LineSlice, listLines, packedLines, plainLines } from './ndjson-lines.ts';
import { acceptsGzip } from './negotiation.ts';

/** A response of raw bytes, awaited until it was sent. */
export interface BytesReply {
  readonly raw: ServerResponse;
  header(name: string, value: string): BytesReply;
  code(status: number): BytesReply;
  /** Sent after a body in chunks. */
  trailer(name: string, value: () => Promise<string>): unknown;
  send(payload?: unknown): { then(sent: () => void, failed: (error: Error) => void): void };
}

interface Headers {
  readonly accept?: string | undefined;
  readonly 'accept-encoding'?: string | string[] | undefined;
}

export function wantsLines({ accept }: Headers): boolean {
  return accept?.includes('application/x-ndjson') === true;
}

/** Returns true if the client accepts gzip. */
export function wantsPacked({ 'accept-encoding': codings }: Headers): boolean {
  return acceptsGzip(codings?.toString());
}

/** Streams NDJSON, compressed if the client accepts gzip. */
export async function sendLines(reply: BytesReply, headers: Headers, slices: AsyncIterable<LineSlice>): Promise<void> {
  const packed = wantsPacked(headers);
  if (packed) reply.header('content-encoding', 'gzip');
  reply
    .header('content-type', 'application/x-ndjson; charset=utf-8')
    .header('vary', 'accept, accept-encoding')
    .header('cache-control', 'no-store');
  const sent = reply.send(Readable.from(packed ? packedLines(slices) : plainLines(slices), { objectMode: false }));
  // The first row can take a while; the headers show the client that it is being served.
  reply.raw.flushHeaders();
  await sent;
}

/** Streams a list as {@link listLines} writes it. The first slice decides between a result and an error. */
export async function sendList<Slice extends object>(
  reply: BytesReply,
  headers: Headers,
  slices: AsyncGenerator<Slice>,
  rowsOf: Parameters<typeof listLines<Slice>>[2],
  endOf: Parameters<typeof listLines<Slice>>[3],
): Promise<void> {
  const first = await slices.next();
  if (!first.done && 'status' in first.value) reply.header('x-job-status', String(first.value.status));
  await sendLines(reply, headers, listLines(first, slices, rowsOf, endOf));
}
