// The proof that a page in the browser reaches nothing: pages that try to reach a listener in every way that browsers know. A control
// without fences shows that the ways work.
import { spawn } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener, type Server as HttpServer } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Readable, Writable } from 'node:stream';
import type { Resource, ResourceRefusal, ResourceRequest } from '../../src/core/ports/renderer.ts';
import { CdpPipe, textOf as cdpText } from '../../src/render/cdp-pipe.ts';
import { findBrowser } from '../../src/render/find-browser.ts';
import type { BrowserRenderer } from '../../src/render/browser-renderer.ts';
import { ownCertificate } from '../sites/own-certificate.ts';
import { isBrowserMissing, openRenderer } from './browser.ts';
import { reboundName, type Vector, vectors } from './canary-pages.ts';

/** A page of the control has so long at most to reach the listener. */
const controlMs = 5_000;
const pagesAtATime = 8;

let canary: Server;
let udp: UdpSocket;
let quic: UdpSocket;
let site: HttpServer;
let tlsSite: TlsServer;
let table: Vector[];
let siteOrigin: string;
let tlsOrigin: string;
const certificate = ownCertificate();
/** What the listener met, with the vector that was open then. */
let connections = 0;
const hits = new Map<string, number>();
/** Vectors that are open. A connection tells by its path who made it; without one it counts where one is open alone. */
let open: string[] = [];

function hit(text: string): void {
  connections++;
  const path = /^[A-Z]+ \/([\w.-]+)/u.exec(text)?.[1]?.replace('.pdf', '');
  const name = table.find((vector) => vector.name === path)?.name ?? (open.length === 1 ? open[0] : undefined);
  if (name !== undefined) hits.set(name, (hits.get(name) ?? 0) + 1);
}

beforeAll(async () => {
  canary = createServer((socket) => {
    socket.on('error', () => {});
    const timer = setTimeout(() => {
      hit('');
      socket.destroy();
    }, 300);
    socket.once('data', (data) => {
      clearTimeout(timer);
      hit(data.toString('latin1'));
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\nAccess-Control-Allow-Origin: *\r\n\r\n');
    });
  });
  await new Promise<void>((resolve) => void canary.listen(0, '::', resolve));
  const { port } = canary.address() as AddressInfo;
  udp = createSocket({ type: 'udp6' });
  udp.on('message', () => hit(''));
  await new Promise<void>((resolve) => void udp.bind(port, '::', resolve));
  quic = createSocket({ type: 'udp6' });
  quic.on('message', () => hit('QUIC /alt-svc'));
  await new Promise<void>((resolve) => void quic.bind(0, '::', resolve));
  const serve: RequestListener = (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
    const vector = table.find(({ name, files = {} }) => pathname === `/page/${name}` || pathname in files);
    const file = vector?.files?.[pathname];
    if (file?.location !== undefined) response.writeHead(302, { location: file.location }).end();
    else if (file) response.writeHead(200, { 'content-type': file.type, ...vector?.headers }).end(file.text);
    else if (vector) response.writeHead(200, { 'content-type': 'text/html', ...vector.headers }).end(vector.html);
    else response.writeHead(404).end(searchParams.toString());
  };
  site = createHttpServer(serve);
  tlsSite = createTlsServer(certificate, serve);
  await Promise.all(
    [site, tlsSite].map((server) => new Promise<void>((resolve) => void server.listen(0, '127.0.0.5', resolve))),
  );
  const { port: sitePort } = site.address() as AddressInfo;
  siteOrigin = `http://127.0.0.5:${sitePort}`;
  tlsOrigin = `https://127.0.0.5:${(tlsSite.address() as AddressInfo).port}`;
  table = vectors({ port, quicPort: quic.address().port, sitePort });
});
afterAll(() => {
  canary.close();
  udp.close();
  quic.close();
  for (const server of [site, tlsSite]) {
    server.closeAllConnections();
    server.close();
  }
});

/** Of the public key of a certificate, as browsers name it. */
function keyHash(cert: string): string {
  const key = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(key).digest('base64');
}

/** All vectors, several at a time but for those that have to be `alone`. */
async function inTurn(work: (vector: Vector) => Promise<void>, alone: (vector: Vector) => boolean): Promise<void> {
  connections = 0;
  hits.clear();
  const lanes = async (waiting: Vector[], count: number): Promise<void> => {
    const lane = async (): Promise<void> => {
      for (let vector = waiting.shift(); vector; vector = waiting.shift()) {
        const { name } = vector;
        open.push(name);
        await work(vector);
        open = open.filter((one) => one !== name);
      }
    };
    await Promise.all(Array.from({ length: count }, lane));
    // What was on its way.
    await sleep(1_000);
  };
  await lanes(
    table.filter((vector) => !alone(vector)),
    pagesAtATime,
  );
  await lanes(table.filter(alone), 1);
}

/** What the site has, and nothing else: as the guard has it. */
async function ask({ url, method }: ResourceRequest): Promise<Resource | ResourceRefusal> {
  const isSites = [siteOrigin, tlsOrigin].some((origin) => url.startsWith(`${origin}/`));
  if (!isSites) return { kind: 'refused', reason: 'not allowed' };
  const response = await fetch(url.replace(tlsOrigin, siteOrigin), { method, redirect: 'manual' });
  return {
    kind: 'resource',
    statusCode: response.status,
    headers: [...response.headers],
    body: new Uint8Array(await response.arrayBuffer()),
  };
}

async function renderAll(renderer: BrowserRenderer): Promise<ReadonlyMap<string, number>> {
  const kinds = new Map<string, number>();
  await inTurn(
    async ({ name, html, isTls }) => {
      const rendered = await renderer.render({
        url: `${isTls ? tlsOrigin : siteOrigin}/page/${name}`,
        // One for all, so that tabs are used again.
        contextKey: 'job',
        statusCode: 200,
        contentType: 'text/html',
        body: Buffer.from(html),
        cookies: '',
        userAgent: 'hayrake/test',
        blockResources: false,
        signal: new AbortController().signal,
        ask,
      });
      kinds.set(rendered.kind, (kinds.get(rendered.kind) ?? 0) + 1);
    },
    () => false,
  );
  await renderer.close();
  return kinds;
}

describe.skipIf(isBrowserMissing)(
  'pages that try to reach a listener (needs chromium-headless-shell and bubblewrap)',
  () => {
    test('reach it, in at least 55 ways of 60 or more, in a browser without fences', async () => {
      const profile = mkdtempSync(path.join(tmpdir(), 'hayrake-canary-'));
      const flags = [
        '--headless',
        '--no-sandbox',
        '--remote-debugging-pipe',
        '--disable-gpu',
        `--host-resolver-rules=MAP ${reboundName} 127.0.0.1`,
        // Alternatives of a site whose certificate has an error are ignored, so ours must have none.
        `--ignore-certificate-errors-spki-list=${keyHash(certificate.cert)}`,
        '--autoplay-policy=no-user-gesture-required',
        `--unsafely-treat-insecure-origin-as-secure=${siteOrigin}`,
        `--user-data-dir=${profile}`,
        'about:blank',
      ];
      const child = spawn(findBrowser('auto') ?? '', flags, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
      const cdp = new CdpPipe(child.stdio[3] as Writable, child.stdio[4] as Readable, () => {});
      await inTurn(
        async ({ name, isTls }) => {
          const url = `${isTls ? tlsOrigin : siteOrigin}/page/${name}`;
          const target = await cdp.send('Target.createTarget', { url });
          for (let waited = 0; waited < controlMs && !hits.has(name); waited += 50) await sleep(50);
          cdp.tell('Target.closeTarget', { targetId: cdpText(target, 'targetId') });
          await sleep(100);
        },
        ({ isNameless = false }) => isNameless,
      );
      const closed = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGKILL');
      await closed;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
      const missed = table.map(({ name }) => name).filter((name) => !hits.has(name));
      console.log(
        `control: ${table.length} vectors, ${table.length - missed.length} hit, ${connections} connections; not: ${missed.join(', ')}`,
      );
      expect(table.length).toBeGreaterThanOrEqual(60);
      expect(table.length - missed.length).toBeGreaterThanOrEqual(55);
    });

    test.each<[string, boolean]>([
      ['all fences', true],
      ['interception, proxy and flags alone', false],
    ])('reach nothing with %s, without the hooks in the page', async (fences, isSandboxed) => {
      const renderer = openRenderer({
        pages: pagesAtATime,
        limits: { hasHooks: false, wallMs: 6_000 },
        ...(!isSandboxed && { bwrap: undefined }),
      });
      const kinds = await renderAll(renderer);
      console.log(
        `${fences}: ${JSON.stringify([...kinds])}, ${connections} connections, ${renderer.status().refusedConnections} refused by the proxy`,
      );
      expect(connections).toBe(0);
      expect([...hits.keys()]).toEqual([]);
      // The pages did run.
      expect((kinds.get('page') ?? 0) + (kinds.get('redirect') ?? 0)).toBeGreaterThanOrEqual(table.length - 2);
    });
  },
);
