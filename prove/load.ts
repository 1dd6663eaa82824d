// Clients that read slowly, send slowly, come and go, and ask for much, beside crawls: each a share of the time. What an
// operator looks at stays flat: `/healthz`, memory, descriptors. Afterwards nothing of them is left.
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectOverHttp } from '../test/mcp/clients.ts';
import { open } from '../test/service/raw-socket.ts';
import { type JobAnswer, startService, type TestService } from '../test/service/start-service.ts';
import { residentMb } from './large-job.ts';
import { type Probe, startProbe } from './load-probe.ts';
import { createRandom, type Random } from './simulation/random.ts';
import { growthOf, handlesOf, startMixedSite } from './soak.ts';
import { htmlPage, startTestSite } from '../test/service/test-site.ts';

export interface LoadOptions {
  readonly minutes: number;
  readonly seed: number;
  /** Of a thousand slow readers, two hundred slow senders, fifty clients of MCP and fifty readers of events at a time. @default 1 */
  readonly share?: number;
}

const jobsAtATime = 2;
const pagesOfAJob = 100;
/** What slow readers read: more than the kernel holds for a connection. */
const largePages = 80;
const largePageBytes = 150_000;
/** Bytes a second that a slow reader takes. */
const slowBytes = 1024;
const eventReadersAtATime = 50;
const sampleEveryMs = 5_000;
/** How long after the load descriptors may still be held: the longest time that a silent connection is kept, and a little. */
const calmMs = 80_000;

interface Load {
  readonly service: TestService;
  readonly random: Random;
  readonly minutes: number;
  /** The org of the readers and senders that are slow. The others have to be served. */
  readonly token: string;
  /** A job of that org. */
  readonly job: JobAnswer;
  readonly isOver: () => boolean;
  readonly counts: Record<string, number>;
}

export async function load(
  { minutes, seed, share = 1 }: LoadOptions,
  tell: (text: string) => void,
): Promise<Readonly<Record<string, number>>> {
  const random = createRandom(seed);
  const site = await startMixedSite(random);
  const large = await startTestSite(largeSite());
  const service = await startService({
    env: {
      HAYRAKE_CONNECTIONS: '4000',
      HAYRAKE_WAITING_PER_ORG: '1000',
      HAYRAKE_REQUESTS_PER_MINUTE: '0',
      HAYRAKE_UNREACHABLE_SECONDS: '5',
    },
  });
  // After a failure too, so that nobody asks a service that is gone.
  let hasEnded = false;
  try {
    const { token } = await service.createToken({ org: 'slow' });
    const job = await crawlLarge(service, token, large.origin);
    const before = handlesOf(service);
    const startedAt = performance.now();
    const counts: Record<string, number> = {};
    const isOver = (): boolean => hasEnded || performance.now() - startedAt >= minutes * 60_000;
    const parts: Load = { service, random, minutes, token, job, isOver, counts };
    const stopProbe = startProbe(service.port);
    const many = (count: number, one: (parts: Load) => Promise<void>): Promise<unknown> =>
      Promise.all(Array.from({ length: Math.ceil(count * share) }, () => one(parts)));
    const samples: { readonly atHours: number; readonly rssMiB: number; readonly handles: number }[] = [];
    const sampling = async (): Promise<void> => {
      while (!isOver()) {
        const atHours = (performance.now() - startedAt) / 3_600_000;
        samples.push({ atHours, rssMiB: residentMb(service), handles: handlesOf(service) });
        tell(`${Math.round(atHours * 60)} min, ${JSON.stringify({ ...samples.at(-1), ...counts })}`);
        await sleep(sampleEveryMs);
      }
    };
    const crawling = async (): Promise<void> => {
      for (let n = 1; !isOver(); n++) {
        const start = `${site.origin}/job${random.between(1, 1e9)}/0`;
        const { status } = await service.crawl({ urls: [start], page_limit: pagesOfAJob, output_expiry: 60 });
        assert.equal(status, 'succeeded');
        count(parts, 'jobs');
      }
    };
    await Promise.all([
      many(1_000, readSlowly),
      many(200, sendSlowly),
      many(eventReadersAtATime, comeAndGo),
      many(1, exportSlowly),
      many(50, useTools),
      ...Array.from({ length: jobsAtATime }, crawling),
      sampling(),
    ]);
    const probes = await stopProbe();
    const after = await calm(service, before);
    const failed = probes.filter(({ outcome }) => outcome !== '200');
    assert.deepEqual(failed.slice(0, 5), [], `${failed.length} of ${probes.length} health checks failed`);
    const warm = samples.slice(Math.floor(samples.length / 4));
    const growth = growthOf(warm);
    return {
      minutes,
      ...counts,
      healthChecks: probes.length,
      ...latency(probes),
      rssMiBAtMost: Math.max(...samples.map(({ rssMiB }) => rssMiB)),
      rssMiBAnHour: growth.anHour,
      rssMiBAnHourGiveOrTake: growth.giveOrTake,
      handlesBefore: before,
      handlesAtMost: Math.max(...samples.map(({ handles }) => handles)),
      handlesAfter: after,
    };
  } finally {
    hasEnded = true;
    await service.close();
    await site.close();
    await large.close();
  }
}

async function crawlLarge(service: TestService, token: string, origin: string): Promise<JobAnswer> {
  const made = await service.createJob({ urls: [`${origin}/`] }, { token });
  for (;;) {
    const job = (await (await service.api(`/crawler/jobs/${made.id}`, { token })).json()) as JobAnswer;
    if (job.finishedAt === null) await sleep(200);
    else {
      assert.equal(job.progress.scraped, largePages + 1);
      return job;
    }
  }
}

function largeSite(): Readonly<Record<string, string>> {
  const paths = Array.from({ length: largePages }, (_, n) => `/${n}`);
  const text = 'hay meadow clover barn rake dew summer harvest field grass seed root stem leaf ';
  const pageOf = (path: string): string =>
    htmlPage({ title: path, text: `${path} ${text.repeat(largePageBytes / text.length)}` });
  return {
    '/': htmlPage({ title: 'Home', text: 'A home page.', links: paths }),
    ...Object.fromEntries(paths.map((path) => [path, pageOf(path)])),
  };
}

function count({ counts }: Load, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** Median and 99th percentile of each quarter, so that a curve shows. */
function latency(probes: readonly Probe[]): Readonly<Record<string, number>> {
  const end = probes.at(-1)?.at ?? 0;
  const of = (quarter: number, quantile: number): number => {
    const times = probes
      .filter(({ at }) => Math.min(3, Math.floor((4 * at) / end)) === quarter)
      .map(({ took }) => took)
      .toSorted((one, other) => one - other);
    return Math.round(times[Math.floor(quantile * (times.length - 1))] ?? 0);
  };
  return Object.fromEntries(
    [0, 1, 2, 3].flatMap((quarter) => [
      [`p50MsOfQuarter${quarter + 1}`, of(quarter, 0.5)],
      [`p99MsOfQuarter${quarter + 1}`, of(quarter, 0.99)],
    ]),
  );
}

/** Waits until descriptors are as few as before. Fails if they stay. */
async function calm(service: TestService, before: number): Promise<number> {
  const until = performance.now() + calmMs;
  for (;;) {
    const handles = handlesOf(service);
    // A few more are the database's, the converters' and the crawler's own.
    if (handles <= before + 20) return handles;
    assert.ok(performance.now() < until, `${handles} descriptors are open, ${before} before the load`);
    await sleep(1_000);
  }
}

const headOf = ({ service, token }: Load, path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\nAuthorization: Bearer ${token}\r\n`;

/** Takes a few bytes each second, until the service or the load has had enough. */
async function trickle(socket: Socket, { isOver }: Load): Promise<number> {
  let bytes = 0;
  socket.pause();
  while (!socket.closed && !isOver()) {
    await sleep(1_000);
    const chunk = socket.read(slowBytes) as Buffer | null;
    bytes += chunk?.length ?? 0;
    if (socket.readableEnded) break;
  }
  socket.destroy();
  return bytes;
}

/** All at once are more than a listening socket queues. */
const beginWithinMs = 10_000;

async function readSlowly(parts: Load): Promise<void> {
  await sleep(parts.random.between(0, Math.min(beginWithinMs, parts.minutes * 6_000)));
  while (!parts.isOver()) {
    const socket = await open(parts.service.port);
    socket.write(`${headOf(parts, `/crawler/jobs/${parts.job.id}/data?limit=400`)}\r\n`);
    await trickle(socket, parts);
    count(parts, 'slowReaders');
    await sleep(parts.random.between(100, 2_000));
  }
}

async function exportSlowly(parts: Load): Promise<void> {
  while (!parts.isOver()) {
    const socket = await open(parts.service.port);
    socket.write(`${headOf(parts, `/crawler/jobs/${parts.job.id}/export?format=jsonl`)}\r\n`);
    await trickle(socket, parts);
    count(parts, 'slowExports');
    await sleep(1_000);
  }
}

/** The headers of a request, a byte at a time. */
async function sendSlowly(parts: Load): Promise<void> {
  while (!parts.isOver()) {
    const socket = await open(parts.service.port);
    socket.resume();
    for (const byte of `${headOf(parts, '/crawler/jobs')}X-Slow: ${'a'.repeat(8_000)}`) {
      if (socket.closed || parts.isOver()) break;
      socket.write(byte);
      await sleep(500);
    }
    socket.destroy();
    count(parts, 'slowSenders');
  }
}

async function comeAndGo(parts: Load): Promise<void> {
  while (!parts.isOver()) {
    const socket = await open(parts.service.port);
    socket.write(`${headOf(parts, `/crawler/jobs/${parts.job.id}/events`)}Accept: text/event-stream\r\n\r\n`);
    socket.resume();
    const closed = new Promise((resolve) => void socket.once('close', resolve));
    await Promise.race([closed, sleep(parts.random.between(100, 70_000))]);
    socket.destroy();
    count(parts, 'eventReaders');
  }
}

async function useTools(parts: Load): Promise<void> {
  while (!parts.isOver()) {
    const mcp = await connectOverHttp(parts.service).catch(() => undefined);
    // The health checks say whether connections take too long.
    if (!mcp) {
      count(parts, 'toolsNotReached');
      await sleep(1_000);
      continue;
    }
    try {
      for (let calls = parts.random.between(1, 20); calls > 0 && !parts.isOver(); calls--) {
        const { isError, text } = await mcp.call('crawl_status');
        assert.ok(!isError, text);
        count(parts, 'toolCalls');
        await sleep(parts.random.between(500, 5_000));
      }
      await mcp.close();
    } catch (error) {
      // Node's client can use a connection in the moment in which the service closes it for being idle.
      if (!isOfConnection(error)) throw error;
      count(parts, 'toolsCut');
    }
  }
}

function isOfConnection(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && (cause.code === 'UND_ERR_SOCKET' || cause.code === 'ECONNRESET');
}
