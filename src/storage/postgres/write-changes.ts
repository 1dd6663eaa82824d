// How what a transaction has changed in memory is written: all statements at once, however many URLs and pages it is about.
import { hasEnded } from '../../core/job.ts';
import { priorityOf } from '../rules/crawl-tables.ts';
import type { JobRow } from '../rules/job-row.ts';
import { metaChecksum } from '../rules/meta-checksum.ts';
import type { Transaction, Value } from './connections.ts';
import type { HostIds } from './host-ids.ts';
import type { RowChanges } from './row-changes.ts';

/** Sends all that changed. What becomes of it shows at the commit. */
export function writeChanges(tx: Transaction, hosts: HostIds, changes: RowChanges): void {
  writeUrls(tx, hosts, changes);
  writeRequests(tx, changes);
  writePages(tx, changes);
  writeEvents(tx, changes);
  writeJobs(tx, changes);
  wakeHosts(tx, hosts, changes);
}

function writeUrls(tx: Transaction, hosts: HostIds, { urls }: RowChanges): void {
  const { added, reopened, nearer, lastmods } = urls;
  send(
    tx,
    added.length,
    `WITH url AS (
       SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::int[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::bigint[], $11::int[])
         WITH ORDINALITY AS u (job, key, kind, url, depth, found_on, reason, detail, lastmod, host, priority, place)
     ), stored AS (
       INSERT INTO ledger (job, key, kind, url, depth, found_on, state, reason, detail, lastmod)
       SELECT job, key, kind, url, depth, found_on, CASE WHEN host IS NULL THEN 'discarded' ELSE 'queued' END, reason, detail, lastmod
       FROM url ORDER BY place RETURNING id, job, key
     )
     INSERT INTO frontier (id, host, job, priority)
     SELECT stored.id, url.host, url.job, url.priority FROM stored JOIN url USING (job, key) WHERE url.host IS NOT NULL`,
    [
      added.map(({ job }) => job),
      added.map(({ key }) => key),
      added.map(({ kind }) => kind),
      added.map(({ url }) => url),
      added.map(({ depth }) => depth),
      added.map(({ foundOn }) => foundOn),
      added.map(({ isQueued, discard }) => (isQueued ? null : (discard?.reason ?? null))),
      added.map(({ isQueued, discard }) => (isQueued ? null : (discard?.detail ?? null))),
      added.map(({ lastmod }) => lastmod ?? null),
      added.map(({ isQueued, host }) => (isQueued ? hosts.of(host) : null)),
      added.map(priorityOf),
    ],
  );
  send(
    tx,
    reopened.length,
    `WITH url AS (SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::bigint[], $5::bigint[]) AS u (job, id, depth, found_on, host)),
     opened AS (
       UPDATE ledger l SET state = 'queued', reason = NULL, detail = NULL, depth = u.depth, found_on = u.found_on
       FROM url u WHERE l.job = u.job AND l.id = u.id)
     INSERT INTO frontier (id, host, job, priority) SELECT id, host, job, depth FROM url`,
    [
      reopened.map(({ job }) => job),
      reopened.map(({ id }) => id),
      reopened.map(({ depth }) => depth),
      reopened.map(({ foundOn }) => foundOn),
      reopened.map(({ host }) => hosts.of(host)),
    ],
  );
  send(
    tx,
    nearer.length,
    `WITH url AS (SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::int[]) AS u (id, job, depth)),
     listed AS (UPDATE ledger l SET depth = u.depth FROM url u WHERE l.job = u.job AND l.id = u.id)
     UPDATE frontier f SET priority = u.depth FROM url u WHERE f.id = u.id`,
    [nearer.map(({ id }) => id), nearer.map(({ job }) => job), nearer.map(({ depth }) => depth)],
  );
  send(
    tx,
    lastmods.length,
    `UPDATE ledger l SET lastmod = u.lastmod FROM unnest($1::bigint[], $2::text[], $3::text[]) AS u (job, key, lastmod)
     WHERE l.job = u.job AND l.key = u.key AND l.lastmod IS DISTINCT FROM u.lastmod`,
    [lastmods.map(({ job }) => job), lastmods.map(({ key }) => key), lastmods.map(({ lastmod }) => lastmod)],
  );
}

function writeRequests(tx: Transaction, { requests }: RowChanges): void {
  const { removed, postponed, ended } = requests;
  send(tx, removed.length, 'DELETE FROM frontier WHERE id = ANY($1::bigint[])', [removed]);
  send(
    tx,
    postponed.length,
    `UPDATE frontier f SET fence = NULL, not_before = u.not_before, deaths = 0, alone = false
     FROM unnest($1::bigint[], $2::bigint[]) AS u (id, not_before) WHERE f.id = u.id`,
    [postponed.map(({ id }) => id), postponed.map(({ notBefore }) => notBefore)],
  );
  send(
    tx,
    ended.length,
    `UPDATE ledger l SET attempts = l.attempts + u.attempts, state = u.state, reason = u.reason, detail = u.detail, page = u.page, status_code = u.status_code
     FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::text[], $5::text[], $6::text[], $7::int[], $8::int[])
       AS u (job, id, attempts, state, reason, detail, page, status_code) WHERE l.job = u.job AND l.id = u.id`,
    [
      ended.map(({ job }) => job),
      ended.map(({ id }) => id),
      ended.map(({ attempts }) => attempts),
      ended.map(({ ending }) => ending.state),
      ended.map(({ ending }) => ending.reason ?? null),
      ended.map(({ ending }) => ending.detail ?? null),
      ended.map(({ ending }) => ending.page ?? null),
      ended.map(({ ending }) => ending.statusCode ?? null),
    ],
  );
}

/** All bytes in one value, which is sent as it is: an array of them would be sent as text. */
function writePages(tx: Transaction, { pages, pageKeys }: RowChanges): void {
  if (pages.length === 0) return;
  const [jobs, numbers] = [pages.map(({ job }) => job), pages.map(({ number }) => number)];
  const metas = joined(pages.map(({ record }) => record.meta));
  tx.send(
    `INSERT INTO page (job, page, meta, crc) SELECT u.job, u.page, substring($3::bytea FROM u.start FOR u.length), u.crc
     FROM unnest($1::bigint[], $2::int[], $4::int[], $5::int[], $6::bigint[]) AS u (job, page, start, length, crc)`,
    [jobs, numbers, metas.bytes, metas.starts, metas.lengths, pages.map(({ record }) => metaChecksum(record.meta))],
  );
  const bodies = joined(pages.map(({ record }) => record.body.deflated));
  tx.send(
    `INSERT INTO body (job, page, deflated, crc, length) SELECT u.job, u.page, substring($3::bytea FROM u.start FOR u.bytes), u.crc, u.length
     FROM unnest($1::bigint[], $2::int[], $4::int[], $5::int[], $6::bigint[], $7::int[]) AS u (job, page, start, bytes, crc, length)`,
    [
      jobs,
      numbers,
      bodies.bytes,
      bodies.starts,
      bodies.lengths,
      pages.map(({ record }) => record.body.crc),
      pages.map(({ record }) => record.body.length),
    ],
  );
  send(
    tx,
    pageKeys.length,
    'INSERT INTO page_key (job, key, entry) SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[]) ON CONFLICT DO NOTHING',
    [pageKeys.map(({ job }) => job), pageKeys.map(({ key }) => key), pageKeys.map(({ entry }) => entry)],
  );
}

function writeEvents(tx: Transaction, { now, templates, hastened, events }: RowChanges): void {
  send(
    tx,
    templates.length,
    'INSERT INTO ended_template (job, template) SELECT * FROM unnest($1::bigint[], $2::text[]) ON CONFLICT DO NOTHING',
    [templates.map(({ job }) => job), templates.map(({ template }) => template)],
  );
  send(
    tx,
    hastened.length,
    "UPDATE delivery SET next_at = $2 WHERE id = ANY($1::bigint[]) AND status = 'pending' AND attempts = 0",
    [hastened, now],
  );
  send(
    tx,
    events.length,
    `INSERT INTO delivery (id, job, url, event, created_at, next_at)
     SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[])`,
    [
      events.map(({ id }) => id),
      events.map(({ job }) => job),
      events.map(({ url }) => url),
      events.map(({ event }) => event),
      events.map((added) => added.now),
      events.map(({ dueAt }) => dueAt),
    ],
  );
}

/** Columns of a job's row that change after its creation, with their types. */
const jobColumns = {
  status: 'text',
  scope_hosts: 'text',
  version: 'int',
  finished_at: 'bigint',
  end_reason: 'text',
  results_gone_at: 'bigint',
  fetches: 'int',
  queued: 'int',
  in_flight: 'int',
  scraped: 'int',
  discarded: 'int',
  failed: 'int',
  control: 'int',
  sitemaps: 'int',
  sitemap_pages: 'int',
  unlisted: 'int',
  notices: 'text',
  reasons: 'text',
  webhook_state: 'text',
  webhook_page: 'int',
  webhook_open: 'bigint',
  webhook_fails: 'text',
} as const satisfies Partial<Record<keyof JobRow, string>>;

const columnNames = Object.keys(jobColumns) as (keyof typeof jobColumns)[];
const updateJobsSql = `
  UPDATE job SET ${columnNames.map((name) => `${name} = u.${name}`).join(', ')}
  FROM unnest($1::bigint[], ${columnNames.map((name, index) => `$${index + 2}::${jobColumns[name]}[]`).join(', ')})
    AS u (seq, ${columnNames.join(', ')}) WHERE job.seq = u.seq`;

function writeJobs(tx: Transaction, { jobs }: RowChanges): void {
  const columns = columnNames.map((name) =>
    jobs.map((row) => (name === 'reasons' ? JSON.stringify(row.reasons) : row[name])),
  );
  send(tx, jobs.length, updateJobsSql, [jobs.map(({ seq }) => seq), ...columns]);
  const ended = jobs.filter(({ status }) => hasEnded(status)).map(({ seq }) => seq);
  send(tx, ended.length, 'DELETE FROM job_headers WHERE job = ANY($1::bigint[])', [ended]);
}

/**
 * Locked even where there is nothing to change: whoever gives a host back looks for work under this lock, so that what is
 * queued here is either seen by then, or wakes the host after.
 */
function wakeHosts(tx: Transaction, hosts: HostIds, { wake }: RowChanges): void {
  const ids = wake.hosts.map((host) => hosts.of(host));
  send(
    tx,
    ids.length,
    'SELECT FROM host_slot WHERE host = ANY($1::bigint[]) AND slot = 0 ORDER BY host FOR NO KEY UPDATE',
    [ids],
  );
  send(
    tx,
    ids.length,
    `UPDATE host_slot SET ready_at = greatest(next_at, $2)
     WHERE host = ANY($1::bigint[]) AND slot = 0 AND (ready_at IS NULL OR ready_at > greatest(next_at, $2))`,
    [ids, wake.at],
  );
}

/** Where there is anything to write. */
function send(tx: Transaction, count: number, text: string, values: readonly Value[]): void {
  if (count > 0) tx.send(text, values);
}

interface Joined {
  readonly bytes: Uint8Array;
  /** From 1 on, as SQL counts. */
  readonly starts: readonly number[];
  readonly lengths: readonly number[];
}

function joined(parts: readonly Uint8Array[]): Joined {
  let at = 1;
  const lengths = parts.map(({ length }) => length);
  const starts = lengths.map((length) => {
    const start = at;
    at += length;
    return start;
  });
  return { bytes: Buffer.concat(parts), starts, lengths };
}
