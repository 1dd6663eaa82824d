// A site is crawled night after night, by jobs with `since` or by a schedule, and consumers keep copies of it from what changed.
// Service and consumers are killed meanwhile. After each night the copy is what the site's own pages give when they are
// converted afresh: nothing of what the service has stored is used.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { type JobAnswer, startService, type TestService } from '../../test/service/start-service.ts';
import type { TestStore } from '../../test/service/test-store.ts';
import { createRandom, type Random } from '../simulation/random.ts';
import { type Copy, jobCopies, recipeCopies } from './copies.ts';
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
  /** Who makes the runs: a client with `since`, or a schedule, whose feed is read. */
  readonly by: 'since' | 'schedule';
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
  /** The schedule. */
  readonly schedule?: string;
  readonly copies: readonly Copy[];
}

/** Rejects at the first night after which the copy is not the site. */
export async function nightsCampaign(
  options: NightsOptions,
  tell: (text: string) => void = () => {},
): Promise<NightsReport> {
  const random = createRandom(options.seed);
  const site = await NightSite.start(random, random.between(16, 40));
  const service = await startService({ store: options.store, env: { HAYRAKE_UNREACHABLE_SECONDS: '60' } });
  const report = { nights: 0, exact: 0, bad: 0, kills: 0, consumerKills: 0, changes: 0 };
  const model = new SiteModel();
  let last: JobAnswer | undefined;
  let before: BadNight = 'none';
  try {
    const campaign = await prepare({ ...options, random, site, service });
    for (let night = 0; night < options.nights; night++) {
      const bad: BadNight = night === 0 || vagueNights.has(before) ? 'none' : badOf(campaign, night);
      const pace = night === 0 ? 'none' : paceOf(random, bad, before);
      if (pace !== 'none') site.live(pace);
      site.begin(bad);
      if (night > 0 && (hostNights.has(before) || hostNights.has(bad))) await restart(service);
      const isLast = night === options.nights - 1;
      const reading = campaign.copies.filter(({ reads }) => isLast || random.chance(reads));
      const run = await crawlAndKill({ ...campaign, copies: reading }, last, bad);
      last = run.job;
      const text: string = `night ${night} (${bad}, ${pace}), job ${last.id}, ${JSON.stringify(last['changes'])}`;
      tell(text);
      model.pass(site, bad);
      // Otherwise the model and the service know different things of the site, and it shows nights later.
      if (bad === 'none' && last['since'] !== null) {
        const unknown = `/crawler/jobs/${last.id}/changes?change=unknown`;
        const { data } = await service.ok<{ data: readonly { readonly reason: string }[] }>(unknown);
        assert.ok(
          data.every(({ reason }) => reason === 'gone'),
          `pages that were not read, ${text}`,
        );
      }
      for (const { file } of reading) await compare(campaign, file, model, { bad, before, text });
      if (campaign.schedule !== undefined) report.changes = Math.max(report.changes, await countRows(campaign));
      report.nights++;
      report.kills += run.kills;
      report.consumerKills += run.consumerKills;
      if (bad !== 'none') report.bad++;
      if (!vagueNights.has(bad)) report.exact++;
      before = bad;
    }
    if (campaign.schedule === undefined) report.changes = countChanges(campaign.copies);
    await service.stop();
    const checked = await service.run(['check']);
    assert.equal(checked.code, 0, `${checked.stdout}${checked.stderr}`);
    return report;
  } finally {
    await service.kill();
    await site.close();
  }
}

async function prepare(parts: Omit<Campaign, 'copies'>): Promise<Campaign> {
  const { random, site, service, store, by } = parts;
  if (by === 'since') return { ...parts, copies: jobCopies(store.directory, random) };
  const job = { ...firstJob(site), deliver: random.of(['all', 'changed']) };
  const schedule = { name: 'nights', cron: '0 3 1 1 *', keep: random.of([1, 3, 10]), job };
  const { id } = await post<{ readonly id: string }>(service, '/crawler/schedules', schedule);
  return { ...parts, schedule: id, copies: recipeCopies(store.directory, id) };
}

/** With any answer that is no error. */
async function post<Answer>(service: TestService, to: string, json?: object): Promise<Answer> {
  const answer = await service.api(to, { method: 'POST', ...(json && { json }) });
  const text = await answer.text();
  assert.ok(answer.ok, text);
  return JSON.parse(text) as Answer;
}

const firstJob = (site: NightSite): object => ({ urls: [`${site.origin}/`], page_limit: 10_000 });

/** As after a power cut. */
async function restart(service: TestService): Promise<void> {
  await service.kill();
  await service.start();
}

function badOf({ random, bad }: Campaign, night: number): BadNight {
  if (bad) return bad[(night - 1) % bad.length] ?? 'none';
  if (night % 4 === 3) return 'ill';
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
  const { random, service } = campaign;
  const id = await begin(campaign, last, bad);
  // Everything that a later night needs of an earlier job was handed on, or is kept.
  if (last && random.chance(0.3)) await service.ok(`/crawler/jobs/${last.id}`, { method: 'DELETE' });
  const over = new AbortController();
  const consuming = Promise.all(campaign.copies.map((copy) => consume(campaign, copy, id, over.signal)));
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
  const consumerKills = (await consuming).reduce((sum, one) => sum + one, 0);
  return { job: await service.job(id), kills, consumerKills };
}

/** Begins the run of a night, and returns its id. */
async function begin(
  { random, service, site, schedule }: Campaign,
  last: JobAnswer | undefined,
  bad: BadNight,
): Promise<string> {
  const limit = { time_limit: limited.has(bad) ? limitedSeconds : 600 };
  if (schedule === undefined) {
    const json = last ? { since: last.id, deliver: random.of(['all', 'changed']), ...limit } : firstJob(site);
    return (await service.ok<JobAnswer>('/crawler/jobs', { json })).id;
  }
  const { job } = await service.ok<{ readonly job: object }>(`/crawler/schedules/${schedule}`);
  const json = { job: { ...job, ...limit } };
  await service.ok(`/crawler/schedules/${schedule}`, { method: 'PATCH', json });
  const made = await post<{ readonly job: JobAnswer }>(service, `/crawler/schedules/${schedule}/run`);
  return made.job.id;
}

/** Follows a run to its end, with consumers that are killed until `calm` fires. Returns how many were. */
async function consume({ random, service }: Campaign, copy: Copy, job: string, calm: AbortSignal): Promise<number> {
  for (let kills = 0, failures = 0; ;) {
    const isOver = calm.aborted && (await service.job(job)).finishedAt !== null;
    const [command, ...args] = copy.command(service, job);
    const child = spawn(command, args, {
      cwd: copy.cwd,
      env: { ...process.env, ...copy.env, HAYRAKE_URL: service.origin, HAYRAKE_TOKEN: service.token },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const ended = once(child, 'close') as Promise<[number | null]>;
    const isDoomed = !calm.aborted && kills < 2 && random.chance(0.6);
    if (isDoomed) {
      await Promise.race([ended, sleep(random.between(150, 900))]);
      child.kill('SIGKILL');
    }
    const [code] = await ended;
    if (code === 0 && isOver) return kills;
    if (code === 0) await sleep(100);
    else if (code === null) kills++;
    // The service was away. What else it says is a broken promise.
    else if (
      !/fetch failed|ECONNREFUSED|other side closed|terminated|connection_failed|response_cut/.test(said) ||
      ++failures > 100
    )
      throw new Error(`the consumer ended with ${code}: ${said}`);
    else await sleep(50);
  }
}

/** Reads all that is kept of the feed of a schedule, in slices of any size. Fails if a run names a URL twice. */
async function countRows({ random, service, schedule }: Campaign): Promise<number> {
  const seen = new Set<string>();
  for (let cursor = ''; ;) {
    const feed = await service.ok<{
      readonly data: readonly { readonly job: string; readonly url: string }[];
      readonly cursor: string;
      readonly upToDate: boolean;
    }>(`/crawler/schedules/${schedule}/changes?limit=${random.of([1, 7, 400])}&cursor=${cursor}`);
    for (const { job, url } of feed.data) {
      assert.ok(!seen.has(`${job} ${url}`), `${url} twice in the feed, of job ${job}`);
      seen.add(`${job} ${url}`);
    }
    ({ cursor } = feed);
    if (feed.upToDate) return seen.size;
  }
}

function countChanges([copy]: readonly Copy[]): number {
  const database = new DatabaseSync(copy?.file ?? '', { readOnly: true });
  try {
    return Number(database.prepare("SELECT count(*) AS count FROM seen WHERE change <> 'unchanged'").get()?.['count']);
  } finally {
    database.close();
  }
}

async function compare(
  { site, store }: Campaign,
  copy: string,
  model: SiteModel,
  { bad, before, text }: { readonly bad: BadNight; readonly before: BadNight; readonly text: string },
): Promise<void> {
  const database = new DatabaseSync(copy, { readOnly: true });
  const rows = database.prepare('SELECT url, text FROM page').all() as {
    readonly url: string;
    readonly text: string;
  }[];
  database.close();
  const copied = new Map<string, string>();
  const stale = new Map<string, string>();
  const where = `${text}, ${store.kind}, ${copy}`;
  for (const row of rows) {
    const at = site.nowAt(new URL(row.url).pathname);
    const isAtHome = at === new URL(row.url).pathname;
    // A page that has moved is removed where it was: at once if it shows its text, and else a night later.
    if (!isAtHome && bad === 'none' && before === 'none') stale.set(at, row.text);
    if (isAtHome || !copied.has(at)) copied.set(at, row.text);
  }
  if (vagueNights.has(bad)) {
    await model.checkVague(copied, (at, html) => textOfPage(`${site.origin}${at}`, html), where);
    model.settle(copied);
    return;
  }
  const expected = new Map<string, string>();
  for (const [at, html] of model.pages)
    if (copied.has(at) || !model.isOpen(at)) expected.set(at, await textOfPage(`${site.origin}${at}`, html));
  const byPath = (pages: Map<string, string>): Record<string, string> =>
    Object.fromEntries([...pages].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  assert.deepEqual(byPath(copied), byPath(expected), where);
  const moved = [...stale].flatMap(([at, old]) => (expected.get(at) === old ? [at] : []));
  assert.deepEqual(moved, [], `moved, and still at their old URLs, ${where}`);
  model.settle(copied);
}
