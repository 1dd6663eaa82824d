// A real documentation, as Debian packages it, served over HTTP by nginx: so that the server is not what is measured, and
// so that pages are counted by someone who did not crawl them.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';

/** The name of the Debian package, and where its HTML is. Each starts at `/index.html`. */
const corpora: Readonly<Record<string, string>> = {
  'postgresql-doc-15': '/usr/share/doc/postgresql-doc-15/html',
  'python3-doc': '/usr/share/doc/python3-doc/html',
  'rust-doc': '/usr/share/doc/rust-doc/html',
  'openjdk-17-doc': '/usr/share/doc/openjdk-17-doc',
};

/** Where `/index.html` leads by a refresh only, which is no link to many crawlers. */
const contents: Readonly<Record<string, string>> = { 'openjdk-17-doc': 'api/index.html' };

export const corpusNames: readonly string[] = Object.keys(corpora);

export const defaultCorpus = 'postgresql-doc-15';

export interface ServedCorpus {
  readonly startUrl: string;
  /** From where plain links lead everywhere: the same, unless that page is but a refresh. */
  readonly contentsUrl: string;
  /** The same of each host. */
  readonly contentsUrls: readonly string[];
  /** Every request that the server has answered, from its own log. */
  requestsLogged(): readonly LoggedRequest[];
  close(): Promise<void>;
}

export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly contentType: string;
  readonly userAgent: string;
}

/** The folder of a corpus. Throws what to install when it is not there. */
export function corpusFolder(name: string): string {
  const folder = corpora[name];
  if (folder === undefined) throw new Error(`There is no corpus "${name}". There are: ${corpusNames.join(', ')}`);
  if (!existsSync(path.join(folder, 'index.html'))) throw new Error(`${folder} is missing: apt-get install ${name}`);
  return folder;
}

/** See {@link serveFolder}. */
export function serveCorpus(name: string, hosts?: number): Promise<ServedCorpus> {
  return serveFolder(corpusFolder(name), contentsOf(name), hosts);
}

/** The page of a corpus from where plain links lead everywhere. */
export function contentsOf(name: string): string {
  return contents[name] ?? 'index.html';
}

/** With `hosts`, at so many addresses, each with its own text: the address stands in every heading of the first level. */
export async function serveFolder(folder: string, contentsPath: string, hosts?: number): Promise<ServedCorpus> {
  const nginx = findNginx();
  const prefix = mkdtempSync(path.join(tmpdir(), 'hayrake-corpus-'));
  const port = await freePort();
  // 127.0.0.0/8 is this machine, all of it.
  const addresses =
    hosts === undefined
      ? ['127.0.0.1']
      : Array.from({ length: hosts }, (_, host) => `127.2.${host >> 8}.${host & 255}`);
  const accessLog = path.join(prefix, 'access.log');
  writeFileSync(
    path.join(prefix, 'nginx.conf'),
    configuration(
      prefix,
      folder,
      addresses.map((address) => `${address}:${port}`),
      hosts !== undefined,
    ),
  );

  const server = spawn(nginx, ['-p', prefix, '-c', 'nginx.conf', '-e', 'error.log'], { stdio: 'inherit' });
  const ended = once(server, 'exit');
  await listening(addresses[0] ?? '', port, () => {
    if (server.exitCode !== null)
      throw new Error(`nginx did not start:\n${readFileSync(path.join(prefix, 'error.log'), 'utf8')}`);
  });

  const contentsUrls = addresses.map((address) => `http://${address}:${port}/${contentsPath}`);
  return {
    startUrl: `http://${addresses[0]}:${port}/index.html`,
    contentsUrl: contentsUrls[0] ?? '',
    contentsUrls,
    requestsLogged: () => readFileSync(accessLog, 'utf8').split('\n').filter(Boolean).map(parseLogLine),
    async close() {
      server.kill('SIGTERM');
      await ended;
      rmSync(prefix, { recursive: true });
    },
  };
}

/** Paths of the HTML pages that the server delivered, each once. */
export function pagesDelivered(requests: readonly LoggedRequest[]): ReadonlySet<string> {
  const pages = requests.filter(
    ({ method, status, contentType }) => method === 'GET' && status === 200 && contentType.startsWith('text/html'),
  );
  return new Set(pages.map((request) => request.path));
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('The system gave no port.');
  return address.port;
}

function findNginx(): string {
  const folders = [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/sbin', '/usr/local/sbin'];
  const found = folders.map((folder) => path.join(folder, 'nginx')).find((file) => existsSync(file));
  if (found === undefined) throw new Error('nginx is missing: apt-get install nginx-light');
  return found;
}

function configuration(prefix: string, folder: string, listening: readonly string[], isNamed: boolean): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${prefix}/${kind};`,
  );
  return `
daemon off;
pid ${prefix}/nginx.pid;
worker_processes 1;
${process.getuid?.() === 0 ? `user ${userInfo().username};` : ''}
events { worker_connections 1024; }
http {
  ${temporary.join('\n  ')}
  log_format counted '$status\\t$request_method\\t$request_uri\\t$sent_http_content_type\\t$http_user_agent';
  access_log ${prefix}/access.log counted;
  types { text/html html; text/css css; text/plain txt; text/javascript js; image/svg+xml svg; image/png png; }
  default_type application/octet-stream;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  server {
    ${listening.map((address) => `listen ${address} backlog=1024;`).join(' ')}
    root ${folder};
    ${isNamed ? "sub_filter '</h1>' ' $server_addr</h1>'; sub_filter_once off;" : ''}
  }
}
`;
}

function parseLogLine(line: string): LoggedRequest {
  const [status = '', method = '', requested = '', contentType = '', userAgent = ''] = line.split('\t');
  return { method, path: requested, status: Number(status), contentType, userAgent };
}

/** Waits for the port without a request, which would stand in the log. */
async function listening(address: string, port: number, check: () => void): Promise<void> {
  for (const deadline = Date.now() + 10_000; Date.now() < deadline; await sleep(20)) {
    check();
    const socket = connect(port, address);
    try {
      await once(socket, 'connect');
      return;
    } catch {
      // Not yet.
    } finally {
      socket.destroy();
    }
  }
  throw new Error(`Nothing listens on port ${port} after ten seconds.`);
}
