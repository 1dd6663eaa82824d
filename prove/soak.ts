// Job after job for a given time, with hostile pages among them: memory and handles become stable after a while, and no
// work is left when the last job has ended.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { startService, type TestService } from '../test/service/start-service.ts';
import { collectGarbage } from './collect-garbage.ts';
import { residentMb } from './large-job.ts';
import { createRandom, type Random } from './simulation/random.ts';

export const pagesOfAJob = 300;
const jobsAtATime = 3;
/** Keeps the machine busy but below its limit, so that the hour is representative. */
const answerMsMax = 400;
const hostileShare = 0.01;
const sampleEveryMs = 10_000;
/** Share of the whole time before memory must be stable. */
const warmUpShare = 0.25;
const idleSeconds = 60;
/** How often all garbage is collected; the resident memory after that is recorded separately. */
const collectEveryMs = 120_000;

interface Sample {
  readonly atHours: number;
  readonly rssMiB: number;
  readonly handles: number;
}

export async function soak(
  { minutes, seed }: { readonly minutes: number; readonly seed: number },
  tell: (text: string) => void,
): Promise<Readonly<Record<string, number>>> {
  const site = await startMixedSite(createRandom(seed));
  const service = await startService({
    env: { HAYRAKE_UNREACHABLE_SECONDS: '5', NODE_OPTIONS: '--inspect=127.0.0.1:0' },
  });
  // It starts twice: the first start only sets malloc's settings.
  const inspector = [...service.stderr.matchAll(/ws:\/\/\S+/g)].at(-1)?.[0] ?? '';
  const startedAt = performance.now();
  const hours = (): number => (performance.now() - startedAt) / 3_600_000;
  const samples: Sample[] = [];
  const needed: Sample[] = [];
  let jobs = 0;
  let pages = 0;
  try {
    const crawlOn = async (): Promise<void> => {
      while (hours() * 60 < minutes) {
        const start = `${site.origin}/job${++jobs}/0`;
        const job = await service.crawl({ urls: [start], page_limit: pagesOfAJob, output_expiry: 60 });
        pages += job.progress.scraped;
        const { discovered, queued, inFlight, scraped, discarded, failed, outside } = job.progress;
        assert.equal(discovered, queued + inFlight + scraped + discarded + failed + outside);
        assert.equal(job.status, 'succeeded');
      }
    };
    const crawling = Promise.all(Array.from({ length: jobsAtATime }, crawlOn));
    const sampling = (async () => {
      while (hours() * 60 < minutes) {
        const sample = sampleOf(service, hours());
        samples.push(sample);
        if (hours() * 3_600_000 >= needed.length * collectEveryMs) {
          await collectGarbage(inspector);
          needed.push(sampleOf(service, hours()));
        }
        tell(`${Math.round(sample.atHours * 60)} min, ${jobs} jobs, ${sample.rssMiB} MiB, ${sample.handles} handles`);
        await sleep(sampleEveryMs);
      }
    })();
    await Promise.all([crawling, sampling]);
    const cpuBefore = cpuSeconds(service);
    await sleep(idleSeconds * 1000);
    const isWarm = ({ atHours }: Sample): boolean => atHours * 60 >= minutes * warmUpShare;
    const warm = samples.filter(isWarm);
    const growth = growthOf(warm);
    const growthOfNeeded = growthOf(needed.filter(isWarm));
    return {
      minutes,
      jobs,
      pages,
      hostile: site.hostile(),
      rssMiBAtMost: Math.max(...samples.map(({ rssMiB }) => rssMiB)),
      rssMiBAnHour: growth.anHour,
      rssMiBAnHourGiveOrTake: growth.giveOrTake,
      neededMiBAtMost: Math.max(...needed.map(({ rssMiB }) => rssMiB)),
      neededMiBAnHour: growthOfNeeded.anHour,
      neededMiBAnHourGiveOrTake: growthOfNeeded.giveOrTake,
      handlesAfterWarmUp: warm[0]?.handles ?? 0,
      handlesAtTheEnd: handlesOf(service),
      idleCpuPercent: Number(((100 * (cpuSeconds(service) - cpuBefore)) / idleSeconds).toFixed(2)),
    };
  } finally {
    await service.close();
    await site.close();
  }
}

function sampleOf(service: TestService, atHours: number): Sample {
  return { atHours, rssMiB: residentMb(service), handles: handlesOf(service) };
}

/**
 * Memory growth per hour, by least squares, and its uncertainty (two standard errors). Neighbouring samples are
 * correlated, so the fit uses the means of twelfths of the samples.
 */
export function growthOf(samples: readonly Sample[]): { readonly anHour: number; readonly giveOrTake: number } {
  const size = Math.max(1, Math.floor(samples.length / 12));
  const points = Array.from({ length: Math.floor(samples.length / size) }, (_, index): readonly [number, number] => {
    const part = samples.slice(index * size, (index + 1) * size);
    return [mean(part.map(({ atHours }) => atHours)), mean(part.map(({ rssMiB }) => rssMiB))];
  });
  const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const variance = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / variance;
  const rest = points.reduce((sum, [x, y]) => sum + (y - meanY - slope * (x - meanX)) ** 2, 0);
  const error = Math.sqrt(rest / (points.length - 2) / variance);
  return { anHour: Number(slope.toFixed(2)), giveOrTake: Number((2 * error).toFixed(2)) };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function handlesOf({ pid }: TestService): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Processor time of the service so far, user and system. */
function cpuSeconds({ pid }: TestService): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  // utime and stime (proc_pid_stat(5), fields 14 and 15), in ticks of 10 ms.
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

interface MixedSite {
  readonly origin: string;
  readonly hostile: () => number;
  close(): Promise<void>;
}

export async function startMixedSite(random: Random): Promise<MixedSite> {
  let hostile = 0;
  const bomb = gzipSync(Buffer.alloc(50 * 2 ** 20));
  const server = createServer((request, response) => {
    const [, job = '', index = ''] = (request.url ?? '').split('/');
    if (!job.startsWith('job')) {
      response.writeHead(404).end();
      return;
    }
    const number = Number(index);
    const links = [2 * number + 1, 2 * number + 2].filter((target) => target < pagesOfAJob);
    const list = links.map((target) => `<li><a href="/${job}/${target}">${target}</a></li>`).join('');
    const text = `<h1>Page ${number} of ${job}</h1>${'<p>Some words of a page that nobody minds, said again.</p>'.repeat(random.between(1, 200))}`;
    const html = `<!doctype html><title>${job} ${number}</title><main>${text}<ul>${list}</ul></main>`;
    // Not the first ones, after which most of the job would be lost.
    if (number < pagesOfAJob / 2 || !random.chance(2 * hostileShare)) {
      setTimeout(
        () => response.writeHead(200, { 'content-type': 'text/html' }).end(html),
        random.between(0, answerMsMax),
      );
      return;
    }
    hostile++;
    switch (random.between(0, 5)) {
      case 0:
        response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(bomb);
        break;
      case 1:
        response.writeHead(200, { 'content-type': 'text/html' }).end('<div>'.repeat(200_000));
        break;
      case 2:
        response.writeHead(200, { 'content-type': 'text/html' }).end('<b id=1><p>'.repeat(50_000));
        break;
      case 3:
        response.writeHead(200, { 'content-type': 'text/html', 'content-length': '1000000' });
        response.write(html, () => response.destroy());
        break;
      case 4:
        request.socket.destroy();
        break;
      default:
        response.writeHead(500).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hostile: () => hostile,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
