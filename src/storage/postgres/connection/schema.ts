import { randomBytes } from 'node:crypto';
import { failPoint } from '../../../core/process/fail-point.ts';
import { ExitError, exitCodes } from '../../../core/errors.ts';
import type { Connections } from './connections.ts';

/** Milliseconds since the epoch by the clock of the database: the only clock that counts across processes. */
export const nowSql = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** A time that the caller can give instead. */
export const givenNow = (parameter: string): string => `coalesce(${parameter}::bigint, ${nowSql})`;

/**
 * Numbered, forward only: a released migration is never edited. `schema_version` counts those applied. `schema.sql`
 * shows what they lead to.
 *
 * The tables are those of the embedded store, which explains their columns, plus what several processes need: `worker`,
 * and the lease of a host. Tables whose rows change all the time, such as `host_slot` and `job`, leave room in their
 * pages for HOT updates: the new version of a row stays in its page, and no index is written.
 */
export const migrations: string[] = [
  `
  CREATE TABLE setting (name text PRIMARY KEY, value bytea NOT NULL);

  CREATE TABLE token (
    id text PRIMARY KEY, hash text NOT NULL UNIQUE, org text NOT NULL, name text NOT NULL, permissions text NOT NULL,
    created_at bigint NOT NULL, revoked_at bigint, expires_at bigint
  );
  CREATE INDEX token_by_org ON token (org, created_at, id);

  -- Browsers that are signed in to the dashboard, and login codes. The token can be the operator's, which has no row.
  CREATE TABLE session (
    hash text COLLATE "C" PRIMARY KEY, kind text NOT NULL, token text NOT NULL, created_at bigint NOT NULL, expires_at bigint NOT NULL
  );
  CREATE INDEX session_by_token ON session (token, kind, created_at);
  CREATE INDEX session_by_expiry ON session (expires_at);

  CREATE TABLE webhook_key (org text PRIMARY KEY, current bytea NOT NULL, previous bytea, rotated_at bigint);

  -- The log of an update holds what lies between the first and the last changed column: all that a settlement changes stands
  -- together, at the end.
  CREATE TABLE job (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE, org text COLLATE "C" NOT NULL,
    kind text NOT NULL, status text NOT NULL, spec text NOT NULL, scope_hosts text NOT NULL, moved_starts text NOT NULL DEFAULT '{}', networks text NOT NULL DEFAULT '{}',
    retry_of text, schedule text COLLATE "C", feed int NOT NULL DEFAULT 1, since bigint, only_changed boolean NOT NULL DEFAULT false, created_at bigint NOT NULL, ends_by bigint, stopped_at bigint, finished_at bigint, end_reason text,
    output_expiry int, -- seconds from the end to results_gone_at; null: until they are deleted
    results_gone_at bigint, swept boolean NOT NULL DEFAULT false, emptied boolean NOT NULL DEFAULT false,
    erasures int NOT NULL DEFAULT 0,
    rank int NOT NULL DEFAULT 2, needs_browser boolean NOT NULL DEFAULT false, page_limit int NOT NULL, fetch_limit int NOT NULL,
    unlisted int NOT NULL DEFAULT 0, notices text NOT NULL, webhook_url text, webhook_state text NOT NULL DEFAULT 'new',
    webhook_fails text NOT NULL DEFAULT '[]', schedule_told int NOT NULL DEFAULT 0,
    version int NOT NULL DEFAULT 1, fetches int NOT NULL DEFAULT 0, fetched_bytes bigint NOT NULL DEFAULT 0,
    queued int NOT NULL DEFAULT 0, in_flight int NOT NULL DEFAULT 0, scraped int NOT NULL DEFAULT 0,
    discarded int NOT NULL DEFAULT 0, failed int NOT NULL DEFAULT 0, outside int NOT NULL DEFAULT 0,
    control int NOT NULL DEFAULT 0,
    sitemaps int NOT NULL DEFAULT 0, sitemap_pages int NOT NULL DEFAULT 0,
    webhook_page int NOT NULL DEFAULT 0, webhook_open bigint NOT NULL DEFAULT 0, reasons text NOT NULL DEFAULT '{}',
    tally text NOT NULL DEFAULT '{}', examples text NOT NULL DEFAULT '{}',
    seeded bigint, changes text NOT NULL DEFAULT '{}', revisits text
  ) WITH (fillfactor = 50);
  CREATE INDEX job_by_org ON job (org, id);
  CREATE INDEX job_by_status ON job (org, status, kind, id);
  CREATE INDEX job_to_sweep ON job (swept, results_gone_at) WHERE results_gone_at IS NOT NULL AND NOT emptied;
  CREATE INDEX job_unfinished ON job (org) WHERE finished_at IS NULL;
  CREATE INDEX job_ends_by ON job (ends_by) WHERE finished_at IS NULL AND ends_by IS NOT NULL;
  CREATE INDEX job_retries ON job (retry_of) WHERE retry_of IS NOT NULL;
  CREATE INDEX job_needs_browser ON job (seq) WHERE needs_browser AND finished_at IS NULL;
  CREATE INDEX job_reextract ON job (seq) WHERE finished_at IS NULL AND spec::json -> 'reextract' IS NOT NULL;
  CREATE INDEX job_stopped ON job (seq) WHERE stopped_at IS NOT NULL;
  CREATE INDEX job_to_seed ON job (seq) WHERE seeded IS NOT NULL AND finished_at IS NULL;
  CREATE INDEX job_of_schedule ON job (schedule, id) WHERE schedule IS NOT NULL;
  CREATE INDEX job_in_feed ON job (schedule, seq) WHERE schedule IS NOT NULL;
  CREATE INDEX job_by_feed ON job (schedule, feed, seq) WHERE schedule IS NOT NULL AND feed <> 1;
  CREATE INDEX job_feed_kept ON job (finished_at) WHERE schedule IS NOT NULL AND feed <> 0 AND emptied;
  CREATE INDEX job_run ON job (schedule) WHERE schedule IS NOT NULL AND finished_at IS NULL;

  CREATE TABLE job_headers (job bigint PRIMARY KEY, headers text NOT NULL);
  CREATE TABLE job_series (job bigint PRIMARY KEY, series text NOT NULL) WITH (fillfactor = 50);
  -- What a job learned of a site from a model.
  CREATE TABLE lesson (job bigint NOT NULL, site text NOT NULL, revision int NOT NULL, data bytea NOT NULL, PRIMARY KEY (job, site));
  ALTER TABLE lesson ALTER data SET STORAGE EXTERNAL;
  CREATE INDEX lesson_by_site ON lesson (site);
  -- Pages that wait until their site was learned, and the process that learns it.
  CREATE TABLE held_page (
    request bigint PRIMARY KEY, job bigint NOT NULL, site text NOT NULL, url text NOT NULL, held_at bigint NOT NULL,
    state text NOT NULL, revision int NOT NULL, signature bytea NOT NULL, data bytea NOT NULL
  );
  CREATE INDEX held_page_by_site ON held_page (job, site);
  ALTER TABLE held_page ALTER data SET STORAGE EXTERNAL;
  CREATE TABLE learner (job bigint NOT NULL, site text NOT NULL, holder text NOT NULL, held_until bigint NOT NULL, PRIMARY KEY (job, site));
  CREATE TABLE model_calls (job bigint PRIMARY KEY, calls int NOT NULL);
  -- Calls of a day in UTC.
  CREATE TABLE model_day (org text NOT NULL, day text NOT NULL, calls int NOT NULL, PRIMARY KEY (org, day));
  CREATE TABLE ended_template (job bigint NOT NULL, template text NOT NULL, PRIMARY KEY (job, template));
  CREATE TABLE idempotency (
    org text NOT NULL, key text NOT NULL, body_hash text NOT NULL, job bigint, schedule text, created_at bigint NOT NULL,
    PRIMARY KEY (org, key)
  );
  CREATE INDEX idempotency_by_age ON idempotency (created_at);

  -- A process that crawls, for as long as it says so. Nobody takes up a dead one's leases before all of them were ended.
  CREATE TABLE worker (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, lease_until bigint NOT NULL,
    dead boolean NOT NULL DEFAULT false,
    has_browser boolean NOT NULL DEFAULT false, -- jobs that ask for a browser are created only while a worker has one
    open_pages jsonb -- pages that it requested at its last renewal, by id of the job; null if it does not count them
  ) WITH (fillfactor = 50);

  CREATE TABLE host (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE, delay_ms bigint NOT NULL DEFAULT 0,
    memory text, memory_at bigint             -- what its last holder had learnt of it, and when
  ) WITH (fillfactor = 70);
  -- Each lease has a number of its own, over all hosts.
  CREATE SEQUENCE fence;
  CREATE TABLE host_slot (
    host bigint PRIMARY KEY, owner bigint, fence bigint NOT NULL DEFAULT 0,
    ready_at bigint,                          -- a lease is of use from here on; null when no work is known
    next_at bigint NOT NULL DEFAULT 0,        -- politeness: no fetch before
    last_job bigint NOT NULL DEFAULT 0,
    org text COLLATE "C" NOT NULL DEFAULT '', rank int NOT NULL DEFAULT 2, job bigint NOT NULL DEFAULT 0,
    in_line boolean NOT NULL DEFAULT false,
    -- Without a browser, a lease is of no use before plain_at, or at all where that is null.
    for_browser boolean NOT NULL DEFAULT false, plain_at bigint
  ) WITH (fillfactor = 50);
  CREATE INDEX host_slot_ready ON host_slot (in_line, ready_at) WHERE ready_at IS NOT NULL AND owner IS NULL;
  CREATE INDEX host_slot_line ON host_slot (org, rank, job, ready_at) WHERE in_line AND owner IS NULL;
  CREATE INDEX host_slot_plain_line ON host_slot (org, rank, job, ready_at) WHERE in_line AND owner IS NULL AND NOT for_browser;
  CREATE INDEX host_slot_plain_at ON host_slot (plain_at) WHERE plain_at IS NOT NULL;
  CREATE INDEX host_slot_owned ON host_slot (owner) WHERE owner IS NOT NULL;

  -- Every URL of a job, once. Numbers are given under the job's row, so that within a job they become visible in order.
  CREATE SEQUENCE entry;
  CREATE TABLE ledger (
    job bigint NOT NULL, id bigint NOT NULL DEFAULT nextval('entry'), key text COLLATE "C" NOT NULL, kind text NOT NULL, url text NOT NULL,
    depth int NOT NULL, self_fed boolean NOT NULL DEFAULT false, by_script boolean NOT NULL DEFAULT false, found_on bigint, state text NOT NULL, reason text, detail text, page int,
    attempts int NOT NULL DEFAULT 0, attempted_at bigint, status_code int, lastmod text,
    hash text, copy_key text, validator text, text_of bigint, change text, change_number int, earlier_hash text,
    asked_at bigint, asked_lastmod text, same_since bigint,
    -- An index with a condition on the state keeps every end of a URL from being written beside the row before it: of a column that
    -- only a failure changes, it does not.
    has_failed boolean NOT NULL GENERATED ALWAYS AS (state = 'failed') STORED, PRIMARY KEY (job, id)
  ) WITH (fillfactor = 80);
  CREATE UNIQUE INDEX ledger_by_key ON ledger (job, key);
  CREATE INDEX ledger_failed ON ledger (job, id) WHERE has_failed;
  CREATE INDEX ledger_by_reason ON ledger (job, reason, id) WHERE reason IS NOT NULL AND kind = 'page';
  CREATE INDEX ledger_sitemaps ON ledger (job, id) WHERE kind = 'sitemap';
  CREATE INDEX ledger_changes ON ledger (job, change_number) WHERE change_number IS NOT NULL;
  CREATE INDEX ledger_feed ON ledger (job, change_number) WHERE change IN ('added', 'changed', 'removed');
  CREATE INDEX ledger_texts ON ledger (text_of) WHERE text_of IS NOT NULL;

  CREATE TABLE frontier (
    id bigint PRIMARY KEY, host bigint NOT NULL, job bigint NOT NULL, priority int NOT NULL,
    not_before bigint NOT NULL DEFAULT 0, fence bigint, deaths int NOT NULL DEFAULT 0, alone boolean NOT NULL DEFAULT false, chain text
  ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
  CREATE INDEX frontier_due ON frontier (host, job, priority, id) WHERE fence IS NULL AND not_before = 0;
  CREATE INDEX frontier_postponed ON frontier (host, not_before) WHERE fence IS NULL AND not_before > 0;
  CREATE INDEX frontier_suspect ON frontier (host) WHERE fence IS NULL AND not_before < 0;
  CREATE INDEX frontier_taken ON frontier (fence) WHERE fence IS NOT NULL;

  CREATE TABLE page (
    job bigint NOT NULL, page int NOT NULL, deflated bytea NOT NULL, crc bigint NOT NULL, length int NOT NULL, packed_crc bigint NOT NULL,
    text_of bigint, PRIMARY KEY (job, page)
  );
  CREATE TABLE body (
    job bigint NOT NULL, page int NOT NULL, deflated bytea NOT NULL, crc bigint NOT NULL, length int NOT NULL, packed_crc bigint NOT NULL,
    text_of bigint, PRIMARY KEY (job, page)
  ) WITH (autovacuum_vacuum_scale_factor = 0.05, toast_tuple_target = 4080);
  CREATE TABLE screenshot (job bigint NOT NULL, page int NOT NULL, type text NOT NULL, bytes bytea NOT NULL, crc bigint NOT NULL, PRIMARY KEY (job, page));
  -- Where the raw body of a page is: a slice of a segment, which has the number of the first page in it.
  CREATE TABLE raw_page (job bigint NOT NULL, page int NOT NULL, segment int NOT NULL, at int NOT NULL, length int NOT NULL, crc bigint NOT NULL, PRIMARY KEY (job, page));
  -- Either its bytes are here, or their place in an object.
  CREATE TABLE raw_segment (
    job bigint NOT NULL, page int NOT NULL, bytes bytea, length int NOT NULL, object text COLLATE "C", object_at int, size int,
    PRIMARY KEY (job, page)
  );
  CREATE INDEX raw_segment_in_object ON raw_segment (object) WHERE object IS NOT NULL;
  CREATE TABLE raw_object (
    name text COLLATE "C" PRIMARY KEY, bytes int NOT NULL,
    state text NOT NULL,                      -- new: no row has named it yet; live; dead: no row names it any more; lost: none ever will
    at bigint NOT NULL,                       -- when it was registered, died or was lost
    of_one_job boolean NOT NULL DEFAULT false, -- its segments were gathered when their job had ended
    has_deleted boolean NOT NULL DEFAULT false -- a part is of a job that was deleted
  );
  CREATE INDEX raw_object_by_state ON raw_object (state, of_one_job, at);
  -- The jobs whose bytes an object has, whether a row names them or not.
  CREATE TABLE raw_object_job (object text COLLATE "C" NOT NULL, job bigint NOT NULL, PRIMARY KEY (object, job));
  CREATE INDEX raw_object_job_by_job ON raw_object_job (job);
  -- What is deflated already is kept as it is; texts that fit twice in a database page stay in line, which halves the cost of
  -- reading them.
  ALTER TABLE page ALTER deflated SET STORAGE EXTERNAL;
  ALTER TABLE body ALTER deflated SET STORAGE EXTERNAL;
  ALTER TABLE screenshot ALTER bytes SET STORAGE EXTERNAL;
  ALTER TABLE raw_segment ALTER bytes SET STORAGE EXTERNAL;
  CREATE TABLE page_key (job bigint NOT NULL, key text COLLATE "C" NOT NULL, entry bigint NOT NULL, PRIMARY KEY (job, key));

  CREATE SEQUENCE work_id;
  CREATE TABLE work (
    id bigint PRIMARY KEY DEFAULT nextval('work_id'), kind text NOT NULL, job bigint, schedule text COLLATE "C", key text NOT NULL, subject text NOT NULL, payload text,
    status text NOT NULL DEFAULT 'pending', created_at bigint NOT NULL, attempts int NOT NULL DEFAULT 0,
    next_at bigint, settled_at bigint, code int, error text,
    claimed_by bigint                         -- the worker that is sending it
  );
  CREATE INDEX work_due ON work (kind, next_at, key) WHERE status = 'pending';
  CREATE INDEX work_of_job ON work (job, id);
  CREATE INDEX work_of_schedule ON work (schedule, id) WHERE schedule IS NOT NULL;
  CREATE INDEX work_claimed ON work (claimed_by) WHERE claimed_by IS NOT NULL;
  CREATE INDEX work_settled ON work (settled_at) WHERE settled_at IS NOT NULL;

  CREATE TABLE schedule (
    id text COLLATE "C" PRIMARY KEY, org text COLLATE "C" NOT NULL, name text NOT NULL, cron text NOT NULL, time_zone text NOT NULL,
    job text NOT NULL, secrets text NOT NULL, webhook_url text, keep int NOT NULL, overlap text NOT NULL,
    token text NOT NULL, permissions text NOT NULL, paused_by text, created_at bigint NOT NULL,
    planned_at bigint NOT NULL, next_run_at bigint, last_run_at bigint, last_job text, last_error text, version int NOT NULL DEFAULT 1
  );
  CREATE INDEX schedule_by_org ON schedule (org, id);
  CREATE INDEX schedule_by_token ON schedule (token);
  CREATE INDEX schedule_by_plan ON schedule (planned_at);
  CREATE TABLE schedule_headers (schedule text COLLATE "C" PRIMARY KEY, headers text NOT NULL);

  -- The search index. Everything in it can be built again from the pages, so it needs no write-ahead log: after a crash of the
  -- server these tables are empty.
  CREATE UNLOGGED TABLE search_job (
    job bigint PRIMARY KEY,
    version int NOT NULL,                     -- of the way to separate words
    indexed int NOT NULL DEFAULT 0,           -- the first so many pages
    damaged int NOT NULL DEFAULT 0            -- pages among them that could not be read
  );
  CREATE UNLOGGED TABLE search_page (job bigint NOT NULL, page int NOT NULL, words tsvector NOT NULL, PRIMARY KEY (job, page));
  CREATE INDEX search_page_words ON search_page USING gin (words);
  `,
];

/** Advisory lock of processes that start to use a database. Any number that nobody else is likely to use. */
export const migrationLock = 8_340_217_551;

/**
 * Migrates a database to the newest schema; refuses one that a newer program made. Processes that start at the same
 * time wait for each other. Returns the secret, which is created with the database.
 */
export async function migrate(connections: Connections): Promise<Uint8Array> {
  return connections.transaction(async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
    await tx.query('CREATE TABLE IF NOT EXISTS schema_version (version int NOT NULL)', []);
    const [row] = await tx.query<{ version: number }>('SELECT version FROM schema_version', []);
    const version = row?.version ?? 0;
    if (version > migrations.length) {
      throw new ExitError(
        exitCodes.databaseNewer,
        `The database was made by a newer version of hayrake (schema ${version}, this program knows ${migrations.length}). ` +
          'Install that version, or use another database.',
      );
    }
    // A migration can rewrite a table of many million rows.
    await tx.script('SET LOCAL statement_timeout = 0');
    for (const sql of migrations.slice(version)) await tx.script(sql);
    if (!row) await tx.query('INSERT INTO schema_version VALUES ($1)', [migrations.length]);
    else if (version < migrations.length) await tx.query('UPDATE schema_version SET version = $1', [migrations.length]);
    failPoint('start.migrating');
    await tx.query("INSERT INTO setting (name, value) VALUES ('secret', $1) ON CONFLICT DO NOTHING", [randomBytes(32)]);
    const [secret] = await tx.query<{ value: Uint8Array }>("SELECT value FROM setting WHERE name = 'secret'", []);
    if (!secret) throw new Error('the secret was not stored');
    return new Uint8Array(secret.value);
  });
}
