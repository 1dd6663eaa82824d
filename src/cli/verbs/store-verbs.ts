import type { Config } from '../../config/config.ts';
import { ExitError, exitCodes, storageProblem, UserError } from '../../core/errors.ts';
import type { JobStatus } from '../../core/job.ts';
import type { StoredPage } from '../../core/page.ts';
import type { Store } from '../../core/ports/stores.ts';
import { cancelJob, deleteJob } from '../../jobs/cancel-job.ts';
import { erasePage } from '../../jobs/erase-page.ts';
import { explainUrl } from '../../jobs/explain-url.ts';
import { getJob } from '../../jobs/get-job.ts';
import { listJobs } from '../../jobs/list-jobs.ts';
import { followResults, readResults } from '../../jobs/read-results.ts';
import { readChanges } from '../../jobs/read-changes.ts';
import { readDiff } from '../../jobs/read-diff.ts';
import { readScreenshot } from '../../jobs/read-screenshot.ts';
import { resumeJob } from '../../jobs/resume-job.ts';
import { searchPages } from '../../jobs/search-pages.ts';
import { getSchedule } from '../../jobs/schedules/manage-schedules.ts';
import { followFeed } from '../../jobs/schedules/read-feed.ts';
import { createLoginCode } from '../../jobs/sessions.ts';
import { defaultOrg } from '../../jobs/tokens.ts';
import { pageMetaRow, pageRow, parsePage } from '../../page/decode.ts';
import { loginToken } from '../login-token.ts';
import { placeOf } from '../output/place.ts';
import type { Program } from '../program.ts';
import { serviceBeside } from '../service-beside.ts';
import { jobOrSchedule } from './job-or-schedule.ts';
import { missingMax, type ReadOptions, type ReadPage, type ShownDiff, shownKinds, type Verbs } from './verbs.ts';

/** How long one look at a growing search index lasts. */
const lookMs = 5_000;
const jobsPerRead = 400;
const pagesPerRead = 400;
const changesPerRead = 400;
/** A crawl shows its pages soon. */
const pagesPerFollow = 100;

const hostsMax = 20;

/** The verbs on a store, for the default org. `close` closes the store. */
export function storeVerbs(program: Program, config: Config, store: Store): Verbs {
  const { jobs, pages } = store;
  const parts = { jobs, pages, cursors: program.cursorsOf(store) };
  return {
    place: config.databaseUrl === undefined ? config.data : placeOf(config),
    isCrawled: () => program.isCrawled(config),
    getJob: (id) => getJob(jobs, defaultOrg, id),
    hostsOf: async (id) => {
      const { hosts } = await jobs.hosts(defaultOrg, { after: 0, limit: hostsMax, jobId: id });
      return hosts.map(({ host, delayMs, waitMs }) => ({
        host,
        delayMs,
        backOffUntil: waitMs > 0 ? Date.now() + waitMs : undefined,
      }));
    },
    storageProblem: () => storageProblem(store),
    async *listJobs(status: JobStatus | undefined) {
      let cursor: string | undefined;
      do {
        const query = { limit: jobsPerRead, ...(status && { status }), ...(cursor !== undefined && { cursor }) };
        const slice = await listJobs(parts, defaultOrg, query);
        yield* slice.jobs;
        cursor = slice.cursor;
      } while (cursor !== undefined);
    },
    cancelJob: (id) => cancelJob(jobs, defaultOrg, id),
    deleteJob: (id) => deleteJob(jobs, defaultOrg, id),
    resumeJob: (id) => resumeJob(jobs, defaultOrg, id),
    erasePage: (id, page, withUrl) => erasePage(store, defaultOrg, id, String(page), withUrl),
    listMissing: async (id) => {
      const slices = (['failed', 'discarded', 'outside'] as const).map((status) =>
        jobs.listUrls(id, { after: 0, limit: missingMax, status }),
      );
      return (await Promise.all(slices)).flatMap(({ entries }) => entries);
    },
    explainUrl: async (id, url) => {
      const { entry, sentences } = await explainUrl(jobs, defaultOrg, id, url);
      return { url: entry?.url ?? url, sentences, page: entry?.page ?? undefined };
    },
    ...changesIn({ ...parts, changes: store.changes, schedules: store.schedules }),
    readPages: (id, options) => readPages(parts, id, options),
    readScreenshot: async (id, page) => {
      try {
        return await readScreenshot(pages, defaultOrg, id, String(page));
      } catch (error) {
        // The job's notice counts pages without a picture.
        if (error instanceof UserError && error.code === 'screenshot_not_found') return undefined;
        throw error;
      }
    },
    searchPages: async (id, text, limit) => {
      const search = config.search === 'on' ? store.search : undefined;
      const query = { text, limit, waitMs: lookMs };
      const { cursor, ...found } = await searchPages({ search, cursors: parts.cursors }, defaultOrg, id, query);
      return { ...found, isMore: cursor !== undefined };
    },
    linkTo: async (id) => {
      await getJob(jobs, defaultOrg, id);
      const origin = await serviceBeside(program, store);
      if (origin === undefined)
        throw new ExitError(exitCodes.failed, `No service runs on this data. Start one: ${program.command} serve`);
      // The link signs one browser in, if there is a token whose rights it can give.
      const token = await loginToken(config, store.tokens);
      if (!token) return `${origin}/jobs/${id}`;
      return `${origin}/login?code=${await createLoginCode(store.sessions, token.id)}&job=${id}`;
    },
    close: () => store.close(),
  };
}

type ChangeParts = Parameters<typeof readChanges>[0] & Parameters<typeof readDiff>[0];

function changesIn(parts: ChangeParts): Pick<Verbs, 'changesOf' | 'readChanges' | 'readDiff'> {
  const { signal } = new AbortController();
  return {
    changesOf: (given) =>
      jobOrSchedule(
        async () => {
          const { id, spec, changes } = await getJob(parts.jobs, defaultOrg, given);
          return { kind: 'job', id, firstUrl: spec.urls[0], isCompared: changes !== null };
        },
        async () => {
          const { id, job } = await getSchedule(parts, defaultOrg, given);
          const urls = job['urls'] as readonly string[] | undefined;
          return { kind: 'schedule', id, firstUrl: urls?.[0], isCompared: true };
        },
      ),
    async *readChanges({ kind, id }) {
      const query = { limit: changesPerRead, withText: false } as const;
      if (kind === 'schedule') {
        for await (const slice of followFeed(parts, defaultOrg, id, { ...query, fromNow: false }, signal))
          yield* slice.changes;
        return;
      }
      for (let cursor: string | undefined; ;) {
        const asked = { ...query, kinds: shownKinds, cursor, waitMs: 0 };
        const slice = await readChanges(parts, defaultOrg, id, asked, signal);
        for (const change of slice.changes) yield { ...change, job: id, runAt: slice.runAt };
        if (!slice.more || slice.changes.length === 0) return;
        ({ cursor } = slice);
      }
    },
    readDiff: async ({ kind, id }, url) => {
      const of = kind === 'job' ? { job: id } : { schedule: id };
      const { isTruncated, text, ...row } = await readDiff(parts, defaultOrg, { of, url, form: 'hunks' }, signal);
      return { ...row, truncated: isTruncated, hunks: JSON.parse(text) as ShownDiff['hunks'] };
    },
  };
}

async function* readPages(
  parts: Parameters<typeof readResults>[0],
  id: string,
  { withText = true, follow = false, onDamaged, signal = new AbortController().signal }: ReadOptions,
): AsyncGenerator<ReadPage> {
  if (follow) {
    const query = { after: 0, limit: pagesPerFollow, withText };
    for await (const slice of followResults(parts, defaultOrg, id, query, signal)) {
      if (slice.damagedPage !== undefined) onDamaged(slice.damagedPage);
      for (const page of slice.pages) yield readPage(page);
    }
    return;
  }
  for (let after = 0, more = true; more;) {
    const query = { after, limit: pagesPerRead, withText, waitMs: 0 };
    const { pages, damagedPage, position } = await readResults(parts, defaultOrg, id, query, signal);
    for (const page of pages) yield readPage(page);
    if (damagedPage !== undefined) onDamaged(damagedPage);
    after = damagedPage ?? position;
    more = pages.length > 0 || damagedPage !== undefined;
  }
}

function readPage(stored: StoredPage): ReadPage {
  return {
    number: stored.page,
    line: () => (stored.body === undefined ? pageMetaRow(stored) : pageRow(stored)),
    json: () => parsePage(stored),
  };
}
