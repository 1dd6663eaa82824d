// Stands between a connection and undici's parser: a head reaches the parser complete, without the interim answers before it,
// and as browsers read it where its syntax is wrong. undici ends the connection at a 100, and at each wrong byte (decision 25).
import type { Socket } from 'node:net';
import { type buildConnector, errors } from 'undici';
import { BodyBuffer } from './body-buffer.ts';
import { mendHead } from './mend-head.ts';
import { shortenHead } from './shorten-head.ts';
import { SwitchedProtocolError } from './switched-protocol-error.ts';

/** Bytes of the head of an answer: its status line and headers, together with all interim answers before it. */
const headBytesMax = 128 * 1024;
/**
 * undici's own limit: of what is left of a long head, and of trailers, which are not looked at here. They hold 260 bytes of memory for
 * each of their bytes at worst.
 */
export const parserBytesMax = 32 * 1024;
/** undici keeps an object for each name and each value until the answer ends: 32,000 headers of four bytes held 8.4 MiB. */
const headersMax = 1_000;

/** The same connector. What reads from its sockets with `read()` gets the heads of answers as this file says. */
export function withWholeHeads(connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) =>
    connect(target, (...answer) => {
      const [error, socket] = answer;
      if (error === null) gate(socket);
      callback(...answer);
    });
}

/**
 * undici reads with `read()` alone, so that nothing is copied but heads that come in pieces. It writes one request at a time:
 * more bytes written than at the last look mean that the head of another answer is due.
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

/** The head of one answer, as far as it is there. */
class PartialHead {
  /** Undefined while nothing has to be kept from one chunk to the next. */
  #held: BodyBuffer | undefined;
  #interimBytes = 0;

  /** The head and all that came after it; undefined if more of it has to come; an error if the connection is of no use. */
  add(chunk: Buffer): Buffer | undefined | Error {
    let bytes = chunk;
    let searchFrom = 0;
    if (this.#held !== undefined) {
      // The end that is searched for has up to three bytes, of which all but one may be there.
      searchFrom = Math.max(0, this.#held.length - 2);
      this.#held.append(chunk);
      bytes = this.#held.view();
    }
    for (;;) {
      // The parser says what is wrong with it.
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
  // Besides headers there are the status line and the empty line.
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

/** 100 to 199, or undefined for a final status and for what is no status line. */
function interimStatus(bytes: Buffer): number | undefined {
  const [, status] = interimLine.exec(bytes.toString('latin1', 0, Math.min(bytes.length, 16))) ?? [];
  return status === undefined ? undefined : Number(status);
}

const interimLine = /^HTTP\/\d\.\d (1\d\d)(?!\d)/u;

/** After the first empty line, which ends with LF or CR LF (RFC 9112, 2.2); undefined if it is not there. */
function endOfHead(bytes: Buffer, from: number): number | undefined {
  for (let at = bytes.indexOf(lf, from); at !== -1; at = bytes.indexOf(lf, at + 1)) {
    if (bytes[at + 1] === lf) return at + 2;
    if (bytes[at + 1] === cr && bytes[at + 2] === lf) return at + 3;
  }
  return undefined;
}

const lf = 0x0a;
const cr = 0x0d;
