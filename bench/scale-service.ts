// hayrake on PostgreSQL as several processes: one API and some workers, each a process of its own, and what they use.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type ApiClient, apiClient } from './api-client.ts';
import { usageOf } from './process-usage.ts';

const readyMs = 30_000;
const token = randomBytes(24).toString('hex');

/** A site that is ours and on this machine: no host needs to be spared. */
const unhurried = {
  HAYRAKE_ALLOW_PRIVATE: '127.0.0.0/8',
  HAYRAKE_HOST_CONCURRENCY: '64',
  HAYRAKE_REQUESTS_PER_MINUTE: '0',
  HAYRAKE_LOG_LEVEL: 'warn',
};

export interface ScaleProcess {
  readonly name: string;
  readonly pid: number;
  readonly origin: string;
}

export interface ScaleService extends ApiClient {
  /** The API first. */
  readonly processes: readonly ScaleProcess[];
  /** The id of the job. */
  createJob(body: object): Promise<string>;
  /** Sums of a metric over the workers; one that none has is 0. */
  metric(name: string): Promise<number>;
  stop(): Promise<void>;
}

export async function startScaleService(databaseUrl: string, workers: number): Promise<ScaleService> {
  const started: { readonly child: ChildProcess; readonly process: ScaleProcess }[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(
      started.map(async ({ child, process: { name } }) => {
        if (child.exitCode === null && child.signalCode === null) {
          const exited = once(child, 'exit');
          child.kill('SIGTERM');
          await exited;
        }
        if (child.exitCode !== 0) throw new Error(`${name} ended with ${child.exitCode ?? child.signalCode}`);
      }),
    );
  };
  const names = ['api', ...Array.from({ length: workers }, (_, index) => `worker ${index + 1}`)];
  for (const name of names) started.push(await startProcess(databaseUrl, name));
  const [api] = started;
  await Promise.all(started.map(({ child, process: { origin, name } }) => untilReady(child, origin, name)));
  const processes = started.map(({ process: one }) => one);
  const client = apiClient(api?.process.origin ?? '', token);
  return {
    processes,
    stop,
    ...client,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own service, and a benchmark
    createJob: async (body) => (JSON.parse(await client.ask('/crawler/jobs', { body })) as { id: string }).id,
    metric: async (name) => {
      const texts = await Promise.all(
        processes.slice(1).map(async ({ origin }) => (await fetch(`${origin}/metrics`)).text()),
      );
      const values = texts.flatMap((text) => text.split('\n').filter((line) => line.startsWith(`${name} `)));
      return values.reduce((sum, line) => sum + Number(line.slice(name.length)), 0);
    },
  };
}

/** Seconds of processor time that a process, and those below it, has used. */
export function cpuSecondsOf(pid: number): number {
  return usageOf(pid).cpuMs / 1000;
}

/** The parent of a process. */
export function parentOf(pid: number): number {
  const parent = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (parent === undefined) throw new Error(`process ${pid} has no parent`);
  return Number(parent);
}

async function startProcess(
  databaseUrl: string,
  name: string,
): Promise<{ readonly child: ChildProcess; readonly process: ScaleProcess }> {
  const role = name.split(' ')[0] ?? '';
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, role, '--port', '0'], {
    // What the caller sets wins, so that settings can be compared.
    env: { ...unhurried, ...process.env, HAYRAKE_DATABASE_URL: databaseUrl, HAYRAKE_TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // It says where it listens, and nothing else after.
  for await (const line of createInterface({ input: child.stdout })) {
    const [origin] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (origin !== undefined) return { child, process: { name, pid: child.pid ?? 0, origin } };
  }
  throw new Error(`${name} said nothing of where it listens`);
}

async function untilReady(child: ChildProcess, origin: string, name: string): Promise<void> {
  for (const deadline = Date.now() + readyMs; Date.now() < deadline; await sleep(50)) {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`);
    const answer = await fetch(`${origin}/readyz`).catch(() => undefined);
    if (answer?.ok) return;
  }
  throw new Error(`${name} is not ready after ${readyMs / 1000} seconds.`);
}
