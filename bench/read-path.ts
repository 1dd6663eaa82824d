// How fast results are read: answers of 400 rows from a running service, over 8 connections, in turn with a bare server that
// sends one of these answers from memory. That one is the ceiling: it does nothing but HTTP.
//
//   node bench/read-path.ts [seconds a turn, default 3] [rounds, default 5] [postgres: the store is there, and not in SQLite] [against DIR]
//
// `against` takes the service of another checkout of the repository into the turns, such as one of the commit before.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService, type TestService } from '../test/service/start-service.ts';
import { createDatabase } from '../test/postgres/database.ts';
import { startPostgres } from '../test/postgres/server.ts';
import { freePort } from './corpus.ts';
import { threadsCpuMs } from './process-usage.ts';

const pages = 2_000;
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
  const isOnPostgres = process.argv.includes('postgres');
  const postgres = isOnPostgres ? await startPostgres({ settings: { fsync: 'on', shared_buffers: '1GB' } }) : undefined;
  const env = {
    HAYRAKE_REQUESTS_PER_MINUTE: '0',
    HAYRAKE_HOST_CONCURRENCY: '64',
    HAYRAKE_DATABASE_URL: postgres?.url(),
  };
  const service = await startService({ env });
  const place = process.argv.indexOf('against');
  // A database of its own: its tables can differ.
  const otherUrl = postgres && place >= 0 ? (await createDatabase(postgres.url())).url : undefined;
  const otherEnv = { ...env, HAYRAKE_DATABASE_URL: otherUrl };
  const other = place < 0 ? undefined : await startOther(process.argv[place + 1] ?? '', otherEnv);
  try {
    const sources = [await sourceOf(service), ...(other ? [await sourceOf(other)] : [])];
    console.log(
      `${pages - rows} different answers of ${rows} rows; the order is such that two have few rows in common`,
    );
    console.log('               KiB | hayrake/s   MB/s  CPU ms | ceiling/s  CPU ms | of the ceiling');
    for (const shape of shapes) {
      const { body, turns } = await measureShape(sources, shape, { seconds, rounds });
      const [ours, bare] = [medians(turns.map(([first]) => first)), medians(turns.map((figures) => figures.at(-1)))];
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
      if (other) sayAgainst(turns);
    }
  } finally {
    await service.close();
    await other?.close();
    await postgres?.remove();
  }
}

/** The same service of another checkout. */
async function startOther(folder: string, env: Readonly<Record<string, string | undefined>>): Promise<TestService> {
  const file = path.join(path.resolve(folder), 'test/service/start-service.ts');
  const module = (await import(file)) as { startService: typeof startService };
  return module.startService({ env });
}

interface Source {
  readonly service: TestService;
  readonly job: string;
  readonly cursors: readonly string[];
}

async function sourceOf(service: TestService): Promise<Source> {
  const job = await crawlGeneratedSite(service);
  return { service, job, cursors: await cursorsOf(service, job) };
}

/** Turn by turn: of each source, and of the ceiling at the end. */
async function measureShape(
  sources: readonly Source[],
  { kind, encoding }: (typeof shapes)[0],
  { seconds, rounds }: { readonly seconds: number; readonly rounds: number },
): Promise<{ readonly body: Buffer; readonly turns: readonly (readonly Figures[])[] }> {
  const loads = sources.map(({ service, job, cursors }) => {
    const url = `/crawler/jobs/${job}/${kind}?limit=${rows}&cursor=`;
    const head = `Host: 127.0.0.1\r\nAuthorization: Bearer ${service.token}\r\nAccept-Encoding: ${encoding}`;
    const requests = cursors.map((cursor) => `GET ${url}${cursor} HTTP/1.1\r\n${head}\r\n\r\n`);
    return { pid: service.pid, load: { port: service.port, seconds, requests }, url: url + cursors[0] };
  });
  const [{ service } = fail(), ...others] = sources;
  const [{ url, load } = fail()] = loads;
  const answer = await service.raw(url, { headers: { 'accept-encoding': encoding } });
  const ceiling = await startCeiling(answer);
  const servers = [...loads, { pid: ceiling.process.pid, load: { ...load, port: ceiling.port } }];
  const turns: Figures[][] = [];
  for (let round = 0; round <= rounds; round++) {
    // In turn forwards and backwards: who comes first has no advantage.
    const figures = new Map<number, Figures>();
    const order = servers.map((_, index) => index);
    for (const index of round % 2 === 0 || others.length === 0 ? order : order.toReversed()) {
      const server = servers[index];
      if (server) figures.set(index, await turn(server.pid, server.load));
    }
    turns.push(order.flatMap((index) => figures.get(index) ?? []));
  }
  const exited = once(ceiling.process, 'exit');
  ceiling.process.kill();
  await exited;
  // In the first round all were still being compiled.
  return { body: answer.body, turns: turns.slice(1) };
}

function fail(): never {
  throw new Error('there is nothing to measure');
}

/** Ratios are taken turn by turn: other work on the machine comes and goes. */
function sayAgainst(turns: readonly (readonly Figures[])[]): void {
  const other = medians(turns.map(([, figures]) => figures));
  const ratio = medians(
    turns.map(([ours, theirs]) => ({
      answersPerSecond: (ours?.answersPerSecond ?? 0) / (theirs?.answersPerSecond ?? 0),
      cpuMs: (ours?.cpuMs ?? 0) / (theirs?.cpuMs ?? 0),
    })),
  );
  console.log(
    `  against: ${other.answersPerSecond.toFixed(0)} answers/s, CPU ${other.cpuMs.toFixed(2)} ms;`,
    `turn by turn ${ratio.answersPerSecond.toFixed(2)} x the answers, ${ratio.cpuMs.toFixed(2)} x the CPU`,
  );
}

async function turn(pid = 0, load: Load): Promise<Figures> {
  const client = fork(self, ['load']);
  const exited = once(client, 'exit');
  const before = threadsCpuMs(pid);
  const [{ answers, seconds }] = (await tell(client, load)) as [Turn];
  const cpuMs = (threadsCpuMs(pid) - before) / answers;
  await exited;
  return { answersPerSecond: answers / seconds, cpuMs };
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

function medians(given: readonly (Figures | undefined)[]): Figures {
  const turns = given.filter((figures) => figures !== undefined);
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
