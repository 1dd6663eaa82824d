import type { Diagnosis } from '../../../core/ports/diagnosis.ts';
import type { Database } from './database.ts';
import { failPoint } from '../../../core/process/fail-point.ts';
import { ExitError, exitCodes } from '../../../core/errors.ts';

/**
 * Numbered, forward only: a released migration is never edited. `user_version` counts those applied. `schema.sql` shows
 * what they lead to.
 *
 * Pages are numbered within their job; `page.id` and `body.id` are {@link pageId}. Both tables keep a rowid. Texts have
 * their own table, so that reading metadata never touches them: 0.3 ms instead of 2.5 ms for 400 rows.
 */
export const migrations: string[] = [
  `
  CREATE TABLE setting (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;

  CREATE TABLE token (
    id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, org TEXT NOT NULL, name TEXT NOT NULL, permissions TEXT NOT NULL,
    created_at INTEGER NOT NULL, revoked_at INTEGER, expires_at INTEGER
  ) STRICT;
  CREATE INDEX token_by_org ON token (org, created_at, id);

  CREATE TABLE session (
    -- Browsers that are signed in to the dashboard, and login codes. The token can be the operator's, which has no row.
    hash TEXT PRIMARY KEY, kind TEXT NOT NULL, token TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX session_by_token ON session (token, kind, created_at);
  CREATE INDEX session_by_expiry ON session (expires_at);

  CREATE TABLE webhook_key (org TEXT PRIMARY KEY, current BLOB NOT NULL, previous BLOB, rotated_at INTEGER) STRICT;

  CREATE TABLE job (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, org TEXT NOT NULL,
    kind TEXT NOT NULL,                       -- the request that created it
    status TEXT NOT NULL,
    spec TEXT NOT NULL, scope_hosts TEXT NOT NULL,
    moved_starts TEXT NOT NULL DEFAULT '{}',  -- where start pages are that move a scope of paths
    networks TEXT NOT NULL DEFAULT '{}',      -- in which network each host is, where private ones are open
    retry_of TEXT,
    since INTEGER,                            -- the job with whose pages this one compares
    seeded INTEGER,                           -- the last entry of its ledger that this one has; null: all, or no such job
    only_changed INTEGER NOT NULL DEFAULT 0,  -- unchanged pages are not delivered
    changes TEXT NOT NULL DEFAULT '{}',       -- how many pages of that job changed how
    revisits TEXT,                            -- JSON: which pages go without a request; null: none. See revisits.ts
    schedule TEXT,                            -- the schedule whose run it is
    feed INTEGER NOT NULL DEFAULT 1,          -- what its feed has of the run: see run-feed.ts
    created_at INTEGER NOT NULL,
    ends_by INTEGER,                          -- of its time limit
    stopped_at INTEGER,                       -- its user stopped it: nobody takes its requests before it is resumed
    finished_at INTEGER,
    end_reason TEXT,                          -- what URLs that were left when the job ended count as
    output_expiry INTEGER,                    -- seconds from the end to results_gone_at; null: until they are deleted
    results_gone_at INTEGER,
    swept INTEGER NOT NULL DEFAULT 0,         -- the results are gone for good: they were deleted, or removing them has begun
    emptied INTEGER NOT NULL DEFAULT 0,       -- nothing of them is left
    erasures INTEGER NOT NULL DEFAULT 0,      -- how often a page was erased: a search index of another number is outdated
    rank INTEGER NOT NULL DEFAULT 2,          -- whose turn comes first: 0 where somebody waits, then high, normal and low priority
    needs_browser INTEGER NOT NULL DEFAULT 0, -- only a process with a browser takes its requests
    page_limit INTEGER NOT NULL, fetch_limit INTEGER NOT NULL,
    unlisted INTEGER NOT NULL DEFAULT 0,      -- URLs found when the ledger was full
    notices TEXT NOT NULL, webhook_url TEXT,
    webhook_state TEXT NOT NULL DEFAULT 'new', -- the last event that was stored: started, finished; or gone
    webhook_fails TEXT NOT NULL DEFAULT '[]',
    schedule_told INTEGER NOT NULL DEFAULT 0, -- work that follows the end of a run is stored
    version INTEGER NOT NULL DEFAULT 1, fetches INTEGER NOT NULL DEFAULT 0, fetched_bytes INTEGER NOT NULL DEFAULT 0,
    queued INTEGER NOT NULL DEFAULT 0, in_flight INTEGER NOT NULL DEFAULT 0, scraped INTEGER NOT NULL DEFAULT 0,
    discarded INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,
    outside INTEGER NOT NULL DEFAULT 0,       -- never to be fetched, which was decided without a request
    control INTEGER NOT NULL DEFAULT 0,       -- origin and sitemap requests that are not settled
    sitemaps INTEGER NOT NULL DEFAULT 0, sitemap_pages INTEGER NOT NULL DEFAULT 0,
    webhook_page INTEGER NOT NULL DEFAULT 0,  -- pages up to here have been told of
    webhook_open INTEGER NOT NULL DEFAULT 0,  -- the event that will tell of those behind; 0 where there is none
    reasons TEXT NOT NULL DEFAULT '{}',       -- of URLs that are not pages, with counts
    tally TEXT NOT NULL DEFAULT '{}',         -- counts for the findings at the end: see tally.ts
    examples TEXT NOT NULL DEFAULT '{}'       -- a URL of each reason
  ) STRICT;
  CREATE INDEX job_by_org ON job (org, id);
  CREATE INDEX job_by_status ON job (org, status, kind, id);
  CREATE INDEX job_at_work ON job (seq) WHERE in_flight > 0;
  CREATE INDEX job_to_sweep ON job (swept, results_gone_at) WHERE results_gone_at IS NOT NULL AND emptied = 0;
  CREATE INDEX job_unfinished ON job (org) WHERE finished_at IS NULL;
  CREATE INDEX job_ends_by ON job (ends_by) WHERE finished_at IS NULL AND ends_by IS NOT NULL;
  CREATE INDEX job_needs_browser ON job (seq) WHERE needs_browser = 1 AND finished_at IS NULL;
  CREATE INDEX job_reextract ON job (seq) WHERE finished_at IS NULL AND spec ->> 'reextract' IS NOT NULL;
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
  ) STRICT;
  CREATE TABLE lesson (
    -- What a job learned of a site from a model.
    job INTEGER NOT NULL, site TEXT NOT NULL, revision INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (job, site)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX lesson_by_site ON lesson (site);
  CREATE TABLE held_page (
    -- Pages that wait until their site was learned. A request has the id of the ledger.
    request INTEGER PRIMARY KEY, job INTEGER NOT NULL, site TEXT NOT NULL, url TEXT NOT NULL, held_at INTEGER NOT NULL,
    state TEXT NOT NULL, revision INTEGER NOT NULL, signature BLOB NOT NULL, data BLOB NOT NULL
  ) STRICT;
  CREATE INDEX held_page_by_site ON held_page (job, site);
  CREATE TABLE learner (
    -- The process that learns a site.
    job INTEGER NOT NULL, site TEXT NOT NULL, holder TEXT NOT NULL, held_until INTEGER NOT NULL, PRIMARY KEY (job, site)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE model_calls (job INTEGER PRIMARY KEY, calls INTEGER NOT NULL) STRICT;
  CREATE TABLE model_day (
    -- Calls of a day in UTC.
    org TEXT NOT NULL, day TEXT NOT NULL, calls INTEGER NOT NULL, PRIMARY KEY (org, day)
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

  CREATE TABLE host (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
    fence INTEGER NOT NULL DEFAULT 0, leased INTEGER NOT NULL DEFAULT 0,
    ready_at INTEGER,                         -- a lease is of use from here on; null when no work is known
    next_at INTEGER NOT NULL DEFAULT 0,       -- politeness: no fetch before
    noted_at INTEGER NOT NULL DEFAULT 0,      -- when it was last leased, released or slowed down
    delay_ms INTEGER NOT NULL DEFAULT 0, last_job INTEGER NOT NULL DEFAULT 0,
    -- The job in whose line a host waits, with its org and rank as they were then. A host whose time has not come is in no line.
    org TEXT NOT NULL DEFAULT '', rank INTEGER NOT NULL DEFAULT 2, job INTEGER NOT NULL DEFAULT 0, in_line INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX host_ready ON host (in_line, ready_at) WHERE ready_at IS NOT NULL AND leased = 0;
  CREATE INDEX host_line ON host (org, rank, job, ready_at) WHERE in_line = 1;

  CREATE TABLE ledger (
    -- Every URL of a job, once: what is queued here and has a fence in the frontier is in flight. An id is never given
    -- again, even after its job was swept: a lane may still hold a request by it.
    id INTEGER PRIMARY KEY AUTOINCREMENT, job INTEGER NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL, url TEXT NOT NULL,
    depth INTEGER NOT NULL,
    self_fed INTEGER NOT NULL DEFAULT 0,      -- found on a page of its own family
    by_script INTEGER NOT NULL DEFAULT 0,     -- only scripts made links to it
    found_on INTEGER, state TEXT NOT NULL, reason TEXT, detail TEXT, page INTEGER,
    attempts INTEGER NOT NULL DEFAULT 0,
    attempted_at INTEGER,                     -- when the last attempt ended
    status_code INTEGER, lastmod TEXT,
    hash TEXT,                                -- of title, text and data of its page, or of that of the earlier job
    copy_key TEXT,                            -- equal in near-duplicates
    validator TEXT,                           -- ETag or date that the site gave with it, or where a redirect led
    text_of INTEGER,                          -- the page of the earlier job, whichever job first stored its text
    change TEXT,                              -- what became of that page
    change_number INTEGER, earlier_hash TEXT,
    -- When the page was asked for last before this job, its lastmod then, and since when its text is the same. Only where
    -- it can go without a request.
    asked_at INTEGER, asked_lastmod TEXT, same_since INTEGER,
    UNIQUE (job, key)
  ) STRICT;
  CREATE INDEX ledger_in_order ON ledger (job, id);
  CREATE INDEX ledger_failed ON ledger (job, id) WHERE state = 'failed';
  -- For those who list URLs by reason, or sitemaps: the others of a job may be a million.
  CREATE INDEX ledger_by_reason ON ledger (job, reason, id) WHERE reason IS NOT NULL AND kind = 'page';
  CREATE INDEX ledger_sitemaps ON ledger (job, id) WHERE kind = 'sitemap';
  CREATE INDEX ledger_changes ON ledger (job, change_number) WHERE change_number IS NOT NULL;
  CREATE INDEX ledger_feed ON ledger (job, change_number) WHERE change IN ('added', 'changed', 'removed');
  -- A text is kept as long as any job names it.
  CREATE INDEX ledger_texts ON ledger (text_of) WHERE text_of IS NOT NULL;

  CREATE TABLE frontier (
    -- Pending requests only; the id is that of the ledger.
    id INTEGER PRIMARY KEY, host INTEGER NOT NULL, job INTEGER NOT NULL, priority INTEGER NOT NULL,
    -- What waits for a later attempt has its time here and stands apart until it has come, so that diagnosis what is due
    -- never passes by what is not. A suspect has -1.
    not_before INTEGER NOT NULL DEFAULT 0,
    fence INTEGER,
    -- Deaths of the process while the request was taken: from the second on it is a suspect, and is taken alone.
    deaths INTEGER NOT NULL DEFAULT 0, alone INTEGER NOT NULL DEFAULT 0,
    -- How far redirects have led a request to another host, for which it waits; null where it waits for that of its URL.
    chain TEXT
  ) STRICT;
  CREATE INDEX frontier_due ON frontier (host, job, priority, id) WHERE fence IS NULL AND not_before = 0;
  CREATE INDEX frontier_postponed ON frontier (host, not_before) WHERE fence IS NULL AND not_before > 0;
  CREATE INDEX frontier_suspect ON frontier (host) WHERE fence IS NULL AND not_before < 0;
  CREATE INDEX frontier_taken ON frontier (host) WHERE fence IS NOT NULL;

  CREATE TABLE page (
    id INTEGER PRIMARY KEY, deflated BLOB NOT NULL, crc INTEGER NOT NULL, length INTEGER NOT NULL,
    packed_crc INTEGER NOT NULL,              -- of the metadata as it is stored
    text_of INTEGER                           -- it shares the row with this id: see shared-pages.ts
  ) STRICT;
  CREATE TABLE body (
    id INTEGER PRIMARY KEY, deflated BLOB NOT NULL, crc INTEGER NOT NULL, length INTEGER NOT NULL,
    packed_crc INTEGER NOT NULL,              -- of the text as it is stored
    text_of INTEGER
  ) STRICT;
  CREATE TABLE screenshot (id INTEGER PRIMARY KEY, type TEXT NOT NULL, bytes BLOB NOT NULL, crc INTEGER NOT NULL) STRICT;
  -- Where the raw body of a page is: a slice of a segment, which has the id of the first page in it.
  CREATE TABLE raw_page (id INTEGER PRIMARY KEY, segment INTEGER NOT NULL, at INTEGER NOT NULL, length INTEGER NOT NULL, crc INTEGER NOT NULL) STRICT;
  CREATE TABLE raw_segment (
    -- Either its bytes are here, or their place in an object.
    id INTEGER PRIMARY KEY, bytes BLOB, length INTEGER NOT NULL, object TEXT, object_at INTEGER, size INTEGER
  ) STRICT;
  CREATE INDEX raw_segment_in_object ON raw_segment (object) WHERE object IS NOT NULL;
  CREATE TABLE raw_object (
    name TEXT PRIMARY KEY, bytes INTEGER NOT NULL,
    state TEXT NOT NULL,                      -- new: no row has named it yet; live; dead: no row names it any more; lost: none ever will
    at INTEGER NOT NULL,                      -- when it was registered, died or was lost
    of_one_job INTEGER NOT NULL DEFAULT 0,    -- its segments were gathered when their job had ended
    has_deleted INTEGER NOT NULL DEFAULT 0    -- a part is of a job that was deleted
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX raw_object_by_state ON raw_object (state, of_one_job, at);
  CREATE TABLE raw_object_job (
    -- The jobs whose bytes an object has, whether a row names them or not.
    object TEXT NOT NULL, job INTEGER NOT NULL, PRIMARY KEY (object, job)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX raw_object_job_by_job ON raw_object_job (job);
  CREATE TABLE page_key (
    -- Final URLs ('u' and key) and contents ('c' and hash) of a job's pages, with the ledger entry that has each.
    job INTEGER NOT NULL, key TEXT NOT NULL, entry INTEGER NOT NULL, PRIMARY KEY (job, key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE work (
    -- Durable work of all kinds, such as events for webhooks.
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL,
    job INTEGER, schedule TEXT,               -- whose work it is: one of them
    key TEXT NOT NULL,                        -- pieces with one key are done one at a time: for webhooks, the URL
    subject TEXT NOT NULL,                    -- for webhooks, the event
    payload TEXT,                             -- fixed at the first claim
    status TEXT NOT NULL DEFAULT 'pending', created_at INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER, settled_at INTEGER, code INTEGER, error TEXT,
    claimed_by INTEGER                        -- 0 while an attempt is under way
  ) STRICT;
  CREATE INDEX work_due ON work (kind, next_at, key) WHERE status = 'pending';
  CREATE INDEX work_of_job ON work (job, id);
  CREATE INDEX work_of_schedule ON work (schedule, id) WHERE schedule IS NOT NULL;
  CREATE INDEX work_claimed ON work (claimed_by) WHERE claimed_by IS NOT NULL;
  CREATE INDEX work_settled ON work (settled_at) WHERE settled_at IS NOT NULL;

  CREATE TABLE schedule (
    id TEXT PRIMARY KEY, org TEXT NOT NULL, name TEXT NOT NULL, cron TEXT NOT NULL, time_zone TEXT NOT NULL,
    job TEXT NOT NULL,                        -- the request for each run, without the values of headers and cookies
    secrets TEXT NOT NULL,                    -- their names
    webhook_url TEXT, keep INTEGER NOT NULL, overlap TEXT NOT NULL,
    token TEXT NOT NULL, permissions TEXT NOT NULL, -- of its last writer: each run has them
    paused_by TEXT, created_at INTEGER NOT NULL,
    planned_at INTEGER NOT NULL,              -- when next_run_at was computed
    next_run_at INTEGER, last_run_at INTEGER, last_job TEXT, last_error TEXT, version INTEGER NOT NULL DEFAULT 1
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX schedule_by_org ON schedule (org, id);
  CREATE INDEX schedule_by_token ON schedule (token);
  CREATE INDEX schedule_by_plan ON schedule (planned_at);
  CREATE TABLE schedule_headers (
    -- Headers and cookies that the client gave, until they are replaced or the schedule is deleted.
    schedule TEXT PRIMARY KEY, headers TEXT NOT NULL
  ) STRICT;
  `,
];

/** More than `page_limit` allows, and small enough that 500 million jobs fit into a safe integer. */
export const pagesPerJob = 2 ** 24;

/** The id of the segment with the screenshot of a page, if that is in an object. */
export function pictureSegmentId(page: number): number {
  return -page;
}

/** In SQL: the condition that a segment has raw bodies, or a screenshot, of the job whose pages have ids from `@first`, before `@last`. */
export const segmentOfJobSql = '(id >= @first AND id < @last OR id > -@last AND id <= -@first)';

export function pageId(jobSeq: number, page: number): number {
  return jobSeq * pagesPerJob + page;
}

/** Migrates a database to the newest schema. Refuses one that a newer program made. */
export function migrate(db: Database): void {
  if (isNewest(db)) return;
  db.transaction('immediate', () => {
    // Read again under the lock: another process can have been faster.
    for (const sql of migrations.slice(schemaVersion(db))) db.exec(sql);
    failPoint('start.migrating');
    db.pragma(`user_version = ${migrations.length}`);
  });
}

/** Gives an empty database the schema of this version. */
export function createSchema(db: Database, version: number): void {
  for (const sql of migrations.slice(0, version)) db.exec(sql);
}

/** True if a database has every table and column that this program knows. Refuses one that a newer program made. */
export function isNewest(db: Database): boolean {
  return knownVersion(db) === migrations.length;
}

/** The version of a database. Refuses one that a newer program made. */
export function knownVersion(db: Database): number {
  const version = schemaVersion(db);
  // mutant newer-database-opened, promise 10: `> migrations.length` -> `> 99`; sqlite-store "of a newer version"
  if (version > migrations.length) {
    throw new ExitError(
      exitCodes.databaseNewer,
      `The database ${db.file} was made by a newer version of hayrake (schema ${version}, this program knows ${migrations.length}). ` +
        'Install that version, or use another data directory.',
    );
  }
  return version;
}

/** The diagnosis about the version of a database. */
export function schemaDiagnosis(db: Database): Diagnosis {
  const name = 'database';
  const version = schemaVersion(db);
  if (version > migrations.length)
    return {
      name,
      state: 'fail',
      message: `It was made by a newer hayrake (schema ${version}, this program knows ${migrations.length}).`,
      remedy: 'Install that version, or use another data directory.',
    };
  const upgrade = version < migrations.length ? ', which the next start upgrades' : '';
  return { name, state: 'ok', message: `SQLite, schema ${version}${upgrade}` };
}

function schemaVersion(db: Database): number {
  return Number(db.pragma('user_version'));
}
