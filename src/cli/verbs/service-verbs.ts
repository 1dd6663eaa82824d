import { HayrakeError, type Hayrake, type Job as JobAnswer } from '../../../packages/client/index.ts';
import { type ErrorCode, errorCodes, ExitError, exitCodes, UserError } from '../../core/errors.ts';
import type { JobStatus } from '../../core/job.ts';
import type { SearchHit } from '../../core/ports/search.ts';
import type { PageJson } from '../../page/decode.ts';
import { jobOrSchedule } from './job-or-schedule.ts';
import {
  type ChangesOf,
  missingMax,
  type ReadPage,
  type ShownChange,
  type ShownJob,
  shownKinds,
  type Verbs,
} from './verbs.ts';

const hostsMax = 20;
const jobsPerRead = 400;
const screenshotBytesMax = 16 * 2 ** 20;

/** The verbs on a running service. */
export function serviceVerbs(client: Hayrake, server: URL): Verbs {
  const asked = <Answer>(run: () => Promise<Answer>): Promise<Answer> => askService(server, run);
  const each = <Row>(run: () => AsyncIterable<Row>): AsyncIterable<Row> => eachOfService(server, run);
  return {
    place: server.href,
    isCrawled: () => true,
    getJob: (id) => asked(async () => shownJob(await client.job(id))),
    hostsOf: (id) => asked(() => hostsOf(client, id)),
    // The log of the service, `/readyz` and the dashboard say it.
    storageProblem: () => Promise.resolve(undefined),
    async *listJobs(status: JobStatus | undefined) {
      const rows = each(() => client.jobs({ limit: jobsPerRead, ...(status && { status }) }));
      for await (const job of rows) yield shownJob(job);
    },
    cancelJob: (id) => asked(async () => shownJob(await client.cancel(id))),
    deleteJob: (id) => asked(async () => shownJob(await client.delete(id))),
    resumeJob: (id) => asked(async () => shownJob(await client.resume(id))),
    erasePage: (id, page, url) => asked(() => client.erasePage(id, page, { url })),
    listMissing: (id) => asked(() => listMissing(client, id)),
    explainUrl: (id, url) =>
      asked(async () => {
        const { data, explanation = [] } = await client.why(id, url);
        return { url: data[0]?.url ?? url, sentences: explanation, page: data[0]?.page };
      }),
    changesOf: (given) =>
      jobOrSchedule(
        () => asked(async () => ofUrls('job', await client.job(given))),
        () =>
          asked(async () => {
            const { id, job } = await client.schedule(given);
            return ofUrls('schedule', { id, urls: (job['urls'] as readonly string[] | undefined) ?? [] });
          }),
      ),
    readChanges: ({ kind, id }) =>
      each<ShownChange>(() =>
        kind === 'schedule'
          ? client.feed(id, { follow: false })
          : client.changes(id, { follow: false, change: shownKinds.join(',') }),
      ),
    readDiff: ({ kind, id }, url) =>
      asked(() => (kind === 'schedule' ? client.feedDiff(id, url) : client.diff(id, url))),
    async *readPages(id, { withText = true, follow = false, onDamaged, signal }) {
      const options = { follow, onDamaged, ...(signal && { signal }) };
      try {
        const rows = each<{ readonly meta: { readonly page: number } }>(() =>
          withText ? client.pages(id, options) : client.metas(id, options),
        );
        for await (const row of rows) yield readPage(row);
      } catch (error) {
        // The caller has what it wanted.
        if (signal?.aborted !== true) throw error;
      }
    },
    readScreenshot: async (id, page) => {
      try {
        const answer = await asked(() => client.screenshot(id, page));
        const bytes = await asked(async () => new Uint8Array(await answer.arrayBuffer()));
        if (bytes.length > screenshotBytesMax)
          throw new ExitError(exitCodes.failed, `${server.href} sent a picture of ${bytes.length} bytes.`);
        return { type: answer.headers.get('content-type') === 'image/jpeg' ? 'image/jpeg' : 'image/png', bytes };
      } catch (error) {
        if (error instanceof UserError && error.code === 'screenshot_not_found') return undefined;
        throw error;
      }
    },
    searchPages: (id, text, limit) =>
      asked(async () => {
        const { data, pages, indexedPages, damagedPages = 0, cursor } = await client.search(id, text, { limit });
        const hits = data.map(({ page, url, title, score, snippetParts: snippet }): SearchHit => ({
          page,
          url,
          title,
          score,
          snippet,
        }));
        return { hits, pages, indexedPages, damagedPages, isMore: cursor !== undefined };
      }),
    linkTo: (id) =>
      asked(async () => {
        await client.job(id);
        return `${server.href.replace(/\/$/, '')}/jobs/${id}`;
      }),
    close: () => Promise.resolve(),
  };
}

async function hostsOf(client: Hayrake, job: string): ReturnType<Verbs['hostsOf']> {
  const hosts = [];
  for await (const { host, delayMs, backOffUntil } of client.hosts({ job, limit: hostsMax })) {
    hosts.push({ host, delayMs, backOffUntil });
    if (hosts.length === hostsMax) break;
  }
  return hosts;
}

async function listMissing(client: Hayrake, id: string): ReturnType<Verbs['listMissing']> {
  const missing = [];
  for (const status of ['failed', 'discarded', 'outside'] as const) {
    let left = missingMax;
    for await (const { url, reason = null, detail = null, depth } of client.urls(id, { status, follow: false })) {
      missing.push({ url, status, reason, detail, depth });
      if (--left === 0) break;
    }
  }
  return missing;
}

/** Runs a request, with the errors of the service as those of a command. */
export async function askService<Answer>(server: URL, run: () => Promise<Answer>): Promise<Answer> {
  try {
    return await run();
  } catch (error) {
    throw errorOf(server, error);
  }
}

async function* eachOfService<Row>(server: URL, run: () => AsyncIterable<Row>): AsyncGenerator<Row> {
  try {
    yield* run();
  } catch (error) {
    throw errorOf(server, error);
  }
}

/** The API refuses what a command refuses, with the same codes. Everything else is the state of the service. */
function errorOf(server: URL, error: unknown): unknown {
  if (!(error instanceof HayrakeError)) return error;
  const { code, message, status, details, page } = error;
  if (status === 401 || status === 403) {
    const why = code === 'permission_denied' ? 'is allowed to do this' : 'is valid there';
    return new ExitError(
      exitCodes.usage,
      `${server.href}: ${refusals[code] ?? message} Set HAYRAKE_TOKEN to a token that ${why}: \`hayrake token create\` next to the service makes one.`,
    );
  }
  if (code === 'not_found')
    return new ExitError(
      exitCodes.usage,
      `${server.href} has no such endpoint. Check the path in --server or HAYRAKE_URL, and the version of the service.`,
    );
  if (status >= 400 && status < 500 && status !== 429 && isKnown(code))
    return new UserError(code, message, details, page === undefined ? {} : { page });
  return new ExitError(exitCodes.failed, message.includes(server.host) ? message : `${server.href}: ${message}`);
}

/** What the service says is for programs that send the header themselves. */
const refusals: Readonly<Record<string, string>> = {
  unauthorized: 'The service needs a token.',
  invalid_token: 'The token is wrong, revoked or expired.',
};

/** A newer service can have others. */
function isKnown(code: string): code is ErrorCode {
  return code in errorCodes;
}

function ofUrls(
  kind: ChangesOf['kind'],
  { id, urls, changes }: { readonly id: string; readonly urls: readonly string[]; readonly changes?: unknown },
): ChangesOf {
  return { kind, id, firstUrl: urls[0], isCompared: kind === 'schedule' || (changes ?? null) !== null };
}

export function shownJob(job: JobAnswer): ShownJob {
  const { discovered: _, ...progress } = job.progress;
  return {
    id: job.id,
    status: job.status,
    createdAt: job.createdAt,
    stoppedAt: job.stoppedAt,
    resultsGoneAt: job.expiresAt,
    areResultsGone: job.expired,
    progress,
    reasons: job.reasons,
    notices: job.notices,
    findings: job.findings,
    complete: job.complete,
    sitemapPageCount: job.sitemapPageCount,
    spec: {
      urls: job.urls,
      outputFormat: job.output_format,
      scope: job.scope,
      pageLimit: job.page_limit,
      screenshot: job.screenshot && { format: job.screenshot.format, fullPage: job.screenshot.full_page },
    },
  };
}

function readPage(row: { readonly meta: { readonly page: number } }): ReadPage {
  return { number: row.meta.page, line: () => JSON.stringify(row), json: () => row as PageJson };
}
