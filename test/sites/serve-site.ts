// Serves a generated site on a free port of 127.0.0.1, with its latency, over http and, where it wants that, https on the same port.
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { type ScriptedSite, startScriptedSite } from '../e2e/scripted-site.ts';
import type { OwnCertificate } from './own-certificate.ts';
import type { Site, SiteAnswer } from './site.ts';
import { pick } from './words.ts';

export interface ServedSite {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /** Whole URLs: of http in the order of arrival, then of https. */
  readonly requests: () => readonly string[];
  /** The most requests that were in flight at once. */
  readonly inFlightMax: () => number;
  close(): Promise<void>;
}

export async function serveSite(site: Site, certificate: OwnCertificate): Promise<ServedSite> {
  const load = { inFlight: 0, inFlightMax: 0 };
  const script = () => (request: IncomingMessage, response: ServerResponse) => {
    load.inFlightMax = Math.max(load.inFlightMax, ++load.inFlight);
    response.once('close', () => (load.inFlight -= 1));
    give(site, request, response);
  };
  const plain = await startScriptedSite(script);
  const inFlightMax = (): number => load.inFlightMax;
  const urlsOf = ({ requests }: ScriptedSite, origin: string): string[] => requests.map(({ path }) => origin + path);
  if (!site.isSecureToo) {
    return {
      origin: plain.origin,
      inFlightMax,
      requests: () => urlsOf(plain, plain.origin),
      close: () => plain.close(),
    };
  }
  const secure = await startScriptedSite(script);
  const front = await startFront(plain, secure, certificate);
  const host = `127.0.0.1:${(front.address() as AddressInfo).port}`;
  return {
    origin: `http://${host}`,
    inFlightMax,
    requests: () => [...urlsOf(plain, `http://${host}`), ...urlsOf(secure, `https://${host}`)],
    close: async () => {
      front.close();
      // Ends the connections of the front too.
      await plain.close();
      await secure.close();
      await once(front, 'close');
    },
  };
}

function give({ answer, latencyMs: [from, to] }: Site, request: IncomingMessage, response: ServerResponse): void {
  const { headers: asked, url: path = '/' } = request;
  const host = asked.host ?? '';
  const answered = answer({ path, headers: asked }) ?? notFound;
  const { status = 200, headers = {}, type = 'text/html; charset=utf-8', isFile = false } = answered;
  const send = (): void => {
    response.writeHead(status, {
      ...(type !== '' && { 'content-type': type }),
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filledIn(value, host)])),
    });
    response.end(bytesOf(answered, host));
  };
  if (isFile) send();
  else void sleep(from + pick(path, to - from + 1)).then(send);
}

const notFound: SiteAnswer = {
  status: 404,
  body: '<!doctype html><title>Not found</title><p>There is no such page.</p>',
};

function bytesOf({ body = '', encode }: SiteAnswer, host: string): string | Uint8Array {
  if (typeof body !== 'string') return body;
  const text = filledIn(body, host);
  return encode === undefined ? text : encode(text);
}

function filledIn(text: string, host: string): string {
  return text.replaceAll('{{origin}}', `http://${host}`).replaceAll('{{host}}', host);
}

/** Listens for both schemes and passes each connection on: a TLS connection begins with the byte of a handshake. */
async function startFront(plain: ScriptedSite, secure: ScriptedSite, certificate: OwnCertificate): Promise<Server> {
  const join = (socket: Socket, { origin }: ScriptedSite): void => {
    const behind = connect(Number(new URL(origin).port), '127.0.0.1');
    // When one ends, also with an error, the other one ends.
    pipeline(socket, behind, () => behind.destroy());
    pipeline(behind, socket, () => socket.destroy());
  };
  const tls = createTlsServer({ ...certificate }, (socket) => join(socket, secure));
  const front = createServer((socket) => {
    // A connection that fails before its first byte carried no request.
    socket.on('error', () => socket.destroy());
    socket.once('readable', () => {
      const first = socket.read(1) as Buffer | null;
      if (first === null) return;
      socket.unshift(first);
      if (first[0] === tlsHandshake) tls.emit('connection', socket);
      else join(socket, plain);
    });
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  return front;
}

const tlsHandshake = 0x16;
