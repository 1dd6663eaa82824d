// Readers with random limits, and cursors kept across restarts, during a crawl and kills of the process: no scan skips
// or repeats a page that was stored when it began.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGeneratedSite } from '../test/e2e/generated-site.ts';
import { startService, type TestService } from '../test/service/start-service.ts';
import type { Row } from './oracle.ts';
import { createRandom, type Random } from './simulation/random.ts';

const readers = 6;
const pages = 600;
/** With this a crawl of these pages takes some seconds. */
const delayMs = 40;
const scansBetweenKills = 40;
const bookmarksKept = 200;
const pagesAtLeastInALife = 20;
const readPauseMsMax = 40;

export interface ScansReport {
  readonly scans: number;
  readonly rows: number;
  readonly kills: number;
  readonly jobs: number;
  /** Scans that began with a cursor from before a restart. */
  readonly fromOldCursors: number;
}

interface Slice {
  readonly data: readonly Row[];
  readonly cursor?: string;
}

/** A place in a job, and the life of the process that issued it. */
interface Bookmark {
  readonly job: string;
  readonly cursor: string;
  readonly page: number;
  readonly life: number;
}

/** Rejects at the first page that was skipped or repeated. */
export async function scanCampaign({
  scans,
  seed,
}: {
  readonly scans: number;
  readonly seed: number;
}): Promise<ScansReport> {
  const random = createRandom(seed);
  const directory = await mkdtemp(path.join(tmpdir(), 'hayrake-scans-'));
  const site = await startGeneratedSite({ pages, delayMs });
  const service = await startService({ directory, env: { HAYRAKE_REQUESTS_PER_MINUTE: '0' } });
  try {
    return await new Scans(service, `${site.origin}/`, random).run(scans);
  } finally {
    await service.kill();
    await site.close();
    await rm(directory, { recursive: true, force: true });
  }
}

class Scans {
  readonly #service: TestService;
  readonly #url: string;
  readonly #random: Random;
  readonly #bookmarks: Bookmark[] = [];
  /** A page of a job as it was first read: it never changes. */
  readonly #seen = new Map<string, string>();
  #job = '';
  #kills = 0;
  #jobs = 0;
  #scans = 0;
  #rows = 0;
  #fromOldCursors = 0;

  constructor(service: TestService, url: string, random: Random) {
    this.#service = service;
    this.#url = url;
    this.#random = random;
  }

  async run(scans: number): Promise<ScansReport> {
    while (this.#scans < scans) {
      if (this.#job === '' || (await this.#service.job(this.#job)).finishedAt !== null) await this.#nextJob();
      const round = Math.min(scansBetweenKills, scans - this.#scans);
      const plans = Array.from({ length: round }, () => this.#random.between(0, 2 ** 31));
      await Promise.all([
        ...Array.from({ length: readers }, () => this.#readAll(plans)),
        // A life without a commit proves nothing.
        this.#untilGrown(pagesAtLeastInALife),
      ]);
      await this.#service.kill();
      this.#kills++;
      await this.#service.start();
    }
    const [kills, jobs, fromOldCursors] = [this.#kills, this.#jobs, this.#fromOldCursors];
    return { scans: this.#scans, rows: this.#rows, kills, jobs, fromOldCursors };
  }

  async #nextJob(): Promise<void> {
    this.#job = (await this.#service.createJob({ urls: [this.#url] })).id;
    this.#jobs++;
  }

  async #untilGrown(by: number): Promise<void> {
    const enough = (await this.#service.job(this.#job)).progress.scraped + by;
    for (let job = await this.#service.job(this.#job); job.progress.scraped < enough && job.finishedAt === null;) {
      await sleep(readPauseMsMax);
      job = await this.#service.job(this.#job);
    }
  }

  async #readAll(seeds: number[]): Promise<void> {
    for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop()) await this.#scan(createRandom(seed));
  }

  async #scan(random: Random): Promise<void> {
    const bookmark = random.chance(0.5) && this.#bookmarks.length > 0 ? random.of(this.#bookmarks) : undefined;
    const job = bookmark?.job ?? this.#job;
    if (bookmark !== undefined && bookmark.life < this.#kills) this.#fromOldCursors++;
    const atLeast = (await this.#service.job(job)).progress.scraped;
    const kind = random.chance(0.5) ? 'data' : 'meta';
    let [cursor, last] = [bookmark?.cursor, bookmark?.page ?? 0];
    for (;;) {
      const query = new URLSearchParams({
        limit: String(random.between(1, 200)),
        wait: '0',
        ...(cursor !== undefined && { cursor }),
      });
      const slice = await this.#service.ok<Slice>(`/crawler/jobs/${job}/${kind}?${query.toString()}`);
      for (const { meta } of slice.data) {
        assert.equal(meta.page, last + 1, `the page after ${last} of ${job}`);
        last = meta.page;
        const name = `${job} ${last}`;
        assert.equal(this.#seen.get(name) ?? meta.url, meta.url, `page ${last} of ${job}, read again`);
        this.#seen.set(name, meta.url);
      }
      this.#rows += slice.data.length;
      await sleep(random.between(0, readPauseMsMax));
      cursor = slice.cursor;
      if (cursor !== undefined) this.#keep({ job, cursor, page: last, life: this.#kills }, random);
      if (cursor === undefined || slice.data.length === 0) break;
    }
    assert.ok(last >= atLeast, `${job} had ${atLeast} pages when the scan began, and it ended at ${last}`);
    this.#scans++;
  }

  #keep(bookmark: Bookmark, random: Random): void {
    if (this.#bookmarks.length < bookmarksKept) this.#bookmarks.push(bookmark);
    else this.#bookmarks[random.between(0, bookmarksKept - 1)] = bookmark;
  }
}
