// API latency while a crawl keeps the machine busy. Jobs are created and read at fixed rates, even if earlier responses
// are still missing. Many readers page through results, each with a second between its pages. This only measures: no
// time makes it fail.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGeneratedSite } from '../test/e2e/generated-site.ts';
import { startService } from '../test/service/start-service.ts';

const seconds = 20;
const rows = 100;
const readers = 64;
/** Per reader, between the starts of two requests. If a response takes longer, the next request follows it. */
const readerPauseMs = 1_000;
const rates = { create: 20, status: 200 } as const;

export async function latency(): Promise<Readonly<Record<string, number>>> {
  const directory = await mkdtemp(path.join(tmpdir(), 'hayrake-latency-'));
  const site = await startGeneratedSite({ pages: 200_000, delayMs: 0, words: 700 });
  const service = await startService({
    directory,
    env: { HAYRAKE_REQUESTS_PER_MINUTE: '0', HAYRAKE_HOST_CONCURRENCY: '16' },
  });
  try {
    const url = `${site.origin}/`;
    const read = await service.crawl({ urls: [url], page_limit: 1_000 });
    const busy = await service.createJob({ urls: [url], page_limit: 200_000 });
    const times: Record<keyof typeof rates | 'results', number[]> = { create: [], status: [], results: [] };
    const calls: Record<keyof typeof rates, () => Promise<unknown>> = {
      create: () => service.createJob({ urls: [`${url}page/1`], page_limit: 1, max_depth: 0 }),
      status: () => service.job(busy.id),
    };
    const measured: Promise<unknown>[] = [];
    const measure = async <T>(name: keyof typeof times, call: () => Promise<T>): Promise<T> => {
      const startedAt = performance.now();
      const answer = await call();
      times[name].push(performance.now() - startedAt);
      return answer;
    };
    const before = (await service.job(busy.id)).progress.scraped;
    const startedAt = performance.now();
    const ask = async (name: keyof typeof rates): Promise<void> => {
      for (let count = 0; count < rates[name] * seconds; count++) {
        const dueIn = startedAt + (count * 1000) / rates[name] - performance.now();
        if (dueIn > 0) await sleep(dueIn);
        measured.push(measure(name, calls[name]));
      }
    };
    const walk = async (reader: number): Promise<void> => {
      await sleep((reader / readers) * readerPauseMs);
      let query = '';
      while (performance.now() - startedAt < seconds * 1000) {
        const dueAt = performance.now() + readerPauseMs;
        const { cursor } = await measure('results', () =>
          service.ok<{ cursor?: string }>(`/crawler/jobs/${read.id}/data?limit=${rows}${query}`),
        );
        query = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        await sleep(Math.max(0, dueAt - performance.now()));
      }
    };
    await Promise.all([ask('create'), ask('status'), ...Array.from({ length: readers }, (_, reader) => walk(reader))]);
    const after = (await service.job(busy.id)).progress.scraped;
    await Promise.all(measured);
    return {
      seconds,
      readers,
      pagesPerSecondMeanwhile: Math.round((after - before) / seconds),
      ...shares('create', times.create),
      ...shares('status', times.status),
      ...shares('results', times.results),
    };
  } finally {
    await service.kill();
    await site.close();
    await rm(directory, { recursive: true, force: true });
  }
}

function shares(name: string, times: readonly number[]): Readonly<Record<string, number>> {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => Number((sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1));
  return { [`${name}P50Ms`]: at(0.5), [`${name}P99Ms`]: at(0.99) };
}
