// Clients that want to do harm. Whatever they send, those who mean well are served; how quickly is printed, since that
// depends on the machine.
import { randomBytes } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from './expect-problem.ts';
import { startHealthyClient } from './healthy-client.ts';
import { exchange, open, readAll, statuses } from './raw-socket.ts';
import { type JobAnswer, type RawAnswer, startService, type TestService } from './start-service.ts';
import { numberedPages, startTestSite, type TestSite } from './test-site.ts';

let site: TestSite;
let service: TestService;

beforeAll(async () => {
  site = await startTestSite(numberedPages(2));
  service = await startService({ env: { HAYRAKE_JOBS_PER_ORG: '1000000' } });
});

afterEach(() => {
  if (service.stderr !== '') throw new Error(`the service is not well: ${service.stderr}`);
});

afterAll(async () => {
  await service.close();
  await site.close();
});

const head = (line: string, ...headers: string[]): string => [line, ...headers, '', ''].join('\r\n');
const bearer = (): string => `Authorization: Bearer ${service.token}`;

/** A client that means well asks for a list meanwhile, over and over. Prints how long it took; all of it has to be answered. */
async function whileHealthy(name: string, attack: () => Promise<void>): Promise<void> {
  const stop = await startHealthyClient({ port: service.port, token: service.token });
  const { times, failures } = await attack().then(stop, async (error: unknown) => {
    await stop();
    throw error;
  });
  const at = (share: number): number => Math.round(times[Math.floor(share * (times.length - 1))] ?? 0);
  console.log(`${name}: ${times.length} requests meanwhile, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`);
  expect(failures).toEqual([]);
}

async function openMany(count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count)
    sockets.push(
      ...(await Promise.all(Array.from({ length: Math.min(500, count - sockets.length) }, () => open(service.port)))),
    );
  return sockets;
}

/** The other side may hang up instead. */
function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => void socket.once('drain', resolve));
}

function close(sockets: readonly Socket[]): void {
  for (const socket of sockets) socket.destroy();
}

describe('slow and idle connections', () => {
  test('HTTP server: answers 408 or closes the connection when 300 clients send headers one byte at a time', async () => {
    await whileHealthy('slow headers', async () => {
      const sockets = await openMany(300);
      const answers = sockets.map(readAll);
      const timer = setInterval(() => {
        for (const socket of sockets) if (socket.writable) socket.write('a');
      }, 500);
      for (const socket of sockets) socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
      for (const answer of answers) expect([[408], []]).toContainEqual(statuses(await answer));
      clearInterval(timer);
    });
  });

  test('POST /crawler/jobs: answers 401 without a token and 408 with one when 300 clients send bodies one byte at a time', async () => {
    await whileHealthy('slow bodies', async () => {
      const sockets = await openMany(300);
      const answers = sockets.map(readAll);
      const common = ['Host: localhost', 'Content-Type: application/json', 'Content-Length: 1000'];
      for (const [index, socket] of sockets.entries()) {
        const credentials = index % 2 === 0 ? [bearer()] : [];
        socket.write(`${head('POST /crawler/jobs HTTP/1.1', ...common, ...credentials)}{`);
      }
      const timer = setInterval(() => {
        for (const socket of sockets) if (socket.writable) socket.write(' ');
      }, 500);
      for (const [index, answer] of answers.entries())
        expect(statuses(await answer)[0]).toBe(index % 2 === 0 ? 408 : 401);
      clearInterval(timer);
    });
  });

  test('HTTP server: closes the oldest connections and serves others when 10,000 connections send nothing', async () => {
    await whileHealthy('10,000 idle connections', async () => {
      const sockets = await openMany(10_000);
      // Only so many are held at a time.
      await expect
        .poll(() => sockets.filter(({ closed }) => closed).length, { timeout: 30_000 })
        .toBeGreaterThanOrEqual(9_000);
      close(sockets);
    });
  });

  test('HTTP server: answers 400 or nothing when 1,000 clients close their side before or in the middle of a request', async () => {
    await whileHealthy('half-open connections', async () => {
      const sockets = await openMany(1_000);
      for (const [index, socket] of sockets.entries())
        socket.end(index % 2 === 0 ? '' : 'GET /healthz HTTP/1.1\r\nHost: local');
      for (const socket of sockets)
        expect(statuses(await readAll(socket)).every((status) => status === 400)).toBe(true);
    });
  });
});

describe('floods', () => {
  test('HTTP server: answers 1,000 pipelined requests on one connection in order', async () => {
    await whileHealthy('1,000 requests sent at once', async () => {
      const requests = Array.from({ length: 1_000 }, (_, index) =>
        head(
          `GET ${index % 10 === 9 ? '/nowhere' : '/healthz'} HTTP/1.1`,
          'Host: localhost',
          ...(index === 999 ? ['Connection: close'] : []),
        ),
      );
      const seen = statuses(await exchange(service.port, requests.join('')));
      expect(seen).toEqual(requests.map((_, index) => (index % 10 === 9 ? 404 : 200)));
    });
  });

  test('HTTP server: refuses 100 MB without an end of line with a 4xx, and reads less than half of it', async () => {
    await whileHealthy('100 MB of garbage', async () => {
      const socket = await open(service.port);
      const answer = readAll(socket);
      const garbage = Buffer.alloc(2 ** 20, 'A');
      let sent = 0;
      while (!socket.destroyed && sent < 100) {
        sent++;
        if (!socket.write(garbage)) await Promise.race([drained(socket), answer]);
      }
      expect(statuses(await answer).every((status) => status >= 400 && status < 500)).toBe(true);
      expect(sent).toBeLessThan(50);
    });
  });

  test('POST /crawler/jobs: answers 413 or closes the connection when a chunked body has 100 MB', async () => {
    await whileHealthy('100 MB of body', async () => {
      const socket = await open(service.port);
      const answer = readAll(socket);
      socket.write(
        head(
          'POST /crawler/jobs HTTP/1.1',
          'Host: localhost',
          bearer(),
          'Content-Type: application/json',
          'Transfer-Encoding: chunked',
        ),
      );
      const chunk = Buffer.from(`100000\r\n${' '.repeat(2 ** 20)}\r\n`);
      for (let sent = 0; sent < 100 && !socket.destroyed; sent++)
        if (!socket.write(chunk)) await Promise.race([drained(socket), answer]);
      socket.destroy();
      expect([[413], []]).toContainEqual(statuses(await answer));
    });
  });

  test('POST /crawler/jobs: answers 10,000 requests in a burst with 200 or 429, and loses no acknowledged job after SIGKILL', async () => {
    const own = await startService({ env: { HAYRAKE_JOBS_PER_ORG: '1000000' } });
    try {
      const agent = new Agent({ keepAlive: true, maxSockets: 50 });
      const gate = site.hold('/robots.txt');
      const body = JSON.stringify({ urls: [`${site.origin}/`], force_crawling_mode: 'link' });
      const acknowledged: string[] = [];
      const others = new Map<number, number>();
      const start = performance.now();
      await Promise.all(
        Array.from({ length: 50 }, async () => {
          for (let index = 0; index < 200; index++) {
            const { status, text, retryAfter } = await postOver(agent, own, body);
            if (status === 200) acknowledged.push((JSON.parse(text) as JobAnswer).id);
            else {
              others.set(status, (others.get(status) ?? 0) + 1);
              if (!/^\d+$/.test(retryAfter ?? '')) throw new Error(`${status} without when to try again`);
            }
          }
        }),
      );
      agent.destroy();
      const seconds = (performance.now() - start) / 1000;
      console.log(
        `10,000 jobs in ${seconds.toFixed(1)} s: ${acknowledged.length} made, ${others.get(429) ?? 0} refused`,
      );
      // A machine that takes longer than a minute refuses fewer, or none.
      expect([...others.keys()].filter((status) => status !== 429)).toEqual([]);
      expect(acknowledged.length + (others.get(429) ?? 0)).toBe(10_000);
      expect(acknowledged.length).toBeGreaterThanOrEqual(6_000);
      await own.kill();
      gate.open();
      const stored = await own.changeDatabase<{ readonly id: string }>('SELECT id FROM job');
      const known = new Set(stored.map(({ id }) => id));
      expect(acknowledged.filter((id) => !known.has(id))).toEqual([]);
      expect(known.size).toBe(acknowledged.length);
    } finally {
      await own.close();
    }
  }, 240_000);
});

describe('request smuggling', () => {
  const post = 'POST /crawler/jobs HTTP/1.1';
  const smuggled = 'GET /crawler/jobs?limit=1 HTTP/1.1\r\nHost: localhost\r\n\r\n';

  test.each<[string, () => string]>([
    [
      'Content-Length and Transfer-Encoding',
      () => head(post, 'Host: localhost', bearer(), 'Content-Length: 4', 'Transfer-Encoding: chunked'),
    ],
    [
      'Transfer-Encoding twice',
      () => head(post, 'Host: localhost', bearer(), 'Transfer-Encoding: chunked', 'Transfer-Encoding: identity'),
    ],
    ['Transfer-Encoding: xchunked', () => head(post, 'Host: localhost', bearer(), 'Transfer-Encoding: xchunked')],
    ['Transfer-Encoding with a tab', () => head(post, 'Host: localhost', bearer(), 'Transfer-Encoding:\tchunked, x')],
    [
      'two Content-Lengths that differ',
      () => head(post, 'Host: localhost', bearer(), 'Content-Length: 0', 'Content-Length: 4'),
    ],
    ['two Content-Lengths in one', () => head(post, 'Host: localhost', bearer(), 'Content-Length: 4, 4')],
    ['Content-Length: +4', () => head(post, 'Host: localhost', bearer(), 'Content-Length: +4')],
    ['lines that end in \\n', () => head('GET /healthz HTTP/1.1', 'Host: localhost').replaceAll('\r\n', '\n')],
    ['one line that ends in \\n', () => 'GET /healthz HTTP/1.1\r\nHost: localhost\nX-A: b\r\n\r\n'],
    ['one line that ends in \\r', () => 'GET /healthz HTTP/1.1\r\nHost: localhost\rX-A: b\r\n\r\n'],
    ['a space before the colon', () => head(post, 'Host: localhost', 'Content-Length : 4')],
    ['a folded header', () => head(post, 'Host: localhost', 'Content-Length:', ' 4')],
    ['a header without a name', () => head('GET /healthz HTTP/1.1', 'Host: localhost', ': a')],
    ['a whole URL for a target', () => head('GET http://localhost/healthz HTTP/1.1', 'Host: localhost')],
    ['the URL of another for a target', () => head('GET http://evil.example/healthz HTTP/1.1', 'Host: localhost')],
    ['no Host', () => head('GET /healthz HTTP/1.1')],
    ['two Hosts', () => head('GET /healthz HTTP/1.1', 'Host: localhost', 'Host: evil.example')],
  ])(
    'HTTP server: answers %s with 400 and closes the connection without reading a smuggled request',
    async (_, bytes) => {
      expect(statuses(await exchange(service.port, bytes() + smuggled))).toEqual([400]);
    },
  );
});

describe('requests from browsers', () => {
  test.each([
    'evil.example',
    'evil.example:8380',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '[::2]',
    '10.0.0.1',
    'localhost@evil.example',
  ])('HTTP server: answers 421 on every path when the Host is %j (DNS rebinding)', async (host) => {
    for (const path of ['/healthz', '/crawler/jobs', '/metrics', '/openapi.json', '/nowhere']) {
      const answer = await service.raw(path, { headers: { host } });
      expectProblem(answer, 421, 'misdirected_request');
      expect(answer.headers.connection).toBe('close');
    }
  });

  test.each(['localhost', 'LOCALHOST:1', '127.0.0.1', '127.0.0.1:8380', '127.1.2.3', '[::1]', '[::1]:8380'])(
    'HTTP server: answers when the Host is the loopback name %s',
    async (host) => {
      expect((await service.raw('/healthz', { headers: { host } })).status).toBe(200);
    },
  );

  test('HTTP server: answers 421 when the Host is empty', async () => {
    expect(statuses(await exchange(service.port, head('GET /healthz HTTP/1.1', 'Host:')))).toEqual([421]);
  });

  test('HTTP server: accepts any Host when it listens on 0.0.0.0', async () => {
    const reachable = await startService({ env: { HAYRAKE_HOST: '0.0.0.0' } });
    try {
      expect((await reachable.raw('/healthz', { headers: { host: 'crawl.example' } })).status).toBe(200);
    } finally {
      await reachable.close();
    }
  });

  test('HTTP server: sends no CORS header to another origin, not even on a preflight', async () => {
    const origin = { origin: 'https://evil.example' };
    const preflight = {
      ...origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    };
    const answers: readonly RawAnswer[] = [
      await service.raw('/crawler/jobs', { method: 'OPTIONS', headers: preflight, token: null }),
      await service.raw('/crawler/jobs', { headers: origin }),
      await service.raw('/crawler/jobs', { headers: origin, token: null }),
      await service.raw('/healthz', { headers: origin, token: null }),
      await service.raw('/metrics', { headers: origin, token: null }),
      await service.raw('/openapi.json', { headers: origin, token: null }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 200, 401, 200, 200, 200]);
    for (const { headers } of answers)
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test.each(['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x'])(
    'POST /crawler/jobs: refuses a form of another origin as %s with 401 or 415',
    async (type) => {
      const form = { method: 'POST', headers: { 'content-type': type, origin: 'https://evil.example' }, body: 'a=b' };
      expectProblem(await service.raw('/crawler/jobs', { ...form, token: null }), 401, 'unauthorized');
      expectProblem(await service.raw('/crawler/jobs', form), 415, 'unsupported_media_type');
    },
  );
});

describe('odd methods', () => {
  test.each(['TRACE', 'PROPFIND', 'PATCH', 'PUT', 'MKCOL', 'SEARCH', 'LOCK'])(
    '/crawler/jobs: answers the method %s with 405 or 400 and echoes no header',
    async (method) => {
      const text = await exchange(
        service.port,
        head(`${method} /crawler/jobs HTTP/1.1`, 'Host: localhost', 'Connection: close', 'X-Secret: echo-me', bearer()),
      );
      expect([[405], [400]]).toContainEqual(statuses(text));
      expect(text).not.toContain('echo-me');
    },
  );

  test('HTTP server: opens no tunnel on CONNECT', async () => {
    const text = await exchange(
      service.port,
      `CONNECT ${new URL(site.origin).host} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    );
    expect(statuses(text).every((status) => status >= 400)).toBe(true);
  });

  test('HTTP server: ignores a request to upgrade to WebSocket', async () => {
    const text = await exchange(
      service.port,
      head('GET /healthz HTTP/1.1', 'Host: localhost', 'Connection: Upgrade, close', 'Upgrade: websocket'),
    );
    expect(statuses(text)).not.toContain(101);
  });
});

describe('tokens', () => {
  test('authentication: gives the same 401 to wrong, revoked and expired tokens, and takes none from the query', async () => {
    const revoked = await service.createToken({ org: 'elsewhere' });
    await service.run(['token', 'revoke', revoked.id]);
    const expiring = await service.run(['token', 'create', '--org', 'elsewhere', '--expires', '1d']);
    expect(expiring.stderr).toMatch(/It expires 20\d\d-/);
    const token = expiring.stdout.trim();
    expect((await service.raw('/crawler/jobs', { token })).status).toBe(200);
    await service.stop();
    await service.changeDatabase('UPDATE token SET expires_at = 1 WHERE expires_at IS NOT NULL');
    await service.start();
    const wrong = `hr_${randomBytes(32).toString('base64url')}00000000`;
    const bodies = [];
    for (const each of [wrong, revoked.token, token, token.slice(0, -1), `${service.token}x`]) {
      const answer = await service.raw('/crawler/jobs', { token: each });
      const { requestId: _, ...problem } = expectProblem(answer, 401, 'invalid_token');
      expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
      bodies.push(JSON.stringify(problem));
    }
    expect(new Set(bodies).size).toBe(1);
    expectProblem(
      await service.raw(`/crawler/jobs?token=${service.token}&access_token=${service.token}`, { token: null }),
      401,
    );
    const { stdout } = await service.run(['token', 'list']);
    expect(stdout).toMatch(/expired 1970-01-01T00:00:00.001Z$/m);
    expect(stdout).toMatch(/revoked 20\d\d-\S+$/m);
  });

  test('hayrake token create: refuses an --expires that is not a known unit', async () => {
    const { code, stdout, stderr } = await service.run(['token', 'create', '--expires', '1w']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--expires takes');
  });
});

/** One request over a connection that is kept. */
async function postOver(
  agent: Agent,
  { port, token }: TestService,
  body: string,
): Promise<{ readonly status: number; readonly text: string; readonly retryAfter: string | undefined }> {
  const request = httpRequest({
    agent,
    port,
    host: '127.0.0.1',
    path: '/crawler/jobs',
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      authorization: `Bearer ${token}`,
    },
  });
  request.end(body);
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof postOver>>>();
  request.on('error', reject).on('response', (response) => {
    let text = '';
    response
      .setEncoding('utf8')
      .on('data', (chunk: string) => (text += chunk))
      .on('end', () =>
        resolve({ status: response.statusCode ?? 0, text, retryAfter: response.headers['retry-after'] }),
      );
  });
  return promise;
}
