// How long a start takes: from the command to the first 200 of /readyz, on an empty data directory, in turns from the sources
// and from what `npm run build` made. "first" is without V8's compile cache, "again" with the cache that the first one left.
//
//   npm run build && node scripts/cold-start.ts [rounds]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

interface Start {
  readonly wallMs: number;
  /** User and system time of the process, all threads. */
  readonly cpuMs: number;
  readonly residentMb: number;
}

const root = path.join(import.meta.dirname, '..');
const programs: Readonly<Record<string, string>> = { sources: 'src/main.ts', bundle: 'dist/main.js' };
/** Linux counts processor time in these. */
const tickMs = 10;
const waitMsMax = 30_000;

const rounds = Number(process.argv[2] ?? 9);
const starts: Record<string, Start[]> = {};
for (let round = 0; round < rounds; round++) {
  for (const [name, program] of Object.entries(programs)) {
    rmSync(path.join(root, 'node_modules/.cache/hayrake'), { recursive: true, force: true });
    for (const time of ['first', 'again']) (starts[`${name}, ${time}`] ??= []).push(await start(program));
  }
}
console.log(`Node ${process.versions.node}, medians of ${rounds}`);
for (const [name, measured] of Object.entries(starts)) {
  const figure = (of: (start: Start) => number): string => String(Math.round(median(measured.map(of)))).padStart(5);
  console.log(
    `${name.padEnd(15)} ${figure(({ wallMs }) => wallMs)} ms  ${figure(({ cpuMs }) => cpuMs)} ms of processor time  ${figure(({ residentMb }) => residentMb)} MB`,
  );
}

async function start(program: string): Promise<Start> {
  const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-start-'));
  const port = await freePort();
  const begun = performance.now();
  const service = spawn(
    process.execPath,
    [path.join(root, program), 'serve', '--data', directory, '--port', String(port), '--log-level', 'error'],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ended = once(service, 'exit');
  try {
    while ((await statusOf(`http://127.0.0.1:${port}/readyz`)) !== 200) {
      if (performance.now() - begun > waitMsMax) throw new Error(`${program} was not ready in time.`);
      await sleep(2);
    }
    return { wallMs: performance.now() - begun, ...usageOf(service.pid) };
  } finally {
    service.kill('SIGTERM');
    await ended;
    rmSync(directory, { recursive: true });
  }
}

function usageOf(pid: number | undefined): Omit<Start, 'wallMs'> {
  // After the name of the command, which may hold anything, the twelfth and thirteenth are user and system time.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return { cpuMs: (Number(fields[11]) + Number(fields[12])) * tickMs, residentMb: Number(kilobytes) / 1024 };
}

/** Undefined while nobody listens. */
function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', () => resolve(undefined));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
