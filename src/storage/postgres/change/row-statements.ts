// How the rows of a transaction are written: for each kind of row its columns, and a statement for any number of them.
import { addedColumns, extractedColumns } from '../../shared/ledger-rows.ts';
import { type Columns, columns, insertion, type RowOf, type RowStatement } from '../../shared/operation.ts';
import { raw, type Sql, sql } from '../../shared/sql.ts';
import { pagesPerJob } from '../../rules/jobs/page-id.ts';

/** Rows to be written, by their statement, each list in the order in which they were made. */
export class RowLists {
  readonly #lists = new Map<RowStatement, RowOf<Columns>[]>();

  /** Returns the row: what changes it before it is written changes what is written. */
  add<Of extends Columns>(to: RowStatement<Of>, row: RowOf<Of>): RowOf<Of> {
    const list = this.#lists.get(to);
    if (list) list.push(row);
    else this.#lists.set(to, [row]);
    return row;
  }

  of<Of extends Columns>(statement: RowStatement<Of>): readonly RowOf<Of>[] {
    return (this.#lists.get(statement) ?? []) as unknown as readonly RowOf<Of>[];
  }
}

function rowsOf<Of extends Columns>(columns: Of, statement: RowStatement['statement']): RowStatement<Of> {
  return { columns, statement };
}

export const addedUrls = insertion('ledger', addedColumns, raw('ORDER BY place'));

/** Of a row `u` with the key of a URL. */
const entryOfKey = raw('(SELECT id FROM ledger WHERE job = u.job AND key = u.key)');

/** URLs that were added, and wait for their host. */
export const queuedUrls = rowsOf(
  { job: 'bigint', key: 'text', host: 'bigint', priority: 'int' },
  (u) =>
    sql`INSERT INTO frontier (id, host, job, priority) SELECT ${entryOfKey}, u.host, u.job, u.priority FROM ${u} ORDER BY u.place`,
);

/** Page keys that the earlier page of an added URL has. */
export const earlierPageKeys = rowsOf(
  { job: 'bigint', key: 'text', name: 'text' },
  (u) =>
    sql`INSERT INTO page_key (job, key, entry) SELECT u.job, u.name, ${entryOfKey} FROM ${u} ON CONFLICT DO NOTHING`,
);

/** URLs of the ledger that wait in the frontier, and whose turn moves forward. */
const isNearer = raw('(u.depth, u.self_fed) < (l.depth, l.self_fed)');
export const nearerUrls = rowsOf(
  { job: 'bigint', id: 'bigint', depth: 'int', self_fed: 'int', by_script: 'int' },
  (u) => sql`WITH listed AS (
      UPDATE ledger l SET by_script = least(l.by_script, u.by_script),
        depth = CASE WHEN ${isNearer} THEN u.depth ELSE l.depth END,
        self_fed = CASE WHEN ${isNearer} THEN u.self_fed ELSE l.self_fed END
      FROM ${u} WHERE l.job = u.job AND l.id = u.id AND l.state = 'queued' AND (${isNearer} OR u.by_script < l.by_script)
      RETURNING l.id, l.depth)
    UPDATE frontier f SET priority = listed.depth FROM listed WHERE f.id = listed.id AND f.chain IS NULL`,
);

export const lastmods = rowsOf(
  { job: 'bigint', key: 'text', lastmod: 'text' },
  (u) =>
    sql`UPDATE ledger l SET lastmod = u.lastmod FROM ${u} WHERE l.job = u.job AND l.key = u.key AND l.lastmod IS DISTINCT FROM u.lastmod`,
);

/** URLs of the ledger that were discarded, and are queued again. */
export const reopenedUrls = rowsOf(
  { ...columns('bigint', 'job', 'id', 'found_on', 'host'), ...columns('int', 'depth', 'self_fed', 'by_script') },
  (u) => sql`WITH url AS (SELECT * FROM ${u}),
      opened AS (
        UPDATE ledger l SET state = 'queued', reason = NULL, detail = NULL, depth = u.depth, self_fed = u.self_fed, by_script = u.by_script,
          found_on = u.found_on, attempts = 0, attempted_at = NULL
        FROM url u WHERE l.job = u.job AND l.id = u.id)
    INSERT INTO frontier (id, host, job, priority) SELECT id, host, job, depth FROM url`,
);

/** Of requests: `fence` is as it was read, null if nobody had taken the request. */
const held = { id: 'bigint', fence: 'bigint' } as const;
/** Requests taken out of the frontier. */
export const removedRequests = rowsOf(held, (u) => sql`DELETE FROM frontier f USING ${u} WHERE f.id = u.id`);
const backSql = raw('fence = NULL, not_before = u.not_before, deaths = 0, alone = 0');
export const postponedRequests = rowsOf(
  { ...held, not_before: 'bigint' },
  (u) => sql`UPDATE frontier f SET ${backSql} FROM ${u} WHERE f.id = u.id`,
);
/** Requests that wait for a host, perhaps another one. */
export const movedRequests = rowsOf(
  { ...held, not_before: 'bigint', host: 'bigint', chain: 'text', priority: 'int' },
  (u) =>
    sql`UPDATE frontier f SET ${backSql}, host = u.host, chain = u.chain, priority = u.priority FROM ${u} WHERE f.id = u.id`,
);
export const handedBackRequests = rowsOf(
  held,
  (u) => sql`UPDATE frontier f SET fence = NULL FROM ${u} WHERE f.id = u.id AND f.fence = u.fence`,
);
/** Each under its lease, of which `fence` is the number. */
export const takenRequests = rowsOf(
  held,
  (u) => sql`UPDATE frontier f SET fence = u.fence FROM ${u} WHERE f.id = u.id`,
);

/** Of a row `u` of a page whose number is known only by how many come after it. Not a join: the planner could start from all URLs of the job. */
const numberOf = (behind = 'behind'): Sql => raw(`(SELECT scraped FROM job WHERE seq = u.job) - u.${behind}`);
const idOf = (behind?: string): Sql => sql`u.job * ${raw(String(pagesPerJob))} + ${numberOf(behind)}`;

/** Ledger entries with the end of their request, or of an attempt that another follows. */
export const endedEntries = rowsOf(
  {
    ...columns('bigint', 'job', 'id', 'attempted_at'),
    ...columns('int', 'attempts', 'behind', 'status_code', 'change_number', 'doubt_runs'),
    ...columns('text', 'state', 'reason', 'detail', 'hash', 'copy_key', 'validator', 'traits', 'change', 'doubt'),
  },
  (
    u,
  ) => sql`UPDATE ledger l SET attempts = l.attempts + u.attempts, attempted_at = coalesce(u.attempted_at, l.attempted_at),
      state = u.state, reason = u.reason, detail = u.detail, page = ${numberOf()}, status_code = u.status_code,
      hash = coalesce(u.hash, l.hash), copy_key = CASE WHEN u.hash IS NULL THEN l.copy_key ELSE u.copy_key END,
      validator = CASE WHEN u.hash IS NULL THEN l.validator ELSE u.validator END, traits = CASE WHEN u.hash IS NULL THEN l.traits ELSE u.traits END,
      doubt = coalesce(u.doubt, l.doubt), doubt_runs = coalesce(u.doubt_runs, l.doubt_runs),
      earlier_hash = CASE WHEN u.hash IS NOT NULL AND l.text_of IS NOT NULL THEN l.hash ELSE l.earlier_hash END,
      change = coalesce(u.change, l.change), change_number = coalesce(u.change_number, l.change_number)
    FROM ${u} WHERE l.job = u.job AND l.id = u.id`,
);

export const pageColumns = { job: 'bigint', behind: 'int' } as const;
const fragmentColumns = {
  ...pageColumns,
  ...columns('bytea', 'deflated'),
  ...columns('bigint', 'crc', 'unnumbered', 'text_of'),
  ...columns('int', 'length'),
};
const fragmentsIn = (table: string): RowStatement<typeof fragmentColumns> =>
  rowsOf(
    fragmentColumns,
    (u) => sql`INSERT INTO ${raw(table)} (id, deflated, crc, length, packed_crc, text_of)
      SELECT ${idOf()}, u.deflated, u.crc, u.length, u.unnumbered # (${numberOf()}), u.text_of FROM ${u}`,
  );
export const addedPages = fragmentsIn('page');
export const addedBodies = fragmentsIn('body');

export const addedScreenshots = rowsOf(
  { ...pageColumns, type: 'text', bytes: 'bytea', crc: 'bigint' },
  (u) => sql`INSERT INTO screenshot (id, type, bytes, crc) SELECT ${idOf()}, u.type, u.bytes, u.crc FROM ${u}`,
);
/** `sign`: -1 for that of a screenshot. */
export const addedSegments = rowsOf(
  { ...pageColumns, sign: 'int', bytes: 'bytea', length: 'int', object: 'text', object_at: 'int', size: 'int' },
  (u) => sql`INSERT INTO raw_segment (id, bytes, length, object, object_at, size)
    SELECT u.sign * (${idOf()}), u.bytes, u.length, u.object, u.object_at, u.size FROM ${u}`,
);
/** `first`: how many pages come after the first one of the segment. */
export const addedSlices = rowsOf(
  { ...pageColumns, first: 'int', at: 'int', length: 'int', crc: 'bigint' },
  (u) =>
    sql`INSERT INTO raw_page (id, segment, at, length, crc) SELECT ${idOf()}, ${idOf('first')}, u.at, u.length, u.crc FROM ${u}`,
);
/** A row names the object from now on. */
export const namedObjects = rowsOf(
  { name: 'text' },
  (u) => sql`UPDATE raw_object o SET state = 'live' FROM ${u} WHERE o.name = u.name AND o.state IN ('new', 'live')`,
);

const pageKey = { job: 'bigint', key: 'text', entry: 'bigint' } as const;
/** They were looked up, and no page had them. If one has by now, this fails. Without ON CONFLICT, a row takes one record of the log, not two. */
export const newPageKeys = insertion('page_key', pageKey);
export const addedPageKeys = insertion('page_key', pageKey, raw('ON CONFLICT DO NOTHING'));
/** Keys that a page of an earlier job had. */
export const removedPageKeys = rowsOf(
  pageKey,
  (u) => sql`DELETE FROM page_key k USING ${u} WHERE k.job = u.job AND k.key = u.key AND k.entry = u.entry`,
);

/** Pages that were made of raw bodies. Their job is locked, so their numbers are final. */
export const extractedPages = insertion('ledger', extractedColumns, raw('ORDER BY place'));

export const endedTemplates = insertion(
  'ended_template',
  { job: 'bigint', template: 'text' },
  raw('ON CONFLICT DO NOTHING'),
);
const workColumns = { kind: 'text', key: 'text', subject: 'text', created_at: 'bigint', next_at: 'bigint' } as const;
export const addedEvents = insertion('work', { id: 'bigint', job: 'bigint', ...workColumns });
/** Work that follows the ends of runs. */
export const endedRuns = insertion('work', { schedule: 'text', ...workColumns });
/** Events that are due now. */
export const hastenedEvents = rowsOf(
  { id: 'bigint', next_at: 'bigint' },
  (u) =>
    sql`UPDATE work w SET next_at = u.next_at FROM ${u} WHERE w.id = u.id AND w.status = 'pending' AND w.attempts = 0`,
);
