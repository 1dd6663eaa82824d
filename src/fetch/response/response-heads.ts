// Filters between a connection and undici's parser: a head reaches the parser complete, without preceding interim
// responses, and with wrong syntax corrected as browsers read it. undici would end the connection at a 100 and at each
// wrong byte (docs/decisions/fetching.md).
import type { Socket } from 'node:net';
import { errors, type buildConnector } from 'undici';
import { BodyBuffer } from './body-buffer.ts';
import { mendHead } from './mend-head.ts';
import { shortenHead } from './shorten-head.ts';

/** The host responded with 101, which hayrake never requests: the following bytes are not HTTP. */
class SwitchedProtocolError extends Error {
  override readonly name = 'SwitchedProtocolError';
  readonly code = 'SWITCHED_PROTOCOL';

  constructor() {
    super('The host switched to a protocol that was not requested.');
  }
}

/** Bytes of a response head: its status line and headers, plus all interim responses before it. */
export const headBytesMax = 128 * 1024;
/**
 * undici's own limit: for a shortened head, and for trailers, which this file does not check. In the worst case undici
 * holds 260 bytes of memory per byte of them.
 */
export const parserBytesMax = 32 * 1024;
/**
 * undici keeps an object for each name and each value until the response ends: 32,000 headers of four bytes held 8.4
 * MiB.
 */
export const headersMax = 1_000;

/** Wraps a connector: `read()` on its sockets returns response heads as described above. */
export function withWholeHeads(connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) =>
    connect(target, (...response) => {
      const [error, socket] = response;
      if (error === null) gate(socket);
      callback(...response);
    });
}

/**
 * undici reads with `read()` alone, so only heads that arrive in pieces are copied. It writes one request at a time: if
 * more bytes were written since the last check, the head of another response is due.
 */
function gate(socket: Socket): void {
  const readAny = socket.read.bind(socket);
  let { bytesWritten } = socket;
  let head: PartialHead | undefined;
  socket.read = (size?: number): unknown => {
    if (socket.bytesWritten !== bytesWritten) {
      ({ bytesWritten } = socket);
      head = new PartialHead();
    }
    for (;;) {
      const chunk: unknown = readAny(size);
      if (head === undefined || !Buffer.isBuffer(chunk)) return chunk;
      const complete = head.add(chunk);
      if (complete instanceof Error) {
        socket.destroy(complete);
        return null;
      }
      if (complete !== undefined) {
        head = undefined;
        return complete;
      }
    }
  };
}

/** The part of a response head received so far. */
class PartialHead {
  /** Undefined while nothing has to be kept between chunks. */
  #held: BodyBuffer | undefined;
  #interimBytes = 0;

  /**
   * Adds a chunk. Returns the head and all bytes after it; undefined if the head is incomplete; an error if the
   * connection is unusable.
   */
  add(chunk: Buffer): Buffer | undefined | Error {
    let bytes = chunk;
    let searchFrom = 0;
    if (this.#held !== undefined) {
      // The end mark has up to three bytes, and all but one of them might already be here.
      searchFrom = Math.max(0, this.#held.length - 2);
      this.#held.append(chunk);
      bytes = this.#held.view();
    }
    for (;;) {
      // Not a head: the parser reports the error.
      if (!mayBeHead(bytes)) return bytes;
      const end = endOfHead(bytes, searchFrom);
      if (this.#interimBytes + (end ?? bytes.length) > headBytesMax) return new errors.HeadersOverflowError();
      if (end === undefined) return this.#hold(bytes);
      const statusCode = interimStatus(bytes);
      if (statusCode === undefined) return mended(bytes, end);
      if (statusCode === 101) return new SwitchedProtocolError();
      this.#interimBytes += end;
      this.#held = undefined;
      bytes = bytes.subarray(end);
      searchFrom = 0;
    }
  }

  #hold(bytes: Buffer): undefined {
    if (this.#held !== undefined || bytes.length === 0) return;
    this.#held = new BodyBuffer(undefined);
    this.#held.append(bytes);
  }
}

function mended(bytes: Buffer, end: number): Buffer | Error {
  // Two lines besides the headers: the status line and the empty line.
  if (linesUpTo(bytes, end) > headersMax + 2) return new errors.HeadersOverflowError();
  const text = bytes.toString('latin1', 0, end);
  const head = shortenHead(mendHead(text));
  return head === text ? bytes : Buffer.concat([Buffer.from(head, 'latin1'), bytes.subarray(end)]);
}

function linesUpTo(bytes: Buffer, end: number): number {
  let lines = 0;
  for (let at = bytes.indexOf(lf); at !== -1 && at < end; at = bytes.indexOf(lf, at + 1)) lines += 1;
  return lines;
}

function mayBeHead(bytes: Buffer): boolean {
  return version.startsWith(bytes.toString('latin1', 0, Math.min(bytes.length, version.length)));
}

const version = 'HTTP/';

/** Returns 100 to 199; undefined for a final status and for anything that is not a status line. */
function interimStatus(bytes: Buffer): number | undefined {
  const [, status] = interimLine.exec(bytes.toString('latin1', 0, Math.min(bytes.length, 16))) ?? [];
  return status === undefined ? undefined : Number(status);
}

const interimLine = /^HTTP\/\d\.\d (1\d\d)(?!\d)/u;

/**
 * Returns the position after the first empty line, which ends with LF or CR LF (RFC 9112, 2.2); undefined if there is
 * none.
 */
function endOfHead(bytes: Buffer, from: number): number | undefined {
  for (let at = bytes.indexOf(lf, from); at !== -1; at = bytes.indexOf(lf, at + 1)) {
    if (bytes[at + 1] === lf) return at + 2;
    if (bytes[at + 1] === cr && bytes[at + 2] === lf) return at + 3;
  }
  return undefined;
}

const lf = 0x0a;
const cr = 0x0d;
