// A site is crawled night after night, each time with `since`, and a consumer keeps a copy of it from what `changes` says.
// Service and consumer are killed meanwhile. After each night the copy is what the site's own pages give when they are
// converted afresh: nothing of what the service has stored is used.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { type JobAnswer, startService, type TestService } from '../../test/service/start-service.ts';
import type { TestStore } from '../../test/service/test-store.ts';
import { createRandom, type Random } from '../simulation/random.ts';
import { textOfPage } from './fresh-text.ts';
import { type BadNight, badNights, NightSite, vagueNights } from './night-site.ts';
import { SiteModel } from './site-model.ts';

/** Nights on which most URLs wait for another attempt end after so many seconds. */
const limitedSeconds = 6;
const limited: ReadonlySet<BadNight> = new Set<BadNight>([
  'errors',
  'silence',
  'forbidden',
  'challenge',
  'maintenance',
  'robotsDown',
  'dusk',
  'backSoon',
]);
const killsOfANight = 2;
/** A process remembers for minutes that a host was away, and for a day what its robots.txt said. */
const hostNights: ReadonlySet<BadNight> = new Set<BadNight>([...limited, 'robots', 'slow']);

export interface NightsOptions {
  readonly seed: number;
  readonly nights: number;
  readonly store: TestStore;
  /** @default by the seed */
  readonly bad?: readonly BadNight[];
}

export interface NightsReport {
  readonly nights: number;
  /** Nights after which the copy was compared page by page. */
  readonly exact: number;
  readonly bad: number;
  readonly kills: number;
  readonly consumerKills: number;
  readonly changes: number;
}

interface Campaign extends NightsOptions {
  readonly random: Random;
  readonly site: NightSite;
  readonly service: TestService;
  readonly copy: string;
}

/** Rejects at the first night after which the copy is not the site. */
export async function nightsCampaign(
  options: NightsOptions,
  tell: (text: string) => void = () => {},
): Promise<NightsReport> {
  const random = createRandom(options.seed);
  const site = await NightSite.start(random, random.between(16, 40));
  const service = await startService({ store: options.store, env: { HAYRAKE_UNREACHABLE_SECONDS: '60' } });
  const copy = path.join(options.store.directory, 'copy.db');
  const campaign = { ...options, random, site, service, copy };
  const report = { nights: 0, exact: 0, bad: 0, kills: 0, consumerKills: 0, changes: 0 };
  const model = new SiteModel();
  let last: JobAnswer | undefined;
  let before: BadNight = 'none';
  try {
    for (let night = 0; night < options.nights; night++) {
      const bad: BadNight = night === 0 || vagueNights.has(before) ? 'none' : badOf(campaign, night);
      const pace = night === 0 ? 'none' : paceOf(random, bad, before);
      if (pace !== 'none') site.live(pace);
      site.begin(bad);
      if (night > 0 && (hostNights.has(before) || hostNights.has(bad))) await restart(service);
      const run = await crawlAndKill(campaign, last, bad);
      last = run.job;
      const text = `night ${night} (${bad}, ${pace}), job ${last.id}, ${JSON.stringify(last['changes'])}`;
      tell(text);
      model.pass(site, bad);
      await compare(campaign, model, bad, text);
      report.nights++;
      report.kills += run.kills;
      report.consumerKills += run.consumerKills;
      if (bad !== 'none') report.bad++;
      if (!vagueNights.has(bad)) report.exact++;
      before = bad;
    }
    report.changes = countChanges(copy);
    await service.stop();
    const checked = await service.run(['check']);
    assert.equal(checked.code, 0, `${checked.stdout}${checked.stderr}`);
    return report;
  } finally {
    await service.kill();
    await site.close();
  }
}

/** As after a power cut. */
async function restart(service: TestService): Promise<void> {
  await service.kill();
  await service.start();
}

function badOf({ random, bad }: Campaign, night: number): BadNight {
  if (bad) return bad[(night - 1) % bad.length] ?? 'none';
  return random.chance(0.45) ? 'none' : random.of(Object.keys(badNights) as BadNight[]);
}

/** A site that shrinks must do so in a night that says so. */
function paceOf(random: Random, bad: BadNight, before: BadNight): 'calm' | 'grows' | 'shrinks' | 'none' {
  if (bad !== 'none' || vagueNights.has(before)) return random.of(['calm', 'none']);
  return random.of(['calm', 'calm', 'calm', 'calm', 'grows', 'shrinks']);
}

async function crawlAndKill(
  campaign: Campaign,
  last: JobAnswer | undefined,
  bad: BadNight,
): Promise<{ readonly job: JobAnswer; readonly kills: number; readonly consumerKills: number }> {
  const { random, service, site } = campaign;
  const body = last
    ? {
        since: last.id,
        deliver: random.of(['all', 'changed']),
        time_limit: limited.has(bad) ? limitedSeconds : 600,
      }
    : { urls: [`${site.origin}/`], page_limit: 10_000 };
  const { id } = await service.ok<JobAnswer>('/crawler/jobs', { json: body });
  // Everything that a later night needs of an earlier job was handed on, or is kept.
  if (last && random.chance(0.3)) await service.ok(`/crawler/jobs/${last.id}`, { method: 'DELETE' });
  const over = new AbortController();
  const consuming = consume(campaign, id, over.signal);
  consuming.catch(() => {});
  let kills = 0;
  for (let left = random.between(0, killsOfANight); left > 0; left--) {
    await sleep(random.between(50, 1_200));
    const job = await service.job(id);
    if (job.finishedAt !== null) break;
    await restart(service);
    kills++;
  }
  over.abort();
  const consumerKills = await consuming;
  return { job: await service.job(id), kills, consumerKills };
}

const program = fileURLToPath(new URL('consumer.ts', import.meta.url));

/** Follows a run to its end, with consumers that are killed until `calm` fires. Returns how many were. */
async function consume({ random, service, copy }: Campaign, job: string, calm: AbortSignal): Promise<number> {
  for (let kills = 0, failures = 0; ;) {
    const limit = String(random.of([1, 3, 10, 400]));
    const args = ['--disable-warning=ExperimentalWarning', program, copy, service.origin, service.token, job, limit];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const ended = once(child, 'close') as Promise<[number | null]>;
    const isDoomed = !calm.aborted && kills < 2 && random.chance(0.6);
    if (isDoomed) {
      await Promise.race([ended, sleep(random.between(150, 900))]);
      child.kill('SIGKILL');
    }
    const [code] = await ended;
    if (code === 0) return kills;
    if (code === null) kills++;
    // The service was away. What else it says is a broken promise.
    else if (!/fetch failed|ECONNREFUSED|other side closed|terminated/.test(said) || ++failures > 100)
      throw new Error(`the consumer ended with ${code}: ${said}`);
    else await sleep(50);
  }
}

function countChanges(copy: string): number {
  const database = new DatabaseSync(copy, { readOnly: true });
  try {
    return Number(database.prepare("SELECT count(*) AS count FROM seen WHERE change <> 'unchanged'").get()?.['count']);
  } finally {
    database.close();
  }
}

async function compare({ site, copy, store }: Campaign, model: SiteModel, bad: BadNight, text: string): Promise<void> {
  const database = new DatabaseSync(copy, { readOnly: true });
  const rows = database.prepare('SELECT url, text FROM page').all() as {
    readonly url: string;
    readonly text: string;
  }[];
  database.close();
  const copied = new Map<string, string>();
  for (const row of rows) {
    const at = site.nowAt(new URL(row.url).pathname);
    assert.ok(!copied.has(at), `${at} twice, ${text}`);
    copied.set(at, row.text);
  }
  const where = `${text}, ${store.kind}`;
  if (vagueNights.has(bad)) {
    await model.checkVague(copied, (at, html) => textOfPage(`${site.origin}${at}`, html), where);
    return;
  }
  const expected = new Map<string, string>();
  for (const [at, html] of model.pages) expected.set(at, await textOfPage(`${site.origin}${at}`, html));
  const byPath = (pages: Map<string, string>): Record<string, string> =>
    Object.fromEntries([...pages].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  assert.deepEqual(byPath(copied), byPath(expected), where);
}
