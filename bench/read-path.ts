// How fast results are read: answers of 400 rows from a running service, over 8 connections, in turn with a bare server that
// sends one of these answers from memory. That one is the ceiling: it does nothing but HTTP.
//
//   node bench/read-path.ts [seconds a turn, default 3] [rounds, default 5] [postgres: the store is there, and not in SQLite]
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService, type TestService } from '../test/service/start-service.ts';
import { startPostgres } from '../test/postgres/server.ts';
import { freePort } from './corpus.ts';

const pages = 4_000;
const textBytes = 6_000;
const rows = 400;
const connections = 8;
/** Of an answer. */
const headBytesMax = 4_096;

const shapes = ['data', 'meta'].flatMap((kind) => ['gzip', 'identity'].map((encoding) => ({ kind, encoding })));

/** What is asked of one server in one turn. */
interface Load {
  readonly port: number;
  readonly seconds: number;
  /** Whole requests, as they go over the wire, sent in this order over and over again. */
  readonly requests: readonly string[];
}

interface Turn {
  readonly answers: number;
  readonly seconds: number;
}

interface Answer {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Figures {
  readonly answersPerSecond: number;
  /** CPU time of the serving process, an answer. */
  readonly cpuMs: number;
}

/** This file is the program, and the two processes that it starts. */
const [, self = '', role] = process.argv;
if (role === 'load') await runLoad();
else if (role === 'ceiling') await runCeiling();
else await measure(Number(role ?? 3), Number(process.argv[3] ?? 5));

async function measure(seconds: number, rounds: number): Promise<void> {
  const isOnPostgres = process.argv[4] === 'postgres';
  const postgres = isOnPostgres ? await startPostgres({ settings: { fsync: 'on', shared_buffers: '1GB' } }) : undefined;
  const service = await startService({
    env: {
      HAYRAKE_REQUESTS_PER_MINUTE: '0',
      HAYRAKE_HOST_CONCURRENCY: '64',
      HAYRAKE_DATABASE_URL: postgres?.url(),
    },
  });
  try {
    const job = await crawlGeneratedSite(service);
    const cursors = await cursorsOf(service, job);
    console.log(
      `${cursors.length} different answers of ${rows} rows; the order is such that two have few rows in common`,
    );
    console.log('               KiB | hayrake/s   MB/s  CPU ms | ceiling/s  CPU ms | of the ceiling');
    for (const shape of shapes) {
      const { body, ours, bare } = await measureShape(service, { ...shape, job, cursors }, { seconds, rounds });
      console.log(
        `/${shape.kind} ${shape.encoding}`.padEnd(14),
        (body.length / 1024).toFixed(0).padStart(3),
        `| ${ours.answersPerSecond.toFixed(0).padStart(9)}`,
        ((ours.answersPerSecond * body.length) / 1e6).toFixed(0).padStart(6),
        ours.cpuMs.toFixed(2).padStart(7),
        `| ${bare.answersPerSecond.toFixed(0).padStart(9)}`,
        bare.cpuMs.toFixed(2).padStart(7),
        `| ${(ours.answersPerSecond / bare.answersPerSecond).toFixed(2)}`,
      );
    }
  } finally {
    await service.close();
    await postgres?.remove();
  }
}

async function measureShape(
  service: TestService,
  { kind, encoding, job, cursors }: (typeof shapes)[0] & { readonly job: string; readonly cursors: readonly string[] },
  { seconds, rounds }: { readonly seconds: number; readonly rounds: number },
): Promise<{ readonly body: Buffer; readonly ours: Figures; readonly bare: Figures }> {
  const url = `/crawler/jobs/${job}/${kind}?limit=${rows}&cursor=`;
  const requests = cursors.map(
    (cursor) =>
      `GET ${url}${cursor} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${service.token}\r\nAccept-Encoding: ${encoding}\r\n\r\n`,
  );
  const answer = await service.raw(url + cursors[0], { headers: { 'accept-encoding': encoding } });
  const ceiling = await startCeiling(answer);
  const ours: Figures[] = [];
  const bare: Figures[] = [];
  for (let round = 0; round <= rounds; round++) {
    ours.push(await turn(service.pid, { port: service.port, seconds, requests }));
    bare.push(await turn(ceiling.process.pid, { port: ceiling.port, seconds, requests }));
  }
  const exited = once(ceiling.process, 'exit');
  ceiling.process.kill();
  await exited;
  // In the first round both were still being compiled.
  return { body: answer.body, ours: medians(ours.slice(1)), bare: medians(bare.slice(1)) };
}

async function turn(pid = 0, load: Load): Promise<Figures> {
  const client = fork(self, ['load']);
  const exited = once(client, 'exit');
  const before = cpuMsOf(pid);
  const [{ answers, seconds }] = (await tell(client, load)) as [Turn];
  const cpuMs = (cpuMsOf(pid) - before) / answers;
  await exited;
  return { answersPerSecond: answers / seconds, cpuMs };
}

/** Of all threads, to the nanosecond: `/proc/PID/stat` counts ticks, and misses what runs for less than one at a time. */
function cpuMsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, thread) => sum + thread, 0) / 1e6;
}

/** Sends requests over raw sockets and finds the ends of the answers by their length: a client that costs little, and reads no body. */
async function runLoad(): Promise<void> {
  const { port, seconds, requests } = await told<Load>();
  const start = performance.now();
  const end = start + seconds * 1000;
  let sent = 0;
  let answers = 0;
  const run = async (): Promise<void> => {
    let head = '';
    let bodyLeft = 0;
    const send = (): void => {
      if (performance.now() < end) socket.write(requests[sent++ % requests.length] ?? '');
      else socket.end();
    };
    const callback = (length: number, bytes: Uint8Array): boolean => {
      let body = length;
      if (bodyLeft === 0) {
        const before = head.length;
        head += Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(length, headBytesMax)).toString('latin1');
        const headEnd = head.indexOf('\r\n\r\n') + 4;
        if (headEnd < 4 && length < headBytesMax) return true;
        const bodyBytes = /^HTTP\/1\.1 200 .*\r\n(?:.+\r\n)*?content-length: (\d+)\r\n/i.exec(head)?.[1];
        if (headEnd < 4 || bodyBytes === undefined) throw new Error(head);
        bodyLeft = Number(bodyBytes);
        body = length - (headEnd - before);
        head = '';
      }
      bodyLeft -= body;
      if (bodyLeft > 0) return true;
      answers++;
      send();
      return true;
    };
    const socket = connect({ port, host: '127.0.0.1', onread: { buffer: Buffer.alloc(2 ** 18), callback } });
    socket.once('connect', send);
    await once(socket, 'close');
    if (performance.now() < end) throw new Error('The server closed a connection.');
  };
  await Promise.all(Array.from({ length: connections }, run));
  process.send?.({ answers, seconds: (performance.now() - start) / 1000 } satisfies Turn);
  process.disconnect?.();
}

async function startCeiling({ headers, body }: Answer): Promise<{ process: ChildProcess; port: number }> {
  const port = await freePort();
  const server = fork(self, ['ceiling']);
  await tell(server, { port, headers, body: body.toString('base64') });
  return { process: server, port };
}

async function runCeiling(): Promise<void> {
  const { port, headers, body } = await told<{ port: number; headers: IncomingHttpHeaders; body: string }>();
  const bytes = Buffer.from(body, 'base64');
  // The answer was fetched over a connection of its own, and these are kept.
  delete headers.connection;
  const server = createServer((_request, response) => response.writeHead(200, headers).end(bytes));
  server.listen(port, '127.0.0.1', () => process.send?.('listening'));
}

/** Gives a child process what it needs, and waits for what it says. */
async function tell(child: ChildProcess, message: object): Promise<unknown[]> {
  child.send(message);
  return once(child, 'message');
}

async function told<Message>(): Promise<Message> {
  const [message] = (await once(process, 'message')) as [Message];
  return message;
}

function medians(turns: readonly Figures[]): Figures {
  const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
  return {
    answersPerSecond: median(turns.map(({ answersPerSecond }) => answersPerSecond)),
    cpuMs: median(turns.map(({ cpuMs }) => cpuMs)),
  };
}

/** Crawls a site of as many pages as there are to be, each with a text of its own, and answers the job's id. */
async function crawlGeneratedSite(service: TestService): Promise<string> {
  const sentences = sentencesOfOurDocuments();
  const site = createServer(({ url = '' }, response) => {
    const page = Number(/^\/page-(\d+)$/.exec(url)?.[1] ?? Number.NaN);
    if (page < pages)
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(pageOf(page, sentences));
    else response.writeHead(404).end();
  });
  const port = await freePort();
  await once(site.listen(port, '127.0.0.1'), 'listening');
  const { id, progress } = await service.crawl({ urls: [`http://127.0.0.1:${port}/page-0`], page_limit: pages });
  site.closeAllConnections();
  site.close();
  if (progress.scraped !== pages) throw new Error(`${progress.scraped} pages were scraped and not ${pages}`);
  return id;
}

function sentencesOfOurDocuments(): string[] {
  const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
  const files = globSync(['*.md', 'docs/**/*.md'], { cwd: folder });
  const text = files.map((file) => readFileSync(path.join(folder, file), 'utf8')).join('\n');
  return text
    .replaceAll(/[^\w\s.,:;'()-]/g, '')
    .split(/(?<=\.)\s+/)
    .map((sentence) => sentence.replaceAll(/\s+/g, ' ').trim())
    .filter(({ length }) => length > 30 && length < 400);
}

/** Real sentences in an order that no other page has, and links that reach all pages from the first. */
function pageOf(page: number, sentences: readonly string[]): string {
  let seed = page + 1;
  const next = (): string => sentences[(seed = (seed * 48_271) % 0x7f_ff_ff_ff) % sentences.length] ?? '';
  let text = '';
  while (text.length < textBytes) text += `<p>${next()} ${next()} ${next()} ${next()}</p>\n`;
  const links = [1, 2, 3, 4].map((n) => `<a href="/page-${page * 4 + n}">Page ${page * 4 + n}</a>`);
  const title = next().slice(0, 60);
  return `<!doctype html><html lang="en"><title>${page}: ${title}</title><meta name="description" content="${next()}">
<main><h1>${title}</h1>\n${text}</main><nav>${page * 4 + 1 < pages ? links.join(' ') : ''}</nav></html>`;
}

/** One for each answer of 400 rows that the job has, in an order in which neighbours have no rows in common. */
async function cursorsOf(service: TestService, job: string): Promise<string[]> {
  const cursors: string[] = [];
  const positions = pages - rows;
  for (let n = 0; n < positions; n++) {
    // Coprime to the number of positions, so that each has its turn.
    const before = (n * 1_009) % positions;
    const { cursor } = await service.ok<{ cursor: string }>(`/crawler/jobs/${job}/meta?limit=1&after=${before}`);
    cursors.push(cursor);
  }
  return cursors;
}
