// A real `hayrake serve`, as it is published, in a process of its own, with its data in a temporary directory, driven over its HTTP API.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ApiClient, apiClient } from './api-client.ts';
import { freePort } from './corpus.ts';

export interface Service extends ApiClient {
  readonly pid: number;
  /** Ends the service with SIGTERM and throws unless it exits with 0. */
  stop(): Promise<void>;
}

export interface JobAnswer {
  readonly id: string;
  readonly status: string;
  readonly finishedAt: number | null;
  readonly progress: Readonly<Record<'scraped' | 'discarded' | 'failed' | 'outside', number>>;
  readonly changes: Readonly<Record<'added' | 'changed' | 'unchanged' | 'removed' | 'unknown', number>> | null;
  readonly findings: readonly { readonly code: string }[];
}

export interface LedgerRow {
  readonly url: string;
  readonly status: string;
  readonly reason?: string;
  readonly detail?: string;
  readonly page?: number;
  readonly foundOn?: string;
}

/** Settings for a site that is ours and on this machine: no host needs to be spared. */
export const unhurried = {
  HAYRAKE_ALLOW_PRIVATE: '127.0.0.0/8',
  HAYRAKE_HOST_CONCURRENCY: '64',
  HAYRAKE_CONCURRENCY: '64',
  HAYRAKE_LOG_LEVEL: 'warn',
};

let program: string | undefined;

/** What users run: the package, built from the sources once for each bench. */
export function builtProgram(): string {
  if (program !== undefined) return program;
  const root = fileURLToPath(new URL('..', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [path.join(root, 'scripts/build.ts')], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The package could not be built:\n${stderr}`);
  program = path.join(root, 'dist/main.js');
  return program;
}

/** With a `directory`, its data is there and stays there. */
export async function startService(directory?: string, main = builtProgram()): Promise<Service> {
  const data = directory ?? mkdtempSync(path.join(tmpdir(), 'hayrake-bench-'));
  const token = randomBytes(24).toString('hex');
  const port = await freePort();
  const child = spawn(process.execPath, [main, 'serve'], {
    // What the caller sets wins, so that settings can be compared.
    env: { ...unhurried, ...process.env, HAYRAKE_DATA: data, HAYRAKE_TOKEN: token, HAYRAKE_PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  const origin = `http://127.0.0.1:${port}`;

  async function ready(): Promise<void> {
    for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(50)) {
      if (child.exitCode !== null) throw new Error(`hayrake serve ended with ${child.exitCode}`);
      const answer = await fetch(`${origin}/readyz`).catch(() => undefined);
      if (answer?.ok) return;
    }
    child.kill('SIGKILL');
    throw new Error('hayrake serve is not ready after two minutes.');
  }
  await ready();

  return {
    pid: child.pid ?? 0,
    ...apiClient(origin, token),
    async stop() {
      child.kill('SIGTERM');
      await ended;
      if (directory === undefined) rmSync(data, { recursive: true });
      if (child.exitCode !== 0) throw new Error(`hayrake serve ended with ${child.exitCode ?? child.signalCode}`);
    },
  };
}

/** Crawls everything from the start URLs as Markdown, and returns the ended job. */
export async function crawl(
  service: ApiClient,
  startUrls: string | readonly string[],
  pageLimit = 100_000,
  options: Readonly<Record<string, unknown>> = {},
): Promise<JobAnswer> {
  let job = parseJob(
    await service.ask('/crawler/jobs', {
      body: { urls: [startUrls].flat(), output_format: 'markdown', page_limit: pageLimit, ...options },
    }),
  );
  while (job.finishedAt === null) {
    await sleep(200);
    job = parseJob(await service.ask(`/crawler/jobs/${job.id}`));
  }
  return job;
}

/** Every URL that the job discovered, in the order of discovery. */
export async function readLedger(service: ApiClient, job: JobAnswer): Promise<LedgerRow[]> {
  return (await readAll<LedgerRow>(service, `/crawler/jobs/${job.id}/urls?limit=400`)).flat();
}

/** Follows the cursor until there is none. `address` has a query. */
export async function readAll<T>(service: ApiClient, address: string): Promise<T[][]> {
  const answers: T[][] = [];
  let cursor: string | undefined;
  do {
    const next = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own service, and all that it says is compared
    const answer = JSON.parse(await service.ask(address + next)) as { data: T[]; cursor?: string };
    answers.push(answer.data);
    cursor = answer.cursor;
  } while (cursor !== undefined);
  return answers;
}

function parseJob(text: string): JobAnswer {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own service, and a benchmark
  return JSON.parse(text) as JobAnswer;
}
