// Workers on one PostgreSQL are killed repeatedly while they crawl hosts with a delay: every page is stored once, and
// no process crawls a host too soon. Both ends are recorded: when a worker sent a request, and when the site had it.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase } from '../test/postgres/database.ts';
import { startPostgres } from '../test/postgres/server.ts';
import type { JobAnswer } from '../test/service/start-service.ts';
import { freePort } from './processes/free-port.ts';
import type { Asked } from './processes/many-hosts.ts';
import { Member, PatientClient, type Sent } from './processes/member.ts';
import { type PoliteSite, startPoliteSite } from './processes/polite-site.ts';
import { createRandom } from './simulation/random.ts';
import type { Row } from './oracle.ts';

const workers = 3;
const hosts = 24;
/** Allowed difference between the machine's clock as read by two processes. */
const clockNoiseMs = 2;
/**
 * A worker is killed after at least this many requests of its life. On a starved machine, those killed right after their
 * first one had nothing else in flight, and the sixth such death of a page fails it as `poison`, as it must.
 */
const sentBeforeKill = 3;

export interface PoliteKillsOptions {
  readonly kills: number;
  readonly pagesOfAHost: number;
  readonly seed: number;
  /** A host with more than a second is kept between its pages. @default 400 */
  readonly delayMs?: number;
}

export interface PoliteKillsReport {
  readonly kills: number;
  readonly pages: number;
  readonly requests: number;
  /** Compared gaps between two requests to a host. */
  readonly gaps: number;
  /** Those of them between requests of two processes. */
  readonly gapsOfTwoProcesses: number;
  /** The shortest gap between two sent requests, in milliseconds. */
  readonly leastSentMs: number;
  /** The shortest gap between two requests as the site recorded them. */
  readonly leastNotedMs: number;
  /** Gaps that the site recorded as shorter than the delay. */
  readonly notedShort: number;
  /** Those of them whose first request was recorded late by the missing time: the second was sent in time. */
  readonly notedLate: number;
  /** URLs that a worker tried next to others, since processes died with them twice, and those that it tried alone. */
  readonly triedNextToOthers: number;
  readonly triedAlone: number;
}

/** Rejects if a page is missing or stored twice, or a request was sent before the end of the delay. */
export async function politeKills(
  { kills, pagesOfAHost, seed, delayMs = 400 }: PoliteKillsOptions,
  tell: (text: string) => void = () => {},
): Promise<PoliteKillsReport> {
  const server = await startPostgres();
  const database = await createDatabase(server.url());
  const site = await startPoliteSite({ hosts, pagesOfAHost });
  const port = await freePort();
  const env = {
    HAYRAKE_DATABASE_URL: database.url,
    HAYRAKE_ALLOW_PRIVATE: '127.0.0.0/8',
    HAYRAKE_HOST_DELAY_MS: String(delayMs),
    HAYRAKE_CONVERTER_THREADS: '1',
    HAYRAKE_REQUESTS_PER_MINUTE: '0',
    HAYRAKE_LOG_LEVEL: 'info',
  };
  const api = new Member({ role: 'api', env: { ...env, HAYRAKE_PORT: String(port) } });
  const crawling = Array.from({ length: workers }, () => new Member({ role: 'worker', env }));
  const members = [api, ...crawling];
  try {
    for (const member of members) member.start();
    const client = new PatientClient(`http://127.0.0.1:${port}`);
    const json = { urls: site.origins.map((origin) => `${origin}/`), force_crawling_mode: 'link' };
    const { id } = await client.ok<JobAnswer>('/crawler/jobs', { json, key: 'polite' });
    const ended = untilEnded(client, id);
    const over = new AbortController();
    void ended.catch(() => {}).then(() => over.abort());
    let killed = 0;
    const random = createRandom(seed);
    const begunWith = new Map<Member, number>();
    while (!over.signal.aborted && killed < kills) {
      await sleep(random.between(100, 900));
      const atWork = crawling.filter((member) => member.sent.length - (begunWith.get(member) ?? 0) >= sentBeforeKill);
      if (atWork.length === 0) continue;
      const member = random.of(atWork);
      await member.kill();
      killed++;
      tell(`${killed} kills`);
      begunWith.set(member, member.sent.length);
      member.start();
    }
    tell(`${killed} kills, and a calm end`);
    await Promise.race([ended, ...members.map(({ failed }) => failed)]);
    const rows = await readAll(client, id);
    const wanted = site.origins.flatMap((origin) => site.paths.map((path) => `${origin}${path}`));
    const found = rows.map(({ meta }) => meta.url).toSorted();
    const isRight = found.join(' ') === wanted.toSorted().join(' ');
    // The whole difference would be thousands of lines.
    assert.ok(
      isRight,
      `not every page once: ${found.length} of ${wanted.length}, failed: ${await failedOf(client, id)}`,
    );
    const gaps = gapsOf(
      site.origins,
      await site.asked(),
      crawling.flatMap((member) => member.sent),
      delayMs,
    );
    const triedAlone = crawling.reduce((sum, member) => sum + member.triedAlone, 0);
    const triedNextToOthers = crawling.reduce((sum, member) => sum + member.triedNextToOthers, 0);
    return { kills: killed, pages: rows.length, ...gaps, triedNextToOthers, triedAlone };
  } finally {
    for (const member of members) await member.close();
    await site.close();
    await server.remove();
  }
}

async function untilEnded(client: PatientClient, id: string): Promise<void> {
  while ((await client.job(id)).finishedAt === null) await sleep(500);
}

async function readAll(client: PatientClient, id: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const slice: { data: Row[]; cursor?: string } = await client.ok(`/crawler/jobs/${id}/meta?cursor=${cursor}`);
    rows.push(...slice.data);
    cursor = slice.cursor;
  }
  return rows;
}

async function failedOf(client: PatientClient, id: string): Promise<string> {
  const { data } = await client.ok<{ data: unknown }>(`/crawler/jobs/${id}/urls?status=failed&limit=20`);
  return JSON.stringify(data);
}

type Gaps = Omit<PoliteKillsReport, 'kills' | 'pages' | 'triedNextToOthers' | 'triedAlone'>;

function gapsOf(
  origins: PoliteSite['origins'],
  asked: ReadonlyMap<string, readonly Asked[]>,
  sent: readonly Sent[],
  delayMs: number,
): Gaps {
  let [requests, gaps, gapsOfTwoProcesses, notedShort, notedLate] = [0, 0, 0, 0, 0];
  let [leastSentMs, leastNotedMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const origin of origins) {
    const own = sent.filter(({ url }) => new URL(url).origin === origin).toSorted((one, other) => one.to - other.to);
    for (const [index, request] of own.entries()) {
      const before = own[index - 1];
      if (!before) continue;
      const gap = request.to - before.to;
      gaps++;
      if (before.pid !== request.pid) gapsOfTwoProcesses++;
      const what = `${JSON.stringify(before)} and ${JSON.stringify(request)}`;
      assert.ok(gap >= delayMs - clockNoiseMs, `a host was asked after ${gap.toFixed(1)} of ${delayMs} ms: ${what}`);
      leastSentMs = Math.min(leastSentMs, gap);
    }
    const log = asked.get(origin) ?? [];
    requests += log.length;
    for (const [index, { at }] of log.entries()) {
      const before = log[index - 1];
      if (!before) continue;
      leastNotedMs = Math.min(leastNotedMs, at - before.at);
      const missing = delayMs - (at - before.at);
      if (missing <= 0) continue;
      notedShort++;
      const first = own.findLast(({ url, to }) => url === `${origin}${before.path}` && to <= before.at);
      if (first && before.at - first.to >= missing - clockNoiseMs) notedLate++;
    }
  }
  return { requests, gaps, gapsOfTwoProcesses, leastSentMs, leastNotedMs, notedShort, notedLate };
}
