// Hosts that write whatever they like in HTTP/2: no half response counts as a whole one, and all that can be endless
// ends, with its reason.
import { createServer, type TLSSocket } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import * as certificates from '../../../test/egress/certificates.ts';
import type { FetchOptions, FetchResult } from '../../core/ports/fetcher.ts';
import { parsePrivateNetworks } from '../guard/address-policy.ts';
import { createEgress } from '../guard/egress.ts';
import { createHttpFetcher } from '../http/http-fetcher.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const [data, headers, rst, settings, push, ping, goaway, continuation] = [0, 1, 3, 4, 5, 6, 7, 9];
const [endStream, endHeaders] = [1, 4];
const [noError, protocolError, internalError, refused, cancel, calm] = [0, 1, 2, 7, 8, 11];

function frame(type: number, flags: number, stream: number, payload: Buffer | string = ''): Buffer {
  const bytes = Buffer.from(payload);
  const head = Buffer.alloc(9);
  head.writeUIntBE(bytes.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, bytes]);
}

/** A field without compression (RFC 7541, 6.2.2). Texts are shorter than 127 bytes, or of 127 and more. */
function field(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const length = [127];
  let rest = bytes.length - 127;
  for (; rest >= 128; rest >>= 7) length.push((rest & 127) | 128);
  return Buffer.concat([Buffer.from([...length, rest]), bytes]);
}

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const ok = (...more: Buffer[]): Buffer =>
  Buffer.concat([field(':status', '200'), field('content-type', 'text/html'), ...more]);
const head = (stream: number, flags = endHeaders): Buffer => frame(headers, flags, stream, ok());
const half = (stream: number): Buffer => frame(data, 0, stream, '<p>half a page');
const whole = (stream: number): Buffer => frame(data, endStream, stream, '<p>a page');
const cut = (stream: number, code: number): Buffer => frame(rst, 0, stream, number(code));
const away = (last: number, code: number): Buffer => frame(goaway, 0, 0, Buffer.concat([number(last), number(code)]));

/** What the host does about a request on this stream. */
type Answer = (stream: number, socket: TLSSocket, requests: number) => Buffer | undefined;

const page = { kind: 'body', statusCode: 200, body: Buffer.from('<p>a page') };
const failed = (reason: string, retryable: boolean): object => ({ kind: 'failure', retryable, error: { reason } });
const isCutOff = failed('reset', true);
const isInvalid = failed('bad_response', false);

describe('a response that is not whole', () => {
  test.each<[string, Answer]>([
    ['RST_STREAM with CANCEL', (id) => Buffer.concat([head(id), half(id), cut(id, cancel)])],
    ['RST_STREAM with NO_ERROR', (id) => Buffer.concat([head(id), half(id), cut(id, noError)])],
    ['RST_STREAM with INTERNAL_ERROR', (id) => Buffer.concat([head(id), half(id), cut(id, internalError)])],
    [
      '16,000 headers in as many bytes',
      (id) => frame(headers, endHeaders | endStream, id, Buffer.concat([ok(), Buffer.alloc(16_000, 0x90)])),
    ],
    ['RST_STREAM with ENHANCE_YOUR_CALM', (id) => cut(id, calm)],
    ['RST_STREAM with NO_ERROR before the head', (id) => cut(id, noError)],
    ['RST_STREAM with NO_ERROR after the head', (id) => Buffer.concat([head(id), cut(id, noError)])],
    ['GOAWAY with an error', (id) => Buffer.concat([head(id), half(id), away(id, internalError)])],
    ['GOAWAY with PROTOCOL_ERROR before the head', (id) => away(id, protocolError)],
    ['GOAWAY and no more', (id, socket) => void socket.end(Buffer.concat([head(id), half(id), away(id, noError)]))],
    ['the end of the connection', (id, socket) => void socket.end(Buffer.concat([head(id), half(id)]))],
    ['a reset connection', (_, socket) => void socket.destroy()],
    [
      'more bytes than announced',
      (id) => Buffer.concat([frame(headers, endHeaders, id, ok(field('content-length', '1'))), whole(id)]),
    ],
    [
      'the end of the stream before the announced length',
      (id) =>
        Buffer.concat([
          frame(headers, endHeaders, id, ok(field('content-length', '1000'))),
          frame(data, endStream, id, 'half'),
        ]),
    ],
  ])('Http2Exchange: fails, retryable, after %s', async (_, answer) => {
    const host = await serve(answer);
    expect(await host.fetch()).toMatchObject(isCutOff);
  });

  test.each([cancel, noError])('Http2Exchange: fails when code %i arrives after the data was read', async (code) => {
    const host = await serve((id, socket) => {
      socket.write(Buffer.concat([head(id), half(id)]));
      // The acknowledgement of the ping shows that the client has read what was before it.
      socket.write(frame(ping, 0, 0, Buffer.alloc(8)));
      host.onPong = () => socket.write(cut(id, code));
      return undefined;
    });
    expect(await host.fetch()).toMatchObject(isCutOff);
  });
});

describe('a response that is whole', () => {
  test.each<[string, Answer]>([
    ['its connection', (id, socket) => void socket.end(Buffer.concat([head(id), whole(id)]))],
    ['GOAWAY', (id) => Buffer.concat([head(id), whole(id), away(id, noError)])],
    ['GOAWAY with an error', (id) => Buffer.concat([head(id), whole(id), away(id, internalError)])],
    ['RST_STREAM', (id) => Buffer.concat([head(id), whole(id), cut(id, noError)])],
    ['trailers', (id) => Buffer.concat([head(id), half2(id), trailers(id)])],
  ])('Http2Exchange: is complete when it ends before %s', async (_, answer) => {
    const host = await serve(answer);
    expect(await host.fetch()).toMatchObject(page);
  });

  test('Http2Exchange: is complete when GOAWAY comes before its head or within it', async () => {
    for (const at of [0, 1, 2]) {
      const host = await serve((id) =>
        Buffer.concat([head(id), half2(id), frame(data, endStream, id)].toSpliced(at, 0, away(id, noError))),
      );
      expect(await host.fetch()).toMatchObject(page);
    }
  });

  test('Http2Connection: sends a request again that the host did not process, once', async () => {
    for (const refusal of [(id: number) => cut(id, refused), () => away(0, noError)]) {
      const host = await serve((id, _, requests) =>
        requests === 1 ? refusal(id) : Buffer.concat([head(id), whole(id)]),
      );
      expect(await host.fetch()).toMatchObject(page);
      expect(host.requests()).toBe(2);
      const never = await serve(refusal);
      expect(await never.fetch()).toMatchObject(isCutOff);
      expect(never.requests()).toBe(2);
    }
  });
});

const half2 = (stream: number): Buffer => frame(data, 0, stream, '<p>a page');
const trailers = (stream: number): Buffer => frame(headers, endHeaders | endStream, stream, field('x-sum', '1'));

describe('a host that writes without end', () => {
  test.each<[string, object, (id: number) => Buffer, (id: number) => Buffer]>([
    ['data', failed('body_too_large', false), (id) => head(id), (id) => frame(data, 0, id, Buffer.alloc(16_000, 'x'))],
    [
      'headers',
      isInvalid,
      (id) => frame(headers, 0, id, ok()),
      (id) => frame(continuation, 0, id, field('x-more', 'x'.repeat(16_000))),
    ],
    ['empty CONTINUATION', isInvalid, (id) => frame(headers, 0, id, ok()), (id) => frame(continuation, 0, id)],
    [
      'interim responses',
      isInvalid,
      () => Buffer.alloc(0),
      (id) => frame(headers, endHeaders, id, Buffer.concat([field(':status', '103'), field('link', '</a>')])),
    ],
    ['PING', isCutOff, (id) => head(id), () => frame(ping, 0, 0, Buffer.alloc(8))],
    ['SETTINGS', isCutOff, (id) => head(id), () => frame(settings, 0, 0)],
    ['acknowledged PING', isInvalid, (id) => head(id), () => frame(ping, 1, 0, Buffer.alloc(8))],
    ['empty data', isCutOff, (id) => head(id), (id) => frame(data, 0, id)],
    ['ORIGIN', isCutOff, (id) => head(id), () => frame(12, 0, 0, origins())],
    ['frames of unknown types', isInvalid, (id) => head(id), () => frame(99, 0, 0, Buffer.alloc(9_000))],
  ])('Http2Connection: ends endless %s', async (_, result, begin, more) => {
    const host = await serve((id, socket) => {
      socket.write(begin(id));
      const batch = Buffer.concat(Array.from({ length: 50 }, () => more(id)));
      const write = (): void => {
        while (!socket.destroyed && socket.write(batch));
        if (!socket.destroyed) socket.once('drain', () => setImmediate(write));
      };
      write();
      return undefined;
    });
    const before = process.memoryUsage().rss;
    expect(await host.fetch({ silenceMs: 1_000, bodyBytesMax: 1_000_000 })).toMatchObject(result);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
    await host.closed();
  });
});

let originCount = 0;
function origins(): Buffer {
  const name = Buffer.from(`https://${(originCount += 1)}.${'x'.repeat(1_000)}.test`);
  return Buffer.concat([Buffer.from([name.length >> 8, name.length & 255]), name]);
}

describe('a response that is not valid', () => {
  const many = (count: number, name: string): Buffer =>
    Buffer.concat(Array.from({ length: count }, (_, at) => field(`${name}${at}`, 'v')));

  test.each<[string, Answer]>([
    ['data without a head', (id) => whole(id)],
    ['a head without a status', (id) => frame(headers, endHeaders | endStream, id, field('content-type', 'text/html'))],
    ['an interim response alone', (id) => frame(headers, endHeaders | endStream, id, field(':status', '103'))],
    ['a status that is no number', (id) => frame(headers, endHeaders | endStream, id, field(':status', 'ok!'))],
    ['101', (id) => frame(headers, endHeaders, id, field(':status', '101'))],
    [
      'a push',
      (id) =>
        Buffer.concat([
          frame(push, endHeaders, id, Buffer.concat([number(2), field(':method', 'GET')])),
          head(id),
          whole(id),
        ]),
    ],
    ['a pushed response', (id) => Buffer.concat([head(2), whole(2), head(id), whole(id)])],
    ['HTTP/1.1', () => Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\npage')],
    ['a frame that is too large', (id) => Buffer.concat([head(id), frame(data, endStream, id, Buffer.alloc(20_000))])],
    ['broken compression', (id) => frame(headers, endHeaders, id, Buffer.alloc(20, 255))],
    ['1,001 headers', (id) => frame(headers, endHeaders | endStream, id, ok(many(1_000, 'n')))],
    ['headers of 135,000 bytes', (id) => long(id, 135)],
  ])('Http2Exchange: fails for good at %s', async (_, answer) => {
    const host = await serve(answer);
    expect(await host.fetch()).toMatchObject(isInvalid);
    await host.closed();
  });

  test('Http2Connection: blames no response when others share the connection that failed', async () => {
    const host = await serve((id, _, requests) => (requests < 3 ? undefined : whole(id)));
    const first = host.fetch();
    await host.asked(1);
    const others = [host.fetch(), host.fetch()];
    for (const result of [first, ...others]) expect(await result).toMatchObject(isCutOff);
    await host.closed();
  });

  test('Http2Exchange: reads 1,000 headers, and 120,000 bytes of them', async () => {
    const host = await serve((id) => Buffer.concat([frame(headers, endHeaders, id, ok(many(999, 'n'))), whole(id)]));
    expect(await host.fetch()).toMatchObject(page);
    const longest = await serve((id) => Buffer.concat([long(id, 120), whole(id)]));
    expect(await longest.fetch()).toMatchObject(page);
  });
});

/** A head of so many thousand bytes. */
function long(stream: number, thousands: number): Buffer {
  const block = ok(...Array.from({ length: thousands }, (_, at) => field(`long-${at}`, 'x'.repeat(990))));
  const parts = Array.from({ length: Math.ceil(block.length / 16_000) }, (_, at) =>
    block.subarray(at * 16_000, (at + 1) * 16_000),
  );
  return Buffer.concat(
    parts.map((part, at) =>
      frame(at === 0 ? headers : continuation, at === parts.length - 1 ? endHeaders : 0, stream, part),
    ),
  );
}

interface Host {
  readonly fetch: (options?: Partial<FetchOptions>) => Promise<FetchResult>;
  readonly requests: () => number;
  /** Resolves at this request. */
  readonly asked: (request: number) => Promise<void>;
  /** Resolves when no connection is open. */
  readonly closed: () => Promise<void>;
  onPong: () => void;
}

async function serve(answer: Answer): Promise<Host> {
  let requests = 0;
  const onRequest = new Map<number, () => void>();
  const open = new Set<TLSSocket>();
  let onNone = (): void => undefined;
  const server = createServer(
    {
      key: certificates.certificateKey,
      cert: certificates.goodCertificate + certificates.intermediateAuthority,
      ALPNProtocols: ['h2'],
    },
    (socket) => {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        if (open.size === 0) onNone();
      });
      socket.write(frame(settings, 0, 0));
      let received = Buffer.alloc(0);
      // The client begins with 24 bytes that are no frame.
      let greetingBytes = 24;
      socket.on('data', (chunk: Buffer) => {
        received = Buffer.concat([received, chunk.subarray(greetingBytes)]);
        greetingBytes = Math.max(0, greetingBytes - chunk.length);
        while (received.length >= 9 && received.length >= 9 + received.readUIntBE(0, 3)) {
          const [type, flags, stream] = [received[3], received[4] ?? 0, received.readUInt32BE(5)];
          received = received.subarray(9 + received.readUIntBE(0, 3));
          if (type === settings && flags === 0) socket.write(frame(settings, 1, 0));
          if (type === ping && flags === 1) host.onPong();
          if (type === headers) {
            requests += 1;
            onRequest.get(requests)?.();
            const bytes = answer(stream, socket, requests);
            if (bytes !== undefined) socket.write(bytes);
          }
        }
      });
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const egress = createEgress({
    allowPrivate: parsePrivateNetworks('127.0.0.0/8'),
    allowPorts: [],
    authorities: [certificates.rootAuthority],
  });
  cleanups.push(async () => {
    await egress.close();
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { fetch } = createHttpFetcher({ egress, userAgent: 'hayrake-test/1' });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { signal } = new AbortController();
  const host: Host = {
    fetch: (options) =>
      fetch(url, { signal, deadlineMs: 10_000, bodyBytesMax: 1_000, enter: '127.0.0.0/8', ...options }),
    requests: () => requests,
    asked: (request) =>
      requests >= request ? Promise.resolve() : new Promise((resolve) => onRequest.set(request, resolve)),
    closed: () => (open.size === 0 ? Promise.resolve() : new Promise((resolve) => (onNone = resolve))),
    onPong: () => undefined,
  };
  return host;
}
