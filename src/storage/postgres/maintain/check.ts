import { type CheckSummary, Damage } from '../../../core/ports/check.ts';
import type { FoundSlice, Segment } from '../../../core/ports/blobs.ts';
import { RawCheck } from '../../../page/raw-segments.ts';
import { ExitError, exitCodes } from '../../../core/errors.ts';
import type { Fragment } from '../../../core/page.ts';
import { segmentIn, type SegmentRow } from '../../rules/pages/raw-bodies.ts';
import { screenshotIn, type ScreenshotRow } from '../../rules/pages/screenshots.ts';
import { isWhole } from '../../rules/pages/whole-fragment.ts';
import { Connections } from '../connection/connections.ts';
import { explainedAtStart } from '../connection/faults.ts';
import { migrate, nowSql } from '../connection/schema.ts';
import { pagesPerJob } from '../../rules/jobs/page-id.ts';

/** Pages whose sizes are read together. */
const pagesPerLook = 500;
/** Bytes read at a time. A larger page is read alone. */
const bytesPerRead = 8 * 2 ** 20;

interface Place {
  /** Id of the job. */
  readonly job: string;
  readonly page: number;
}

interface FragmentRow extends Fragment {
  readonly packed_crc: number;
}

interface PictureRow extends ScreenshotRow {
  readonly is_placed: boolean;
}

const kept = `j.swept = 0 AND (j.results_gone_at IS NULL OR j.results_gone_at > ${nowSql})`;

/**
 * Checks the data in PostgreSQL while other processes crawl: every job must have the pages that it counts, without
 * gaps, and, unless `isQuick`, every page must be what was stored. The structure is PostgreSQL's own to check
 * (`pg_amcheck`).
 */
export async function checkPostgres(url: string, { isQuick }: { readonly isQuick: boolean }): Promise<CheckSummary> {
  const connections = new Connections({ url, applicationName: `hayrake ${process.pid} check`, max: 1 });
  try {
    await connections.learnPooling();
    await migrate(connections);
    for (const table of ['page', 'body']) await checkNumbers(connections, table);
    for (const table of ['page', 'body']) await checkShared(connections, table);
    const [counts] = await connections.query<{ jobs: number; pages: number }>(
      'SELECT (SELECT count(*) FROM job) AS jobs, (SELECT count(*) FROM page) AS pages',
    );
    const { damaged, damagedParts } = isQuick ? new Damage() : await damageIn(connections);
    return { jobs: counts?.jobs ?? 0, pages: counts?.pages ?? 0, damaged, damagedParts };
  } catch (error) {
    throw explainedAtStart(error);
  } finally {
    await connections.close();
  }
}

async function checkNumbers(connections: Connections, table: string): Promise<void> {
  const wrong = await connections.transaction(async (tx) => {
    // Reads a whole index, however many pages there are.
    tx.send('SET LOCAL statement_timeout = 0');
    const [row] = await tx.query<{ id: string }>(
      `WITH held AS (SELECT id / ${pagesPerJob} AS job, count(*) AS held, max(id) % ${pagesPerJob} AS last FROM ${table} GROUP BY 1)
       SELECT j.id FROM job j LEFT JOIN held h ON h.job = j.seq
       WHERE ${kept} AND (coalesce(h.held, 0) <> j.scraped OR coalesce(h.last, 0) <> j.scraped) LIMIT 1`,
    );
    return row;
  }, 'REPEATABLE READ READ ONLY');
  if (!wrong) return;
  throw new ExitError(
    exitCodes.databaseDamaged,
    `The database is damaged (job ${wrong.id}: its table ${table} has gaps). Restore it from a backup.`,
  );
}

/** Every text that a job shares must be there, whichever job first stored it. */
async function checkShared(connections: Connections, table: string): Promise<void> {
  const wrong = await connections.transaction(async (tx) => {
    tx.send('SET LOCAL statement_timeout = 0');
    const [row] = await tx.query<{ id: string }>(
      `SELECT j.id FROM job j JOIN ledger l ON l.job = j.seq LEFT JOIN ${table} t ON t.id = l.text_of
       WHERE ${kept} AND j.since IS NOT NULL AND l.text_of IS NOT NULL AND t.id IS NULL LIMIT 1`,
    );
    return row;
  }, 'REPEATABLE READ READ ONLY');
  if (!wrong) return;
  throw new ExitError(
    exitCodes.databaseDamaged,
    `The database is damaged (job ${wrong.id}: a text that it shares is missing in the table ${table}). Restore it from a backup.`,
  );
}

async function damageIn(connections: Connections): Promise<Damage> {
  const damage = new Damage();
  for (const [table, part] of [
    ['body', 'text'],
    ['page', 'metadata'],
  ] as const) {
    const columns = 'p.deflated, p.crc, p.length, p.packed_crc';
    const fragments = pagesOf<FragmentRow>(connections, table, 'octet_length(p.deflated)', columns);
    for await (const { job, page, packed_crc: checksum, ...fragment } of fragments) {
      if (!isWhole(page, fragment, checksum)) damage.add({ job, page, part });
    }
  }
  // Those in objects are compared there.
  const placed = 'EXISTS (SELECT FROM raw_segment s WHERE s.id = -p.id AND s.object IS NOT NULL) AS is_placed';
  const screenshots = pagesOf<PictureRow>(
    connections,
    'screenshot',
    'octet_length(p.bytes)',
    `p.type, p.bytes, p.crc, ${placed}`,
  );
  for await (const { job, page, is_placed: isPlaced, ...row } of screenshots) {
    if (!isPlaced && screenshotIn(row) === 'damaged') damage.add({ job, page, part: 'screenshot' });
  }
  // The slices of a segment follow each other, so it is read once.
  let last: { readonly segment: number; readonly bytes: Segment | undefined } | undefined;
  let raw = new RawCheck(() => last?.bytes);
  const slices = pagesOf<Omit<FoundSlice, 'page'>>(
    connections,
    'raw_page',
    'p.length',
    'p.segment, p.at, p.length, p.crc',
  );
  for await (const { job, page, ...slice } of slices) {
    if (last?.segment !== slice.segment) {
      const [row] = await connections.queryBytes<SegmentRow>(
        'SELECT bytes, length, object, object_at, size FROM raw_segment WHERE id = $1',
        [slice.segment],
      );
      const bytes = row && segmentIn(row);
      last = { segment: slice.segment, bytes };
      raw = new RawCheck(() => bytes);
    }
    if (last.bytes?.place === undefined && !raw.isWhole(slice)) damage.add({ job, page, part: 'raw body' });
  }
  return damage;
}

/** Every page of a table that clients can still read, a few megabytes at a time. */
async function* pagesOf<Row>(
  connections: Connections,
  table: string,
  size: string,
  columns: string,
): AsyncGenerator<Row & Place> {
  let last = 0;
  for (;;) {
    const sized = await connections.query<{ readonly id: number; readonly size: number }>(
      `SELECT p.id, ${size} AS size FROM ${table} p WHERE p.id > $1 ORDER BY p.id LIMIT ${pagesPerLook}`,
      [last],
    );
    if (sized.length === 0) return;
    let bytes = 0;
    const past = sized.findIndex(({ size: own }) => (bytes += own) > bytesPerRead);
    const end = sized[past < 0 ? sized.length - 1 : Math.max(0, past - 1)]?.id ?? last;
    yield* await connections.queryBytes<Row & Place>(
      `SELECT j.id AS job, p.id % ${pagesPerJob} AS page, ${columns} FROM ${table} p JOIN job j ON j.seq = p.id / ${pagesPerJob}
       WHERE p.id > $1 AND p.id <= $2 AND ${kept} ORDER BY p.id`,
      [last, end],
    );
    last = end;
  }
}
