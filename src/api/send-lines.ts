import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { type LineSlice, packedLines, plainLines } from './ndjson-lines.ts';
import { acceptsGzip } from './negotiation.ts';

/** An answer that is bytes already, awaited until it was sent. */
export interface BytesReply {
  readonly raw: ServerResponse;
  header(name: string, value: string): BytesReply;
  code(status: number): BytesReply;
  send(payload?: unknown): { then(sent: () => void, failed: (error: Error) => void): void };
}

interface Headers {
  readonly accept?: string | undefined;
  readonly 'accept-encoding'?: string | string[] | undefined;
}

export function wantsLines({ accept }: Headers): boolean {
  return accept?.includes('application/x-ndjson') === true;
}

/** Whether the client takes gzip. */
export function wantsPacked({ 'accept-encoding': codings }: Headers): boolean {
  return acceptsGzip(codings?.toString());
}

/** Streams NDJSON, packed where the client takes it. */
export async function sendLines(reply: BytesReply, headers: Headers, slices: AsyncIterable<LineSlice>): Promise<void> {
  const packed = wantsPacked(headers);
  if (packed) reply.header('content-encoding', 'gzip');
  reply
    .header('content-type', 'application/x-ndjson; charset=utf-8')
    .header('vary', 'accept, accept-encoding')
    .header('cache-control', 'no-store');
  const sent = reply.send(Readable.from(packed ? packedLines(slices) : plainLines(slices), { objectMode: false }));
  // The first row may be a while in coming, and the client is to know that it is being served.
  reply.raw.flushHeaders();
  await sent;
}
