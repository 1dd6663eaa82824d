-- What the migrations in schema.ts lead to. Rewritten by `npm run schema`.

CREATE SEQUENCE entry;
CREATE SEQUENCE fence;
CREATE SEQUENCE work_id;

CREATE TABLE body (
  job bigint NOT NULL,
  page integer NOT NULL,
  deflated bytea STORAGE external NOT NULL,
  crc bigint NOT NULL,
  length integer NOT NULL,
  packed_crc bigint NOT NULL,
  text_of bigint,
  PRIMARY KEY (job, page)
) WITH (autovacuum_vacuum_scale_factor=0.05, toast_tuple_target=4080);

CREATE TABLE ended_template (
  job bigint NOT NULL,
  template text NOT NULL,
  PRIMARY KEY (job, template)
);

CREATE TABLE frontier (
  id bigint NOT NULL,
  host bigint NOT NULL,
  job bigint NOT NULL,
  priority integer NOT NULL,
  not_before bigint NOT NULL DEFAULT 0,
  fence bigint,
  deaths integer NOT NULL DEFAULT 0,
  alone boolean NOT NULL DEFAULT false,
  chain text,
  PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_delay=0);
CREATE INDEX frontier_due ON public.frontier USING btree (host, job, priority, id) WHERE ((fence IS NULL) AND (not_before = 0));
CREATE INDEX frontier_postponed ON public.frontier USING btree (host, not_before) WHERE ((fence IS NULL) AND (not_before > 0));
CREATE INDEX frontier_suspect ON public.frontier USING btree (host) WHERE ((fence IS NULL) AND (not_before < 0));
CREATE INDEX frontier_taken ON public.frontier USING btree (fence) WHERE (fence IS NOT NULL);

CREATE TABLE held_page (
  request bigint NOT NULL,
  job bigint NOT NULL,
  site text NOT NULL,
  url text NOT NULL,
  held_at bigint NOT NULL,
  state text NOT NULL,
  revision integer NOT NULL,
  signature bytea NOT NULL,
  data bytea STORAGE external NOT NULL,
  PRIMARY KEY (request)
);
CREATE INDEX held_page_by_site ON public.held_page USING btree (job, site);

CREATE TABLE host (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  delay_ms bigint NOT NULL DEFAULT 0,
  memory text,
  memory_at bigint,
  UNIQUE (name),
  PRIMARY KEY (id)
) WITH (fillfactor=70);

CREATE TABLE host_slot (
  host bigint NOT NULL,
  owner bigint,
  fence bigint NOT NULL DEFAULT 0,
  ready_at bigint,
  next_at bigint NOT NULL DEFAULT 0,
  last_job bigint NOT NULL DEFAULT 0,
  org text COLLATE "C" NOT NULL DEFAULT ''::text,
  rank integer NOT NULL DEFAULT 2,
  job bigint NOT NULL DEFAULT 0,
  in_line boolean NOT NULL DEFAULT false,
  for_browser boolean NOT NULL DEFAULT false,
  plain_at bigint,
  PRIMARY KEY (host)
) WITH (fillfactor=50);
CREATE INDEX host_slot_line ON public.host_slot USING btree (org, rank, job, ready_at) WHERE (in_line AND (owner IS NULL));
CREATE INDEX host_slot_owned ON public.host_slot USING btree (owner) WHERE (owner IS NOT NULL);
CREATE INDEX host_slot_plain_at ON public.host_slot USING btree (plain_at) WHERE (plain_at IS NOT NULL);
CREATE INDEX host_slot_plain_line ON public.host_slot USING btree (org, rank, job, ready_at) WHERE (in_line AND (owner IS NULL) AND (NOT for_browser));
CREATE INDEX host_slot_ready ON public.host_slot USING btree (in_line, ready_at) WHERE ((ready_at IS NOT NULL) AND (owner IS NULL));

CREATE TABLE idempotency (
  org text NOT NULL,
  key text NOT NULL,
  body_hash text NOT NULL,
  job bigint,
  schedule text,
  created_at bigint NOT NULL,
  PRIMARY KEY (org, key)
);
CREATE INDEX idempotency_by_age ON public.idempotency USING btree (created_at);

CREATE TABLE job (
  seq bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  id text COLLATE "C" NOT NULL,
  org text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  status text NOT NULL,
  spec text NOT NULL,
  scope_hosts text NOT NULL,
  moved_starts text NOT NULL DEFAULT '{}'::text,
  networks text NOT NULL DEFAULT '{}'::text,
  retry_of text,
  schedule text COLLATE "C",
  feed integer NOT NULL DEFAULT 1,
  since bigint,
  only_changed boolean NOT NULL DEFAULT false,
  created_at bigint NOT NULL,
  ends_by bigint,
  stopped_at bigint,
  finished_at bigint,
  end_reason text,
  output_expiry integer,
  results_gone_at bigint,
  swept boolean NOT NULL DEFAULT false,
  emptied boolean NOT NULL DEFAULT false,
  erasures integer NOT NULL DEFAULT 0,
  rank integer NOT NULL DEFAULT 2,
  needs_browser boolean NOT NULL DEFAULT false,
  page_limit integer NOT NULL,
  fetch_limit integer NOT NULL,
  unlisted integer NOT NULL DEFAULT 0,
  notices text NOT NULL,
  webhook_url text,
  webhook_state text NOT NULL DEFAULT 'new'::text,
  webhook_fails text NOT NULL DEFAULT '[]'::text,
  schedule_told integer NOT NULL DEFAULT 0,
  version integer NOT NULL DEFAULT 1,
  fetches integer NOT NULL DEFAULT 0,
  fetched_bytes bigint NOT NULL DEFAULT 0,
  queued integer NOT NULL DEFAULT 0,
  in_flight integer NOT NULL DEFAULT 0,
  scraped integer NOT NULL DEFAULT 0,
  discarded integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  outside integer NOT NULL DEFAULT 0,
  control integer NOT NULL DEFAULT 0,
  sitemaps integer NOT NULL DEFAULT 0,
  sitemap_pages integer NOT NULL DEFAULT 0,
  webhook_page integer NOT NULL DEFAULT 0,
  webhook_open bigint NOT NULL DEFAULT 0,
  reasons text NOT NULL DEFAULT '{}'::text,
  tally text NOT NULL DEFAULT '{}'::text,
  examples text NOT NULL DEFAULT '{}'::text,
  seeded bigint,
  changes text NOT NULL DEFAULT '{}'::text,
  revisits text,
  UNIQUE (id),
  PRIMARY KEY (seq)
) WITH (fillfactor=50);
CREATE INDEX job_by_feed ON public.job USING btree (schedule, feed, seq) WHERE ((schedule IS NOT NULL) AND (feed <> 1));
CREATE INDEX job_by_org ON public.job USING btree (org, id);
CREATE INDEX job_by_status ON public.job USING btree (org, status, kind, id);
CREATE INDEX job_ends_by ON public.job USING btree (ends_by) WHERE ((finished_at IS NULL) AND (ends_by IS NOT NULL));
CREATE INDEX job_feed_kept ON public.job USING btree (finished_at) WHERE ((schedule IS NOT NULL) AND (feed <> 0) AND emptied);
CREATE INDEX job_in_feed ON public.job USING btree (schedule, seq) WHERE (schedule IS NOT NULL);
CREATE INDEX job_needs_browser ON public.job USING btree (seq) WHERE (needs_browser AND (finished_at IS NULL));
CREATE INDEX job_of_schedule ON public.job USING btree (schedule, id) WHERE (schedule IS NOT NULL);
CREATE INDEX job_reextract ON public.job USING btree (seq) WHERE ((finished_at IS NULL) AND (((spec)::json -> 'reextract'::text) IS NOT NULL));
CREATE INDEX job_retries ON public.job USING btree (retry_of) WHERE (retry_of IS NOT NULL);
CREATE INDEX job_run ON public.job USING btree (schedule) WHERE ((schedule IS NOT NULL) AND (finished_at IS NULL));
CREATE INDEX job_stopped ON public.job USING btree (seq) WHERE (stopped_at IS NOT NULL);
CREATE INDEX job_to_seed ON public.job USING btree (seq) WHERE ((seeded IS NOT NULL) AND (finished_at IS NULL));
CREATE INDEX job_to_sweep ON public.job USING btree (swept, results_gone_at) WHERE ((results_gone_at IS NOT NULL) AND (NOT emptied));
CREATE INDEX job_unfinished ON public.job USING btree (org) WHERE (finished_at IS NULL);

CREATE TABLE job_headers (
  job bigint NOT NULL,
  headers text NOT NULL,
  PRIMARY KEY (job)
);

CREATE TABLE job_series (
  job bigint NOT NULL,
  series text NOT NULL,
  PRIMARY KEY (job)
) WITH (fillfactor=50);

CREATE TABLE learner (
  job bigint NOT NULL,
  site text NOT NULL,
  holder text NOT NULL,
  held_until bigint NOT NULL,
  PRIMARY KEY (job, site)
);

CREATE TABLE ledger (
  job bigint NOT NULL,
  id bigint NOT NULL DEFAULT nextval('entry'::regclass),
  key text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  url text NOT NULL,
  depth integer NOT NULL,
  self_fed boolean NOT NULL DEFAULT false,
  by_script boolean NOT NULL DEFAULT false,
  found_on bigint,
  state text NOT NULL,
  reason text,
  detail text,
  page integer,
  attempts integer NOT NULL DEFAULT 0,
  attempted_at bigint,
  status_code integer,
  lastmod text,
  hash text,
  copy_key text,
  validator text,
  text_of bigint,
  change text,
  change_number integer,
  earlier_hash text,
  asked_at bigint,
  asked_lastmod text,
  same_since bigint,
  has_failed boolean NOT NULL GENERATED ALWAYS AS (state = 'failed'::text) STORED,
  PRIMARY KEY (job, id)
) WITH (fillfactor=80);
CREATE UNIQUE INDEX ledger_by_key ON public.ledger USING btree (job, key);
CREATE INDEX ledger_by_reason ON public.ledger USING btree (job, reason, id) WHERE ((reason IS NOT NULL) AND (kind = 'page'::text));
CREATE INDEX ledger_changes ON public.ledger USING btree (job, change_number) WHERE (change_number IS NOT NULL);
CREATE INDEX ledger_failed ON public.ledger USING btree (job, id) WHERE has_failed;
CREATE INDEX ledger_feed ON public.ledger USING btree (job, change_number) WHERE (change = ANY (ARRAY['added'::text, 'changed'::text, 'removed'::text]));
CREATE INDEX ledger_sitemaps ON public.ledger USING btree (job, id) WHERE (kind = 'sitemap'::text);
CREATE INDEX ledger_texts ON public.ledger USING btree (text_of) WHERE (text_of IS NOT NULL);

CREATE TABLE lesson (
  job bigint NOT NULL,
  site text NOT NULL,
  revision integer NOT NULL,
  data bytea STORAGE external NOT NULL,
  PRIMARY KEY (job, site)
);
CREATE INDEX lesson_by_site ON public.lesson USING btree (site);

CREATE TABLE model_calls (
  job bigint NOT NULL,
  calls integer NOT NULL,
  PRIMARY KEY (job)
);

CREATE TABLE model_day (
  org text NOT NULL,
  day text NOT NULL,
  calls integer NOT NULL,
  PRIMARY KEY (org, day)
);

CREATE TABLE page (
  job bigint NOT NULL,
  page integer NOT NULL,
  deflated bytea STORAGE external NOT NULL,
  crc bigint NOT NULL,
  length integer NOT NULL,
  packed_crc bigint NOT NULL,
  text_of bigint,
  PRIMARY KEY (job, page)
);

CREATE TABLE page_key (
  job bigint NOT NULL,
  key text COLLATE "C" NOT NULL,
  entry bigint NOT NULL,
  PRIMARY KEY (job, key)
);

CREATE TABLE raw_object (
  name text COLLATE "C" NOT NULL,
  bytes integer NOT NULL,
  state text NOT NULL,
  at bigint NOT NULL,
  of_one_job boolean NOT NULL DEFAULT false,
  has_deleted boolean NOT NULL DEFAULT false,
  PRIMARY KEY (name)
);
CREATE INDEX raw_object_by_state ON public.raw_object USING btree (state, of_one_job, at);

CREATE TABLE raw_object_job (
  object text COLLATE "C" NOT NULL,
  job bigint NOT NULL,
  PRIMARY KEY (object, job)
);
CREATE INDEX raw_object_job_by_job ON public.raw_object_job USING btree (job);

CREATE TABLE raw_page (
  job bigint NOT NULL,
  page integer NOT NULL,
  segment integer NOT NULL,
  at integer NOT NULL,
  length integer NOT NULL,
  crc bigint NOT NULL,
  PRIMARY KEY (job, page)
);

CREATE TABLE raw_segment (
  job bigint NOT NULL,
  page integer NOT NULL,
  bytes bytea STORAGE external,
  length integer NOT NULL,
  object text COLLATE "C",
  object_at integer,
  size integer,
  PRIMARY KEY (job, page)
);
CREATE INDEX raw_segment_in_object ON public.raw_segment USING btree (object) WHERE (object IS NOT NULL);

CREATE TABLE schedule (
  id text COLLATE "C" NOT NULL,
  org text COLLATE "C" NOT NULL,
  name text NOT NULL,
  cron text NOT NULL,
  time_zone text NOT NULL,
  job text NOT NULL,
  secrets text NOT NULL,
  webhook_url text,
  keep integer NOT NULL,
  overlap text NOT NULL,
  token text NOT NULL,
  permissions text NOT NULL,
  paused_by text,
  created_at bigint NOT NULL,
  planned_at bigint NOT NULL,
  next_run_at bigint,
  last_run_at bigint,
  last_job text,
  last_error text,
  version integer NOT NULL DEFAULT 1,
  PRIMARY KEY (id)
);
CREATE INDEX schedule_by_org ON public.schedule USING btree (org, id);
CREATE INDEX schedule_by_plan ON public.schedule USING btree (planned_at);
CREATE INDEX schedule_by_token ON public.schedule USING btree (token);

CREATE TABLE schedule_headers (
  schedule text COLLATE "C" NOT NULL,
  headers text NOT NULL,
  PRIMARY KEY (schedule)
);

CREATE TABLE schema_version (
  version integer NOT NULL
);

CREATE TABLE screenshot (
  job bigint NOT NULL,
  page integer NOT NULL,
  type text NOT NULL,
  bytes bytea STORAGE external NOT NULL,
  crc bigint NOT NULL,
  PRIMARY KEY (job, page)
);

CREATE UNLOGGED TABLE search_job (
  job bigint NOT NULL,
  version integer NOT NULL,
  indexed integer NOT NULL DEFAULT 0,
  damaged integer NOT NULL DEFAULT 0,
  PRIMARY KEY (job)
);

CREATE UNLOGGED TABLE search_page (
  job bigint NOT NULL,
  page integer NOT NULL,
  words tsvector NOT NULL,
  PRIMARY KEY (job, page)
);
CREATE INDEX search_page_words ON public.search_page USING gin (words);

CREATE TABLE session (
  hash text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  token text NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (hash)
);
CREATE INDEX session_by_expiry ON public.session USING btree (expires_at);
CREATE INDEX session_by_token ON public.session USING btree (token, kind, created_at);

CREATE TABLE setting (
  name text NOT NULL,
  value bytea NOT NULL,
  PRIMARY KEY (name)
);

CREATE TABLE token (
  id text NOT NULL,
  hash text NOT NULL,
  org text NOT NULL,
  name text NOT NULL,
  permissions text NOT NULL,
  created_at bigint NOT NULL,
  revoked_at bigint,
  expires_at bigint,
  UNIQUE (hash),
  PRIMARY KEY (id)
);
CREATE INDEX token_by_org ON public.token USING btree (org, created_at, id);

CREATE TABLE webhook_key (
  org text NOT NULL,
  current bytea NOT NULL,
  previous bytea,
  rotated_at bigint,
  PRIMARY KEY (org)
);

CREATE TABLE work (
  id bigint NOT NULL DEFAULT nextval('work_id'::regclass),
  kind text NOT NULL,
  job bigint,
  schedule text COLLATE "C",
  key text NOT NULL,
  subject text NOT NULL,
  payload text,
  status text NOT NULL DEFAULT 'pending'::text,
  created_at bigint NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  next_at bigint,
  settled_at bigint,
  code integer,
  error text,
  claimed_by bigint,
  PRIMARY KEY (id)
);
CREATE INDEX work_claimed ON public.work USING btree (claimed_by) WHERE (claimed_by IS NOT NULL);
CREATE INDEX work_due ON public.work USING btree (kind, next_at, key) WHERE (status = 'pending'::text);
CREATE INDEX work_of_job ON public.work USING btree (job, id);
CREATE INDEX work_of_schedule ON public.work USING btree (schedule, id) WHERE (schedule IS NOT NULL);
CREATE INDEX work_settled ON public.work USING btree (settled_at) WHERE (settled_at IS NOT NULL);

CREATE TABLE worker (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  lease_until bigint NOT NULL,
  dead boolean NOT NULL DEFAULT false,
  has_browser boolean NOT NULL DEFAULT false,
  open_pages jsonb,
  PRIMARY KEY (id)
) WITH (fillfactor=50);
