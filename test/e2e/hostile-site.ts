// Sites that answer with whatever bytes a test writes, HTTP or not, each with ordinary pages beside the hostile one.
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { constants, deflateRawSync } from 'node:zlib';
import type { TestService } from '../service/start-service.ts';
import { type LedgerRow, ledgerOf } from './ledger.ts';

/** Bytes as they stand, text as latin1, after which the connection is closed; or what does it all by itself. */
export type RawAnswer = string | Uint8Array | ((socket: Socket) => void);

export interface RawSite {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  /** Paths in the order in which they were asked for. */
  readonly asked: readonly string[];
  /** Connections that are open. */
  open(): number;
  /** Connections that there have been. */
  connections(): number;
  close(): Promise<void>;
}

/** Answers by path; what is not there is a 404. `*` answers every connection at once, whatever it says. */
export async function startRawSite(answers: Readonly<Record<string, RawAnswer>>): Promise<RawSite> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    if (answers['*'] !== undefined) {
      socket.resume();
      give(socket, answers['*']);
      return;
    }
    let head = '';
    socket.on('data', (bytes) => {
      head += bytes.toString('latin1');
      if (!head.endsWith('\r\n\r\n')) return;
      const path = head.split(' ', 2)[1] ?? '';
      head = '';
      asked.push(path);
      give(socket, answers[path] ?? http('nothing here', { status: '404 Not Found' }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    open: () => sockets.size,
    connections: () => connections,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function give(socket: Socket, answer: RawAnswer): void {
  if (typeof answer === 'function') answer(socket);
  else if (typeof answer === 'string') socket.end(answer, 'latin1');
  else socket.end(answer);
}

/** A whole answer, after which the connection is closed. A header that is `undefined` is left out. */
export function http(
  body: string | Uint8Array,
  options: { readonly status?: string; readonly headers?: Readonly<Record<string, string | undefined>> } = {},
): Uint8Array {
  const { status = '200 OK', headers = {} } = options;
  const all = {
    'content-type': 'text/html; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}

/** The same piece, until nobody listens any more. `head` stands instead of the type of the content, or of its length. */
export function endless(head: string, piece: string, beginning = ''): RawAnswer {
  const type = head.toLowerCase().includes('content-type') ? '' : 'Content-Type: text/html\r\n';
  const lines = head === '' ? type : `${type}${head}\r\n`;
  return (socket) => {
    const more = (): void => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', more);
    socket.write(`HTTP/1.1 200 OK\r\n${lines}\r\n${beginning}`);
    more();
  };
}

/** One member of gzip that unpacks to so many times 64 MiB of zeros, without anybody having packed them all. */
export function gzipBomb(times: number): Uint8Array {
  const piece = deflateRawSync(Buffer.alloc(64 * 2 ** 20), { finishFlush: constants.Z_FULL_FLUSH });
  const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  const end = Buffer.from([3, 0]);
  return Buffer.concat([head, ...Array.from({ length: times }, () => piece), end, Buffer.alloc(8)]);
}

/** A page of HTML. */
export function ordinaryPage(text: string, links: readonly string[] = []): string {
  const list = links.map((href) => `<li><a href="${href}">${href}</a></li>`).join('');
  return `<!doctype html><html lang="en"><title>${text}</title><body><p>This is ${text}.</p><ul>${list}</ul></body></html>`;
}

/** What is delivered of each site, whatever `/hostile` does. */
export const ordinaryPaths = ['/', '/before/1', '/before/2', '/after/1', '/after/2'];

export interface HostileSites {
  /** Where to start. */
  readonly urls: readonly string[];
  of(name: string): RawSite;
  close(): Promise<void>;
}

/**
 * A site for each case, so that what one does to its host is nothing to the others: a start page that links to ordinary
 * pages with `/hostile` in the middle.
 */
export async function startHostileSites(cases: Readonly<Record<string, RawAnswer>>): Promise<HostileSites> {
  const sites = new Map<string, RawSite>();
  const [, ...linked] = ordinaryPaths.toSpliced(3, 0, '/hostile');
  for (const [name, answer] of Object.entries(cases)) {
    const pages = ordinaryPaths.map((path) => [
      path,
      http(ordinaryPage(`${path} beside ${name}`, path === '/' ? linked : [])),
    ]);
    sites.set(name, await startRawSite({ ...Object.fromEntries(pages), '/hostile': answer }));
  }
  return {
    urls: [...sites.values()].map(({ host }) => `http://${host}/`),
    of: (name) => sites.get(name)!,
    close: async () => {
      for (const site of sites.values()) await site.close();
    },
  };
}

export interface SiteLedger {
  /** What became of `/hostile` of a case. */
  hostile(name: string): LedgerRow | undefined;
  /** The other paths of a case that were delivered, in the order of {@link ordinaryPaths}. */
  delivered(name: string): readonly string[];
}

export async function ledgerBySite(service: TestService, jobId: string, sites: HostileSites): Promise<SiteLedger> {
  const ledger = new Map((await ledgerOf(service, jobId)).map((row) => [row.url, row]));
  return {
    hostile: (name) => ledger.get(`http://${sites.of(name).host}/hostile`),
    delivered: (name) =>
      ordinaryPaths.filter((path) => ledger.get(`http://${sites.of(name).host}${path}`)?.status === 'scraped'),
  };
}

/** Does something, and says by how many MiB the highest memory of the service was above what it had before. */
export async function growthOf<Result>(
  service: TestService,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly grownMiB: number }> {
  const pid = service.pid!;
  // Forgets what was highest so far (man 5 proc_pid_clear_refs).
  await writeFile(`/proc/${pid}/clear_refs`, '5');
  const before = await memoryOf(pid, 'VmRSS');
  const result = await work();
  return { result, grownMiB: (await memoryOf(pid, 'VmHWM')) - before };
}

async function memoryOf(pid: number, line: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${line}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
}

/** Has every part of the service loaded and started, so that growth is what pages do to it. */
export async function warmUp(service: TestService): Promise<void> {
  const paths = Array.from({ length: 60 }, (_, index) => `/${index}`);
  const pages = paths.map((path) => [path, http(ordinaryPage(`warm ${path}`))]);
  const site = await startRawSite({ '/': http(ordinaryPage('warm', paths)), ...Object.fromEntries(pages) });
  await service.crawl({ urls: [`http://${site.host}/`] });
  await site.close();
}
