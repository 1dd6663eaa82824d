// Every table of the embedded store and the PostgreSQL table that it becomes, column by column. A column that differs
// has an SQL expression of the embedded store, so that each row is read in its new form.
import { pageId } from '../sqlite/file/schema.ts';

export type ColumnType = 'bigint' | 'int' | 'text' | 'boolean' | 'bytea';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** The expression that reads it, in SQL of the embedded store. */
  readonly from: string;
}

export interface MovedTableShape {
  readonly name: string;
  /** The table that it is read from. */
  readonly from: string;
  readonly columns: readonly Column[];
  /** Both sides are read in this order, in SQL. Each has an index for it, if there can be many rows. */
  readonly order: readonly string[];
  /** The same order in the embedded store. */
  readonly orderFrom: string;
}

/** Parameters of the expressions below. Times are on the clock of the target database. */
export interface MoveValues extends Record<string, number> {
  /** That clock minus this machine's. */
  readonly offset: number;
  /** No pause of a host or of a request ends later. */
  readonly latest: number;
  /** The worker that holds what the directory's last process held when it died. */
  readonly worker: number;
}

type Columns = Readonly<Record<string, Omit<Column, 'name' | 'from'> & { readonly from?: string }>>;

const column =
  (type: ColumnType) =>
  (from?: string): Columns[string] => ({ type, ...(from !== undefined && { from }) });
const bigint = column('bigint');
const int = column('int');
const text = column('text');
const boolean = column('boolean');
const bytea = column('bytea');

const jobOfPage = `id / ${pageId(1, 0)}`;
const numberOfPage = `id % ${pageId(1, 0)}`;
const isHeld = '(leased = 1 OR EXISTS (SELECT 1 FROM frontier f WHERE f.host = host.id AND f.fence IS NOT NULL))';
/** A process that worked on one job only left the hosts of other jobs without a time. */
const hasWork = ['= 0', '> 0']
  .map(
    (when) => `EXISTS (SELECT 1 FROM frontier f WHERE f.host = host.id AND f.fence IS NULL AND f.not_before ${when})`,
  )
  .join(' OR ');
const nextAt = 'max(0, min(next_at + @offset, @latest))';

export const movedTables: readonly MovedTableShape[] = [
  table('token', ['id'], {
    id: text(),
    hash: text(),
    org: text(),
    permissions: text(),
    created_at: bigint(),
    revoked_at: bigint(),
    expires_at: bigint(),
    name: text(),
  }),
  table('session', ['hash'], {
    hash: text(),
    kind: text(),
    token: text(),
    created_at: bigint(),
    expires_at: bigint(),
  }),
  table('webhook_key', ['org'], { org: text(), current: bytea(), previous: bytea(), rotated_at: bigint() }),
  table('job', ['seq'], {
    seq: bigint(),
    id: text(),
    org: text(),
    kind: text(),
    status: text(),
    spec: text(),
    scope_hosts: text(),
    moved_starts: text(),
    networks: text(),
    version: int(),
    created_at: bigint(),
    finished_at: bigint(),
    stopped_at: bigint(),
    end_reason: text(),
    output_expiry: int(),
    results_gone_at: bigint(),
    swept: boolean(),
    emptied: boolean(),
    erasures: int(),
    rank: int(),
    needs_browser: boolean(),
    page_limit: int(),
    fetch_limit: int(),
    fetches: int(),
    fetched_bytes: bigint(),
    queued: int(),
    in_flight: int(),
    scraped: int(),
    discarded: int(),
    failed: int(),
    outside: int(),
    control: int(),
    sitemaps: int(),
    sitemap_pages: int(),
    unlisted: int(),
    notices: text(),
    reasons: text(),
    tally: text(),
    examples: text(),
    ends_by: bigint(),
    retry_of: text(),
    schedule: text(),
    schedule_told: int(),
    feed: int(),
    webhook_url: text(),
    webhook_state: text(),
    webhook_page: int(),
    webhook_open: bigint(),
    webhook_fails: text(),
    since: bigint(),
    seeded: bigint(),
    only_changed: boolean(),
    changes: text(),
    revisits: text(),
  }),
  table('job_series', ['job'], { job: bigint(), series: text() }),
  table('job_headers', ['job'], { job: bigint(), headers: text() }),
  table('lesson', ['job', 'site'], { job: bigint(), site: text(), revision: int(), data: bytea() }),
  table('held_page', ['request'], {
    request: bigint(),
    job: bigint(),
    site: text(),
    url: text(),
    held_at: bigint(),
    state: text(),
    revision: int(),
    signature: bytea(),
    data: bytea(),
  }),
  table('model_calls', ['job'], { job: bigint(), calls: int() }),
  table('model_day', ['org', 'day'], { org: text(), day: text(), calls: int() }),
  table('ended_template', ['job', 'template'], { job: bigint(), template: text() }),
  table('idempotency', ['org', 'key'], {
    org: text(),
    key: text(),
    body_hash: text(),
    job: bigint(),
    schedule: text(),
    created_at: bigint(),
  }),
  table('host', ['id'], { id: bigint(), name: text(), delay_ms: bigint() }),
  // A leased host keeps its lease. The first process that crawls here ends it, by the rules for dead workers.
  table(
    'host_slot',
    ['host'],
    {
      host: bigint('id'),
      owner: bigint(`CASE WHEN ${isHeld} THEN @worker END`),
      fence: bigint(`CASE WHEN ${isHeld} THEN id ELSE 0 END`),
      ready_at: bigint(`CASE WHEN ${hasWork} THEN ${nextAt} END`),
      next_at: bigint(nextAt),
      last_job: bigint(),
      org: text(),
      rank: int(),
      job: bigint(),
    },
    { from: 'host', orderFrom: 'id' },
  ),
  table('ledger', ['job', 'id'], {
    job: bigint(),
    id: bigint(),
    key: text(),
    kind: text(),
    url: text(),
    depth: int(),
    found_on: bigint(),
    state: text(),
    reason: text(),
    detail: text(),
    page: int(),
    attempts: int(),
    attempted_at: bigint(),
    status_code: int(),
    lastmod: text(),
    self_fed: boolean(),
    by_script: boolean(),
    hash: text(),
    copy_key: text(),
    validator: text(),
    text_of: bigint(),
    change: text(),
    change_number: int(),
    earlier_hash: text(),
    asked_at: bigint(),
    asked_lastmod: text(),
    same_since: bigint(),
  }),
  table('frontier', ['id'], {
    id: bigint(),
    host: bigint(),
    job: bigint(),
    priority: int(),
    not_before: bigint('CASE WHEN not_before > 0 THEN max(1, min(not_before + @offset, @latest)) ELSE not_before END'),
    fence: bigint('CASE WHEN fence IS NOT NULL THEN host END'),
    deaths: int(),
    alone: boolean(),
    chain: text(),
  }),
  ...['page', 'body'].map((name) =>
    table(
      name,
      ['job', 'page'],
      {
        job: bigint(jobOfPage),
        page: int(numberOfPage),
        deflated: bytea(),
        crc: bigint(),
        length: int(),
        packed_crc: bigint(),
        text_of: bigint(),
      },
      { orderFrom: 'id' },
    ),
  ),
  table(
    'screenshot',
    ['job', 'page'],
    { job: bigint(jobOfPage), page: int(numberOfPage), type: text(), bytes: bytea(), crc: bigint() },
    { orderFrom: 'id' },
  ),
  table(
    'raw_page',
    ['job', 'page'],
    {
      job: bigint(jobOfPage),
      page: int(numberOfPage),
      segment: int(`segment % ${pageId(1, 0)}`),
      at: int(),
      length: int(),
      crc: bigint(),
    },
    { orderFrom: 'id' },
  ),
  table(
    'raw_segment',
    // Of screenshots first, backwards. A sort, of few rows: one for some pages or for a screenshot.
    ['page >= 0', 'CASE WHEN page < 0 THEN -job ELSE job END', 'page'],
    {
      job: bigint(`abs(id) / ${pageId(1, 0)}`),
      page: int(numberOfPage),
      bytes: bytea(),
      length: int(),
      object: text(),
      object_at: int(),
      size: int(),
    },
    { orderFrom: 'id' },
  ),
  table('raw_object', ['name'], {
    name: text(),
    bytes: int(),
    state: text(),
    at: bigint(),
    of_one_job: boolean(),
    has_deleted: boolean(),
  }),
  table('raw_object_job', ['object', 'job'], { object: text(), job: bigint() }),
  table('page_key', ['job', 'key'], { job: bigint(), key: text(), entry: bigint() }),
  table('work', ['id'], {
    id: bigint(),
    kind: text(),
    job: bigint(),
    schedule: text(),
    key: text(),
    subject: text(),
    payload: text(),
    status: text(),
    created_at: bigint(),
    attempts: int(),
    next_at: bigint('max(1, next_at + @offset)'),
    settled_at: bigint(),
    code: int(),
    error: text(),
    claimed_by: bigint('CASE WHEN claimed_by IS NOT NULL THEN @worker END'),
  }),
  table('schedule', ['id'], {
    id: text(),
    org: text(),
    name: text(),
    cron: text(),
    time_zone: text(),
    job: text(),
    secrets: text(),
    webhook_url: text(),
    keep: int(),
    overlap: text(),
    token: text(),
    permissions: text(),
    paused_by: text(),
    created_at: bigint(),
    planned_at: bigint(),
    next_run_at: bigint(),
    last_run_at: bigint(),
    last_job: text(),
    last_error: text(),
    version: int(),
  }),
  table('schedule_headers', ['schedule'], { schedule: text(), headers: text() }),
];

/** Sequences, with the highest number that the embedded store has assigned. */
export const sequences: readonly { readonly sequence: string; readonly highest: string }[] = [
  { sequence: "pg_get_serial_sequence('job', 'seq')", highest: 'SELECT max(seq) AS highest FROM job' },
  { sequence: "pg_get_serial_sequence('host', 'id')", highest: 'SELECT max(id) AS highest FROM host' },
  // Fences. A host's id becomes the fence of its lease.
  { sequence: "'fence'", highest: 'SELECT max(id) AS highest FROM host' },
  { sequence: "'entry'", highest: highestEver('ledger') },
  { sequence: "'work_id'", highest: highestEver('work') },
];

/** Includes rows that were removed: their numbers are not assigned again. */
function highestEver(name: string): string {
  return `SELECT max((SELECT coalesce(max(id), 0) FROM ${name}), coalesce((SELECT seq FROM sqlite_sequence WHERE name = '${name}'), 0)) AS highest`;
}

function table(
  name: string,
  order: readonly string[],
  columns: Columns,
  { from = name, orderFrom = order.join(', ') }: { readonly from?: string; readonly orderFrom?: string } = {},
): MovedTableShape {
  return {
    name,
    from,
    order,
    orderFrom,
    columns: Object.entries(columns).map(([key, of]) => ({ name: key, type: of.type, from: of.from ?? key })),
  };
}
