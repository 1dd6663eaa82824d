import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { BodyMemory, Fetcher, FetchOptions, FetchResult } from '../../core/ports/fetcher.ts';
import { parsePrivateNetworks } from '../guard/address-policy.ts';
import { createEgress } from '../guard/egress.ts';
import { createHttpFetcher } from './http-fetcher.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const cleanup of cleanups.splice(0).toReversed()) {
    await cleanup();
  }
});

describe('HttpFetcher: large bodies', () => {
  test('HttpFetcher: pauses a large body without memory beyond the deadline, and reads the rest when there is memory', async () => {
    const page = 'x'.repeat(900_000);
    const url = await serve((_request, response) => response.end(page));
    const { memory, open, asked } = closedMemory();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const fetched = fetch(url, { memory, deadlineMs: 500 });
    await expect.poll(() => asked.at(-1) ?? 0).toBeGreaterThanOrEqual(200_000);
    const { length } = asked;
    // Longer than the deadline: the wait for memory is not the site's fault.
    vi.advanceTimersByTime(700);
    await new Promise(setImmediate);
    expect(asked).toHaveLength(length);
    open();
    expect(textOf(await fetched)).toBe(page);
  });

  test('HttpFetcher: times out when a body stalls after its pause', async () => {
    const url = await serve((_request, response) => response.writeHead(200).write('x'.repeat(300_000)));
    const { memory, open, asked } = closedMemory();
    const fetched = fetch(url, { memory, deadlineMs: 2_000 });
    await expect.poll(() => asked.at(-1) ?? 0).toBeGreaterThanOrEqual(200_000);
    open();
    expect(await fetched).toMatchObject({ kind: 'failure', error: { reason: 'timeout' } });
  });

  test('HttpFetcher: ends a paused body when its signal is aborted, and takes no memory later', async () => {
    const url = await serve((_request, response) => response.end('x'.repeat(900_000)));
    const { memory, open, asked } = closedMemory();
    const stop = new AbortController();
    const fetched = fetch(url, { memory, signal: stop.signal });
    await expect.poll(() => asked.at(-1) ?? 0).toBeGreaterThanOrEqual(200_000);
    stop.abort();
    expect(await fetched).toMatchObject({ kind: 'failure' });
    open();
    await expect.poll(socketsInUse).toBeLessThanOrEqual(1);
  });
});

describe('HttpFetcher: responses', () => {
  test('HttpFetcher: returns the whole body and the needed headers', async () => {
    const page = 'x'.repeat(200_000);
    const url = await serve((request, response) => {
      const { 'user-agent': agent, 'accept-encoding': encodings } = request.headers;
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.setHeader('x-robots-tag', ['noindex', 'nofollow']);
      response.setHeader('retry-after', '7');
      response.setHeader('link', ['</2>; rel=next', '</1>; rel=prev']);
      response.end(`${request.method} ${request.url} ${agent} ${encodings} ${page}`);
    });
    const result = await fetch(`${url}/a%20b?q=1#hash`);
    expect(result).toMatchObject({
      kind: 'body',
      statusCode: 200,
      headers: {
        contentType: 'text/html; charset=utf-8',
        contentEncoding: '',
        robotsTag: 'noindex\nnofollow',
        retryAfter: '7',
        link: '</2>; rel=next, </1>; rel=prev',
      },
    });
    expect(textOf(result)).toBe(`GET /a%20b?q=1 hayrake-test/1 gzip, deflate, br, zstd ${page}`);
  });

  test('HttpFetcher: measures the latency of the head, and omits it when the event loop was busy', async () => {
    const url = await serve((_request, response) => {
      setTimeout(() => response.setHeader('content-type', 'text/html').end('x'), 300);
    });
    // The site runs in this process, so real work here would delay its response too.
    const loop = vi.spyOn(performance, 'eventLoopUtilization');
    onTestFinished(() => loop.mockRestore());
    loop.mockReturnValue({ idle: 0, active: 0, utilization: 0.7 });
    expect(await fetch(url)).toMatchObject({
      kind: 'body',
      latencyMs: expect.toSatisfy((ms: number) => ms >= 299) as number,
    });
    loop.mockReturnValue({ idle: 0, active: 0, utilization: 0.71 });
    const busy = await fetch(url);
    expect(busy).toMatchObject({ kind: 'body' });
    expect(busy).not.toHaveProperty('latencyMs');
  });

  test('HttpFetcher: returns a compressed body whose buffer can be transferred to another thread', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'GZip', 'content-type': 'text/html' });
      response.end('still packed');
    });
    const result = await fetch(url);
    expect(result).toMatchObject({ kind: 'body', headers: { contentEncoding: 'gzip' } });
    const { buffer } = result.kind === 'body' ? result.body : new Uint8Array(0);
    expect(buffer).toBeInstanceOf(ArrayBuffer);
    expect(structuredClone(buffer, { transfer: buffer instanceof ArrayBuffer ? [buffer] : [] }).byteLength).toBe(12);
  });

  test.each([
    ['Deflate', 'deflate'],
    ['zstd', 'zstd'],
    ['gzip, ZSTD', 'gzip zstd'],
    ['identity, deflate', 'deflate'],
  ])('HttpFetcher: returns a body with the content encoding %s', async (encoding, contentEncoding) => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding, 'content-type': 'text/html' }).end('still packed');
    });
    const result = await fetch(url);
    expect(result).toMatchObject({ kind: 'body', headers: { contentEncoding } });
    expect(textOf(result)).toBe('still packed');
  });

  test.each([
    'compress',
    'dcz',
    'gzip, br, gzip',
    'gzip, compress',
    Array.from({ length: 1000 }, () => 'gzip').join(','),
  ])('HttpFetcher: rejects the content encoding $0', async (encoding) => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end('x');
    });
    expect(reasonOf(await fetch(url))).toBe('bad_encoding');
  });

  test.each([301, 302, 303, 307, 308])(
    'HttpFetcher: returns %i with a Location as a redirect, and does not follow it',
    async (statusCode) => {
      const url = await serve((_request, response) => {
        response.writeHead(statusCode, { location: 'file:///etc/passwd' }).end('moved');
      });
      expect(await fetch(url)).toMatchObject({ kind: 'redirect', statusCode, location: 'file:///etc/passwd' });
    },
  );

  test('HttpFetcher: returns 301 without a Location as a body', async () => {
    const url = await serve((_request, response) => response.writeHead(301).end('moved'));
    expect(textOf(await fetch(url))).toBe('moved');
  });

  test.each([404, 429, 503, 999])('HttpFetcher: returns %i with an empty body', async (statusCode) => {
    const url = await serve((_request, response) =>
      response.writeHead(statusCode, { 'retry-after': '9' }).end('sorry'),
    );
    expect(await fetch(url)).toMatchObject({
      kind: 'body',
      statusCode,
      body: { length: 0 },
      headers: { retryAfter: '9' },
    });
  });

  test.each([
    'image/svg+xml',
    'video/mp4',
    'application/zip',
    'application/octet-stream',
    'application/pdf',
    'font/woff2',
  ])('HttpFetcher: does not download a body of type %s', async (contentType) => {
    let sentBytes = 0;
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': contentType });
      response.on('error', () => {});
      const timer = setInterval(() => response.write('x'.repeat(100_000)) && (sentBytes += 100_000), 1);
      response.on('close', () => clearInterval(timer));
    });
    expect(await fetch(url)).toMatchObject({ kind: 'body', body: { length: 0 }, headers: { contentType } });
    expect(sentBytes).toBeLessThan(10_000_000);
  });

  test.each([
    ['/', 'application/xhtml+xml'],
    ['/', 'Text/HTML;charset=x'],
  ])('HttpFetcher: downloads %s of type %s', async (path, contentType) => {
    const url = await serve((_request, response) =>
      response.writeHead(200, { 'content-type': contentType }).end('body'),
    );
    expect(textOf(await fetch(url + path))).toBe('body');
  });
});

describe('HttpFetcher: wants all', () => {
  // Types of robots.txt and sitemaps as S3, old servers and plug-ins send them.
  test.each([
    'binary/octet-stream',
    'application/octet-stream',
    'application/x-txt',
    'application/unknown',
    'image/png',
    'application/force-download',
    'application/x-download',
    'application/x-gunzip',
    'gzipped',
    'application/x-xml',
    'application/download',
    '',
  ])('HttpFetcher: downloads a body of type %j when all types are wanted', async (contentType) => {
    const url = await serve((_request, response) =>
      response.writeHead(200, contentType === '' ? {} : { 'content-type': contentType }).end('body'),
    );
    expect(textOf(await fetch(url, { wants: 'all' }))).toBe('body');
  });
});

describe('HttpFetcher: wants files', () => {
  test.each([
    ['/a', 'application/pdf', 'body'],
    ['/a.pdf?x', 'application/octet-stream', 'body'],
    ['/a.docx', 'application/zip', 'body'],
    ['/a', 'application/octet-stream', 'body'],
    ['/a.iso', 'application/octet-stream', ''],
    ['/a.zip', 'application/zip', ''],
    ['/a.pdf', 'image/png', ''],
  ])(
    'HttpFetcher: when files are wanted, downloads from %s of type %s the body %j',
    async (path, contentType, body) => {
      const url = await serve((_request, response) =>
        response.writeHead(200, { 'content-type': contentType }).end('body'),
      );
      expect(textOf(await fetch(url + path, { wants: 'files' }))).toBe(body);
    },
  );
});

describe('HttpFetcher: limits', () => {
  test.each([true, false])('HttpFetcher: enforces bodyBytesMax (with Content-Length: %s)', async (isAnnounced) => {
    const url = await serve((_request, response) => {
      if (isAnnounced) {
        response.setHeader('content-length', 2000);
      }
      response.on('error', () => {}).write('x'.repeat(1000));
      response.end('x'.repeat(1000));
    });
    expect(reasonOf(await fetch(url, { bodyBytesMax: 1999 }))).toBe('body_too_large');
    expect(textOf(await fetch(url, { bodyBytesMax: 2000 }))).toHaveLength(2000);
    expect(textOf(await fetch(url, { bodyBytesMax: 1500, oversize: 'cut' }))).toBe('x'.repeat(1500));
  });

  const endings: Record<string, (socket: Socket) => void> = {
    'drips its body': (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      const timer = setInterval(() => socket.write('1\r\nx\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    },
    'drips its headers': (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('a: b\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    },
    'never responds': () => {},
    'sends 100 forever': (socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 100 Continue\r\n\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    },
    'sends 103 forever': (socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    },
  };
  test.each(Object.entries(endings))('HttpFetcher: times out when the host %s', async (_name, onRequest) => {
    const closed = Promise.withResolvers<void>();
    const url = await serveRaw((socket) => {
      socket.on('close', () => closed.resolve());
      onRequest(socket);
    });
    expect(await fetch(url, { deadlineMs: 300 })).toMatchObject({ retryable: true, error: { reason: 'timeout' } });
    await closed.promise;
  });

  test('HttpFetcher: reads a body to its end when no silence in it is longer than silenceMs', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      let sent = 0;
      const timer = setInterval(() => (++sent <= 20 ? response.write('x') : response.end()), 50);
      response.on('close', () => clearInterval(timer));
    });
    // The body takes twice as long as the silence that ends a fetch.
    expect(textOf(await fetch(url, { silenceMs: 500 }))).toBe('x'.repeat(20));
  });

  test.each([
    ['stops within its body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx', 'The host stopped sending.'],
    ['stops within its headers', 'HTTP/1.1 200 OK\r\n', 'The host did not send a response in time.'],
  ])('HttpFetcher: times out after silenceMs, to be tried again, when the host %s', async (_name, sent, message) => {
    const url = await serveRaw((socket) => socket.write(sent));
    expect(await fetch(url, { silenceMs: 300, deadlineMs: 600_000 })).toMatchObject({
      retryable: true,
      error: { reason: 'timeout', message },
    });
  });

  test('HttpFetcher: times out after silenceMs when the headers drip', async () => {
    const url = await serveRaw(endings['drips its headers'] ?? (() => {}));
    expect(await fetch(url, { silenceMs: 300, deadlineMs: 600_000 })).toMatchObject({
      retryable: true,
      error: { reason: 'timeout' },
    });
  });

  test('HttpFetcher: fails for good at the deadline when the body still arrives', async () => {
    const closed = Promise.withResolvers<void>();
    const url = await serveRaw((socket) => {
      socket.on('close', () => closed.resolve());
      endings['drips its body']?.(socket);
    });
    expect(await fetch(url, { silenceMs: 10_000, deadlineMs: 300 })).toMatchObject({
      retryable: false,
      isLocal: false,
      error: { reason: 'timeout', message: expect.stringContaining('still arriving') as string },
    });
    await closed.promise;
  });

  test('HttpFetcher: does not count the wait for memory as silence', async () => {
    const url = await serve((_request, response) => response.end('x'.repeat(900_000)));
    const { memory, open, asked } = closedMemory();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const fetched = fetch(url, { memory, silenceMs: 500 });
    await expect.poll(() => asked.at(-1) ?? 0).toBeGreaterThanOrEqual(200_000);
    vi.advanceTimersByTime(700);
    open();
    expect(textOf(await fetched)).toHaveLength(900_000);
  });

  test('HttpFetcher: times out when the TLS handshake never ends', async () => {
    const url = await serveRaw(() => {});
    const result = await fetch(url.replace('http:', 'https:'), { deadlineMs: 300 });
    expect(reasonOf(result)).toBe('timeout');
  });

  test('HttpFetcher: fails when its signal is aborted', async () => {
    const url = await serveRaw(() => stop.abort());
    const stop = new AbortController();
    expect(await fetch(url, { signal: stop.signal })).toMatchObject({ kind: 'failure', retryable: true });
    expect(await fetch(url, { signal: stop.signal })).toMatchObject({ kind: 'failure', retryable: true });
  });
});

describe('HttpFetcher: broken HTTP', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';
  const cases: readonly (readonly [name: string, answer: string, reason: string])[] = [
    ['a truncated body', `${head}Content-Length: 100\r\n\r\nshort`, 'reset'],
    ['a truncated chunk', `${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n5\r\nhe`, 'reset'],
    ['chunks without an end', `${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`, 'reset'],
    ...['HTTP/1.1 200 OK\r\nConnection: close', 'HTTP/1.0 200 OK', 'HTTP/1.0 200 OK\r\nConnection: keep-alive'].flatMap(
      (status): readonly (readonly [string, string, string])[] => [
        [`a truncated body: ${status}`, `${status}\r\nContent-Length: 100\r\n\r\nshort`, 'reset'],
        [`a missing body: ${status}`, `${status}\r\nContent-Length: 100\r\n\r\n`, 'reset'],
        [`a truncated chunk: ${status}`, `${status}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe`, 'reset'],
        [`no chunk: ${status}`, `${status}\r\nTransfer-Encoding: chunked\r\n\r\n`, 'reset'],
        [`truncated headers: ${status}`, `${status}\r\nContent-Length: 5\r\n`, 'reset'],
        [
          `two lengths: ${status}`,
          `${status}\r\nContent-Length: 100\r\nContent-Length: 5\r\n\r\nhello`,
          'bad_response',
        ],
        [`a wrong chunk: ${status}`, `${status}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhellox`, 'bad_response'],
      ],
    ),
    ['no response', '', 'reset'],
    ['truncated headers', head, 'reset'],
    ['one header that is too large', `${head}X: ${'x'.repeat(128 * 1024)}\r\n\r\n`, 'bad_response'],
    ['many headers that are too large together', `${head}${'a: bcdefgh\r\n'.repeat(12_000)}\r\n`, 'bad_response'],
    [
      'trailers of more than 32 KiB',
      `${head}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n${'a:\r\n'.repeat(33_000)}\r\n`,
      'bad_response',
    ],
    ['1,001 headers', `${head}${'ab: \r\n'.repeat(1_000)}\r\nfine`, 'bad_response'],
    ['too many headers of one byte each', `${head}${'a:\r\n'.repeat(33_000)}\r\n`, 'bad_response'],
    ['endless headers', `${head}X: ${'x'.repeat(1_000_000)}`, 'bad_response'],
    [
      'interim responses that are too large together',
      `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(5_000)}${head}\r\nx`,
      'bad_response',
    ],
    [
      'an interim response that is too large',
      `HTTP/1.1 103 Early Hints\r\nLink: ${'x'.repeat(128 * 1024)}\r\n\r\n${head}\r\nx`,
      'bad_response',
    ],
    ['only an interim response', 'HTTP/1.1 100 Continue\r\n\r\n', 'reset'],
    [
      'a switch of protocols',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
      'bad_response',
    ],
    ['a switch of protocols without a name', `HTTP/1.1 101 Switching Protocols\r\n\r\n${head}\r\nx`, 'bad_response'],
    [
      'a switch of protocols after a 100',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 Switching\r\n\r\n',
      'bad_response',
    ],
    ['a four-digit status that begins with 100', `HTTP/1.1 1000 Odd\r\n\r\n${head}\r\nx`, 'bad_response'],
    ['markup instead of an empty line', 'HTTP/1.1 200 OK\r\nA: b\r\n<html>\r\n\r\n<p>text', 'bad_response'],
    ['two lengths in one header', `${head}Content-Length: 5, 6\r\n\r\nhello!`, 'bad_response'],
    ['a length and chunks', `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 'bad_response'],
    [
      'a length and chunks after white space',
      `${head}Content-Length: 5\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
      'bad_response',
    ],
    [
      'a repeated length and chunks',
      `${head}Content-Length: 5, 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      'bad_response',
    ],
    ['a folded length', `${head}Content-Length: 1\r\n 1\r\n\r\nhello hello`, 'bad_response'],
    ['an unknown version', 'HTTP/3 200 OK\r\n\r\nhello', 'bad_response'],
    ['garbage', '\u0000\u0001\u0002garbage\r\n\r\n', 'bad_response'],
    ['HTTP/0.9', '<html>hello</html>', 'bad_response'],
    ['SSH', 'SSH-2.0-OpenSSH_9.2\r\n', 'bad_response'],
    ['a negative length', `${head}Content-Length: -5\r\n\r\nhello`, 'bad_response'],
    ['two lengths', `${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`, 'bad_response'],
  ];
  test.each(cases)('HttpFetcher: returns $2 for $0', async (_name, answer, reason) => {
    const url = await serveRaw((socket) => socket.end(answer, 'latin1'));
    expect(await fetch(url)).toMatchObject({ kind: 'failure', retryable: reason === 'reset', error: { reason } });
  });

  test.each(['', 'Connection: close\r\n'])(
    'HttpFetcher: returns reset when the connection is reset within the body, after %j',
    async (line) => {
      const url = await serveRaw((socket) => {
        socket.write(`${head}${line}Content-Length: 100\r\n\r\nshort`);
        setTimeout(() => socket.resetAndDestroy(), 50);
      });
      expect(await fetch(url)).toMatchObject({ kind: 'failure', retryable: true, error: { reason: 'reset' } });
    },
  );

  test.each([0, 1, 10, 40, 60, 80, 120])(
    'HttpFetcher: returns reset when the connection is reset after %i bytes',
    async (bytes) => {
      const whole = `${head}Content-Length: 100\r\n\r\n${'x'.repeat(100)}`;
      const url = await serveRaw((socket) => {
        socket.write(whole.slice(0, bytes), () => socket.resetAndDestroy());
      });
      expect(await fetch(url)).toMatchObject({ kind: 'failure', retryable: true, error: { reason: 'reset' } });
    },
  );

  test('HttpFetcher: returns an error that names the limits when the headers are too large', async () => {
    const url = await serveRaw((socket) => socket.end(`${head}X: ${'x'.repeat(200_000)}\r\n\r\n`));
    const result = await fetch(url);
    expect(result.kind === 'failure' && result.error.message).toBe(
      'The response has more than 128 KiB of headers, or more than 1,000 headers.',
    );
  });
});

describe('HttpFetcher: tolerated HTTP', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';
  const cases: readonly (readonly [name: string, answer: string])[] = [
    ['100', `HTTP/1.1 100 Continue\r\n\r\n${head}Content-Length: 4\r\n\r\nfine`],
    ['100 with headers', `HTTP/1.1 100 Continue\r\nServer: x\r\n\r\n${head}Content-Length: 4\r\n\r\nfine`],
    [
      '102, 100, 103 and 199',
      `${[102, 100, 103, 199].map((code) => `HTTP/1.1 ${code} x\r\n\r\n`).join('')}${head}\r\nfine`,
    ],
    ['1,000 times 100', `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000)}${head}\r\nfine`],
    ['100 in lines with LF ends', `HTTP/1.1 100 Continue\n\n${head}\r\nfine`],
    ['headers of 120 KiB', `${head}X: ${'x'.repeat(120 * 1024)}\r\n\r\nfine`],
    [
      '128 KiB of cookies before the needed headers',
      `HTTP/1.1 200 OK\r\n${`Set-Cookie: a=${'x'.repeat(4_000)}\r\n`.repeat(31)}Content-Type: text/html\r\nContent-Length: 4\r\n\r\nfine`,
    ],
    ['links of 100 KiB', `${head}${`Link: </${'x'.repeat(5_000)}>; rel=next\r\n`.repeat(20)}\r\nfine`],
    ['1,000 headers', `${head}${'ab: \r\n'.repeat(999)}\r\nfine`],
    ['an offer of another protocol', `${head}Upgrade: h2,h2c\r\nConnection: Upgrade, close\r\n\r\nfine`],
    ['lines with LF ends', `${head}\r\nfine`.replaceAll('\r\n', '\n')],
    ['one line with an LF end', `${head}X: y\n\r\nfine`],
    ['a NUL in a header', `${head}X: a\0b\r\n\r\nfine`],
    ['a carriage return in a header', `${head}X: a\rb\r\n\r\nfine`],
    ['a header without a colon', `${head}nothing\r\n\r\nfine`],
    ['a header with a space in its name', `${head}X Y: z\r\n\r\nfine`],
    ['a header without a name', `${head}: z\r\n\r\nfine`],
    ['a header name beyond ASCII', `${head}Zürich: z\r\n\r\nfine`],
    ['white space before a colon', `HTTP/1.1 200 OK\r\nContent-Type : text/html\r\n\r\nfine`],
    ['a folded line', `${head}X: a\r\n b\r\n\tc\r\n\r\nfine`],
    ['a folded line before all headers', `HTTP/1.1 200 OK\r\n X: a\r\nContent-Type: text/html\r\n\r\nfine`],
    ['the same length twice', `${head}Content-Length: 4\r\ncontent-length:4\r\n\r\nfine`],
    ['the same length twice in one header', `${head}Content-Length: 4, 4\r\n\r\nfine`],
  ];
  test.each(cases)('HttpFetcher: reads a response with %s', async (_name, answer) => {
    const url = await serveRaw((socket) => socket.end(answer, 'latin1'));
    const result = await fetch(url);
    expect(result).toMatchObject({ kind: 'body', statusCode: 200, headers: { contentType: 'text/html' } });
    expect(textOf(result)).toBe('fine');
  });

  test.each(cases.filter(([, answer]) => answer.length < 300))(
    'HttpFetcher: reads a response with %s one byte at a time',
    async (_name, answer) => {
      const url = await serveRaw((socket) => {
        socket.setNoDelay(true);
        let sent = 0;
        const more = (): void => {
          if (sent === answer.length) socket.end();
          else socket.write(answer.charAt(sent++), 'latin1', () => setImmediate(more));
        };
        more();
      });
      expect(textOf(await fetch(url))).toBe('fine');
    },
  );

  test('HttpFetcher: reads several repaired responses on one connection', async () => {
    const bodies = ['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 101 x\n\n', 'A b: c\r\n\r\n', ''];
    const sockets = new Set<Socket>();
    let count = 0;
    const url = await serveRaw((socket) => {
      sockets.add(socket);
      const body = bodies[count % bodies.length] ?? '';
      const interim = count % 2 === 0 ? 'HTTP/1.1 100 Continue\r\n\r\n' : '';
      count += 1;
      socket.write(`${interim}${head}bad header\r\nContent-Length: ${body.length}\r\n\r\n`);
      // In a separate packet, so that it looks like the start of a response.
      setTimeout(() => socket.write(body), 20);
    });
    const fetcher = createFetcher();
    for (let index = 0; index < 12; index++) {
      expect(textOf(await fetcher.fetch(url, defaults()))).toBe(bodies[index % bodies.length]);
    }
    expect(sockets.size).toBe(1);
  });

  test('HttpFetcher: pauses and reads a large body after a repaired head', async () => {
    const body = 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(30_000);
    const url = await serveRaw((socket) => socket.end(`${head}bad header\r\n\r\n${body}`));
    let isFull = true;
    const memory: BodyMemory = {
      hold(bytes, resume) {
        if (bytes < 100_000 || !isFull) return true;
        isFull = false;
        setTimeout(resume, 50);
        return false;
      },
    };
    expect(textOf(await fetch(url, { memory }))).toBe(body);
  });
});

describe('HttpFetcher: unreachable hosts', () => {
  test('HttpFetcher: returns connect without an address when the port is closed', async () => {
    const closed = await serveRaw(() => {});
    await cleanups.pop()?.();
    const refused = await fetch(closed);
    expect(refused).toMatchObject({ retryable: true, error: { reason: 'connect' } });
    expect(JSON.stringify(refused)).not.toMatch(/127|\d{4}/u);
  });

  test('HttpFetcher: does not fetch a URL that is not allowed', async () => {
    for (const url of [
      'http://10.0.0.1/',
      'ftp://127.0.0.1/',
      'http://a:b@127.0.0.1/',
      'not a url',
      'http://metadata.google.internal/',
    ]) {
      expect(await fetch(url)).toMatchObject({ retryable: false, error: { reason: 'destination_not_allowed' } });
    }
  });

  test('HttpFetcher: returns dns when the name does not resolve', async () => {
    expect(reasonOf(await fetch('http://nobody.invalid/'))).toBe('dns');
  });

  test('HttpFetcher: returns tls when the host does not speak TLS', async () => {
    const url = await serveRaw((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(reasonOf(await fetch(url.replace('http:', 'https:')))).toBe('tls');
  });
});

describe('HttpFetcher: connections', () => {
  test('HttpFetcher: reuses a connection after redirects, errors and small unwanted bodies', async () => {
    const sockets = new Set<unknown>();
    const url = await serve((request, response) => {
      sockets.add(request.socket);
      const [status, type] = (request.url ?? '').slice(1).split(':');
      response.writeHead(Number(status), { location: '/', 'content-type': type ?? 'text/html' }).end('x'.repeat(1000));
    });
    const fetcher = createFetcher();
    for (const path of ['/200', '/301', '/404', '/200:image%2Fpng', '/200']) {
      await fetcher.fetch(url + decodeURIComponent(path), defaults());
    }
    expect(sockets.size).toBe(1);
  });

  test('HttpFetcher: opens several connections to one host for requests at the same time', async () => {
    const waiting: (() => void)[] = [];
    const url = await serve((_request, response) => {
      waiting.push(() => response.end('done'));
      if (waiting.length === 20) {
        waiting.forEach((answer) => answer());
      }
    });
    const fetcher = createFetcher();
    const results = await Promise.all(Array.from({ length: 20 }, () => fetcher.fetch(url, defaults())));
    expect(new Set(results.map(textOf))).toEqual(new Set(['done']));
  });

  test('Egress.close: closes all connections and fails the fetches on them', async () => {
    const egress = createEgress({ allowPrivate: parsePrivateNetworks('127.0.0.0/8'), allowPorts: [] });
    const fetcher = createHttpFetcher({ egress, userAgent: 'hayrake-test/1' });
    const open = new Set<Socket>();
    const url = await serveRaw((socket) => {
      open.add(socket.on('close', () => open.delete(socket)));
      if (open.size === 1) {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      } else {
        ending.resolve(egress.close());
      }
    });
    const ending = Promise.withResolvers<void>();
    const before = socketsInUse();
    await fetcher.fetch(url, defaults());
    const [result] = await Promise.all([
      fetcher.fetch(url, defaults()),
      fetcher.fetch(url, defaults()),
      ending.promise,
    ]);
    expect(result).toMatchObject({ kind: 'failure', retryable: true });
    await expect.poll(() => open.size).toBe(0);
    await expect.poll(socketsInUse).toBeLessThanOrEqual(before);
    expect(await fetcher.fetch(url, defaults())).toMatchObject({ kind: 'failure', retryable: true });
  });
});

/** Memory that has no room until `open` is called. */
function closedMemory(): { memory: BodyMemory; open: () => void; asked: number[] } {
  const asked: number[] = [];
  let resumes: (() => void)[] | undefined = [];
  const memory: BodyMemory = {
    hold(bytes, resume) {
      asked.push(bytes);
      if (resumes === undefined || bytes < 200_000) return true;
      resumes.push(resume);
      return false;
    },
  };
  const open = (): void => {
    const waiting = resumes ?? [];
    resumes = undefined;
    for (const resume of waiting) resume();
  };
  return { memory, open, asked };
}

function defaults(): FetchOptions {
  return { signal: new AbortController().signal, deadlineMs: 10_000, bodyBytesMax: 1_000_000, enter: '127.0.0.0/8' };
}

function createFetcher(): Fetcher {
  const egress = createEgress({ allowPrivate: parsePrivateNetworks('127.0.0.0/8'), allowPorts: [] });
  cleanups.push(() => egress.close());
  return createHttpFetcher({ egress, userAgent: 'hayrake-test/1' });
}

function fetch(url: string, options: Partial<FetchOptions> = {}): Promise<FetchResult> {
  return createFetcher().fetch(url, { ...defaults(), ...options });
}

function socketsInUse(): number {
  return process.getActiveResourcesInfo().filter((type) => type === 'TCPSocketWrap').length;
}

function textOf(result: FetchResult): string | undefined {
  return result.kind === 'body' ? Buffer.from(result.body).toString() : undefined;
}

function reasonOf(result: FetchResult): string {
  return result.kind === 'failure' ? result.error.reason : result.kind;
}

function serve(listener: RequestListener): Promise<string> {
  return listen(createHttpServer(listener));
}

/** Calls back on each connection's every request. */
function serveRaw(onRequest: (socket: Socket) => void): Promise<string> {
  return listen(createServer((socket) => socket.on('error', () => {}).on('data', () => onRequest(socket))));
}

async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(async () => {
    for (const socket of sockets) {
      socket.destroy();
    }
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}
