// The status of a job with its documents, as the clients of this facade poll it.
//
// The SDKs fetch all documents at every poll, so a running job gives at most 1 MiB and no `next`. A request with `skip` or
// `limit` pages on purpose, and gets up to 10 MiB, as does every request for a job that has ended: some clients never
// follow `next`.
import { setImmediate } from 'node:timers/promises';
import type { Service } from '../api/service.ts';
import { UserError } from '../core/errors.ts';
import { hasEnded, type Job } from '../core/job.ts';
import { getJob } from '../jobs/get-job.ts';
import { readResults } from '../jobs/read-results.ts';
import { parsePage } from '../page/decode.ts';
import { uuidOf } from './job-ids.ts';
import { toDocument } from './to-document.ts';

/** Bytes of documents in one response. */
export const documentBytesMax = 10 * 2 ** 20;
/** The same while the job runs, without `skip` and `limit`. */
export const pollBytesMax = 2 ** 20;
/** Documents in one response, if the request has `limit`. */
export const documentsMax = 400;
const pagesPerRead = 100;
/** Clients need a date, also where results are kept until they are deleted. */
const tenYearsSeconds = 10 * 365 * 24 * 3_600;

export interface StatusQuery {
  /** Documents to leave out: the number of the last one that the client has. */
  readonly skip: number | undefined;
  readonly limit: number | undefined;
}

export interface Documents {
  /** JSON texts. */
  readonly rows: readonly string[];
  /** Number of the last page read. */
  readonly position: number;
  readonly damaged: number;
}

/** Returns the response as JSON text. `self`: the URL of this job in this facade. */
export async function readStatus(
  service: Service,
  org: string,
  id: string,
  { skip, limit }: StatusQuery,
  self: string,
  signal: AbortSignal,
): Promise<string> {
  const before = await getJob(service.jobs, org, id);
  const isPoll = !hasEnded(before.status) && skip === undefined && limit === undefined;
  const bytesMax = isPoll ? pollBytesMax : documentBytesMax;
  const { rows, position, damaged } = await readDocuments(
    service,
    before,
    {
      after: skip ?? 0,
      rowsMax: limit === undefined ? Number.POSITIVE_INFINITY : Math.min(limit, documentsMax),
      bytesMax,
      isPoll,
    },
    signal,
  );
  // Read again: the status must not be older than the documents, or the last of them would have no `next`.
  const job = isPoll ? before : await getJob(service.jobs, org, id);
  const hasMore = !isPoll && job.progress.scraped > position;
  const warning = [
    ...job.notices.filter(({ code }) => code === 'fields_ignored').map(({ message }) => message),
    ...job.findings.map(({ message }) => message),
    ...(damaged > 0 ? [`${damaged} damaged pages are left out.`] : []),
  ].join(' ');
  const head = JSON.stringify({
    success: true,
    ...statusOf(job),
    ...(hasMore && { next: nextUrl(self, position, limit) }),
    ...(warning !== '' && { warning }),
  });
  return `${head.slice(0, -1)},"data":[${rows.join(',')}]}`;
}

function nextUrl(self: string, position: number, limit: number | undefined): string {
  return `${self}?skip=${position}${limit === undefined ? '' : `&limit=${limit}`}`;
}

/** The status without documents. Clients wait until it is `completed`, `failed` or `cancelled`. */
export function statusOf(job: Job) {
  const { status, progress, finishedAt, spec } = job;
  const { scraped, queued, inFlight } = progress;
  const isOver = hasEnded(status);
  return {
    status: status === 'succeeded' ? 'completed' : isOver ? status : 'scraping',
    completed: scraped,
    // At the end all is completed: progress bars would never fill otherwise.
    total: isOver ? scraped : scraped + queued + inFlight,
    creditsUsed: scraped,
    expiresAt: new Date(
      (finishedAt ?? Date.now()) + (spec.outputExpirySeconds ?? tenYearsSeconds) * 1_000,
    ).toISOString(),
  };
}

/** Reads pages after one, until their documents fill the response. */
async function readDocuments(
  service: Service,
  job: Job,
  {
    after,
    rowsMax,
    bytesMax,
    isPoll,
  }: { readonly after: number; readonly rowsMax: number; readonly bytesMax: number; readonly isPoll: boolean },
  signal: AbortSignal,
): Promise<Documents> {
  const rows: string[] = [];
  let [position, bytes, damaged] = [after, 0, 0];
  while (rows.length < rowsMax && bytes < bytesMax && !signal.aborted) {
    const slice = await readResults(
      service,
      job.org,
      job.id,
      {
        limit: Math.min(pagesPerRead, rowsMax - rows.length),
        withText: true,
        after: position,
        waitMs: 0,
        bytesMax: bytesMax - bytes,
      },
      signal,
    );
    // Releasing empties the slice.
    const isEmpty = slice.pages.length === 0;
    try {
      for (const stored of slice.pages) {
        const { meta, text, formats, extracted } = parsePage(stored);
        const row = JSON.stringify(
          toDocument(
            { ...meta, metadata: meta.meta, text, formats, extracted },
            job.spec,
            `${uuidOf(job.id)}-${stored.page}`,
          ),
        );
        const size = Buffer.byteLength(row) + 1;
        // One document is always given, except to a poll: that has no `next`, so nothing is lost.
        if (bytes + size > bytesMax && (rows.length > 0 || isPoll)) return { rows, position, damaged };
        rows.push(row);
        bytes += size;
        position = stored.page;
        // Other requests must not wait for ten MiB of JSON.
        await setImmediate();
      }
    } finally {
      slice.release();
    }
    if (slice.damagedPage !== undefined) {
      damaged++;
      position = slice.damagedPage;
    } else if (isEmpty) break;
  }
  return { rows, position, damaged };
}

/**
 * Takes memory for a response, and waits for it as long as the client does: the SDKs take any error of a `next` page for
 * the end of the documents.
 */
export async function takeRoom(service: Service, org: string, bytes: number, signal: AbortSignal) {
  for (;;) {
    try {
      return await service.responses.take(org, bytes, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof UserError) || error.code !== 'overloaded') throw error;
    }
  }
}
