// What every store promises about the feed of a schedule: what its runs changed, exact, in order, once.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Job } from '../../src/core/job.ts';
import type { Outcome, Request } from '../../src/core/request.ts';
import type { FeedPosition, FeedSlice } from '../../src/core/ports/changes.ts';
import { earlierRun } from '../../src/jobs/schedules/earlier-run.ts';
import type { Store } from '../../src/core/ports/stores.ts';
import { parsePage } from '../../src/page/decode.ts';
import { judgeStart } from '../../src/url/scope.ts';
import { away, runDays, type RunDays, site } from './run-days.ts';
import { crawl, getJob, type OpenDatabase, org } from './test-data.ts';

const day = 24 * 3_600_000;

type Rows = Extract<FeedSlice, { kind: 'rows' }>;

const gone = (): Outcome => ({
  kind: 'failed',
  error: { reason: 'http_error', message: 'gone', statusCode: 404 },
});
/** The site with other texts on these paths. */
const changing =
  (texts: Readonly<Record<string, string>>) =>
  (request: Request): Outcome =>
    site(request, texts[new URL(request.url).pathname]);

export function describeFeeds(createDatabase: () => Promise<OpenDatabase>): void {
  let database: OpenDatabase;
  let store: Store;
  let days: RunDays;

  beforeEach(async () => {
    database = await createDatabase();
    store = await database.open({ crawling: true });
    await store.frontier.recover({ delayMs: 0 });
    days = runDays(store);
  });
  afterEach(() => database.remove());

  const read = async (
    schedule: string,
    after: FeedPosition | 'oldest' | 'now' | 'nothing' = 'oldest',
    limit = 100,
  ): Promise<Rows> => {
    const slice = await store.changes.feed({ org, schedule, after, limit });
    if (slice?.kind !== 'rows') throw new Error(slice?.kind ?? 'unknown');
    return slice;
  };
  /** Every row in slices of this size, as text. */
  const all = async (schedule: string, after: FeedPosition | 'oldest' = 'oldest', limit = 100): Promise<string[]> => {
    const rows: string[] = [];
    let at = after;
    for (;;) {
      const { changes, next, isUpToDate } = await read(schedule, at, limit);
      expect(changes.length).toBeLessThanOrEqual(limit);
      rows.push(...changes.map(({ job, change, url }) => `${job} ${change} ${new URL(url).pathname}`));
      expect(rows.length).toBeLessThan(100);
      at = next;
      if (isUpToDate) return rows;
    }
  };
  const of = (job: Job, ...rows: string[]): string[] => rows.map((row) => `${job.id} ${row}`);
  const kindOf = async (schedule: string, after: FeedPosition): Promise<string | undefined> =>
    (await store.changes.feed({ org, schedule, after, limit: 9 }))?.kind;
  const sweep = async (now?: number): Promise<void> => {
    for (let steps = 0; (await store.sweep(now)).more; steps++) expect(steps).toBeLessThan(500);
  };
  const runOf = async (
    schedule: Parameters<RunDays['begin']>[0],
    outcomeOf?: (request: Request) => Outcome,
  ): Promise<Job> => days.end(await days.begin(schedule), outcomeOf);

  it('feed: has all pages of the first run, then what each later one changed, in slices of any size', async () => {
    const schedule = await days.add();
    expect(await read(schedule.id)).toMatchObject({ changes: [], isUpToDate: true });
    const one = await runOf(schedule);
    const two = await runOf(schedule, changing({ '/2': 'another', '/3': 'new' }));
    const three = await runOf(schedule, changing({ '/1': 'x' }));
    const rows = [
      ...of(one, 'added /', 'added /1', 'added /2', 'added /3'),
      ...of(two, 'changed /2', 'changed /3'),
      ...of(three, 'changed /1'),
    ];
    for (const limit of [1, 2, 3, 4, 5, 100])
      expect((await all(schedule.id, 'oldest', limit)).toSorted()).toEqual(rows.toSorted());
    const whole = await all(schedule.id);
    for (const limit of [1, 3, 4]) expect(await all(schedule.id, 'oldest', limit)).toEqual(whole);
  });

  it('feed: goes on where it ended, while a run goes, and shows nothing twice', async () => {
    const schedule = await days.add();
    const start = (await read(schedule.id)).next;
    const one = await runOf(schedule);
    const first = await read(schedule.id, start);
    expect(first.changes).toHaveLength(4);
    expect(await read(schedule.id, first.next)).toMatchObject({ changes: [], next: first.next, isUpToDate: true });
    const now = (await read(schedule.id, 'now')).next;
    expect(now).toEqual(first.next);
    const two = await days.begin(schedule);
    const waiting = await read(schedule.id, first.next);
    expect(waiting).toMatchObject({ changes: [], isUpToDate: true, running: two.id });
    await days.end(two, changing({ '/1': 'x' }));
    expect(await all(schedule.id, waiting.next)).toEqual(of(two, 'changed /1'));
    expect(await all(schedule.id, now)).toEqual(of(two, 'changed /1'));
    expect(one.changes).toMatchObject({ added: 4 });
  });

  it('feed: has only the kinds that are asked for, and a cursor of one is good for the others', async () => {
    const schedule = await days.add();
    await runOf(schedule);
    const two = await runOf(schedule, changing({ '/2': 'x' }));
    const changed = await store.changes.feed({
      org,
      schedule: schedule.id,
      after: 'oldest',
      limit: 1,
      kinds: ['changed'],
    });
    expect(changed).toMatchObject({ changes: [{ job: two.id, change: 'changed' }], isUpToDate: true });
    expect(await all(schedule.id, (changed as Rows).next)).toEqual([]);
  });

  it('feed: a site that is wholly gone is removed once, and added when it is back', async () => {
    const schedule = await days.add();
    await runOf(schedule);
    // Too many at once: `shrunk`.
    for (let night = 1; night < 10; night++) {
      const { changes } = await runOf(schedule, gone);
      expect(changes).toMatchObject({ removed: 0, unknown: 4 });
    }
    const three = await runOf(schedule, gone);
    expect(three.changes).toMatchObject({ removed: 4 });
    const four = await runOf(schedule, gone);
    const five = await runOf(schedule);
    expect((await all(schedule.id)).slice(4).toSorted()).toEqual(
      [
        ...of(three, 'removed /', 'removed /1', 'removed /2', 'removed /3'),
        ...of(five, 'added /', 'added /1', 'added /2', 'added /3'),
      ].toSorted(),
    );
    expect(four.changes).toMatchObject({ removed: 0 });
  });

  it('feed: a night on which the site is away adds no row', async () => {
    const schedule = await days.add();
    await runOf(schedule);
    const { next } = await read(schedule.id);
    await runOf(schedule, away);
    await runOf(schedule);
    expect(await all(schedule.id, next)).toEqual([]);
  });

  it('feed: a run that was cancelled before it had its pages shows none, and its changes come with the next', async () => {
    const schedule = await days.add();
    await runOf(schedule);
    const { next } = await read(schedule.id);
    await days.cancel(await days.begin(schedule));
    const changed = changing({ '/': 'r', '/1': 's', '/2': 't', '/3': 'u' });
    const three = await days.begin(schedule);
    await days.seed(three, 1);
    await crawl(store, changed);
    expect((await getJob(store, three.id)).changes?.changed).toBeGreaterThan(0);
    await days.cancel(three);
    const four = await runOf(schedule, changed);
    expect((await all(schedule.id, next)).toSorted()).toEqual(
      of(four, 'changed /', 'changed /1', 'changed /2', 'changed /3').toSorted(),
    );
  });

  it('feed: keeps its rows when a run is beyond those that are kept, without texts that no run names', async () => {
    const schedule = await days.add({ keep: 1 });
    await runOf(schedule);
    await runOf(schedule, changing({ '/2': 'second' }));
    await runOf(schedule, changing({ '/2': 'third' }));
    const before = await all(schedule.id);
    await sweep();
    expect(await all(schedule.id)).toEqual(before);
    const { changes } = await read(schedule.id);
    const places = changes.map(({ textOf }) => textOf ?? 0);
    const texts = await store.changes.texts({ places, withText: true, bytesMax: 2 ** 20 });
    const shown = changes.map(({ url, change }, index) => {
      const text = texts[index];
      return `${change} ${new URL(url).pathname} ${typeof text === 'object' ? parsePage(text).text : String(text)}`;
    });
    expect(shown.toSorted()).toEqual(
      [
        'added / Text of https://a.test/',
        'added /1 Text of https://a.test/1',
        'added /2 undefined',
        'added /3 Text of https://a.test/3',
        'changed /2 third',
        'changed /2 second', // the third run has it too, to compare with
      ].toSorted(),
    );
  });

  it('feed: loses a run after ninety days, unless its schedule keeps it', async () => {
    const schedule = await days.add({ keep: 1 });
    await runOf(schedule);
    const { next: half } = await read(schedule.id, 'oldest', 2);
    const { next } = await read(schedule.id);
    const two = await runOf(schedule, changing({ '/2': 'second' }));
    // A clock that jumps further ahead is doubted.
    let now = Date.now();
    const untilDay = async (last: number): Promise<void> => {
      for (const end = Date.now() + last * day; now < end; now += day - 3_600_000) await sweep(now);
    };
    await untilDay(89);
    expect(await all(schedule.id)).toHaveLength(5);
    await untilDay(93);
    expect(await all(schedule.id)).toEqual(of(two, 'changed /2'));
    expect(await kindOf(schedule.id, half)).toBe('expired');
    expect(await all(schedule.id, next)).toEqual(of(two, 'changed /2'));
  });

  it('feed: a position in a run that a client deleted before it was read is expired, and one at its end is not', async () => {
    const schedule = await days.add();
    const one = await runOf(schedule);
    const { next: half } = await read(schedule.id, 'oldest', 2);
    const { next: atOne } = await read(schedule.id);
    const two = await runOf(schedule, changing({ '/2': 'x' }));
    const { next: atTwo } = await read(schedule.id);
    await store.jobs.delete(org, two.id);
    expect(await kindOf(schedule.id, half)).toBe('expired');
    expect(await kindOf(schedule.id, atOne)).toBe('rows');
    expect(await kindOf(schedule.id, atTwo)).toBe('rows');
    const three = await runOf(schedule, changing({ '/1': 'y' }));
    expect(three.spec.baseline?.of).toBe(one.id);
    // It was compared with the first: whoever read the second must begin anew.
    expect(await kindOf(schedule.id, atTwo)).toBe('expired');
    expect(await kindOf(schedule.id, half)).toBe('expired');
    expect(await all(schedule.id, atOne)).toEqual(of(three, 'changed /1'));
    await sweep();
    expect(await all(schedule.id)).toEqual(await all(schedule.id, atOne));
  });

  it('feed: a position after the last row of a run is good when a client deletes it, whatever it left unchanged', async () => {
    const schedule = await days.add();
    const one = await runOf(schedule);
    const two = await runOf(schedule, changing({ '/': 'x' }));
    const { changes } = await read(schedule.id);
    const [last, before] = [changes.at(-1)!, changes.at(-2)!];
    expect(last).toMatchObject({ job: two.id, change: 'changed' });
    // Its pages that did not change have later numbers.
    expect(last.position).toBeLessThan(4);
    const three = await runOf(schedule, changing({ '/': 'x', '/1': 'y' }));
    await store.jobs.delete(org, two.id);
    expect(await all(schedule.id, { job: two.id, change: last.position })).toEqual(
      of(three, 'changed /', 'changed /1'),
    );
    expect(await kindOf(schedule.id, { job: two.id, change: last.position - 1 })).toBe('expired');
    expect(await kindOf(schedule.id, { job: one.id, change: before.position })).toBe('expired');
  });

  it('feed: a snapshot has a position that waits while a run goes whose earlier run a client deleted', async () => {
    const schedule = await days.add();
    const one = await runOf(schedule);
    const { next: atOne } = await read(schedule.id);
    const two = await runOf(schedule, changing({ '/2': 'x' }));
    const three = await days.begin(schedule);
    await store.jobs.delete(org, two.id);
    // The snapshot is that of the first run, as long as the third goes.
    expect((await earlierRun(store.schedules, schedule.id))?.id).toBe(one.id);
    expect(await read(schedule.id, atOne)).toMatchObject({ changes: [], next: atOne, isUpToDate: true });
    await days.end(three);
    expect((await earlierRun(store.schedules, schedule.id))?.id).toBe(three.id);
    expect(await kindOf(schedule.id, atOne)).toBe('expired');
  });

  it('feed: nothing known is a position that waits while a run goes whose earlier run a client deleted', async () => {
    const schedule = await days.add();
    const one = await runOf(schedule);
    const two = await days.begin(schedule);
    await days.seed(two);
    await store.jobs.delete(org, one.id);
    const { next: nothing } = await read(schedule.id, 'nothing');
    expect(await read(schedule.id, nothing)).toMatchObject({ changes: [], isUpToDate: true });
    await days.end(two);
    expect(await kindOf(schedule.id, nothing)).toBe('expired');
  });

  it('feed: a reader that knows nothing begins with the crawl in full that follows when all runs are deleted', async () => {
    const schedule = await days.add();
    const one = await runOf(schedule);
    const { next } = await read(schedule.id);
    await store.jobs.delete(org, one.id);
    const { next: nothing } = await read(schedule.id, 'nothing');
    const two = await runOf(schedule);
    expect(await kindOf(schedule.id, next)).toBe('expired');
    expect(await all(schedule.id, nothing)).toHaveLength(4);
    expect(two.spec.baseline).toBeUndefined();
    // It is no position for a later one.
    await runOf(schedule, changing({ '/1': 'z' }));
    expect(await all(schedule.id, nothing)).toHaveLength(5);
  });

  it('feed: changes of an older run are not accepted, because the next one decides them', async () => {
    const schedule = await days.add();
    await runOf(schedule);
    const two = await runOf(schedule, gone);
    const three = await days.begin(schedule);
    expect(await store.jobs.acceptChanges(org, two.id)).toBe('superseded');
    await days.cancel(three);
  });

  it('feed: changes that are accepted follow at its end', async () => {
    const schedule = await days.add();
    await runOf(schedule);
    const two = await runOf(schedule, gone);
    const { next } = await read(schedule.id);
    await store.jobs.acceptChanges(org, two.id);
    expect(await all(schedule.id, next)).toHaveLength(4);
  });

  it('feed: is not there for another org, and has ended when its schedule is deleted', async () => {
    const schedule = await days.add({ keep: 1 });
    await runOf(schedule);
    await runOf(schedule, changing({ '/1': 'x' }));
    const of = { schedule: schedule.id, after: 'oldest', limit: 9 } as const;
    expect(await store.changes.feed({ org: 'other', ...of })).toBeUndefined();
    await sweep();
    await store.schedules.delete(org, schedule.id);
    expect(await store.changes.feed({ org, ...of })).toEqual({ kind: 'deleted' });
    expect(await store.changes.feed({ org: 'other', ...of })).toBeUndefined();
    await sweep();
    expect(await database.count('ledger')).toBe(4);
  });

  it('diff: finds the newest run that changed a page, with both texts, and whose run it was', async () => {
    const schedule = await days.add({ keep: 1 });
    await runOf(schedule);
    const two = await runOf(schedule, changing({ '/2': 'second', '/1': 'x' }));
    const three = await runOf(schedule, changing({ '/2': 'third', '/1': 'x' }));
    const keyOf = (path: string): string => judgeStart(new URL(path, 'https://a.test/')).key;
    const runWith = (path: string, asking = org): Promise<string | undefined> =>
      store.changes.lastRunWith({ org: asking, schedule: schedule.id, key: keyOf(path) });
    const textsOf = async (jobId: string, path: string): Promise<unknown[]> => {
      const found = await store.changes.changeOf({ org, jobId, key: keyOf(path) });
      const { previousTextOf, change } = found!.page!;
      const texts = await store.changes.texts({
        places: [previousTextOf!, change!.textOf!],
        withText: true,
        bytesMax: 2 ** 20,
      });
      return [change?.change, ...texts.map((text) => (typeof text === 'object' ? parsePage(text).text : text))];
    };
    expect(await runWith('/2')).toBe(three.id);
    expect(await textsOf(three.id, '/2')).toEqual(['changed', 'second', 'third']);
    expect(await textsOf(two.id, '/2')).toEqual(['changed', 'Text of https://a.test/2', 'second']);
    // The earlier run is deleted: its text stays, because this one compares with it.
    await store.jobs.delete(org, two.id);
    await sweep();
    expect(await textsOf(three.id, '/2')).toEqual(['changed', 'second', 'third']);
    expect(await runWith('/4')).toBeUndefined();
    expect(await runWith('/2', 'other')).toBeUndefined();
    expect(await store.changes.changeOf({ org: 'other', jobId: three.id, key: keyOf('/2') })).toBeUndefined();
    expect(await store.changes.changeOf({ org, jobId: three.id, key: keyOf('/4') })).toMatchObject({ page: undefined });
    // No run changed it since the first, which added it.
    expect(
      (await store.changes.changeOf({ org, jobId: (await runWith('/3'))!, key: keyOf('/3') }))?.page,
    ).toMatchObject({
      change: { change: 'added' },
    });
  });

  it('baseline: has all pages that a run knows, in the order of their URLs, in slices of any size', async () => {
    const schedule = await days.add();
    await runOf(schedule);
    const two = await runOf(schedule, changing({ '/2': 'x' }));
    for (const limit of [1, 3, 9]) {
      const urls: string[] = [];
      for (let after = 0, more = true; more;) {
        const slice = await store.changes.baseline({ org, jobId: two.id, after, limit });
        const texts = await store.changes.texts({
          places: slice?.pages.map(({ textOf }) => textOf) ?? [],
          withText: true,
          bytesMax: 2 ** 20,
        });
        urls.push(...texts.map((text) => (typeof text === 'object' ? parsePage(text).text : 'none')));
        after = slice?.pages.at(-1)?.entry ?? 0;
        more = slice?.more === true;
      }
      expect(urls).toEqual(['Text of https://a.test/', 'Text of https://a.test/1', 'x', 'Text of https://a.test/3']);
    }
    expect(await store.changes.baseline({ org: 'other', jobId: two.id, after: 0, limit: 9 })).toBeUndefined();
  });
}
