// Where an erasure finds a page, and what it removes besides the page: the same in every store.
import { hasEnded } from '../../core/job.ts';
import { type Erasure, erasedUrl, type ErasureRefusal } from '../../core/ports/erasures.ts';
import { areResultsGone, type JobRow, jobRowOf, type StoredJobRow } from '../rules/jobs/job-row.ts';
import { withoutUrls } from '../rules/pages/erasing.ts';
import { all, one, send, type Steps, timeOf } from './operation.ts';
import { either, isIn, nothing, raw, sql } from './sql.ts';
import { pagesPerJob } from '../rules/jobs/page-id.ts';

/** Where a job has the page, or had it. */
interface Place {
  readonly job: number;
  /** Null if it has no more than the URL. */
  readonly page: number | null;
  /** Of its ledger. Null if only the text is left, because a later job names it. */
  readonly entry: number | null;
  readonly url: string | null;
}

export interface Reached extends Place {
  readonly row: JobRow;
}

const isStored = raw(`EXISTS (SELECT 1 FROM page p WHERE p.id = place.job * ${pagesPerJob} + place.page)`);
const placeOfText = raw(`text_of / ${pagesPerJob}, CAST(text_of % ${pagesPerJob} AS int)`);

/**
 * Jobs that are made from each other have a page under one key, or under two where its URL leads to another since it has
 * moved. A text can outlive the ledger that had the key.
 */
export function placesOf(jobId: string, page: number): Steps<readonly Place[]> {
  return all<Place>(
    sql`WITH RECURSIVE own AS (
        SELECT j.seq, j.family, l.key FROM job j
          LEFT JOIN ledger l ON l.job = j.seq AND l.page = ${page} AND l.state = 'scraped' WHERE j.id = ${jobId}),
      moved AS (
        SELECT l.key AS before, substr(l.validator, 2) AS after FROM own JOIN job j ON j.family = own.family
          JOIN ledger l ON l.job = j.seq AND l.kind = 'page' AND l.reason = 'duplicate_of' AND l.change = 'moved'),
      named AS (
        SELECT key FROM own
        UNION SELECT CASE WHEN key = before THEN after ELSE before END FROM named JOIN moved ON key IN (before, after)),
      entry AS (
        SELECT l.job, l.page, l.id, l.url, l.text_of FROM own JOIN job j ON j.family = own.family CROSS JOIN named
          JOIN ledger l ON l.job = j.seq AND l.key = named.key AND l.kind = 'page'),
      place AS (
        SELECT job, page, id, url, false AS own FROM entry
        UNION ALL SELECT ${placeOfText}, NULL, NULL, false FROM entry WHERE text_of IS NOT NULL
        UNION ALL SELECT seq, CAST(${page} AS int), NULL, NULL, true FROM own)
      SELECT job, max(CASE WHEN own OR ${isStored} THEN page END) AS page, max(id) AS entry, max(url) AS url
      FROM place GROUP BY job, coalesce(page, -id) ORDER BY job DESC`,
  );
}

/**
 * All jobs that have something of the page, those that share a text before the one that has it. PostgreSQL locks the rows of
 * all jobs that are made from each other, by number, as every transaction does.
 */
export function* reachOf(
  { org, jobId, page, withUrl }: Erasure,
  given?: number,
): Steps<{ readonly now: number; readonly reached: readonly Reached[] } | ErasureRefusal | undefined> {
  const found = yield* one<Pick<JobRow, 'seq' | 'org' | 'family'>>(
    sql`SELECT seq, org, family FROM job WHERE id = ${jobId}`,
  );
  if (found?.org !== org) return undefined;
  yield* all(
    sql`${either(nothing, sql`SELECT seq FROM job WHERE family = ${found.family} ORDER BY seq FOR NO KEY UPDATE`)}`,
  );
  const now = yield* timeOf(given);
  const places = yield* placesOf(jobId, page);
  const rows = yield* all<StoredJobRow>(sql`SELECT * FROM job WHERE seq ${isIn(places.map(({ job }) => job))}`);
  const jobs = new Map(rows.map((row) => [row.seq, jobRowOf(row)]));
  const own = jobs.get(found.seq);
  if (!own || areResultsGone(own, now)) return 'gone';
  if (page > own.scraped) return 'no_page';
  const reached = places.flatMap((place) => {
    const row = jobs.get(place.job);
    return row ? [{ ...place, row }] : [];
  });
  if (withUrl && reached.some(({ row }) => !hasEnded(row.status))) return 'running';
  return { now, reached };
}

/** The jobs whose clients see that the page is erased. */
export function shownIn(reached: readonly Reached[], now: number): readonly string[] {
  const shown = reached.filter(({ page, row }) => page !== null && !areResultsGone(row, now));
  return [...new Set(shown.map(({ row }) => row.id))];
}

/** Of a job that has no page of them. */
export function urlsIn({ url }: Reached): readonly string[] {
  return url === null || url === erasedUrl ? [] : [url];
}

/**
 * What an erasure removes besides a page: what was learned from it, its keys, and its URLs if they
 * are to go. `urls`: those that the page had.
 */
export function* eraseTraces(
  { row, page, entry }: Reached,
  { urls, withUrl }: { readonly urls: readonly string[]; readonly withUrl: boolean },
): Steps<void> {
  // Any job of the org can have taken over what was learned from it.
  const isOfOrg = sql`EXISTS (SELECT 1 FROM job j WHERE j.seq = lesson.job AND j.org = ${row.org})`;
  yield* send(sql`DELETE FROM lesson WHERE site ${isIn(urls.map((url) => new URL(url).host))} AND ${isOfOrg}`);
  // By these a later run would take what the site still has for the page that is gone.
  yield* send(
    sql`UPDATE ledger SET validator = NULL, traits = NULL, earlier_hash = NULL, copy_key = NULL,
      hash = CASE WHEN state = 'queued' THEN hash END WHERE job = ${row.seq} AND id = ${entry}`,
  );
  if (entry !== null && hasEnded(row.status)) {
    const which = raw(withUrl ? '' : "AND key NOT LIKE 'u%'");
    yield* send(sql`DELETE FROM page_key WHERE job = ${row.seq} AND entry = ${entry} ${which}`);
  }
  if (page === null && !withUrl) return;
  if (withUrl) yield* eraseUrls(row, [...urls, ...(yield* copiesOf(row, urls))]);
  yield* send(sql`UPDATE job SET erasures = erasures + 1, version = version + 1 WHERE seq = ${row.seq}`);
}

/** URLs that showed the page too, such as one that redirected to it. */
function* copiesOf({ seq }: JobRow, urls: readonly string[]): Steps<readonly string[]> {
  const copies = yield* all<{ readonly url: string }>(
    sql`SELECT url FROM ledger WHERE job = ${seq} AND reason = 'duplicate_of' AND detail ${isIn(urls)}`,
  );
  return copies.map(({ url }) => url);
}

/** The ledger has them as other entries too, such as the address after a redirect. */
function* eraseUrls(job: JobRow, urls: readonly string[]): Steps<void> {
  yield* send(
    sql`UPDATE ledger SET url = ${erasedUrl}, key = 'erased ' || id, detail = NULL, lastmod = NULL, asked_lastmod = NULL, validator = NULL, traits = NULL
      WHERE job = ${job.seq} AND url ${isIn(urls)}`,
  );
  yield* send(sql`UPDATE ledger SET detail = ${erasedUrl} WHERE job = ${job.seq} AND detail ${isIn(urls)}`);
  // A job can have the page twice.
  const { notices, tally, examples, moved_starts: movedStarts } = Object.assign(job, withoutUrls(job, urls));
  yield* send(
    sql`UPDATE job SET notices = ${notices}, tally = ${JSON.stringify(tally)}, examples = ${JSON.stringify(examples)}, moved_starts = ${movedStarts}
      WHERE seq = ${job.seq}`,
  );
}
