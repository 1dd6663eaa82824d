// What clients do with jobs, at random: they create, follow, read again, watch, cancel, erase and delete.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../simulation/random.ts';
import type { JobState } from './operation.ts';
import type { Place, Recorder, Told } from './recorder.ts';

/** What the site publishes between a job and the one that looks for changes. */
export const news = { edited: ['/page/2', '/page/5'], gone: ['/page/3'] };
const isUnedited = (url: string): boolean => !news.edited.includes(new URL(url).pathname);

const pauseMs = 150;
/** A job that has not ended by then is stuck, and `every job ends` names it. */
const patienceMs = 600_000;

export interface Work {
  readonly key: string;
  readonly body: object;
  /** URLs that must become pages. */
  readonly expected: readonly string[];
  /** What must have become of each URL of the earlier job. */
  readonly changes?: Readonly<Record<string, string>>;
  readonly fate: 'left alone' | 'cancelled' | 'deleted' | 'erased';
}

/** One job from its creation to its end, with its readers. Resolves with its id; undefined if it was refused. */
export async function runJob(recorder: () => Recorder, work: Work, random: Random): Promise<string | undefined> {
  const until = performance.now() + patienceMs;
  const creator = recorder();
  const { outcome } = await persist(() => creator.create(work), until);
  if (outcome?.kind !== 'job') return undefined;
  const { id } = outcome.job;
  await persist(() => creator.list(), until);
  const followers = Array.from({ length: 2 }, () => follow(recorder(), id, random, until));
  const watcher = watch(recorder(), id, random, until);
  const meddler = meddle(recorder(), id, work.fate, random, watcher);
  await Promise.all([...followers, watcher, meddler]);
  await persist(() => recorder().urls(id), until);
  await persist(() => recorder().job(id), until);
  return id;
}

/** Repeats what had no response, as a client does. */
async function persist(call: () => Promise<Told>, until: number): Promise<Told> {
  for (;;) {
    const told = await call();
    if (told.outcome !== undefined || performance.now() > until) return told;
    await sleep(pauseMs);
  }
}

/** Reads `/data` and `/meta` by turns to the end, at times again from an old place. */
async function follow(recorder: Recorder, id: string, random: Random, until: number): Promise<void> {
  const places: Place[] = [];
  let place: Place | undefined;
  for (;;) {
    const view = random.chance(0.5) ? 'data' : 'meta';
    const told = await persist(
      () => recorder.pages(id, place, random.between(1, 40), view, random.between(0, 2)),
      until,
    );
    if (told.outcome?.kind !== 'pages' || told.cursor === undefined) return;
    place = { cursor: told.cursor, after: (place?.after ?? 0) + told.outcome.rows.length };
    places.push(place);
    if (random.chance(0.3)) {
      const old = random.chance(0.2) ? undefined : random.of(places);
      await recorder.pages(id, old, random.between(1, 400), view, 0);
    }
    if (performance.now() > until) return;
    await sleep(random.between(0, 200));
  }
}

/** Asks for the job until it has ended. Resolves with its last state. */
async function watch(recorder: Recorder, id: string, random: Random, until: number): Promise<JobState | undefined> {
  for (;;) {
    const { outcome } = await persist(() => recorder.job(id), until);
    if (outcome?.kind !== 'job') return undefined;
    if (outcome.job.finishedAt !== null || performance.now() > until) return outcome.job;
    await sleep(random.between(50, 300));
  }
}

async function meddle(
  recorder: Recorder,
  id: string,
  fate: Work['fate'],
  random: Random,
  ended: Promise<JobState | undefined>,
): Promise<void> {
  const until = performance.now() + patienceMs;
  if (fate === 'cancelled') {
    await sleep(random.between(0, 3_000));
    await persist(() => recorder.cancel(id), until);
  }
  const pages = (await ended)?.progress.scraped ?? 0;
  if (fate === 'erased' && pages > 0) {
    for (let times = 0; times < 3; times++) {
      const page = random.between(1, pages);
      await persist(() => recorder.erase(id, page), until);
      await persist(() => recorder.pages(id, undefined, 400, 'data', 0), until);
    }
  }
  if (fate === 'deleted') {
    await persist(() => recorder.delete(id), until);
    await persist(() => recorder.pages(id, undefined, 400, 'meta', 0), until);
  }
}

/** Erases pages of a job that share their text with an earlier one, and reads both. */
export async function eraseShared(recorder: Recorder, id: string, earlier: string, random: Random): Promise<void> {
  const until = performance.now() + patienceMs;
  const pagesOf = async (job: string): Promise<ReadonlyMap<string, number>> => {
    const { outcome } = await persist(() => recorder.pages(job, undefined, 400, 'data', 0), until);
    return new Map(outcome?.kind === 'pages' ? outcome.rows.map(({ url, page }) => [url, page]) : []);
  };
  const [own, others] = [await pagesOf(id), await pagesOf(earlier)];
  const shared = [...own].filter(([url]) => others.has(url) && isUnedited(url));
  for (let times = 0; times < 3 && shared.length > 0; times++) {
    const [url, page] = random.of(shared);
    await persist(() => recorder.erase(id, page, { job: earlier, page: others.get(url) ?? 0 }), until);
  }
  await Promise.all([pagesOf(id), pagesOf(earlier)]);
}

/** Follows what changed in a job with `since`, to its end. */
export async function followChanges(recorder: Recorder, id: string, random: Random): Promise<void> {
  const until = performance.now() + patienceMs;
  let place: Place | undefined;
  for (;;) {
    const told = await persist(() => recorder.changes(id, place, random.between(1, 60), random.between(0, 2)), until);
    if (told.outcome?.kind !== 'changes' || told.cursor === undefined || performance.now() > until) return;
    place = { cursor: told.cursor, after: (place?.after ?? 0) + told.outcome.rows.length };
  }
}
