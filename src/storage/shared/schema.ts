import { scheduleColumns } from '../../core/schedule.ts';
import { tokenColumns } from '../../core/token.ts';
import { declared } from '../rules/resource-rows.ts';

/**
 * The schema of both stores. Numbered, forward only: a released migration is never edited.
 *
 * It is written for SQLite. PostgreSQL has other names of the types, and its text collates as bytes do; a line that ends
 * with `-- sqlite` or `-- postgres` is for that store alone. `INT` is 32 bits there. A `BOOLEAN` is 0 or 1 on both.
 *
 * Pages are numbered within their job; the id of one has both numbers: see `pageId`. Texts have their own table, so that reading metadata never touches them: 0.3 ms
 * instead of 2.5 ms for 400 rows. On PostgreSQL, tables whose rows change all the time leave room for HOT updates: the
 * new version of a row stays in its page, and no index is written.
 */
export const migrations = [
  `
  CREATE TABLE setting (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;

  CREATE TABLE token (${declared(tokenColumns)}) STRICT;
  CREATE INDEX token_by_org ON token (org, created_at, id);

  CREATE TABLE session (
    -- Browsers that are signed in to the dashboard, and login codes. The token can be the operator's, which has no row.
    hash TEXT PRIMARY KEY, kind TEXT NOT NULL, token TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX session_by_token ON session (token, kind, created_at);
  CREATE INDEX session_by_expiry ON session (expires_at);

  CREATE TABLE webhook_key (org TEXT PRIMARY KEY, current BLOB NOT NULL, previous BLOB, rotated_at INTEGER) STRICT;

  -- PostgreSQL logs of an update what lies between the first and the last changed column: all that a settlement changes
  -- stands together, at the end.
  CREATE TABLE job (
    seq INTEGER PRIMARY KEY, -- sqlite
    seq INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- postgres
    id TEXT NOT NULL UNIQUE, org TEXT NOT NULL,
    kind TEXT NOT NULL,                       -- the request that created it
    status TEXT NOT NULL,
    spec TEXT NOT NULL, scope_hosts TEXT NOT NULL,
    moved_starts TEXT NOT NULL DEFAULT '{}',  -- where start pages are that move a scope of paths
    networks TEXT NOT NULL DEFAULT '{}',      -- in which network each host is, where private ones are open
    retry_of TEXT,
    family TEXT NOT NULL,                     -- of all jobs that are made from each other: the id of their schedule, or of the first
    schedule TEXT,                            -- the schedule whose run it is
    feed INT NOT NULL DEFAULT 1,              -- what its feed has of the run: see run-feed.ts
    since INTEGER,                            -- the job with whose pages this one compares
    only_changed BOOLEAN NOT NULL DEFAULT 0, -- unchanged pages are not delivered
    created_at INTEGER NOT NULL,
    ends_by INTEGER,                          -- of its time limit
    stopped_at INTEGER,                       -- its user stopped it: nobody takes its requests before it is resumed
    finished_at INTEGER,
    end_reason TEXT,                          -- what URLs that were left when the job ended count as
    output_expiry INT,                        -- seconds from the end to results_gone_at; null: until they are deleted
    results_gone_at INTEGER,
    swept BOOLEAN NOT NULL DEFAULT 0,     -- the results are gone for good: they were deleted, or removing them has begun
    emptied BOOLEAN NOT NULL DEFAULT 0,   -- nothing of them is left
    erasures INT NOT NULL DEFAULT 0,          -- how often a page was erased: a search index of another number is outdated
    rank INT NOT NULL DEFAULT 2,              -- whose turn comes first: 0 where somebody waits, then high, normal and low priority
    needs_browser BOOLEAN NOT NULL DEFAULT 0, -- only a process with a browser takes its requests
    page_limit INT NOT NULL, fetch_limit INT NOT NULL,
    unlisted INT NOT NULL DEFAULT 0,          -- URLs found when the ledger was full
    notices TEXT NOT NULL, webhook_url TEXT,
    webhook_state TEXT NOT NULL DEFAULT 'new', -- the last event that was stored: started, finished; or gone
    webhook_fails TEXT NOT NULL DEFAULT '[]',
    schedule_told INT NOT NULL DEFAULT 0,     -- work that follows the end of a run is stored
    version INT NOT NULL DEFAULT 1, fetches INT NOT NULL DEFAULT 0, fetched_bytes INTEGER NOT NULL DEFAULT 0,
    queued INT NOT NULL DEFAULT 0, in_flight INT NOT NULL DEFAULT 0, scraped INT NOT NULL DEFAULT 0,
    discarded INT NOT NULL DEFAULT 0, failed INT NOT NULL DEFAULT 0,
    outside INT NOT NULL DEFAULT 0,           -- never to be fetched, which was decided without a request
    control INT NOT NULL DEFAULT 0,           -- origin and sitemap requests that are not settled
    sitemaps INT NOT NULL DEFAULT 0, sitemap_pages INT NOT NULL DEFAULT 0,
    webhook_page INT NOT NULL DEFAULT 0,      -- pages up to here have been told of
    webhook_open INTEGER NOT NULL DEFAULT 0,  -- the event that will tell of those behind; 0 where there is none
    reasons TEXT NOT NULL DEFAULT '{}',       -- of URLs that are not pages, with counts
    tally TEXT NOT NULL DEFAULT '{}',         -- counts for the findings at the end: see tally.ts
    examples TEXT NOT NULL DEFAULT '{}',      -- a URL of each reason
    seeded INTEGER,                           -- the last entry of the ledger of \`since\` that this one has; null: all, or no such job
    changes TEXT NOT NULL DEFAULT '{}',       -- how many pages of that job changed how
    revisits TEXT                             -- JSON: which pages go without a request; null: none. See revisits.ts
  ) STRICT; -- sqlite
  ) WITH (fillfactor = 50); -- postgres
  CREATE INDEX job_by_org ON job (org, id);
  CREATE INDEX job_by_family ON job (family);
  CREATE INDEX job_by_status ON job (org, status, kind, id);
  CREATE INDEX job_at_work ON job (seq) WHERE in_flight > 0; -- sqlite
  CREATE INDEX job_to_sweep ON job (swept, results_gone_at) WHERE results_gone_at IS NOT NULL AND emptied = 0;
  CREATE INDEX job_unfinished ON job (org) WHERE finished_at IS NULL;
  CREATE INDEX job_ends_by ON job (ends_by) WHERE finished_at IS NULL AND ends_by IS NOT NULL;
  CREATE INDEX job_retries ON job (retry_of) WHERE retry_of IS NOT NULL;
  CREATE INDEX job_needs_browser ON job (seq) WHERE needs_browser = 1 AND finished_at IS NULL;
  CREATE INDEX job_reextract ON job (seq) WHERE finished_at IS NULL AND spec ->> 'reextract' IS NOT NULL; -- sqlite
  CREATE INDEX job_reextract ON job (seq) WHERE finished_at IS NULL AND spec::json -> 'reextract' IS NOT NULL; -- postgres
  CREATE INDEX job_stopped ON job (seq) WHERE stopped_at IS NOT NULL;
  CREATE INDEX job_to_seed ON job (seq) WHERE seeded IS NOT NULL AND finished_at IS NULL;
  CREATE INDEX job_of_schedule ON job (schedule, id) WHERE schedule IS NOT NULL;
  CREATE INDEX job_in_feed ON job (schedule, seq) WHERE schedule IS NOT NULL;
  CREATE INDEX job_by_feed ON job (schedule, feed, seq) WHERE schedule IS NOT NULL AND feed <> 1;
  CREATE INDEX job_feed_kept ON job (finished_at) WHERE schedule IS NOT NULL AND feed <> 0 AND emptied = 1;
  CREATE INDEX job_run ON job (schedule) WHERE schedule IS NOT NULL AND finished_at IS NULL;

  CREATE TABLE job_headers (
    -- Headers that the client gave, until the job has ended.
    job INTEGER PRIMARY KEY, headers TEXT NOT NULL
  ) STRICT;
  CREATE TABLE job_series (
    -- How a job went, over time.
    job INTEGER PRIMARY KEY, series TEXT NOT NULL
  ) STRICT; -- sqlite
  ) WITH (fillfactor = 50); -- postgres
  CREATE TABLE lesson (
    -- What a job learned of a site from a model.
    job INTEGER NOT NULL, site TEXT NOT NULL, revision INT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (job, site)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX lesson_by_site ON lesson (site);
  CREATE TABLE model_calls (job INTEGER PRIMARY KEY, calls INT NOT NULL) STRICT;
  CREATE TABLE model_day (
    -- Calls of a day in UTC.
    org TEXT NOT NULL, day TEXT NOT NULL, calls INT NOT NULL, PRIMARY KEY (org, day)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE ended_template (
    -- URL templates that turned out to be traps.
    job INTEGER NOT NULL, template TEXT NOT NULL, PRIMARY KEY (job, template)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE idempotency (
    -- What the request created: a job or a schedule.
    org TEXT NOT NULL, key TEXT NOT NULL, body_hash TEXT NOT NULL, job INTEGER, schedule TEXT, created_at INTEGER NOT NULL,
    PRIMARY KEY (org, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotency_by_age ON idempotency (created_at);

  -- A process that crawls, for as long as it says so. Nobody takes up a dead one's leases before all of them were ended.
  CREATE TABLE worker ( -- postgres
    id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name TEXT NOT NULL, lease_until INTEGER NOT NULL, -- postgres
    dead boolean NOT NULL DEFAULT FALSE, -- postgres
    -- Jobs that ask for a browser are created only while a worker has one.
    has_browser boolean NOT NULL DEFAULT FALSE, -- postgres
    -- Pages that it requested at its last renewal, by id of the job; null if it does not count them.
    open_pages jsonb -- postgres
  ) WITH (fillfactor = 50); -- postgres

  -- Where a host and its lease are one row, or on PostgreSQL two. \`ready_at\`: a lease is of use from here on; null when no
  -- work is known. \`next_at\`: politeness, no fetch before. \`org\`, \`rank\`, \`job\`: the job in whose line a host waits, with
  -- its org and rank as they were then. A host whose time has not come is in no line.
  CREATE TABLE host (
    id INTEGER PRIMARY KEY, -- sqlite
    id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- postgres
    name TEXT NOT NULL UNIQUE,
    fence INTEGER NOT NULL DEFAULT 0, leased INTEGER NOT NULL DEFAULT 0, ready_at INTEGER, -- sqlite
    next_at INTEGER NOT NULL DEFAULT 0, last_job INTEGER NOT NULL DEFAULT 0, -- sqlite
    noted_at INTEGER NOT NULL DEFAULT 0, -- sqlite
    org TEXT NOT NULL DEFAULT '', rank INT NOT NULL DEFAULT 2, job INTEGER NOT NULL DEFAULT 0, in_line BOOLEAN NOT NULL DEFAULT 0, -- sqlite
    -- What its last holder had learnt of it, and when.
    memory TEXT, memory_at INTEGER, -- postgres
    delay_ms INTEGER NOT NULL DEFAULT 0
  ) STRICT; -- sqlite
  ) WITH (fillfactor = 70); -- postgres
  CREATE INDEX host_ready ON host (in_line, ready_at) WHERE ready_at IS NOT NULL AND leased = 0; -- sqlite
  CREATE INDEX host_line ON host (org, rank, job, ready_at) WHERE in_line = 1; -- sqlite
  -- Each lease has a number of its own, over all hosts.
  CREATE SEQUENCE fence; -- postgres
  CREATE TABLE host_slot ( -- postgres
    host INTEGER PRIMARY KEY, owner INTEGER, fence INTEGER NOT NULL DEFAULT 0, ready_at INTEGER, -- postgres
    next_at INTEGER NOT NULL DEFAULT 0, last_job INTEGER NOT NULL DEFAULT 0, -- postgres
    org TEXT NOT NULL DEFAULT '', rank INT NOT NULL DEFAULT 2, job INTEGER NOT NULL DEFAULT 0, in_line boolean NOT NULL DEFAULT FALSE, -- postgres
    -- Without a browser, a lease is of no use before plain_at, or at all where that is null.
    for_browser boolean NOT NULL DEFAULT FALSE, plain_at INTEGER -- postgres
  ) WITH (fillfactor = 50); -- postgres
  CREATE INDEX host_slot_ready ON host_slot (in_line, ready_at) WHERE ready_at IS NOT NULL AND owner IS NULL; -- postgres
  CREATE INDEX host_slot_line ON host_slot (org, rank, job, ready_at) WHERE in_line AND owner IS NULL; -- postgres
  CREATE INDEX host_slot_plain_line ON host_slot (org, rank, job, ready_at) WHERE in_line AND owner IS NULL AND NOT for_browser; -- postgres
  CREATE INDEX host_slot_plain_at ON host_slot (plain_at) WHERE plain_at IS NOT NULL; -- postgres
  CREATE INDEX host_slot_owned ON host_slot (owner) WHERE owner IS NOT NULL; -- postgres

  -- Every URL of a job, once: what is queued here and has a fence in the frontier is in flight. An id is never given again,
  -- even after its job was swept: a lane may still hold a request by it. Within a job they become visible in order.
  CREATE SEQUENCE entry; -- postgres
  CREATE TABLE ledger (
    id INTEGER PRIMARY KEY AUTOINCREMENT, job INTEGER NOT NULL, -- sqlite
    job INTEGER NOT NULL, id INTEGER NOT NULL DEFAULT nextval('entry'), -- postgres
    key TEXT NOT NULL, kind TEXT NOT NULL, url TEXT NOT NULL, depth INT NOT NULL,
    self_fed BOOLEAN NOT NULL DEFAULT 0,  -- found on a page of its own family
    by_script BOOLEAN NOT NULL DEFAULT 0, -- only scripts made links to it
    found_on INTEGER, state TEXT NOT NULL, reason TEXT, detail TEXT, page INT,
    attempts INT NOT NULL DEFAULT 0,
    attempted_at INTEGER,                     -- when the last attempt ended
    status_code INT, lastmod TEXT,
    hash TEXT,                                -- of title, text and data of its page, or of that of the earlier job
    copy_key TEXT,                            -- equal in near-duplicates
    validator TEXT,                           -- ETag or date that the site gave with it, or where a redirect led
    text_of INTEGER,                          -- the page of the earlier job, whichever job first stored its text
    traits TEXT,                              -- of its page: see core/page-traits.ts
    change TEXT,                              -- what became of that page
    doubt TEXT, doubt_runs INT,               -- of which other kind its responses are, and in how many runs in a row; of a changed page its cause, if its bytes are equal
    change_number INT, earlier_hash TEXT,
    -- When the page was asked for last before this job, and its lastmod then. Only where it can go without a request.
    asked_at INTEGER, asked_lastmod TEXT,
    -- An index with a condition on the state keeps every end of a URL from being written beside the row before it: of a
    -- column that only a failure changes, it does not.
    has_failed boolean NOT NULL GENERATED ALWAYS AS (state = 'failed') STORED, PRIMARY KEY (job, id) -- postgres
    UNIQUE (job, key) -- sqlite
  ) STRICT; -- sqlite
  ) WITH (fillfactor = 80); -- postgres
  CREATE INDEX ledger_in_order ON ledger (job, id); -- sqlite
  CREATE UNIQUE INDEX ledger_by_key ON ledger (job, key); -- postgres
  CREATE INDEX ledger_failed ON ledger (job, id) WHERE state = 'failed'; -- sqlite
  CREATE INDEX ledger_failed ON ledger (job, id) WHERE has_failed; -- postgres
  -- For those who list URLs by reason, or sitemaps: the others of a job may be a million.
  CREATE INDEX ledger_by_reason ON ledger (job, reason, id) WHERE reason IS NOT NULL AND kind = 'page';
  CREATE INDEX ledger_sitemaps ON ledger (job, id) WHERE kind = 'sitemap';
  CREATE INDEX ledger_changes ON ledger (job, change_number) WHERE change_number IS NOT NULL;
  CREATE INDEX ledger_feed ON ledger (job, change_number) WHERE change IN ('added', 'changed', 'moved', 'removed');
  -- A text is kept as long as any job names it.
  CREATE INDEX ledger_texts ON ledger (text_of) WHERE text_of IS NOT NULL;

  CREATE TABLE frontier (
    -- Pending requests only; the id is that of the ledger.
    id INTEGER PRIMARY KEY, host INTEGER NOT NULL, job INTEGER NOT NULL, priority INT NOT NULL,
    -- What waits for a later attempt has its time here and stands apart until it has come, so that looking for what is due
    -- never passes by what is not. A suspect has -1.
    not_before INTEGER NOT NULL DEFAULT 0,
    fence INTEGER,
    -- Deaths of the process while the request was taken: from the second on it is a suspect, and is taken alone.
    deaths INT NOT NULL DEFAULT 0, alone BOOLEAN NOT NULL DEFAULT 0,
    -- How far redirects have led a request to another host, for which it waits; null where it waits for that of its URL.
    chain TEXT
  ) STRICT; -- sqlite
  ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0); -- postgres
  CREATE INDEX frontier_due ON frontier (host, job, priority, id) WHERE fence IS NULL AND not_before = 0;
  CREATE INDEX frontier_postponed ON frontier (host, not_before) WHERE fence IS NULL AND not_before > 0;
  CREATE INDEX frontier_suspect ON frontier (host) WHERE fence IS NULL AND not_before < 0;
  CREATE INDEX frontier_taken ON frontier (host) WHERE fence IS NOT NULL; -- sqlite
  CREATE INDEX frontier_taken ON frontier (fence) WHERE fence IS NOT NULL; -- postgres

  CREATE TABLE page (
    id INTEGER PRIMARY KEY, deflated BLOB NOT NULL, crc INTEGER NOT NULL, length INT NOT NULL,
    packed_crc INTEGER NOT NULL,              -- of the metadata as it is stored
    text_of INTEGER                           -- it shares the row with this id: see shared-pages.ts
  ) STRICT;
  CREATE TABLE body (
    id INTEGER PRIMARY KEY, deflated BLOB NOT NULL, crc INTEGER NOT NULL, length INT NOT NULL,
    packed_crc INTEGER NOT NULL,              -- of the text as it is stored
    text_of INTEGER
  ) STRICT; -- sqlite
  ) WITH (autovacuum_vacuum_scale_factor = 0.05, toast_tuple_target = 4080); -- postgres
  CREATE TABLE screenshot (
    id INTEGER PRIMARY KEY, type TEXT NOT NULL, bytes BLOB NOT NULL, crc INTEGER NOT NULL
  ) STRICT;
  -- Where the raw body of a page is: a slice of a segment, which has the id of the first page in it.
  CREATE TABLE raw_page (
    id INTEGER PRIMARY KEY, segment INTEGER NOT NULL, at INT NOT NULL, length INT NOT NULL, crc INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE raw_segment (
    -- Either its bytes are here, or their place in an object.
    id INTEGER PRIMARY KEY, bytes BLOB, length INT NOT NULL, object TEXT, object_at INT, size INT
  ) STRICT;
  CREATE INDEX raw_segment_in_object ON raw_segment (object) WHERE object IS NOT NULL;
  CREATE TABLE raw_object (
    name TEXT PRIMARY KEY, bytes INT NOT NULL,
    state TEXT NOT NULL,                      -- new: no row has named it yet; live; dead: no row names it any more; lost: none ever will
    at INTEGER NOT NULL,                      -- when it was registered, died or was lost
    of_one_job BOOLEAN NOT NULL DEFAULT 0, -- its segments were gathered when their job had ended
    has_deleted BOOLEAN NOT NULL DEFAULT 0 -- a part is of a job that was deleted
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX raw_object_by_state ON raw_object (state, of_one_job, at);
  CREATE TABLE raw_object_job (
    -- The jobs whose bytes an object has, whether a row names them or not.
    object TEXT NOT NULL, job INTEGER NOT NULL, PRIMARY KEY (object, job)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX raw_object_job_by_job ON raw_object_job (job);
  -- What is deflated already is kept as it is; texts that fit twice in a database page stay in line, which halves the cost of
  -- reading them.
  ALTER TABLE lesson ALTER data SET STORAGE EXTERNAL; -- postgres
  ALTER TABLE page ALTER deflated SET STORAGE EXTERNAL; -- postgres
  ALTER TABLE body ALTER deflated SET STORAGE EXTERNAL; -- postgres
  ALTER TABLE screenshot ALTER bytes SET STORAGE EXTERNAL; -- postgres
  ALTER TABLE raw_segment ALTER bytes SET STORAGE EXTERNAL; -- postgres
  CREATE TABLE page_key (
    -- Final URLs ('u' and key) and contents ('c' and hash) of a job's pages, with the ledger entry that has each.
    job INTEGER NOT NULL, key TEXT NOT NULL, entry INTEGER NOT NULL, PRIMARY KEY (job, key)
  ) STRICT, WITHOUT ROWID;

  CREATE SEQUENCE work_id; -- postgres
  CREATE TABLE work (
    -- Durable work of all kinds, such as events for webhooks.
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- sqlite
    id INTEGER PRIMARY KEY DEFAULT nextval('work_id'), -- postgres
    kind TEXT NOT NULL,
    job INTEGER, schedule TEXT,               -- whose work it is: one of them
    key TEXT NOT NULL,                        -- pieces with one key are done one at a time: for webhooks, the URL
    subject TEXT NOT NULL,                    -- for webhooks, the event
    payload TEXT,                             -- fixed at the first claim
    status TEXT NOT NULL DEFAULT 'pending', created_at INTEGER NOT NULL, attempts INT NOT NULL DEFAULT 0,
    next_at INTEGER, settled_at INTEGER, code INT, error TEXT,
    claimed_by INTEGER                        -- the worker that does it; in SQLite 0
  ) STRICT;
  CREATE INDEX work_due ON work (kind, next_at, key) WHERE status = 'pending';
  CREATE INDEX work_of_job ON work (job, id);
  CREATE INDEX work_of_schedule ON work (schedule, id) WHERE schedule IS NOT NULL;
  CREATE INDEX work_claimed ON work (claimed_by) WHERE claimed_by IS NOT NULL;
  CREATE INDEX work_settled ON work (settled_at) WHERE settled_at IS NOT NULL;

  CREATE TABLE schedule (${declared(scheduleColumns)}) STRICT, WITHOUT ROWID;
  CREATE INDEX schedule_by_org ON schedule (org, id);
  CREATE INDEX schedule_by_token ON schedule (token);
  CREATE INDEX schedule_by_plan ON schedule (planned_at);
  CREATE TABLE schedule_headers (
    -- Headers and cookies that the client gave, until they are replaced or the schedule is deleted.
    schedule TEXT PRIMARY KEY, headers TEXT NOT NULL
  ) STRICT;

  -- The search index of PostgreSQL; SQLite has a file for it. It can be built again from the pages, so it needs no
  -- write-ahead log: after a crash of the server these tables are empty. \`version\`: of the way to separate words.
  -- \`indexed\`: the number of pages, from the first. \`damaged\`: pages among them that could not be read.
  CREATE UNLOGGED TABLE search_job (job INTEGER PRIMARY KEY, version INT NOT NULL, indexed INT NOT NULL DEFAULT 0, damaged INT NOT NULL DEFAULT 0); -- postgres
  CREATE UNLOGGED TABLE search_page (job INTEGER NOT NULL, page INT NOT NULL, words tsvector NOT NULL, PRIMARY KEY (job, page)); -- postgres
  CREATE INDEX search_page_words ON search_page USING gin (words); -- postgres
  `,
];

/** The statements that bring a database of this version to another one. */
export function migrationsOf(store: 'sqlite' | 'postgres', from = 0, to = migrations.length): string[] {
  return migrations.slice(from, to).map((migration) =>
    migration
      .split('\n')
      .filter((line) => !line.endsWith(store === 'sqlite' ? '-- postgres' : '-- sqlite'))
      .map((line) => (store === 'sqlite' ? line.replaceAll('BOOLEAN', 'INTEGER') : inPostgres(line)))
      .join('\n'),
  );
}

function inPostgres(line: string): string {
  return line
    .replaceAll(/\bINTEGER\b/g, 'bigint')
    .replaceAll(/\bBOOLEAN\b/g, 'smallint')
    .replaceAll(/\bBLOB\b/g, 'bytea')
    .replaceAll(/\bTEXT\b/g, 'text COLLATE "C"')
    .replaceAll(/\) STRICT(?:, WITHOUT ROWID)?;/g, ');');
}
