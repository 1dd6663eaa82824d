// One job with any number of pages, on a generated site: it ends, its memory does not grow with its size, deep cursors
// cost as much as the first, and after a kill half-way it continues at once.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGeneratedSite } from '../test/e2e/generated-site.ts';
import { startService, type TestService } from '../test/service/start-service.ts';

const hostConcurrency = 16;
const sampleEveryMs = 1_000;

export async function largeJob(
  { pages }: { readonly pages: number },
  tell: (text: string) => void,
): Promise<Readonly<Record<string, number>>> {
  const directory = await mkdtemp(path.join(tmpdir(), 'hayrake-large-'));
  const site = await startGeneratedSite({ pages, delayMs: 0 });
  const service = await startService({ directory, env: { HAYRAKE_HOST_CONCURRENCY: String(hostConcurrency) } });
  const rss: number[] = [];
  const startedAt = performance.now();
  try {
    const { id } = await service.createJob({ urls: [`${site.origin}/`], page_limit: pages });
    const until = async (wanted: number): Promise<void> => {
      for (;;) {
        const { progress, finishedAt } = await service.job(id);
        rss.push(residentMb(service));
        tell(`${progress.scraped} pages, ${rss.at(-1)} MiB`);
        if (progress.scraped >= wanted || finishedAt !== null) return;
        await sleep(sampleEveryMs);
      }
    };
    await until(pages / 2);
    const half = rss.length;
    await service.kill();
    const killedAt = performance.now();
    const askedBefore = site.asked.size;
    await service.start();
    while (site.asked.size === askedBefore) await sleep(10);
    const resumedMs = performance.now() - killedAt;
    await until(pages);
    const seconds = (performance.now() - startedAt) / 1000;
    const job = await service.untilEnded(id);
    assert.deepEqual([job.status, job.progress.scraped], ['succeeded', pages]);
    const first = await timeOf(service, `/crawler/jobs/${id}/data?limit=100`);
    const deep = await timeOf(service, `/crawler/jobs/${id}/data?limit=100&after=${pages - 200}`);
    const bytes = (await stat(path.join(directory, 'hayrake.db'))).size;
    return {
      pages,
      pagesPerSecond: Math.round(pages / seconds),
      rssMiBAtMost: Math.max(...rss),
      rssMiBAfterATenth: rss[Math.floor(half / 5)] ?? 0,
      rssMiBAtTheEnd: rss.at(-1) ?? 0,
      resumedMs: Math.round(resumedMs),
      deepCursorRatio: Number((deep / first).toFixed(2)),
      bytesPerPage: Math.round(bytes / pages),
    };
  } finally {
    await service.close();
    await site.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** The median of several reads, in milliseconds. */
async function timeOf(service: TestService, address: string): Promise<number> {
  const times: number[] = [];
  for (let read = 0; read < 21; read++) {
    const startedAt = performance.now();
    await service.ok(address);
    times.push(performance.now() - startedAt);
  }
  return times.toSorted((a, b) => a - b)[10] ?? 0;
}

/** Resident memory of the service, in MiB. */
export function residentMb({ pid }: TestService): number {
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kb) / 1024);
}
