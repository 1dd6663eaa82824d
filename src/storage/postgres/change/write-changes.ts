// Writes the changes that a transaction made in memory: all statements at once, for any number of URLs and pages.
import { redirectTarget } from '../../../core/baseline.ts';
import { priorityOf } from '../../rules/frontier/crawl-tables.ts';
import type { Fragment } from '../../../core/page.ts';
import type { Segment } from '../../../core/ports/blobs.ts';
import type { PlacedScreenshot } from '../../../core/page.ts';
import { failPoint } from '../../../core/process/fail-point.ts';
import { contentKeyOf } from '../../rules/jobs/shared-pages.ts';
import { unnumberedChecksum } from '../../rules/pages/checksums.ts';
import { screenshotChecksum } from '../../rules/pages/screenshots.ts';
import type { Transaction, Value } from '../connection/connections.ts';
import { freeHosts } from './free-hosts.ts';
import type { HostIds } from './host-ids.ts';
import type { ChangedJob, RowChanges } from './row-changes.ts';
import { nowSql } from '../connection/schema.ts';
import { isAliveSql, sendChecked, sendSome as send } from './sending.ts';
import { writeJobs } from './write-jobs.ts';
import { pagesPerJob } from '../../rules/jobs/page-id.ts';

/** Sends all changes. A failure shows at the commit. */
export function writeChanges(tx: Transaction, hosts: HostIds, changes: RowChanges): void {
  writeJobs(tx, changes);
  writeUrls(tx, hosts, changes);
  writeRequests(tx, hosts, changes);
  writeTaken(tx, changes);
  writeReopened(tx, hosts, changes);
  writePages(tx, changes);
  writeExtracted(tx, changes);
  writeEvents(tx, changes);
  wakeHosts(tx, hosts, changes);
  freeHosts(tx, changes.freed);
}

function writeUrls(tx: Transaction, hosts: HostIds, { urls }: RowChanges): void {
  const { added, nearer, lastmods } = urls;
  send(
    tx,
    added.length,
    `WITH url AS (
       SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::int[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::bigint[], $11::int[], $12::smallint[], $13::smallint[],
         $14::bigint[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::int[], $21::text[], $22::text[], $23::bigint[], $24::text[])
         WITH ORDINALITY AS u (job, key, kind, url, depth, found_on, reason, detail, lastmod, host, priority, self_fed, by_script,
           text_of, hash, copy_key, validator, traits, doubt, doubt_runs, content_key, led_to, asked_at, asked_lastmod, place)
     ), stored AS (
       INSERT INTO ledger (job, key, kind, url, depth, self_fed, by_script, found_on, state, reason, detail, lastmod, text_of, hash, copy_key, validator, traits, doubt, doubt_runs, asked_at, asked_lastmod)
       SELECT job, key, kind, url, depth, self_fed, by_script, found_on, CASE WHEN host IS NULL THEN 'outside' ELSE 'queued' END, reason, detail, lastmod,
         text_of, hash, copy_key, validator, traits, doubt, doubt_runs, asked_at, asked_lastmod
       FROM url ORDER BY place RETURNING id, job, key
     ), keyed AS (
       INSERT INTO page_key (job, key, entry)
       SELECT job, k.name, id FROM stored JOIN url USING (job, key) CROSS JOIN LATERAL (VALUES ('c' || content_key), ('n' || copy_key), ('u' || led_to)) k (name)
       WHERE text_of IS NOT NULL AND k.name IS NOT NULL ON CONFLICT DO NOTHING
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
      added.map(({ selfFed }) => Number(selfFed ?? false)),
      added.map(({ byScript }) => Number(byScript ?? false)),
      added.map(({ earlier }) => earlier?.textOf ?? null),
      added.map(({ earlier }) => earlier?.hash ?? null),
      added.map(({ earlier }) => earlier?.copyKey ?? null),
      added.map(({ earlier }) => earlier?.validator ?? null),
      added.map(({ earlier }) => earlier?.traits ?? null),
      added.map(({ earlier }) => earlier?.doubt?.kind ?? null),
      added.map(({ earlier }) => earlier?.doubt?.runs ?? null),
      added.map(({ earlier }) => (earlier && contentKeyOf(earlier)) ?? null),
      added.map(({ earlier }) => redirectTarget(earlier?.validator ?? null) ?? null),
      added.map(({ earlier }) => earlier?.asked?.at ?? null),
      added.map(({ earlier }) => earlier?.asked?.lastmod ?? null),
    ],
  );
  send(
    tx,
    nearer.length,
    `WITH url AS (SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::smallint[], $5::smallint[]) AS u (id, job, depth, self_fed, by_script)),
     listed AS (
       UPDATE ledger l SET by_script = least(l.by_script, u.by_script),
         depth = CASE WHEN (u.depth, u.self_fed) < (l.depth, l.self_fed) THEN u.depth ELSE l.depth END,
         self_fed = CASE WHEN (u.depth, u.self_fed) < (l.depth, l.self_fed) THEN u.self_fed ELSE l.self_fed END
       FROM url u WHERE l.job = u.job AND l.id = u.id AND l.state = 'queued'
         AND ((u.depth, u.self_fed) < (l.depth, l.self_fed) OR u.by_script < l.by_script)
       RETURNING l.id, l.depth)
     UPDATE frontier f SET priority = listed.depth FROM listed WHERE f.id = listed.id AND f.chain IS NULL`,
    [
      nearer.map(({ id }) => id),
      nearer.map(({ job }) => job),
      nearer.map(({ depth }) => depth),
      nearer.map(({ selfFed }) => Number(selfFed)),
      nearer.map(({ byScript }) => Number(byScript)),
    ],
  );
  send(
    tx,
    lastmods.length,
    `UPDATE ledger l SET lastmod = u.lastmod FROM unnest($1::bigint[], $2::text[], $3::text[]) AS u (job, key, lastmod)
     WHERE l.job = u.job AND l.key = u.key AND l.lastmod IS DISTINCT FROM u.lastmod`,
    [lastmods.map(({ job }) => job), lastmods.map(({ key }) => key), lastmods.map(({ lastmod }) => lastmod)],
  );
}

/** Runs after {@link writeRequests}: a URL that ended in this transaction can be queued again in it. */
function writeReopened(tx: Transaction, hosts: HostIds, { urls: { reopened } }: RowChanges): void {
  send(
    tx,
    reopened.length,
    `WITH url AS (SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::bigint[], $5::bigint[], $6::smallint[], $7::smallint[]) AS u (job, id, depth, found_on, host, self_fed, by_script)),
     opened AS (
       UPDATE ledger l SET state = 'queued', reason = NULL, detail = NULL, depth = u.depth, self_fed = u.self_fed, by_script = u.by_script, found_on = u.found_on, attempts = 0, attempted_at = NULL
       FROM url u WHERE l.job = u.job AND l.id = u.id)
     INSERT INTO frontier (id, host, job, priority) SELECT id, host, job, depth FROM url`,
    [
      reopened.map(({ job }) => job),
      reopened.map(({ id }) => id),
      reopened.map(({ depth }) => depth),
      reopened.map(({ foundOn }) => foundOn),
      reopened.map(({ host }) => hosts.of(host)),
      reopened.map(({ selfFed }) => Number(selfFed)),
      reopened.map(({ byScript }) => Number(byScript)),
    ],
  );
}

function writeRequests(tx: Transaction, hosts: HostIds, { jobs, toLock, requests }: RowChanges): void {
  const { removed, postponed, moved, ended } = requests;
  const [sendTaken, as] = toLock ? [sendChecked, 'AND f.fence IS NOT DISTINCT FROM u.fence'] : [send, ''];
  sendTaken(
    tx,
    removed.length,
    `DELETE FROM frontier f USING unnest($1::bigint[], $2::bigint[]) AS u (id, fence) WHERE f.id = u.id ${as}`,
    [removed.map(({ id }) => id), removed.map(({ fence }) => fence)],
  );
  sendTaken(
    tx,
    postponed.length,
    `UPDATE frontier f SET fence = NULL, not_before = u.not_before, deaths = 0, alone = 0
     FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS u (id, not_before, fence) WHERE f.id = u.id ${as}`,
    [postponed.map(({ id }) => id), postponed.map(({ notBefore }) => notBefore), postponed.map(({ fence }) => fence)],
  );
  const behind = pagesBehind(jobs);
  sendTaken(
    tx,
    moved.length,
    `UPDATE frontier f SET fence = NULL, not_before = u.not_before, deaths = 0, alone = 0, host = u.host, chain = u.chain, priority = u.priority
     FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::int[], $6::bigint[])
       AS u (id, not_before, host, chain, priority, fence) WHERE f.id = u.id ${as}`,
    [
      moved.map(({ id }) => id),
      moved.map(({ notBefore }) => notBefore),
      moved.map(({ host }) => hosts.of(host)),
      moved.map(({ chain }) => chain),
      moved.map(({ priority }) => priority),
      moved.map(({ fence }) => fence),
    ],
  );
  send(
    tx,
    ended.length,
    `UPDATE ledger l SET attempts = l.attempts + u.attempts, attempted_at = CASE WHEN u.attempts = 0 THEN l.attempted_at ELSE ${nowSql} END, state = u.state, reason = u.reason, detail = u.detail, page = ${numberSql}, status_code = u.status_code,
       hash = CASE WHEN u.hash IS NULL THEN l.hash ELSE u.hash END, copy_key = CASE WHEN u.hash IS NULL THEN l.copy_key ELSE u.copy_key END,
       validator = CASE WHEN u.hash IS NULL THEN l.validator ELSE u.validator END, traits = CASE WHEN u.hash IS NULL THEN l.traits ELSE u.traits END,
       doubt = coalesce(u.doubt, l.doubt), doubt_runs = coalesce(u.doubt_runs, l.doubt_runs),
       earlier_hash = CASE WHEN u.hash IS NOT NULL AND l.text_of IS NOT NULL THEN l.hash ELSE l.earlier_hash END,
       change = coalesce(u.change, l.change), change_number = coalesce(u.change_number, l.change_number)
     FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::text[], $5::text[], $6::text[], $7::int[], $8::int[],
       $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::int[], $15::text[], $16::int[])
       AS u (job, id, attempts, state, reason, detail, behind, status_code, hash, copy_key, validator, traits, change, change_number, doubt, doubt_runs)
     WHERE l.job = u.job AND l.id = u.id`,
    [
      ended.map(({ job }) => job),
      ended.map(({ id }) => id),
      ended.map(({ attempts }) => attempts),
      ended.map(({ ending }) => ending.state),
      ended.map(({ ending }) => ending.reason ?? null),
      ended.map(({ ending }) => ending.detail ?? null),
      ended.map(({ job, ending }) => (ending.page === undefined ? null : behind(job, ending.page))),
      ended.map(({ ending }) => ending.statusCode ?? null),
      ended.map(({ ending }) => ending.version?.hash ?? null),
      ended.map(({ ending }) => ending.version?.copyKey ?? null),
      ended.map(({ ending }) => ending.version?.validator ?? null),
      ended.map(({ ending }) => ending.version?.traits ?? null),
      ended.map(({ ending }) => ending.change ?? null),
      ended.map(({ ending }) => ending.changeNumber ?? null),
      ended.map(({ ending }) => ending.doubt?.kind ?? null),
      ended.map(({ ending }) => ending.doubt?.runs ?? null),
    ],
  );
}

/** If nothing was locked while deciding: checks here that the worker lives and the requests are unchanged. */
function writeTaken(tx: Transaction, { toLock, requests: { taken, handedBack }, taker }: RowChanges): void {
  const sendTaken = toLock ? sendChecked : send;
  if (toLock && taker !== undefined && taken.length > 0)
    tx.send(`SELECT 1 / (count(*) = 1)::int AS as_expected FROM (${isAliveSql}) w`, [taker]);
  // `IS TRUE` keeps the planner off the index of all due requests, which is short at planning time and long later.
  sendTaken(
    tx,
    taken.length,
    `UPDATE frontier f SET fence = u.fence FROM unnest($1::bigint[], $2::bigint[]) AS u (id, fence)
     WHERE f.id = u.id ${toLock ? 'AND (f.fence IS NULL AND f.not_before = 0) IS TRUE' : ''}`,
    [taken.map(({ id }) => id), taken.map(({ fence }) => fence)],
  );
  sendTaken(
    tx,
    handedBack.length,
    `UPDATE frontier f SET fence = NULL FROM unnest($1::bigint[], $2::bigint[]) AS u (id, fence) WHERE f.id = u.id AND f.fence = u.fence`,
    [handedBack.map(({ id }) => id), handedBack.map(({ fence }) => fence)],
  );
}

/** The number of a page. Not a join: the planner could start from all URLs of the job. */
const numberSql = '(SELECT scraped FROM job WHERE seq = u.job) - u.behind';
const idSql = `u.job * ${pagesPerJob} + ${numberSql}`;

/**
 * How many pages of the job, as this transaction leaves it, come after a page. The job's row has the total. If the row
 * was not locked, other transactions can have added pages since it was read.
 */
function pagesBehind(jobs: readonly ChangedJob[]): (job: number, page: number) => number {
  const scraped = new Map(jobs.map(({ row }) => [row.seq, row.scraped]));
  return (job, page) => (scraped.get(job) ?? page) - page;
}

function writePages(tx: Transaction, { jobs: changed, pages, pageKeys, removedPageKeys }: RowChanges): void {
  send(
    tx,
    removedPageKeys.length,
    'DELETE FROM page_key k USING unnest($1::bigint[], $2::text[], $3::bigint[]) AS u (job, key, entry) WHERE k.job = u.job AND k.key = u.key AND k.entry = u.entry',
    [
      removedPageKeys.map(({ job }) => job),
      removedPageKeys.map(({ key }) => key),
      removedPageKeys.map(({ entry }) => entry),
    ],
  );
  if (pages.length === 0) return;
  const behindOf = pagesBehind(changed);
  const places = {
    jobs: pages.map(({ job }) => job),
    behind: pages.map(({ job, number }) => behindOf(job, number)),
    textsOf: pages.map(({ record }) => record.textOf ?? null),
  };
  writeFragments(
    tx,
    'page',
    places,
    pages.map(({ record }) => record.meta),
  );
  writeFragments(
    tx,
    'body',
    places,
    pages.map(({ record }) => record.body),
  );
  nameObjects(tx, pages);
  writeScreenshots(tx, places, pages);
  writeRawBodies(tx, places, pages);
  // A key that was looked up and not found: if it exists by now, this fails, and the outcome is decided again. Without
  // ON CONFLICT, a row takes one record of the log, not two.
  const insertKeys =
    'INSERT INTO page_key (job, key, entry) SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[])';
  const [looked, others] = [pageKeys.filter(({ isNew }) => isNew), pageKeys.filter(({ isNew }) => !isNew)];
  const columns = (keys: RowChanges['pageKeys']): Value[] => [
    keys.map(({ job }) => job),
    keys.map(({ key }) => key),
    keys.map(({ entry }) => entry),
  ];
  send(tx, looked.length, insertKeys, columns(looked));
  send(tx, others.length, `${insertKeys} ON CONFLICT DO NOTHING`, columns(others));
}

interface Places {
  readonly jobs: readonly number[];
  /** How many pages of the job come after each. */
  readonly behind: readonly number[];
  /** See `PageRecord.textOf`. */
  readonly textsOf: readonly (number | null)[];
}

/** All bytes of a column form one value, which is sent in binary: an array would be sent as text. */
function writeFragments(
  tx: Transaction,
  table: 'page' | 'body',
  { jobs, behind, textsOf }: Places,
  fragments: readonly Fragment[],
): void {
  const { bytes, starts, lengths } = joined(fragments.map(({ deflated }) => deflated));
  tx.send(
    `INSERT INTO ${table} (id, deflated, crc, length, packed_crc, text_of)
     SELECT ${idSql}, substring($3::bytea FROM u.start FOR u.bytes), u.crc, u.length, u.unnumbered # (${numberSql}), u.text_of
     FROM unnest($1::bigint[], $2::int[], $4::int[], $5::int[], $6::bigint[], $7::int[], $8::bigint[], $9::bigint[])
       AS u (job, behind, start, bytes, crc, length, unnumbered, text_of)`,
    [
      jobs,
      behind,
      bytes,
      starts,
      lengths,
      fragments.map(({ crc }) => crc),
      fragments.map(({ length }) => length),
      fragments.map(unnumberedChecksum),
      textsOf,
    ],
  );
}

function nameObjects(tx: Transaction, pages: RowChanges['pages']): void {
  const named = pages.flatMap(({ record }) => [record.placedScreenshot?.place, record.rawSlice?.segment.place]);
  // In one order: two commits can name the same objects.
  const objects = [...new Set(named.flatMap((place) => place?.object ?? []))].toSorted();
  for (const object of objects) {
    const name = "UPDATE raw_object SET state = 'live' WHERE name = $1 AND state IN ('new', 'live')";
    sendChecked(tx, 1, name, [object]);
  }
}

/** One statement each: a screenshot can have 10 MiB. */
function writeScreenshots(tx: Transaction, { jobs, behind }: Places, pages: RowChanges['pages']): void {
  for (const [index, { record }] of pages.entries()) {
    const { screenshot, placedScreenshot } = record;
    if (placedScreenshot) writePlaced(tx, jobs[index] ?? 0, behind[index] ?? 0, placedScreenshot);
    if (!screenshot) continue;
    tx.send(
      `INSERT INTO screenshot (id, type, bytes, crc) SELECT ${idSql}, $3::text, $4::bytea, $5::bigint
       FROM (SELECT $1::bigint AS job, $2::int AS behind) u`,
      [jobs[index] ?? 0, behind[index] ?? 0, screenshot.type, screenshot.bytes, screenshotChecksum(screenshot)],
    );
  }
}

function writePlaced(tx: Transaction, job: number, behind: number, { type, crc, place }: PlacedScreenshot): void {
  failPoint('settle.picture');
  tx.send(
    `WITH u AS (SELECT $1::bigint AS job, $2::int AS behind),
       pictures AS (INSERT INTO screenshot (id, type, bytes, crc) SELECT ${idSql}, $3::text, '', $4::bigint FROM u)
     INSERT INTO raw_segment (id, length, object, object_at, size)
     SELECT -(${idSql}), $7::int, $5::text, $6::int, $7::int FROM u`,
    [job, behind, type, crc, place.object, place.at, place.size],
  );
}

function writeExtracted(tx: Transaction, { extracted }: RowChanges): void {
  send(
    tx,
    extracted.length,
    `INSERT INTO ledger (job, key, kind, url, depth, state, reason, detail, page, status_code)
     SELECT job, key, 'page', url, depth, 'scraped', CASE WHEN detail IS NOT NULL THEN 'no_raw' END, detail, page, status_code
     FROM unnest($1::bigint[], $2::text[], $3::text[], $4::int[], $5::text[], $6::int[], $7::int[])
       WITH ORDINALITY AS u (job, key, url, depth, detail, page, status_code, place) ORDER BY place`,
    [
      extracted.map(({ job }) => job),
      extracted.map(({ page }) => page.key),
      extracted.map(({ page }) => page.url),
      extracted.map(({ page }) => page.depth),
      extracted.map(({ page }) => page.problem ?? null),
      extracted.map(({ number }) => number),
      extracted.map(({ page }) => page.page.statusCode),
    ],
  );
}

/** One statement for each segment, which can have a megabyte, and one for all slices. */
function writeRawBodies(tx: Transaction, { jobs, behind }: Places, pages: RowChanges['pages']): void {
  const firstOf = new Map<Segment, number>();
  const written = pages.flatMap(({ record: { rawSlice } }, index) => {
    if (!rawSlice) return [];
    const { segment, ...slice } = rawSlice;
    const first = firstOf.get(segment) ?? behind[index] ?? 0;
    if (!firstOf.has(segment)) {
      firstOf.set(segment, first);
      failPoint('settle.raw');
      tx.send(
        `INSERT INTO raw_segment (id, bytes, length, object, object_at, size)
         SELECT ${idSql}, $3::bytea, $4::int, $5::text, $6::int, $7::int
         FROM (SELECT $1::bigint AS job, $2::int AS behind) u`,
        [
          jobs[index] ?? 0,
          first,
          segment.place ? null : segment.bytes,
          segment.length,
          segment.place?.object ?? null,
          segment.place?.at ?? null,
          segment.place?.size ?? null,
        ],
      );
    }
    return [{ ...slice, job: jobs[index] ?? 0, behind: behind[index] ?? 0, first }];
  });
  send(
    tx,
    written.length,
    `INSERT INTO raw_page (id, segment, at, length, crc)
     SELECT ${idSql}, ${idSql} + u.behind - u.first, u.at, u.length, u.crc
     FROM unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::int[], $6::bigint[]) AS u (job, behind, first, at, length, crc)`,
    [
      written.map(({ job }) => job),
      written.map((slice) => slice.behind),
      written.map(({ first }) => first),
      written.map(({ at }) => at),
      written.map(({ length }) => length),
      written.map(({ crc }) => crc),
    ],
  );
}

function writeEvents(tx: Transaction, { now, templates, hastened, events, endedRuns }: RowChanges): void {
  send(
    tx,
    templates.length,
    'INSERT INTO ended_template (job, template) SELECT * FROM unnest($1::bigint[], $2::text[]) ON CONFLICT DO NOTHING',
    [templates.map(({ job }) => job), templates.map(({ template }) => template)],
  );
  send(
    tx,
    hastened.length,
    "UPDATE work SET next_at = $2 WHERE id = ANY($1::bigint[]) AND status = 'pending' AND attempts = 0",
    [hastened, now],
  );
  send(
    tx,
    events.length,
    `INSERT INTO work (kind, id, job, key, subject, created_at, next_at)
     SELECT 'webhook', u.* FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[]) u`,
    [
      events.map(({ id }) => id),
      events.map(({ job }) => job),
      events.map(({ url }) => url),
      events.map(({ event }) => event),
      events.map((added) => added.now),
      events.map(({ dueAt }) => dueAt),
    ],
  );
  send(
    tx,
    endedRuns.length,
    `INSERT INTO work (kind, schedule, key, subject, created_at, next_at)
     SELECT 'schedule', u.schedule, u.schedule, 'ended', $2, $2 FROM unnest($1::text[]) AS u (schedule)`,
    [endedRuns.map(({ schedule }) => schedule), now],
  );
}

/**
 * Locks the hosts even if nothing changes. A transaction that releases a host looks for work under this lock. So it
 * either sees what is queued here, or this transaction wakes the host after it.
 */
function wakeHosts(tx: Transaction, hosts: HostIds, { wake, freed }: RowChanges): void {
  const ids = wake.map(({ host }) => hosts.of(host));
  // One statement, so that all locks are taken in one order.
  const locked = [...new Set([...ids, ...freed.map(({ hostId }) => hostId)])];
  send(tx, locked.length, 'SELECT FROM host_slot WHERE host = ANY($1::bigint[]) ORDER BY host FOR NO KEY UPDATE', [
    locked,
  ]);
  send(tx, ids.length, wakeSql, [
    ids,
    wake.map(({ at }) => at),
    wake.map(({ line }) => line.org),
    wake.map(({ line }) => line.rank),
    wake.map(({ line }) => line.job),
    wake.map(({ queued }) => queued),
    wake.map(({ needsBrowser }) => needsBrowser),
  ]);
}

/**
 * A host that several jobs wait for stands in the line of the one with the fewest queued URLs. Work that needs no
 * browser makes the host useful for all processes.
 */
const wakeSql = `
  UPDATE host_slot s SET ready_at = least(s.ready_at, greatest(s.next_at, u.at)), org = u.org, rank = u.rank, job = u.job,
    in_line = s.owner IS NULL AND greatest(s.next_at, u.at) <= ${nowSql},
    for_browser = u.needs_browser AND (s.ready_at IS NULL OR s.for_browser), plain_at = CASE WHEN u.needs_browser THEN s.plain_at END
  FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::int[], $5::bigint[], $6::int[], $7::boolean[]) AS u (host, at, org, rank, job, queued, needs_browser)
  WHERE s.host = u.host AND (s.ready_at IS NULL OR s.ready_at > greatest(s.next_at, u.at) OR (s.for_browser AND NOT u.needs_browser) OR (
    s.owner IS NULL AND s.job <> u.job AND u.queued < coalesce((SELECT queued FROM job WHERE seq = s.job AND finished_at IS NULL), 2147483647)))`;

interface Joined {
  readonly bytes: Uint8Array;
  /** 1-based, as in SQL. */
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
