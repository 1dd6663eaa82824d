import { defined } from '../core/defined.ts';
import { slicesFrom, untilSomething } from './follow-job.ts';
import { UserError } from '../core/errors.ts';
import { hasEnded, type JobStatus } from '../core/job.ts';
import type {
  JobStore,
  LedgerEntry,
  LedgerKind,
  LedgerQuery,
  LedgerSlice,
  LedgerStatus,
} from '../core/ports/stores.ts';
import type { CursorList, Cursors } from './cursor.ts';
import { dedupeKey } from '../url/dedupe-key.ts';
import { parseGivenUrl } from '../url/given-url.ts';
import { getKept } from './get-job.ts';
import type { PageQuery } from './list-page.ts';

export interface UrlList {
  readonly status: JobStatus;
  readonly urls: readonly LedgerEntry[];
  /** Absent when nothing remains. A running job can discover more URLs later. */
  readonly cursor?: string;
}

export interface UrlQuery extends PageQuery {
  readonly status?: LedgerStatus | undefined;
  readonly reason?: string | undefined;
  readonly kind: LedgerKind;
  /** Part of the URL. */
  readonly q?: string | undefined;
  /** URL of the page on which the URLs were found first, in any spelling with the same dedupe key. */
  readonly foundOn?: string | undefined;
  /**
   * How long to wait after a cursor if a running job has nothing new yet, so that a loop that follows a job does not
   * spin.
   */
  readonly waitMs: number;
}

/** Some URLs of a ledger. */
export interface UrlSlice {
  readonly status: JobStatus;
  readonly urls: readonly LedgerEntry[];
  /** The last entry returned, or the requested position if there is none. */
  readonly position: number;
  /** More URLs remain, or can still come. */
  readonly more: boolean;
}

interface Parts {
  readonly jobs: JobStore;
  readonly cursors: Cursors;
}

/** Lists the URL ledger of a job, in the order of discovery: every URL with its outcome and the reason. */
export async function listUrls(
  parts: Parts,
  org: string,
  jobId: string,
  query: UrlQuery,
  signal: AbortSignal,
): Promise<UrlList> {
  const list = cursorList(jobId, query);
  const after = query.cursor === undefined ? 0 : Number(parts.cursors.read(list, query.cursor));
  const waitMs = query.cursor === undefined ? 0 : query.waitMs;
  const { status, urls, position, more } = await readUrls(parts.jobs, org, jobId, { ...query, after, waitMs }, signal);
  return more ? { status, urls, cursor: parts.cursors.write(list, position) } : { status, urls };
}

/** The same, slice by slice, until the job has ended. Ends early when the signal fires. */
export async function* followUrls(
  parts: Parts,
  org: string,
  jobId: string,
  query: Omit<UrlQuery, 'waitMs'>,
  signal: AbortSignal,
): AsyncGenerator<UrlSlice> {
  const { cursor } = query;
  yield* slicesFrom(
    cursor === undefined ? 0 : Number(parts.cursors.read(cursorList(jobId, query), cursor)),
    (after, waitMs) => readUrls(parts.jobs, org, jobId, { ...query, after, waitMs }, signal),
    ({ position }) => position,
    { signal },
  );
}

function cursorList(jobId: string, { status, reason, kind, q, foundOn }: Omit<UrlQuery, 'waitMs'>): CursorList {
  return { kind: 'urls', jobId, filter: JSON.stringify([status, reason, kind, q, foundOn]) };
}

function keyOf(url: string): string {
  const parsed = parseGivenUrl(url);
  if ('problem' in parsed) throw new UserError('invalid_parameter', `\`found_on\`: ${parsed.problem}`);
  return dedupeKey(parsed.url);
}

async function readUrls(
  jobs: JobStore,
  org: string,
  jobId: string,
  { after, limit, kind, status: state, reason, q, foundOn, waitMs }: UrlQuery & { readonly after: number },
  signal: AbortSignal,
): Promise<UrlSlice> {
  const finder = foundOn === undefined ? undefined : keyOf(foundOn);
  const asked = defined({ after, limit: limit + 1, kind, status: state, reason, q, foundOn: finder });
  const { status, entries, searchedTo } = await untilSomething(
    { jobs, jobId, waitMs, signal },
    async () => {
      const { status } = await getKept(jobs, org, jobId);
      return { status, ...(await jobs.listUrls(jobId, asked)) };
    },
    ({ entries, searchedTo }) => entries.length > 0 || searchedTo !== undefined,
  );
  const urls = entries.slice(0, limit);
  return {
    status,
    urls,
    position: searchedTo ?? urls.at(-1)?.entry ?? after,
    more: entries.length > limit || searchedTo !== undefined || !hasEnded(status),
  };
}

const entriesPerRead = 2_000;

/** All URLs of a job that a filter lets through, in the order of discovery, some at a time. */
export async function* ledgerSlices(
  jobs: JobStore,
  id: string,
  filter: Omit<LedgerQuery, 'after' | 'limit'> = {},
  from = 0,
): AsyncGenerator<readonly LedgerEntry[]> {
  for (let after: number | undefined = from; after !== undefined;) {
    const { entries, searchedTo }: LedgerSlice = await jobs.listUrls(id, { after, limit: entriesPerRead, ...filter });
    yield entries;
    after = searchedTo ?? (entries.length === entriesPerRead ? entries.at(-1)?.entry : undefined);
  }
}
