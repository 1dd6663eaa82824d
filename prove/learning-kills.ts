// Kills processes at random moments while a job learns from a model, on either store. In the end every page is stored once, with its
// record, and the model was asked again only about pages that were in flight.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ExtractOption, fieldsOf } from '../src/core/extract.ts';
import type { FailPoint } from '../src/core/process/fail-point.ts';
import type { Json } from '../src/extract/fields/read-record.ts';
import { sameValue } from '../src/extract/learn/same-value.ts';
import { startScriptedSite } from '../test/e2e/scripted-site.ts';
import { type RecordSite, recordSites, type Truth } from '../test/extract/record-sites.ts';
import { createDatabase } from '../test/postgres/database.ts';
import { startPostgres } from '../test/postgres/server.ts';
import type { JobAnswer } from '../test/service/start-service.ts';
import { say, ScriptedModel } from '../test/service/scripted-model.ts';
import { MortalService } from './mortal-service.ts';
import { type Asker, checkLedger, readToEnd, type Row } from './oracle.ts';
import { freePort } from './processes/free-port.ts';
import { Member, PatientClient } from './processes/member.ts';
import { createRandom, type Random } from './simulation/random.ts';

const hostConcurrency = 4;
const recordsOfASite = 34;
/** Values that may be wrong: what is learned depends on the order in which pages come. */
const wrongShareMax = 0.02;
/** A limit, so that each job ends. */
const killsOfAJob = 5;
/** Questions that the answers lost by a kill may cost, besides those that were in flight. */
const relearnedMax = 5;

/** In the order in which a job reaches them. */
export const learningPoints: readonly FailPoint[] = ['model.answered', 'model.learned', 'rules.taken'];

export interface LearningKillsOptions {
  readonly kills: number;
  readonly seed: number;
  readonly store: 'sqlite' | 'postgres';
  /** Fail-points to die at, such as `held.learned:1`, on SQLite. */
  readonly deaths?: readonly string[];
}

export interface LearningKillsReport {
  /** Deaths at fail-points included. */
  readonly kills: number;
  readonly jobs: number;
  readonly pages: number;
  /** Questions to the model, without those of the jobs that nobody killed. */
  readonly calls: number;
  readonly repeated: number;
}

/** What crawls. */
interface Crawlers extends Asker {
  readonly deaths: () => number;
  create(body: object, key: string): Promise<JobAnswer>;
  kill(): Promise<void>;
  close(): Promise<void>;
}

/** Rejects at the first page that is lost, repeated or other than without kills, and at a question too many. */
export async function learningKills(
  { kills, seed, store, deaths = [] }: LearningKillsOptions,
  tell: (text: string) => void = () => {},
): Promise<LearningKillsReport> {
  const random = createRandom(seed);
  const model = new ScriptedModel(new Map());
  const env = {
    HAYRAKE_MODEL_URL: await model.start(),
    HAYRAKE_HOST_CONCURRENCY: String(hostConcurrency),
    HAYRAKE_REQUESTS_PER_MINUTE: '0',
  };
  model.mode = (_, response, record) => {
    setTimeout(() => say(response, JSON.stringify(record)), random.between(5, 60));
    return true;
  };
  const undisturbed = await onSqlite(env, []);
  const crawlers = await (store === 'sqlite' ? onSqlite(env, deaths) : onPostgres(env, random));
  const report = { kills: 0, jobs: 0, pages: 0, calls: 0, repeated: 0 };
  try {
    while (report.kills < kills || report.jobs === 0) {
      const [made] = recordSites(seed + report.jobs, recordsOfASite).slice(report.jobs % 6);
      if (!made) throw new Error('there is no site');
      model.records = recordsOf(made);
      const killed = await crawlTwice({ undisturbed, crawlers, model, random }, made, kills - report.kills);
      report.jobs++;
      for (const name of ['kills', 'pages', 'calls', 'repeated'] as const) report[name] += killed[name];
      tell(`${store}: ${report.kills} kills, ${report.calls} calls`);
    }
    return report;
  } finally {
    await undisturbed.close();
    await crawlers.close();
    await model.close();
  }
}

interface Campaign {
  /** On SQLite: both stores give the same. */
  readonly undisturbed: Crawlers;
  readonly crawlers: Crawlers;
  readonly model: ScriptedModel;
  readonly random: Random;
}

/** With each fail-point of learning on the way, on SQLite. */
export async function learningKillsOnBothStores(
  { kills, seed }: Pick<LearningKillsOptions, 'kills' | 'seed'>,
  tell: (text: string) => void = () => {},
): Promise<LearningKillsReport> {
  const reports = [
    await learningKills({ kills: 0, seed, store: 'sqlite', deaths: learningPoints.map((point) => `${point}:1`) }, tell),
    await learningKills({ kills, seed, store: 'sqlite' }, tell),
    await learningKills({ kills, seed, store: 'postgres' }, tell),
  ];
  const sum = (name: keyof LearningKillsReport): number => reports.reduce((all, report) => all + report[name], 0);
  return {
    kills: sum('kills'),
    jobs: sum('jobs'),
    pages: sum('pages'),
    calls: sum('calls'),
    repeated: sum('repeated'),
  };
}

/** By a text that only the page of this record has. */
function recordsOf({ pages }: RecordSite): ScriptedModel['records'] {
  return new Map(
    Object.values(pages).flatMap(({ truth }) => (truth === null ? [] : [[`${String(truth['title'])} | Site`, truth]])),
  );
}

/** Without kills, and with them: a job, and one with `since` that begins with what the first has learned of changed pages. */
async function crawlTwice(
  { undisturbed, crawlers, model, random }: Campaign,
  made: RecordSite,
  killsMax: number,
): Promise<Omit<LearningKillsReport, 'jobs'>> {
  const { pages, schema } = made;
  const paths = Object.keys(pages);
  const home = paths.map((to) => `<a href="${to}">page</a>`).join(' ');
  const state = { isLater: false };
  const htmlOf = (to: string): string | undefined =>
    to === '/' ? `<title>Home</title><p>${home}</p>` : pages[to]?.html;
  const site = await startScriptedSite((to) => {
    const html = htmlOf(to);
    return html !== undefined && state.isLater ? `${html}<p>It is new this week.</p>` : html;
  });
  const sum = { kills: 0, pages: 0, calls: 0, repeated: 0 };
  let before: { readonly calm: string; readonly killed: string } | undefined;
  try {
    for (const run of ['first', 'second']) {
      state.isLater = run === 'second';
      const body = (since: string | undefined): object =>
        since === undefined ? { urls: [`${site.origin}/`], extract: { schema, model: true } } : { since };
      model.calls.length = 0;
      const begun = await undisturbed.create(body(before?.calm), `calm ${run} ${site.origin}`);
      const calm = await outcomeOf(undisturbed, begun);
      const calmCalls = model.calls.length;
      model.calls.length = 0;
      const deathsBefore = crawlers.deaths();
      const { id } = await crawlers.create(body(before?.killed), `killed ${run} ${site.origin}`);
      before = { calm: begun.id, killed: id };
      let sent = 0;
      while (sent < Math.min(killsMax - sum.kills, killsOfAJob)) {
        await sleep(random.between(50, 1_500));
        if ((await crawlers.persist((to) => to.job(id))).finishedAt !== null) break;
        await crawlers.kill();
        sent++;
      }
      const outcome = await outcomeOf(crawlers, await crawlers.persist((to) => to.job(id)));
      const kills = sent + crawlers.deaths() - deathsBefore;
      for (const [how, { records }] of Object.entries({ calm, killed: outcome })) {
        const { wrong, of } = wrongValues(records, made);
        assert.ok(wrong <= of * wrongShareMax, `${wrong} of ${of} values of the ${run} job (${how}) are wrong`);
      }
      assert.deepEqual(
        outcome.records.map(([to]) => to).toSorted(),
        ['/', ...paths].toSorted(),
        'every page of the site',
      );
      const calls = model.calls.length;
      const repeated = calls - new Set(model.calls.map(({ prompt }) => prompt)).size;
      const inFlight = kills * 2 * hostConcurrency;
      assert.ok(repeated <= inFlight, `${repeated} questions were asked again after ${kills} kills`);
      const callsMax = calmCalls * 1.5 + inFlight + kills * relearnedMax;
      assert.ok(
        calls <= callsMax,
        `the ${run} job asked ${calls} questions after ${kills} kills, and ${calmCalls} without`,
      );
      sum.kills += kills;
      sum.pages += outcome.records.length;
      sum.calls += calls;
      sum.repeated += repeated;
      const fetchesMax = (state.isLater ? 4 : 2) + sum.kills;
      for (const to of paths)
        assert.ok(site.asks(to) <= fetchesMax, `${to} was fetched ${site.asks(to)} times after ${sum.kills} kills`);
    }
    return sum;
  } finally {
    model.calls.length = 0;
    await site.close();
  }
}

interface ExtractedRow extends Row {
  readonly extracted?: unknown;
}

type Records = readonly (readonly [string, unknown])[];

/** What a job gives, whatever happened to the processes: its records by path. */
async function outcomeOf(crawlers: Crawlers, { id }: JobAnswer): Promise<{ readonly records: Records }> {
  const rows: readonly ExtractedRow[] = await readToEnd(crawlers, id, 400);
  const job = await crawlers.persist((to) => to.job(id));
  await checkLedger(crawlers, job, rows);
  assert.equal(job.status, 'succeeded');
  const records = rows.map(({ meta, extracted }) => [new URL(meta.url).pathname, extracted] as const);
  return { records: records.toSorted(([one], [other]) => (one < other ? -1 : 1)) };
}

function wrongValues(records: Records, { pages, schema }: RecordSite): { readonly wrong: number; readonly of: number } {
  const fields = fieldsOf({ schema, fields: {}, declared: true, declared_things: false, when: [] } as ExtractOption);
  let [wrong, of] = [0, 0];
  for (const [path, extracted] of records) {
    const values = (extracted ?? {}) as Truth;
    for (const { name, type } of fields) {
      of++;
      const truth = pages[path]?.truth?.[name] ?? null;
      if (!sameValue((values[name] ?? null) as Json, truth as Json, type)) wrong++;
    }
  }
  return { wrong, of };
}

async function onSqlite(env: Readonly<Record<string, string>>, deaths: readonly string[]): Promise<Crawlers> {
  const directory = await mkdtemp(path.join(tmpdir(), 'hayrake-learning-'));
  const service = new MortalService({ directory, env }, deaths);
  await service.start();
  return {
    deaths: () => service.deaths.length,
    persist: (call) => service.persist(call),
    create: (body, key) => service.persist((to) => to.createJob({ ...body }, { headers: { 'idempotency-key': key } })),
    kill: () => service.kill(),
    close: async () => {
      await service.service.kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** An API, and two workers of which one is killed at a time. */
async function onPostgres(env: Readonly<Record<string, string>>, random: Random): Promise<Crawlers> {
  const server = await startPostgres();
  const { url } = await createDatabase(server.url());
  const port = await freePort();
  const all = { ...env, HAYRAKE_DATABASE_URL: url, HAYRAKE_ALLOW_PRIVATE: '127.0.0.0/8', HAYRAKE_BROWSER: 'off' };
  const api = new Member({ role: 'api', env: { ...all, HAYRAKE_PORT: String(port) } });
  const workers = [0, 1].map(() => new Member({ role: 'worker', env: all }));
  for (const member of [api, ...workers]) member.start();
  const client = new PatientClient(`http://127.0.0.1:${port}`);
  return {
    deaths: () => 0,
    persist: (call) => client.persist(call),
    create: (json, key) => client.ok('/crawler/jobs', { json, key }),
    kill: async () => {
      const killed = random.of(workers);
      await killed.kill();
      killed.start();
    },
    close: async () => {
      for (const member of [api, ...workers]) await member.close();
      await server.remove();
    },
  };
}
