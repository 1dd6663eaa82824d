import { hasEnded } from '../../core/job.ts';
import { erasedUrl } from '../../core/ports/erasures.ts';
import type { JobRow } from '../rules/jobs/job-row.ts';
import { withoutUrls } from '../rules/pages/erasing.ts';
import { all, send, type Steps } from './operation.ts';
import { isIn, raw, sql } from './sql.ts';

/**
 * What an erasure removes besides the page: what was learned from it, its keys, and its URLs if they are given. `entry`: its
 * number in the ledger, if it has one.
 */
export function* eraseTraces(job: JobRow, entry: number | undefined, urls: readonly string[] | undefined): Steps<void> {
  // It may be one of the pages that were learned from.
  yield* send(sql`DELETE FROM lesson WHERE job = ${job.seq}`);
  yield* send(
    sql`DELETE FROM held_page WHERE job = ${job.seq} AND NOT EXISTS (SELECT 1 FROM frontier f WHERE f.id = held_page.request)`,
  );
  if (entry !== undefined && hasEnded(job.status)) {
    const which = raw(urls ? '' : "AND key NOT LIKE 'u%'");
    yield* send(sql`DELETE FROM page_key WHERE job = ${job.seq} AND entry = ${entry} ${which}`);
  }
  if (urls) yield* eraseUrls(job, [...urls, ...(yield* copiesOf(job, urls))]);
  yield* send(sql`UPDATE job SET erasures = erasures + 1, version = version + 1 WHERE seq = ${job.seq}`);
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
    sql`UPDATE ledger SET url = ${erasedUrl}, key = 'erased ' || id, detail = NULL, lastmod = NULL, asked_lastmod = NULL, validator = NULL
      WHERE job = ${job.seq} AND url ${isIn(urls)}`,
  );
  yield* send(sql`UPDATE ledger SET detail = ${erasedUrl} WHERE job = ${job.seq} AND detail ${isIn(urls)}`);
  const { notices, tally, examples, moved_starts: movedStarts } = withoutUrls(job, urls);
  yield* send(
    sql`UPDATE job SET notices = ${notices}, tally = ${JSON.stringify(tally)}, examples = ${JSON.stringify(examples)}, moved_starts = ${movedStarts}
      WHERE seq = ${job.seq}`,
  );
}
