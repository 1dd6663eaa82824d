// Whoever reads a crawl while it runs gets every page once and in order, wherever the connection is cut, and whenever the
// service is killed.
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { eventsOf, linesOf, readUntilCut } from '../service/cut-stream.ts';
import { startService, type TestService } from '../service/start-service.ts';
import { startGeneratedSite } from './generated-site.ts';

const kills = 2;
const pages = 150;
/** A page is some 500 bytes. */
const cutBytesMax = 8_000;

interface Row {
  readonly meta: { readonly page: number };
}

/** Reads once, behind `rows`, up to a cut; adds what arrived whole. Answers whether that was the end. */
type Reader = (service: TestService, id: string, rows: Row[], cutAt: number) => Promise<boolean>;

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** As a browser does it: the id of the last event goes back with the next request. */
const readEvents: Reader = async (service, id, rows, cutAt) => {
  const last = rows.at(-1)?.meta.page;
  const headers: Record<string, string> = last === undefined ? {} : { 'last-event-id': String(last) };
  const { status, body } = await readUntilCut(service, `/crawler/jobs/${id}/events`, { headers, cutAt });
  const events = eventsOf(body);
  rows.push(...events.filter(({ event }) => event === 'page').map(({ data }) => JSON.parse(data) as Row));
  return status === 204 || events.some(({ event }) => event === 'end');
};

const readLines: Reader = async (service, id, rows, cutAt) => {
  const headers = { accept: 'application/x-ndjson' };
  const after = rows.at(-1)?.meta.page ?? 0;
  const { body } = await readUntilCut(service, `/crawler/jobs/${id}/data?after=${after}`, { headers, cutAt });
  const lines = linesOf(body).map((line) => JSON.parse(line) as Row | { readonly end: true });
  rows.push(...lines.filter((line) => 'meta' in line));
  return lines.some((line) => 'end' in line);
};

/** Answer by answer, waiting at the tail: an answer that was cut is asked for again. */
function pollingReader(random: () => number): Reader {
  let cursor: string | undefined;
  return async (service, id, rows, cutAt) => {
    const limit = String(1 + Math.floor(random() * 20));
    const query = new URLSearchParams({ wait: '60', limit, ...(cursor !== undefined && { cursor }) });
    const { status, body, isWhole } = await readUntilCut(service, `/crawler/jobs/${id}/data?${query.toString()}`, {
      cutAt,
    });
    if (status !== 200 || !isWhole) return false;
    const answer = JSON.parse(body.toString()) as { readonly data: readonly Row[]; readonly cursor?: string };
    rows.push(...answer.data);
    ({ cursor } = answer);
    return cursor === undefined;
  };
}

test(`cut at any byte, again and again, and ${kills} times SIGKILL: every page comes once, in order`, async () => {
  const seed = Number(process.env['CUT_SEED'] ?? randomInt(2 ** 31));
  console.log(`CUT_SEED=${seed}`);
  const random = randomFrom(seed);
  const site = await startGeneratedSite({ pages, delayMs: 15 });
  cleanups.push(() => site.close());
  const service = await startService({ env: { HAYRAKE_HOST_CONCURRENCY: '4' } });
  cleanups.push(() => service.close());
  const { id } = await service.createJob({ urls: [`${site.origin}/`] });

  /** Resolves as soon as the service runs. */
  let running: Promise<void> = Promise.resolve();
  const read = async (reader: Reader): Promise<{ rows: Row[]; reads: number }> => {
    const rows: Row[] = [];
    for (let reads = 1; ; reads++) {
      await running;
      if (await reader(service, id, rows, 1 + Math.floor(random() * cutBytesMax))) return { rows, reads };
    }
  };
  const killing = async (): Promise<void> => {
    for (let kill = 0; kill < kills; kill++) {
      await site.morePagesOrAll(2 + Math.floor(random() * 30));
      await sleep(random() * 20);
      const restarted = Promise.withResolvers<void>();
      running = restarted.promise;
      await service.kill();
      await service.start();
      restarted.resolve();
    }
  };
  const [events, lines, polled] = await Promise.all([
    read(readEvents),
    read(readLines),
    read(pollingReader(random)),
    killing(),
  ]);

  const { data } = await service.ok<{ readonly data: readonly Row[] }>(`/crawler/jobs/${id}/data`);
  console.log(`connections: ${events.reads} of events, ${lines.reads} of lines, ${polled.reads} of answers`);
  expect(data.map(({ meta }) => meta.page)).toEqual(Array.from({ length: pages }, (_, index) => index + 1));
  expect(events.rows).toEqual(data);
  expect(lines.rows).toEqual(data);
  expect(polled.rows).toEqual(data);
  for (const { reads } of [events, lines, polled]) expect(reads).toBeGreaterThan(2 * kills);
});

/** mulberry32: small, and the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
