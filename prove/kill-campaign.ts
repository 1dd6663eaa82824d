// Sends SIGKILL at random moments, repeatedly, on one data directory: after each job everything is stored, once.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GeneratedSite, startGeneratedSite } from '../test/e2e/generated-site.ts';
import { MortalService } from './mortal-service.ts';
import { checkLedger, pathsOf, readToEnd } from './oracle.ts';
import { createRandom, type Random } from './simulation/random.ts';

const pages = 200;
const hostConcurrency = 4;
const lifeMsMin = 50;
const lifeMsMax = 1_500;
/** A limit, so that each job ends: requests that were in flight at too many crashes wait for a calm moment. */
const killsOfAJob = 10;

export interface CampaignReport {
  readonly kills: number;
  readonly jobs: number;
  readonly pages: number;
  /** Pages that were requested more than once. */
  readonly refetched: number;
  /** The longest time from a start after a kill to the first API response. */
  readonly slowestStartMs: number;
}

/** Rejects at the first job that lost or repeated something. `tell` is called for each job. */
export async function killCampaign(
  { kills, seed }: { readonly kills: number; readonly seed: number },
  tell: (so: CampaignReport) => void = () => {},
): Promise<CampaignReport> {
  const random = createRandom(seed);
  const directory = await mkdtemp(path.join(tmpdir(), 'hayrake-campaign-'));
  const service = new MortalService({ directory, env: { HAYRAKE_HOST_CONCURRENCY: String(hostConcurrency) } });
  let report: CampaignReport = { kills: 0, jobs: 0, pages: 0, refetched: 0, slowestStartMs: 0 };
  try {
    await service.start();
    while (report.kills < kills) {
      const site = await startGeneratedSite({ pages, delayMs: 10 });
      const killed = await crawlAndKill(service, site, random, kills - report.kills);
      await site.close();
      report = {
        kills: report.kills + killed.kills,
        jobs: report.jobs + 1,
        pages: report.pages + pages,
        refetched: report.refetched + killed.refetched,
        slowestStartMs: Math.max(...service.recoveries),
      };
      tell(report);
    }
    return report;
  } finally {
    await service.service.kill();
    await rm(directory, { recursive: true, force: true });
  }
}

async function crawlAndKill(
  service: MortalService,
  site: GeneratedSite,
  random: Random,
  killsMax: number,
): Promise<{ readonly kills: number; readonly refetched: number }> {
  const { id } = await service.persist((to) => to.createJob({ urls: [`${site.origin}/`] }));
  let kills = 0;
  while (kills < Math.min(killsMax, killsOfAJob)) {
    // The moment is random: between two packets, in a conversion, in a commit, at the start.
    await sleep(random.between(lifeMsMin, lifeMsMax));
    if ((await service.persist((to) => to.job(id))).finishedAt !== null) break;
    await service.kill();
    kills++;
  }
  const rows = await readToEnd(service, id, random.between(1, 400));
  const job = await service.persist((to) => to.job(id));
  const entries = await checkLedger(service, job, rows);
  assert.deepEqual(
    entries.filter(({ status }) => status !== 'scraped'),
    [],
    'URLs that did not become pages',
  );
  assert.equal(job.status, 'succeeded');
  assert.deepEqual(pathsOf(rows.map(({ meta }) => meta.url)), site.paths.toSorted(), 'every page of the site');
  const refetched = site.paths.reduce((sum, page) => sum + (site.asked.get(page) ?? 0) - 1, 0);
  // In flight plus waiting for the store.
  assert.ok(refetched <= kills * 2 * hostConcurrency, `${refetched} pages were fetched again after ${kills} kills`);
  return { kills, refetched };
}
