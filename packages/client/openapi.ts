// Written by `npm run docs` from the API. Do not edit.
export interface paths {
    "/crawler/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs, newest first
         * @description With `q`, a response can have fewer jobs than `limit`, or none, although more remain: one request looks at the next 1,000 jobs. Continue as long as there is a cursor.
         */
        get: operations["listJobs"];
        put?: never;
        /**
         * Create a job
         * @description The job is on disk before the response is sent. `Idempotency-Key` (at most 256 characters, kept 24 hours) makes repeating safe.
         */
        post: operations["createJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/jobs/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Crawl again what failed in a job that has ended
         * @description Creates a new job (`retryOf`) with the options of the original, which stays as it is. The new job delivers the missing pages and those reached through them, and no page that the original already has. The body is optional. `Idempotency-Key` (at most 256 characters, kept 24 hours) makes repeating safe.
         */
        post: operations["retryJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/jobs/{id}/reextract": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Convert the pages of a job again, without a request to the site
         * @description Creates a new job (`reextractOf`) from the raw bodies of one with `store_raw` that has ended. Options of content, format and shape, and `extract`, that the body names replace those of the original; all others are refused. Pages keep their numbers: none is discarded or joined, and one that cannot be converted is empty, with the reason `no_raw` in the ledger and a finding. `Idempotency-Key` (at most 256 characters, kept 24 hours) makes repeating safe.
         */
        post: operations["reextractJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/jobs/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show what a job would begin with, and store nothing
         * @description Takes the body of `POST /crawler/jobs`. Fetches robots.txt, the first start URL and a sitemap: at most 3 requests in 20 seconds, at the pace of the host. Returns 200 whatever the site responds. Needs a process that crawls: others return 503.
         */
        post: operations["previewJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a job
         * @description Never waits, and its `ETag` changes only with the job, so polling with `If-None-Match` is cheap.
         */
        get: operations["getJob"];
        put?: never;
        post?: never;
        /**
         * Cancel a job and delete its results
         * @description Deletes pages, screenshots and the ledger. The job stays readable, and its results are a 410.
         */
        delete: operations["deleteJob"];
        options?: never;
        head?: never;
        /**
         * Change how long the results of an ended job are kept
         * @description Only `output_expiry` can be changed. Repeatable. A job that runs is 409 (`job_not_ended`), one whose results are gone 410. A time in the past needs `confirm=true`, and removes the results.
         */
        patch: operations["setExpiry"];
        trace?: never;
    };
    "/crawler/jobs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a job; committed pages stay readable
         * @description URLs that are left are `discarded` as `cancelled`. Repeatable; a job that has ended stays as it is.
         */
        post: operations["cancelJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/jobs/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a crawl until it is resumed; a job that has ended stays as it is
         * @description As Ctrl-C in the terminal: requests in flight are finished, no other is sent, and `stoppedAt` is set. The status stays as it was. `resume` continues the crawl from there.
         */
        post: operations["stopJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/jobs/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Continue a crawl that was stopped; any other job stays as it is
         * @description Continues a crawl whose `stoppedAt` is set, from where it stopped.
         */
        post: operations["resumeJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/jobs/{id}/urls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The URL ledger: every discovered URL with its outcome and the reason
         * @description With `Accept: application/x-ndjson`: one URL per line, to the end of the job, regardless of `limit`; the last line is `{"end":true,"urls":N}` with the number of lines before it. While the job runs, each URL is listed once, in its state at that time. `status`, `reason` and `kind` are read from an index or counted. `q` and `found_on` compare: a response ends after 200,000 URLs, also if it has found nothing yet. Continue as long as there is a cursor.
         */
        get: operations["listUrls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/jobs/{id}/data": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The pages of a job: metadata and text
         * @description With `Accept: application/x-ndjson`: one page per line, to the end of the job; the last line is `{"end":true,"pages":N}`. With `chunk=heading`: one chunk per line, with their number as `chunks` in the last line. A damaged page gives the line `{"error":"page_damaged","page":N}`, and the last line then has the number of damaged pages as `damaged`.
         */
        get: operations["readPages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/jobs/{id}/meta": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The pages of a job: metadata only
         * @description With `Accept: application/x-ndjson`: one page per line, to the end of the job; the last line is `{"end":true,"pages":N}`. With `chunk=heading`: one chunk per line, with their number as `chunks` in the last line. A damaged page gives the line `{"error":"page_damaged","page":N}`, and the last line then has the number of damaged pages as `damaged`.
         */
        get: operations["readMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/jobs/{id}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What changed since the job that `since` names
         * @description In the order in which it was decided, each page once, while the job still runs. `removed` follows when the job ends, `unknown` last. With `Accept: application/x-ndjson`: one change per line, to the end of the job; the last line is `{"end":true,"changes":N}`.
         */
        get: operations["readChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/jobs/{id}/changes/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take what the job doubts
         * @description Unknown pages with the reason `gone` count as `removed` at once. Those with the reason `ill` or `shut` are taken as they are by the next job with `since` that gets this kind of response. Repeatable. A job that runs is 409 (`job_not_ended`).
         */
        post: operations["acceptChanges"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/schedules/{id}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What changed, over all runs of a schedule
         * @description Pages that were added, changed and removed, in order, each row once, while runs go: the first run adds all of its pages. What did not change, or is unknown, is in the changes of each run. `cursor` is always given; keep it, and ask again later. Rows are kept for 90 days or `keep` runs, whichever is longer. With an older cursor, or after a client deleted a run that was not read: 410 (`changes_expired`), whose `snapshot` is where to read all pages, and whose `cursor` continues after them. With `Accept: application/x-ndjson`: one row per line, up to now; the last line is `{"end":true,"changes":N,"cursor":"..."}`.
         */
        get: operations["readFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/schedules/{id}/data": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All pages that a schedule knows: metadata and text
         * @description As its newest ended run left them: delivered by it, or by an earlier one and unchanged since. Numbered in the order of their URLs. The first response chooses the run, its `cursor` keeps it, and its `changesCursor` is where the feed follows on these pages. With `Accept: application/x-ndjson`: one page per line; the last line is `{"end":true,"pages":N}`.
         */
        get: operations["readSnapshot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/schedules/{id}/meta": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All pages that a schedule knows: metadata only
         * @description As its newest ended run left them: delivered by it, or by an earlier one and unchanged since. Numbered in the order of their URLs. The first response chooses the run, its `cursor` keeps it, and its `changesCursor` is where the feed follows on these pages. With `Accept: application/x-ndjson`: one page per line; the last line is `{"end":true,"pages":N}`.
         */
        get: operations["readSnapshotMeta"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/jobs/{id}/changes/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How the text of a page differs from its earlier one
         * @description Compares texts, not markup: Markdown and text as they are delivered, of HTML what a reader sees. A unified diff; with `Accept: application/json` hunks with changed words. Of each text 1,000,000 bytes are compared, for 2 s: a diff that is not whole has `truncated`, or begins with `# truncated: true`. A page that was added or removed, or is unknown, is 400 (`nothing_to_compare`), a text that is no longer kept 410 (`text_expired`).
         */
        get: operations["readDiff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/schedules/{id}/changes/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How the text of a page differs from the one before its last change
         * @description Compares texts, not markup: Markdown and text as they are delivered, of HTML what a reader sees. A unified diff; with `Accept: application/json` hunks with changed words. Of each text 1,000,000 bytes are compared, for 2 s: a diff that is not whole has `truncated`, or begins with `# truncated: true`. A page that was added or removed, or is unknown, is 400 (`nothing_to_compare`), a text that is no longer kept 410 (`text_expired`). It is the newest run that is kept and changed the page. A page that none of them changed is 400 (`nothing_to_compare`).
         */
        get: operations["readFeedDiff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/jobs/{id}/extract": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many pages of a job with `extract` have a value, and where values stand
         * @description `values` counts the pages with a value of each field. For each site the rules that a model taught so far, and how often they agreed with the model. `fields` has all places, those that the job was given included: send it as `fields` of the next job, which then needs no model. A job without `extract` is 409 (`no_records`).
         */
        get: operations["readRules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/jobs/{id}/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search the pages of a job
         * @description The best hits first, at most 1,000. The first search of a job indexes its pages, and later ones those that were committed since. While that takes longer than a few seconds, the response covers the pages indexed so far: `indexedPages` of `pages`. Repeat the request to cover more.
         */
        get: operations["searchPages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/jobs/{id}/pages/{page}/screenshot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The screenshot of a page
         * @description A picture of each page is taken if the job was created with `screenshot`. It never changes, and is kept as long as the results of the job.
         */
        get: operations["readScreenshot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/jobs/{id}/pages/{page}/raw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The bytes of a page, as the site sent them
         * @description The body of the response without its content codings, if the job was created with `store_raw`. A download: no browser shows it. `X-Archive-Orig-Content-Type` has the type that the site gave.
         */
        get: operations["readRaw"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/jobs/{id}/pages/{page}/dropped": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was left out of a page, and by which rule
         * @description Reads the raw body of the page with the options of its job. Without `store_raw` there is none (`no_raw`): scrape the page with `formats: ["dropped"]`. To keep a part, crawl with `include_elements` or `content: full`.
         */
        get: operations["readDropped"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/jobs/{id}/pages/{page}/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase one page
         * @description Text, metadata, screenshot, raw body and the words of the search forget the page; its row stays, with an empty `text`, `title` and `description` and with `erasedAt`, so numbers and cursors stay exact. The same for the page with this URL in every job that was made from this one, or that this one was made from: by `since`, a schedule, a retry or a re-extraction. What a model taught of its site is forgotten too. All or nothing, and repeatable. It cannot be undone. With `url` also its URL, before and after redirects, in the ledger, findings and notices: `about:erased` stands there. That needs the end of all jobs that have the URL (409 `job_not_ended`). A start URL stays in the request of the job, and other pages keep their links. Backups of before have the page.
         */
        post: operations["erasePage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/jobs/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The pages and progress of a job, as server-sent events
         * @description Events: `page` (its id is the page number, its data a row as in `/data`), `progress` (at most one per second), `page_damaged` with `{"page":N}` for a damaged page, and `end` with `{"status":...,"pages":N}`, after which the stream closes. A disconnected client resumes with `Last-Event-ID`, as browsers do by themselves. If the job has ended and nothing remains, the response is 204.
         */
        get: operations["followEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/jobs/{id}/tree": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The URLs of a job as a tree of their segments, with counts
         * @description Reads all URLs of the job: a second for a million, while other requests are answered. The counts of a running job can be five seconds old.
         */
        get: operations["readTree"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/hosts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The hosts that unfinished jobs wait for, and how they respond
         * @description Hosts with requests of the unfinished jobs of your org. A response can have fewer rows than `limit`, or none, although more remain: one request looks at a bounded number of hosts. Continue as long as there is a cursor.
         */
        get: operations["listHosts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/jobs/{id}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How a job went, over time
         * @description Steps of a second (the last two minutes with changes), a minute (six hours) or an hour (31 days): the finest that reaches back to `since`. Steps without a change are left out. The last step of a running job ends now, so the steps of a whole job add up to its `progress`.
         */
        get: operations["readStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/jobs/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The pages of a job as one file
         * @description Streamed, except `sqlite`, which is written to the disk of the service first and then takes `Range`. The same ended job gives the same bytes, with a strong `ETag`. An org gets one export at a time. A response that ends early breaks the connection. After `jsonl`, the trailer `X-Pages` has the number of lines.
         */
        get: operations["exportJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List schedules, newest first
         * @description All schedules of your org, paused ones too.
         */
        get: operations["listSchedules"];
        put?: never;
        /**
         * Create a schedule: a job at certain times
         * @description Each run is a job with `schedule`, made as if `POST /crawler/jobs` had been called with `job`, with the permissions of the token that wrote the schedule last; revoking that token pauses it. Times that pass while no process runs are made up by one run. A run that cannot be created is tried for an hour, then `lastError` says why, and the `webhook_url` of the job gets `schedule.failed`; after a run with changes it gets `schedule.changed`. `Idempotency-Key` (at most 256 characters, kept 24 hours) makes repeating safe.
         */
        post: operations["createSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/schedules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a schedule
         * @description With its next time, its last run, and why its last time has none.
         */
        get: operations["getSchedule"];
        put?: never;
        post?: never;
        /**
         * Delete a schedule; its jobs stay
         * @description Returns it as it was. A run in progress continues. Repeating it is a 404.
         */
        delete: operations["deleteSchedule"];
        options?: never;
        head?: never;
        /**
         * Change a schedule
         * @description Replaces the fields that the body names; `job` as a whole. Stored headers and cookies that the new `job` does not name stay only if the hosts of its start URLs, with scheme and port, its `proxy` and its `insecure_tls` are those of the old one, however they are written: otherwise they are dropped, and `droppedSecrets` names them. The schedule then has the permissions of your token, which must allow its job; `{"paused": true}` alone needs no more than `write` and leaves them.
         */
        patch: operations["changeSchedule"];
        trace?: never;
    };
    "/crawler/schedules/{id}/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the runs of a schedule, newest first
         * @description Each is a job as `GET /crawler/jobs/{id}` returns it. The results of those beyond `keep` are deleted.
         */
        get: operations["listRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/schedules/{id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a run now
         * @description Also while the schedule is paused. Its next time stays as it is. While the last run has not ended: with `overlap: skip` 409 (`run_in_progress`); with `queue` one run is made when it ends, and the response is 202 with `job: null`.
         */
        post: operations["runSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scraper/scrape": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fetch and convert one page, and return it
         * @description Returns 200 whether or not the page could be fetched: `status` gives the outcome, `error` the reason. The request is a job of one page, with robots.txt, politeness and retries as in any job. It is cancelled when `timeout` expires or the client disconnects.
         */
        post: operations["scrapePage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scraper/map": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List the URLs of a site, from its sitemaps and the links of one page
         * @description Fetches robots.txt, the sitemaps and this page, and no other page. Returns 200 with what was found by the end of `timeout`; `truncated` says if URLs can be missing. The request is a job of kind `map`, with robots.txt, politeness and retries as in any job.
         */
        post: operations["mapSite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scraper/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fetch and convert up to 10,000 pages as one job
         * @description Creates a job of kind `batch` that fetches these URLs and follows no links. `GET /crawler/jobs/{id}/urls` lists each distinct URL with its outcome; the notice `duplicate_urls` counts the others. `urls` of the job has the first URL of each site. `Idempotency-Key` makes repeating safe.
         */
        post: operations["createBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mcp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The Model Context Protocol: tools for agents
         * @description The streamable HTTP transport of the protocol, without sessions: one message per request. docs/mcp.md lists the tools and shows how to connect clients.
         */
        post: operations["callMcp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/loader": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fetch and convert several pages, and return them: the external web loader of Open WebUI
         * @description Returns 200 with one entry for each URL, in their order. A page that could not be read within `HAYRAKE_LOADER_SECONDS` (30) has an empty `page_content` and its `error`.
         */
        post: operations["loadPages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/r": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fetch one page and return its text, with its URL in the body
         * @description The form for a URL with a fragment, which no client sends in a path.
         */
        post: operations["readPageOf"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/jobs/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The webhook deliveries of a job and their outcomes, in the order of events
         * @description Each delivery has its attempts, the last response and the time of the next attempt.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/crawler/jobs/{id}/deliveries/{delivery}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again, under the same `webhook-id`
         * @description Sends the same bytes with a new time and signature. A receiver that keeps ids can recognise it.
         */
        post: operations["replayDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The key that signs the webhooks of your org
         * @description The first request creates it. Receivers verify the header `webhook-signature` with it.
         */
        get: operations["getWebhookKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/key/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a new key; the old one also signs for 24 hours
         * @description Each delivery has both signatures for 24 hours, so receivers can change their key meanwhile.
         */
        post: operations["rotateWebhookKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The org and the permissions of the caller
         * @description Works with a token and with the cookie of a signed-in browser.
         */
        get: operations["getSession"];
        put?: never;
        /**
         * Sign a browser in with a token
         * @description Sets a cookie that is valid for 12 hours after the last request, as long as the token is. Needs the header `x-hayrake-ui: 1`.
         */
        post: operations["createSession"];
        /**
         * Sign the browser out
         * @description Ends the session of the cookie, and removes the cookie. Tokens stay valid.
         */
        delete: operations["deleteSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/org/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tokens, newest first, without their secrets
         * @description The tokens of your org, revoked and expired ones too. `HAYRAKE_TOKEN` sees those of all orgs.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Create a token, and show its secret once
         * @description A caller can give only permissions that it has, to its own org, for as long as its own token is valid.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/org/tokens/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a token at once, with its sessions
         * @description A request in progress still ends. Repeating it is a 404.
         */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/service": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The state of the service: disk, memory, queue, settings
         * @description Needs the permission `operate`, since it is about all orgs. Secrets among the settings are not shown.
         */
        get: operations["getSystem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/service/backup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Back up the data now, as `hayrake backup` does
         * @description Writes a new file into the folder `backups` of the data directory, and checks it. The response comes when it is complete. The file has the data of all orgs: keep it as safe as the data directory. Old ones stay until somebody removes them. Of PostgreSQL this is a 400: use its own tools.
         */
        post: operations["backUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The process is up
         * @description Needs no token, and reads nothing from the store. For a check that restarts the process.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The service accepts work: its stores are writable and its worker runs
         * @description Needs no token. 503 if a part does not work, with the same fields. For a load balancer.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document
         * @description Needs no token. Generators make clients from it.
         */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics of the service, for Prometheus
         * @description Needs no token if the service listens on loopback only, otherwise one with the permission `metrics`.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/r/{url}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch one page and return its text
         * @description Everything after `/r/` is the URL of the page, with its query. A page that cannot be read is a 422.
         */
        get: operations["readPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "job.started": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The event `job.started` of a job, sent to the `webhook_url` of the job
         * @description Signed as in Standard Webhooks: verify `webhook-signature` before anything else. Any 2xx response counts as delivered.
         */
        post: operations["jobStarted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "job.progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The event `job.progress` of a job, sent to the `webhook_url` of the job
         * @description Signed as in Standard Webhooks: verify `webhook-signature` before anything else. Any 2xx response counts as delivered.
         */
        post: operations["jobProgress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "job.finished": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The event `job.finished` of a job, sent to the `webhook_url` of the job
         * @description Signed as in Standard Webhooks: verify `webhook-signature` before anything else. Any 2xx response counts as delivered.
         */
        post: operations["jobFinished"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "schedule.changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The event `schedule.changed` of a schedule, sent to the `webhook_url` of the job
         * @description Signed as in Standard Webhooks: verify `webhook-signature` before anything else. Any 2xx response counts as delivered.
         */
        post: operations["scheduleChanged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "schedule.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The event `schedule.failed` of a schedule, sent to the `webhook_url` of the job
         * @description Signed as in Standard Webhooks: verify `webhook-signature` before anything else. Any 2xx response counts as delivered.
         */
        post: operations["scheduleFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        Progress: {
            /** @description Always the sum of the others. */
            discovered: number;
            /** @description Waiting for their turn, or for another attempt. */
            queued: number;
            /** @description Requested now. With separate workers, at most 5 seconds ago. */
            inFlight: number;
            /** @description Delivered as pages. */
            scraped: number;
            /** @description Requested or queued, and left out on purpose, such as duplicates; `reasons` says why. */
            discarded: number;
            /** @description Without a page after the last attempt; `reasons` says why. */
            failed: number;
            /** @description Never to be fetched, which was decided without a request: on other hosts, excluded, forbidden by robots.txt. Leave them out of bars and rates. */
            outside: number;
        };
        Finding: {
            /**
             * @description Stable. docs/errors.md lists the codes.
             * @enum {string}
             */
            code: "page_limit_reached" | "fetch_limit_reached" | "time_limit_reached" | "url_limit_reached" | "cancelled" | "blocked" | "signed_out" | "same_page" | "language_changed" | "all_off_host" | "only_nofollow" | "pattern_unmatched" | "shrunk" | "site_changed" | "lastmod_untrue" | "robots_forbids" | "empty_pages" | "host_unreachable" | "start_moved" | "failed_pages" | "no_pages" | "needs_javascript" | "browser_missing" | "render_failed" | "links_cut" | "truncated" | "sitemap_unreadable" | "no_text_layer" | "page_damaged" | "delay_too_long" | "extract_incomplete" | "model_unavailable" | "retry_partial" | "no_raw";
            /** @description Number of cases, mostly of URLs. */
            count: number;
            /** @description A case, mostly a URL; empty if there is none to name. */
            example: string;
            /** @description What is missing, for people. */
            message: string;
            /** @description What you can do. */
            remedy: string;
        };
        Job: {
            /** @description 26 characters. Newer jobs sort first. */
            id: string;
            /** @description The org of the token that created the job: only its tokens see it. */
            org: string;
            /**
             * @description The request that created the job.
             * @enum {string}
             */
            kind: "crawl" | "scrape" | "batch" | "map" | "reextract";
            /**
             * @description `starting` and `running` jobs get further pages; `succeeded`, `failed` and `cancelled` ones have ended.
             * @enum {string}
             */
            status: "starting" | "running" | "succeeded" | "failed" | "cancelled";
            /** @description When the job was created. In milliseconds since the epoch. */
            createdAt: number;
            /** @description When the job ended; null until then. In milliseconds since the epoch. */
            finishedAt: number | null;
            /** @description When the crawl was stopped, by `stop` or in the terminal; null if it was not, or has ended. The status stays as it was. `resume` continues it, `cancel` ends it. In milliseconds since the epoch. */
            stoppedAt: number | null;
            /** @description Whether the result is all that the job was to crawl: true if there is no finding. Null until the job ends, and for `map` and `scrape`. */
            complete: boolean | null;
            /** @description Why the result is less than the site: one of each code, by count. docs/errors.md lists the codes. */
            readonly findings: components["schemas"]["Finding"][];
            /** @description Start URLs, http or https. Without a scheme, `https://` is added. A crawl takes 1,000 at most, a batch 10,000. */
            readonly urls: string[];
            /** @description Id of an ended crawl or batch: asks again about every page that it knew, about what failed and what a limit left, and follows links as always. Each page says whether it was `added` or `changed`, or is `unchanged`; `changes` counts them. Fields that are not given are those of that job, `urls` too; `headers`, `cookies`, `webhook_url`, `deliver` and `priority` are not taken over (docs/results.md). */
            since: string | null;
            /**
             * @description With `since`, and in schedules: `changed` delivers only pages that are new or changed. The others are `discarded` as `unchanged` and do not count against `page_limit`.
             * @enum {string}
             */
            deliver: "all" | "changed";
            /** @description With `since`, and in schedules: pages that seem to be gone are `removed` when this number of runs in a row have found them gone; 1: at once. Responses of less certain kinds are accepted after five times that number (docs/results.md). */
            confirm_runs: number;
            /** @description With `since`, and in schedules: `true` does not ask for pages whose `lastmod` in the sitemap stands still, on hosts that have told the truth with it; their `evidence` is `lastmod`. One page in twenty is asked for all the same, and each page after 30 days. docs/schedules.md says when a host is trusted. */
            trust_lastmod: boolean;
            /**
             * @description The format of the `text` of each page.
             * @enum {string}
             */
            output_format: "markdown" | "text" | "html";
            /** @description Further outputs of each page, in its field `formats`: `markdown`, `html` and `text` of the same content, `links` (all of the page: absolute, without fragment, each once), `images` (of the content, likewise, at most 2,000), `source` (the HTML as sent, decoded, at most 10 MiB; with a browser as rendered), `dropped` (what the rules left out of it). `output_format` is in `text` and is not repeated. A file has no `links`, `images`, `source` and `dropped`. */
            readonly formats: ("markdown" | "html" | "text" | "links" | "images" | "source" | "dropped")[];
            /** @description URLs that match any of these globs are not crawled. A glob matches the whole URL, or path and query if it begins with `/`. `*` matches any characters but `/`, `**` any characters, `?` one character. At most 100 globs of 512 characters. */
            readonly exclude_globs: string[];
            /** @description If given, only URLs that match one of these globs are crawled. Start URLs always are. */
            readonly include_globs: string[];
            /** @description If given, only pages that match one of these globs are delivered. The others, start pages too, are read for their links and discarded as `not_delivered`; they count only against `fetch_limit`. A redirected page matches by either URL. */
            readonly deliver_globs: string[];
            /** @description URLs that match any of these regular expressions are not crawled. RE2 syntax, searched anywhere in `pattern_target`, case-sensitive. At most 100 of 512 characters; counted repetitions add up to at most 500 per pattern and 2,000 in all. A URL of more than 2,048 characters matches no pattern. */
            readonly exclude_patterns: string[];
            /** @description If given, only URLs that match one of these regular expressions, and one of `include_globs` if given, are crawled. Start URLs always are. */
            readonly include_patterns: string[];
            /**
             * @description The text in which the patterns are searched. `url`: the URL without its fragment. `path`: only its path.
             * @enum {string}
             */
            pattern_target: "url" | "path";
            /** @description Also follow links to other hosts, with their own robots.txt and pace; their sitemaps are not read, and private networks are not entered. `page_limit` and `max_depth` bound the crawl. */
            allow_external: boolean;
            /** @description Remove the query from links before they are compared and fetched. Start URLs keep theirs. */
            ignore_query: boolean;
            /** @description Comma-separated CSS selectors of elements to remove before conversion; `""` removes nothing. With `content: auto` only selectors given here apply. Default: `nav, header:not(article header, main header), footer, script, style, noscript, svg, [role="alert"], [role="banner"], [role="dialog"], [role="alertdialog"], [role="region"][aria-label*="skip" i], [aria-modal="true"]`. */
            exclude_elements: string;
            /** @description Comma-separated CSS selectors. If given, the content is only the elements that match, in document order, without `exclude_elements`. If none matches, the option has no effect, and `extractionMethod` says so. */
            include_elements: string;
            /**
             * @description `auto`: the main content if it can be detected, otherwise the whole page. `full`: the whole page without `exclude_elements`.
             * @enum {string}
             */
            content: "auto" | "full";
            /**
             * @description Links in the Markdown. `reference`: the URLs are listed at the end of the text, each once. `none`: the text of a link stays, without the URL. Only with Markdown.
             * @enum {string}
             */
            links: "inline" | "reference" | "none";
            /**
             * @description Images in the Markdown. `described`: only images with an alternative text. `none`: neither images nor their texts, except as the text of a link that contains only an image. Only with Markdown.
             * @enum {string}
             */
            images: "all" | "described" | "none";
            /**
             * @description `auto`: Markdown and text begin with the title of the page, without the name of the site, if its content has no heading of the first level. `page`, `false`, `null`, `""`: the text as the page has it. Not with HTML.
             * @enum {string}
             */
            title: "page" | "auto";
            /** @description Structured data: pages get `extracted` beside `text`, from `fields` (where values stand), from what a page declares about its subject for the names of a JSON `schema`, or both. `when`: globs of the pages that have a record. `declared: false` reads no declarations, `declared_things: true` lists them in the metadata. `model: true` asks the language model of the operator about a few pages of each template, and reads the others as it taught; it needs a token with the permission `model`. See docs/extract.md. */
            extract: components["schemas"]["Extract"] | null;
            /** @description Seconds for which the results are kept after the job's end; `null`: until they are deleted. `PATCH /crawler/jobs/{id}` changes it after the end. Default: `HAYRAKE_OUTPUT_EXPIRY`, which is never. */
            output_expiry: number | null;
            /** @description `true`: the page that the site sends with an error status, such as 404, is a page too, with this `statusCode`. `false`: the URL fails. */
            error_pages: boolean;
            /** @description Pages with fewer characters of text are discarded (`below_min_length`). */
            min_length: number;
            /** @description Maximum number of delivered pages. A job lists at most `HAYRAKE_JOB_URLS` URLs (1,000,000): raise that setting for larger limits. */
            page_limit: number;
            /** @description Maximum number of attempts at URLs, successful or not. A redirect to another host is one more attempt. Default: ten times `page_limit`, at least 1,000. */
            fetch_limit: number;
            /** @description Seconds after its creation when the job ends, even if URLs are left. */
            time_limit: number;
            /** @description Milliseconds between the starts of two requests to a host. The longest of this, `HAYRAKE_HOST_DELAY_MS` and `Crawl-delay` holds for all jobs on the host while this one has requests there. `null`: no delay of its own. */
            host_delay_ms: number | null;
            /** @description Maximum number of requests in flight to a host. The lowest of this, `HAYRAKE_HOST_CONCURRENCY` and what the host bears holds for all jobs on the host while this one has requests there. `null`: no limit of its own. */
            host_concurrency: number | null;
            /** @description Seconds for which a host that has not responded since the job was created is tried before its URLs fail. Other jobs do not count. After a response, and for pages that the crawl found, `HAYRAKE_UNREACHABLE_SECONDS` applies. `null`: 20, or `HAYRAKE_UNREACHABLE_SECONDS` if that is less. */
            unreachable_seconds: number | null;
            /** @description Seconds after the first turn of a URL when it ends, with the reason of its last attempt. Waiting for the pace of its host does not count; waiting for a host that fails does. `null`: no limit. */
            url_timeout: number | null;
            /** @description Maximum number of links from a start URL to a page. `null`: no limit; 0: only the start URLs. */
            max_depth: number | null;
            /** @description `link`: only links; `sitemap`: only start URLs and sitemaps; `null`: both. */
            force_crawling_mode: ("link" | "sitemap") | null;
            /**
             * @description Links that belong to the crawl. `host`: to the hosts of the start URLs, with and without `www.`. `path`: of these, only URLs below the directory of a start URL. `subdomains`: also subdomains of the hosts.
             * @enum {string}
             */
            scope: "host" | "path" | "subdomains";
            /** @description In a job with `cookies` or `headers`: `true` follows links that end a session, such as `/logout`. `false`: they are listed as `logout`. */
            follow_logout: boolean;
            /** @description Follow links that their page marks as nofollow, individually or all of them. */
            follow_nofollow: boolean;
            /** @description `false`: no URL is discarded as `trap`. Then only the limits of the job bound a site with endless URLs. */
            trap_detection: boolean;
            /** @description `auto`: pages without text unless JavaScript runs are rendered in a browser, if there is one (docs/browser.md). `true`: every page is; refused if there is no browser. `false`: none is. */
            use_browser: boolean | "auto";
            /** @description What to wait for on a rendered page: a CSS selector, or milliseconds of its virtual time, 0 to 20,000. `null` waits for timers of up to 5 s and all fetches. Only with a browser. */
            wait_for: (string | number) | null;
            /** @description Also takes a picture of each page, 1,280 pixels wide: `{"format": "png" or "jpeg", "full_page": false or true}`. The first 1,024 pixels, or with `full_page` up to 12,000. At most 10 MiB. Implies `use_browser: true` (docs/browser.md). */
            screenshot: {
                /** @enum {string} */
                format: "png" | "jpeg";
                full_page: boolean;
            } | null;
            /** @description Also keeps each page as its site sent it: headers and body, and the document of a rendered page (docs/results.md). Read it with `GET /crawler/jobs/{id}/pages/{n}/raw` or `export?format=warc`, and convert it again with `POST /crawler/jobs/{id}/reextract`. */
            store_raw: boolean;
            /** @description Do not load images, style sheets, fonts, video and audio: pages get empty ones. Only with a browser. Default: `true`, with `screenshot` `false`. */
            block_resources: boolean;
            /** @description Linked PDF, DOCX, XLSX, PPTX, ODT, ODS, ODP, EPUB, RTF, TXT, CSV, Markdown, JSON, YAML, XML and feed files, notebooks (`.ipynb`), messages (`.eml`) and web archives (`.mhtml`) become pages too. Only links of Markdown are followed. */
            include_linked_files: boolean;
            /** @description `false`: also crawl what robots.txt forbids. Needs a token with the permission `ignore_robots`. */
            respect_robots: boolean;
            /** @description `true`: accept any certificate of hosts whose address is in `HAYRAKE_ALLOW_PRIVATE`, but of no other host, also after a redirect. Such pages have `tlsVerified: false` in their metadata. 400 if the operator allows no private network. For a private authority, set `HAYRAKE_CA_FILE` instead. */
            insecure_tls: boolean;
            /** @description Every connection of the job, of its robots.txt and of its browser takes this proxy: a `NAME` in `HAYRAKE_PROXY`. 400 if there is none. The pace of a host holds over all proxies. Needs the permission `proxy`. `null`: as the operator has set for all. */
            proxy: string | null;
            /** @description Return cookies to the sites that set them, until the job ends or the program restarts: those of start URLs with every request, those of other pages along their own redirects. Jobs share no cookies. `false`: ignore them. A name in `cookies` overrides one that a site sets. */
            keep_cookies: boolean;
            /** @description Headers for every request to the hosts of the start URLs, and to no other host: an object of names and values, at most 20. Values are never shown or logged, and deleted when the job ends. */
            readonly headers: string[];
            /** @description Cookies, sent like `headers`: an object of names and values, at most 20. */
            readonly cookies: string[];
            /**
             * @description Turns of the job among the jobs of its org: `high` gets about four of five while others wait, `low` one of twenty. `high` needs a token with the permission `high_priority`.
             * @enum {string}
             */
            priority: "low" | "normal" | "high";
            /** @description Receives the events of the job, signed according to Standard Webhooks: `job.started`, `job.progress`, `job.finished`, and of a run with changes `schedule.changed`. An absolute https URL of at most 2,048 characters. */
            webhook_url: string | null;
            /** @description When the results are or were removed; null while the job runs, and if they are kept until they are deleted. In milliseconds since the epoch. */
            expiresAt: number | null;
            /** @description Whether the results are gone: they have expired, or were deleted. */
            expired: boolean;
            /** @description URLs that sitemaps named. */
            sitemapPageCount: number;
            /** @description Bytes of all bodies fetched for the job, as sent. */
            fetchedBytes: number;
            /** @description URLs of the job, each counted once. */
            progress: components["schemas"]["Progress"];
            /** @description Number of URLs that were discarded, failed or are outside, by reason. They add up to these three counts in `progress`. */
            reasons: {
                [key: string]: number;
            };
            /** @description Words that the content rules left out of the pages, by rule, the most first. Estimated from lengths: six characters are a word. `outside-content` is what stands outside the chosen element, `outside-posts` what stands in no post of a thread. Elements of `exclude_elements` do not count. */
            droppedWords: {
                [key: string]: number;
            };
            /** @description What is worth knowing about the job, although nothing is missing for it. */
            readonly notices: {
                /**
                 * @description Stable. docs/errors.md lists the codes.
                 * @enum {string}
                 */
                code: "robots_ignored" | "not_public" | "host_unresponsive" | "copies_paused" | "network_down" | "cookies_cut" | "unreadable_text" | "removals_held" | "lastmod_ignored" | "all_changed" | "script_pages" | "browser_unsandboxed" | "rendered_pages" | "render_cut" | "wait_for_unmatched" | "unfollowed_navigation" | "pattern_unused" | "declared_unreadable" | "duplicate_urls" | "no_screenshot" | "fields_ignored" | "exclude_unmatched" | "notices_cut" | "robots_cut" | "sitemap_missing" | "script_links" | "trap";
                /** @description The same for people. */
                message: string;
                /** @description When it was noticed first. In milliseconds since the epoch. */
                at: number;
                /** @description How often it happened, if that is counted. */
                count?: number;
                /** @description The first case, usually a URL. */
                example?: string;
            }[];
            /** @description The last 20 failed attempts to deliver to the webhook. */
            readonly webhookFails: {
                /** @description When the attempt failed. In milliseconds since the epoch. */
                at: number;
                /**
                 * @description The event that was not delivered.
                 * @enum {string}
                 */
                event: "job.started" | "job.progress" | "job.finished" | "schedule.changed";
                /** @description Why, for people. */
                message: string;
                /** @description The status code that the webhook returned, if it did. */
                statusCode?: number;
            }[];
            /** @description The job whose raw bodies this one converts again. */
            reextractOf?: string;
            /** @description The job whose failures this one crawls again. */
            retryOf?: string;
            /** @description With `since`: pages that are new, and what became of the pages of the earlier job. `removed` and `unknown` (not asked, or no clear answer: the page is still known) are decided at the end. */
            changes?: {
                added: number;
                changed: number;
                moved: number;
                unchanged: number;
                removed: number;
                unknown: number;
            };
            /** @description The schedule whose run this is. */
            schedule?: string;
            /** @description Always 0: for clients that expect the field. */
            costCents: number;
        };
        JobList: {
            data: components["schemas"]["Job"][];
            /** @description Jobs by status, with the same `q` and `kind` and whatever `status` is. `starting` and `running` count `stopped` jobs too. */
            counts: {
                starting: number;
                running: number;
                succeeded: number;
                failed: number;
                cancelled: number;
                stopped: number;
            };
            /**
             * @description Present if there may be more jobs than `counts` says. It covers the newest 10,000 jobs of each status and kind; with `q` the newest 1,000 of all.
             * @constant
             */
            countsCut?: true;
            /** @description Where to continue. Absent when nothing remains. */
            cursor?: string;
            /** @description The same as `cursor`. */
            nextCursor?: string;
        };
        PageMeta: {
            /** @description 1, 2, 3, ... in the order of commit, without gaps. */
            page: number;
            /** @description The URL of the crawled page. */
            url: string;
            /** @description The URL that was finally fetched, after redirects. */
            fetchedUrl: string;
            /** @description Metadata taken from the page and its headers: title and description, possibly empty, and other fields where the page has them. */
            meta: {
                title: string;
                description: string;
                /** @description As the page declares it, otherwise the first of the `Content-Language` header. */
                language?: string;
                /** @description The URL that the page declares as its original, in a `<link rel=canonical>`, otherwise in a `Link` header. */
                canonical?: string;
                /** @description The title of the text: `title` without the site name, if that can be separated. */
                headline?: string;
                /** @description Names, separated by commas. */
                author?: string;
                /** @description In ISO 8601 if it can be parsed, otherwise as the page writes it. */
                publishedTime?: string;
                /** @description In ISO 8601 if it can be parsed, otherwise as the page writes it. */
                modifiedTime?: string;
                siteName?: string;
                image?: string;
                keywords?: string[];
                /** @description For linked files: pages of a PDF, slides of a presentation. */
                pageCount?: number;
                /** @description `true` if the text comes from the browser. Absent otherwise. */
                rendered?: boolean;
                /** @description `false` if a certificate could not be verified: of the page, a redirect to it, or a resource in the browser (`insecure_tls`). Absent otherwise. */
                tlsVerified?: boolean;
                /** @description `true` if a limit ended the reading: text, metadata and links cover only the beginning. */
                truncated?: boolean;
                /**
                 * @description `no_text_layer`: pages of this PDF are images, such as scans, without text. `unreadable_text`: it has `unreadableCharacters`.
                 * @enum {string}
                 */
                warning?: "no_text_layer" | "unreadable_text";
                /** @description For PDFs: characters whose fonts do not say which letters they are. Absent if there are none. */
                unreadableCharacters?: number;
                /** @description The kind of the page in the vocabulary of schema.org, such as `NewsArticle`. */
                type?: string;
                /** @description The kind of the page in the vocabulary of Open Graph, such as `article`. */
                ogType?: string;
                productName?: string;
                productBrand?: string;
                productSku?: string;
                /** @description As the page writes it; with several offers, that of the first. */
                productPrice?: string;
                productCurrency?: string;
                /** @description Such as `InStock`. */
                productAvailability?: string;
                ratingValue?: number;
                ratingCount?: number;
                /** @description From the top of the site down to the page. */
                breadcrumbs?: string[];
                /** @description The questions that the page answers. */
                questions?: string[];
                /** @description The outline of the content, such as `## Sizes`: at most 100, of 200 characters each. */
                headings?: string[];
                /** @description The directives of the page for robots, in lower case, those for all and those for hayrake. The crawl obeys `nofollow` and `none`, and only reports the others, `noindex` included. */
                robots?: string[];
                /** @description How the content was found. `article`, `main`: the element of that name or role. `body`: the page without what surrounds its content. `thread`: the posts of a forum. `noscript`: what the page shows without scripts. `json_ld`: what the page shows, followed by its text in JSON-LD. `whole`: all of it. `include_elements`: the elements that matched; `include_elements_unmatched`: none matched. */
                extractionMethod?: string;
                /** @description Confidence that this is the content, from 0 to 1. */
                extractionQuality?: number;
                /** @description Words of the main content. */
                wordCount?: number;
                /** @description Changes only when the text of the content does, whatever the output format. Absent if there is no text. */
                contentHash?: string;
                /** @description With `declared_things` of `extract`: what the page declares, at most 32 KiB; `main` marks the subject of the page. */
                declaredThings?: ({
                    /** @enum {string} */
                    source: "json-ld" | "microdata" | "rdfa" | "opengraph";
                    type: string[];
                    /** @constant */
                    main?: true;
                    values: {
                        [key: string]: unknown;
                    };
                } & {
                    [key: string]: unknown;
                })[];
                /** @description Number of declared things that did not fit. */
                declaredThingsOmitted?: number;
                /** @description With `extract`: where the values of `extracted` come from. */
                extractedFrom?: {
                    /** @description Version of learned rules; 0 if there are none. */
                    rules: number;
                    /**
                     * @description The page declares no other thing, whose name may differ.
                     * @constant
                     */
                    certainty?: "only";
                    /** @description Where each value comes from, and its text on the page. */
                    fields: {
                        [key: string]: {
                            /** @enum {string} */
                            source: "declared" | "css" | "learned" | "model";
                            raw?: string;
                        };
                    };
                    /** @description Why values are `null` or in doubt: `missing`, `type` (it is not of its type), `ambiguous` (a number or date that can mean two), `cut` by a limit. With `model`: `disagree` (two places of the page tell different values, or one looks like no answer), `unsupported` (the answer is not on the page), `unasked`, `bad_answer`. */
                    problems: {
                        [key: string]: "missing" | "type" | "ambiguous" | "cut" | "disagree" | "unsupported" | "unasked" | "bad_answer";
                    };
                    /** @description Changes only when the record does. */
                    hash: string;
                };
                /** @description When the page was erased, in milliseconds since the epoch: nothing else is left of its content. Absent otherwise. */
                erasedAt?: number;
                statusCode?: number;
                /** @description The `Content-Type` header as sent. */
                contentType?: string;
                /**
                 * @description With `since`: the page compared with that of the earlier job.
                 * @enum {string}
                 */
                change?: "added" | "changed" | "unchanged";
                /**
                 * @description How that is known: the site said so; the bytes are equal, and so are the options and the program; or title, text and record are compared. `lastmod`: it was not asked for, with `trust_lastmod`.
                 * @enum {string}
                 */
                evidence?: "304" | "bytes" | "hash" | "lastmod";
                /** @description The `ETag` header as sent, for a conditional request. */
                etag?: string;
                /** @description The `Last-Modified` header as sent, for a conditional request. */
                lastModified?: string;
            } & {
                [key: string]: unknown;
            };
        };
        Results: {
            data: {
                meta: components["schemas"]["PageMeta"];
                /** @description The page in the output format of the job. */
                text: string;
                /** @description Only with `extract`: the record of the page, at most 64 KiB, with every field; `null` if the page has no record. */
                extracted?: {
                    [key: string]: unknown;
                } | null;
                /** @description Further outputs, if the job has `formats`: those requested, except the one that is `text`. */
                formats?: {
                    markdown?: string;
                    html?: string;
                    text?: string;
                    readonly links?: string[];
                    readonly images?: string[];
                    source?: string;
                    /** @description What the rules left out of the page, box by box, in its order. */
                    readonly dropped?: {
                        /** @description The name of the rule. `outside-content`: it stands outside the element that is the content; `outside-posts`: in no post of a thread. `said-in-metadata`: a line that repeats the metadata. `selectors`: `exclude_elements` or `include_elements`. `rest`: all texts after the first 999. */
                        rule: string;
                        /** @description Its beginning, at most 500 characters. Plain text from the page. */
                        text: string;
                        /**
                         * @description It is longer than shown.
                         * @constant
                         */
                        cut?: true;
                        /** @description Words of all of it. */
                        words: number;
                    }[];
                };
            }[];
            /** @description Where to continue. Absent when nothing remains. */
            cursor?: string;
            /** @description The same as `cursor`. */
            nextCursor?: string;
        };
        ResultsMeta: {
            data: {
                meta: components["schemas"]["PageMeta"];
            }[];
            /** @description Where to continue. Absent when nothing remains. */
            cursor?: string;
            /** @description The same as `cursor`. */
            nextCursor?: string;
        };
        SearchResults: {
            data: {
                /** @description The number of the page, as in `/data`. */
                page: number;
                url: string;
                title: string;
                /** @description Higher is better. Comparable only within one response. */
                score: number;
                /** @description A part of the text with hits, or its beginning. Plain text from the page: escape it for display. */
                snippet: string;
                /** @description The same text in parts. `hit` marks those that match; text of a page cannot make such a mark. */
                readonly snippetParts: {
                    text: string;
                    /** @constant */
                    hit?: true;
                }[];
            }[];
            /** @description Number of committed pages of the job. */
            pages: number;
            /** @description The number of pages that were searched, from the first on. Less than `pages` while indexing continues. */
            indexedPages: number;
            /** @description Pages among them that were left out because their stored bytes have changed. Absent if there are none. */
            damagedPages?: number;
            /** @description Where to continue. Absent when nothing remains. */
            cursor?: string;
            /** @description The same as `cursor`. */
            nextCursor?: string;
        };
        ScrapeResponse: {
            /** @constant */
            status: "scraped";
            url: string;
            /** @description The job of this scrape. It can be read for an hour. */
            jobId: string;
            /** @description The page in the requested format. */
            text: string;
            /** @description Only with `extract`: the record of the page, at most 64 KiB, with every field; `null` if the page has no record. */
            extracted?: {
                [key: string]: unknown;
            } | null;
            /** @description Further outputs, if the job has `formats`: those requested, except the one that is `text`. */
            formats?: {
                markdown?: string;
                html?: string;
                text?: string;
                readonly links?: string[];
                readonly images?: string[];
                source?: string;
                /** @description What the rules left out of the page, box by box, in its order. */
                readonly dropped?: {
                    /** @description The name of the rule. `outside-content`: it stands outside the element that is the content; `outside-posts`: in no post of a thread. `said-in-metadata`: a line that repeats the metadata. `selectors`: `exclude_elements` or `include_elements`. `rest`: all texts after the first 999. */
                    rule: string;
                    /** @description Its beginning, at most 500 characters. Plain text from the page. */
                    text: string;
                    /**
                     * @description It is longer than shown.
                     * @constant
                     */
                    cut?: true;
                    /** @description Words of all of it. */
                    words: number;
                }[];
            };
            /** @description Metadata taken from the page and its headers. */
            meta: {
                title: string;
                description: string;
                /** @description As the page declares it, otherwise the first of the `Content-Language` header. */
                language?: string;
                /** @description The URL that the page declares as its original, in a `<link rel=canonical>`, otherwise in a `Link` header. */
                canonical?: string;
                /** @description The title of the text: `title` without the site name, if that can be separated. */
                headline?: string;
                /** @description Names, separated by commas. */
                author?: string;
                /** @description In ISO 8601 if it can be parsed, otherwise as the page writes it. */
                publishedTime?: string;
                /** @description In ISO 8601 if it can be parsed, otherwise as the page writes it. */
                modifiedTime?: string;
                siteName?: string;
                image?: string;
                keywords?: string[];
                /** @description For linked files: pages of a PDF, slides of a presentation. */
                pageCount?: number;
                /** @description `true` if the text comes from the browser. Absent otherwise. */
                rendered?: boolean;
                /** @description `false` if a certificate could not be verified: of the page, a redirect to it, or a resource in the browser (`insecure_tls`). Absent otherwise. */
                tlsVerified?: boolean;
                /** @description `true` if a limit ended the reading: text, metadata and links cover only the beginning. */
                truncated?: boolean;
                /**
                 * @description `no_text_layer`: pages of this PDF are images, such as scans, without text. `unreadable_text`: it has `unreadableCharacters`.
                 * @enum {string}
                 */
                warning?: "no_text_layer" | "unreadable_text";
                /** @description For PDFs: characters whose fonts do not say which letters they are. Absent if there are none. */
                unreadableCharacters?: number;
                /** @description The kind of the page in the vocabulary of schema.org, such as `NewsArticle`. */
                type?: string;
                /** @description The kind of the page in the vocabulary of Open Graph, such as `article`. */
                ogType?: string;
                productName?: string;
                productBrand?: string;
                productSku?: string;
                /** @description As the page writes it; with several offers, that of the first. */
                productPrice?: string;
                productCurrency?: string;
                /** @description Such as `InStock`. */
                productAvailability?: string;
                ratingValue?: number;
                ratingCount?: number;
                /** @description From the top of the site down to the page. */
                breadcrumbs?: string[];
                /** @description The questions that the page answers. */
                questions?: string[];
                /** @description The outline of the content, such as `## Sizes`: at most 100, of 200 characters each. */
                headings?: string[];
                /** @description The directives of the page for robots, in lower case, those for all and those for hayrake. The crawl obeys `nofollow` and `none`, and only reports the others, `noindex` included. */
                robots?: string[];
                /** @description How the content was found. `article`, `main`: the element of that name or role. `body`: the page without what surrounds its content. `thread`: the posts of a forum. `noscript`: what the page shows without scripts. `json_ld`: what the page shows, followed by its text in JSON-LD. `whole`: all of it. `include_elements`: the elements that matched; `include_elements_unmatched`: none matched. */
                extractionMethod?: string;
                /** @description Confidence that this is the content, from 0 to 1. */
                extractionQuality?: number;
                /** @description Words of the main content. */
                wordCount?: number;
                /** @description Changes only when the text of the content does, whatever the output format. Absent if there is no text. */
                contentHash?: string;
                /** @description With `declared_things` of `extract`: what the page declares, at most 32 KiB; `main` marks the subject of the page. */
                declaredThings?: ({
                    /** @enum {string} */
                    source: "json-ld" | "microdata" | "rdfa" | "opengraph";
                    type: string[];
                    /** @constant */
                    main?: true;
                    values: {
                        [key: string]: unknown;
                    };
                } & {
                    [key: string]: unknown;
                })[];
                /** @description Number of declared things that did not fit. */
                declaredThingsOmitted?: number;
                /** @description With `extract`: where the values of `extracted` come from. */
                extractedFrom?: {
                    /** @description Version of learned rules; 0 if there are none. */
                    rules: number;
                    /**
                     * @description The page declares no other thing, whose name may differ.
                     * @constant
                     */
                    certainty?: "only";
                    /** @description Where each value comes from, and its text on the page. */
                    fields: {
                        [key: string]: {
                            /** @enum {string} */
                            source: "declared" | "css" | "learned" | "model";
                            raw?: string;
                        };
                    };
                    /** @description Why values are `null` or in doubt: `missing`, `type` (it is not of its type), `ambiguous` (a number or date that can mean two), `cut` by a limit. With `model`: `disagree` (two places of the page tell different values, or one looks like no answer), `unsupported` (the answer is not on the page), `unasked`, `bad_answer`. */
                    problems: {
                        [key: string]: "missing" | "type" | "ambiguous" | "cut" | "disagree" | "unsupported" | "unasked" | "bad_answer";
                    };
                    /** @description Changes only when the record does. */
                    hash: string;
                };
                /** @description When the page was erased, in milliseconds since the epoch: nothing else is left of its content. Absent otherwise. */
                erasedAt?: number;
                statusCode?: number;
                /** @description The `Content-Type` header as sent. */
                contentType?: string;
                /**
                 * @description With `since`: the page compared with that of the earlier job.
                 * @enum {string}
                 */
                change?: "added" | "changed" | "unchanged";
                /**
                 * @description How that is known: the site said so; the bytes are equal, and so are the options and the program; or title, text and record are compared. `lastmod`: it was not asked for, with `trust_lastmod`.
                 * @enum {string}
                 */
                evidence?: "304" | "bytes" | "hash" | "lastmod";
                /** @description The `ETag` header as sent, for a conditional request. */
                etag?: string;
                /** @description The `Last-Modified` header as sent, for a conditional request. */
                lastModified?: string;
                /** @description The URL that was finally fetched, after redirects. */
                fetchedUrl: string;
            } & {
                [key: string]: unknown;
            };
            /** @description Path of the picture, if `screenshot` was requested and the picture could be taken. Kept for an hour. */
            screenshot?: string;
        } | {
            /** @constant */
            status: "failed";
            url: string;
            /** @description The job of this scrape. It can be read for an hour. */
            jobId: string;
            error: {
                /** @description As in the URL ledger, such as `http_404` or `robots_disallowed`; `timeout` if the time was up; `host_unreachable` if the host or its robots.txt does not respond. */
                reason: string;
                /** @description In words. */
                detail: string;
                /** @description The status code that the site returned, if it did. */
                statusCode?: number;
            };
        };
        SiteMap: {
            /**
             * @description `failed`: no URL was found; `error` says why.
             * @enum {string}
             */
            status: "mapped" | "failed";
            url: string;
            /** @description The job of this map. It can be read for an hour. */
            jobId: string;
            /** @description The page first, then what it and the sitemaps name, in the order of discovery. Each URL once. */
            data: {
                url: string;
                /** @description When the page was last changed, according to a sitemap. */
                lastmod?: string;
            }[];
            /** @description URLs can be missing; `truncatedBy` says why. */
            truncated: boolean;
            /**
             * @description `limit`: there are more, in `GET /crawler/jobs/{jobId}/urls?reason=depth` for an hour. `timeout`: the time was up. `unread`: part of the site could not be read; `findings` and `notices` say which.
             * @enum {string}
             */
            truncatedBy?: "limit" | "timeout" | "unread";
            /** @description URLs that sitemaps named. */
            sitemapPageCount: number;
            notices: {
                /**
                 * @description Stable. docs/errors.md lists the codes.
                 * @enum {string}
                 */
                code: "robots_ignored" | "not_public" | "host_unresponsive" | "copies_paused" | "network_down" | "cookies_cut" | "unreadable_text" | "removals_held" | "lastmod_ignored" | "all_changed" | "script_pages" | "browser_unsandboxed" | "rendered_pages" | "render_cut" | "wait_for_unmatched" | "unfollowed_navigation" | "pattern_unused" | "declared_unreadable" | "duplicate_urls" | "no_screenshot" | "fields_ignored" | "exclude_unmatched" | "notices_cut" | "robots_cut" | "sitemap_missing" | "script_links" | "trap";
                /** @description The same for people. */
                message: string;
                /** @description When it was noticed first. In milliseconds since the epoch. */
                at: number;
                /** @description How often it happened, if that is counted. */
                count?: number;
                /** @description The first case, usually a URL. */
                example?: string;
            }[];
            /** @description Why URLs may be missing. */
            findings: components["schemas"]["Finding"][];
            /** @description Why the page itself could not be read. */
            error?: {
                /** @description As in the URL ledger, such as `http_404` or `robots_disallowed`; `timeout` if the time was up; `host_unreachable` if the host or its robots.txt does not respond. */
                reason: string;
                /** @description In words. */
                detail: string;
                /** @description The status code that the site returned, if it did. */
                statusCode?: number;
            };
        };
        ChangeList: {
            data: {
                job: string;
                /** @description When the job was created, in milliseconds since the epoch. */
                runAt: number;
                /** @enum {string} */
                change: "added" | "changed" | "moved" | "unchanged" | "removed" | "unknown";
                url: string;
                /** @description Number of the page in this job; of a page that has moved, at its new URL. */
                page: number | null;
                /** @description With `moved`: the new URL of the page. Its old one redirects there. */
                movedTo?: string;
                /** @description Its number in the job that `since` names. */
                previousPage: number | null;
                /** @description Of title, text and record. */
                contentHash: string | null;
                previousContentHash: string | null;
                /** @description Why the page is `removed` or `unknown`; `extracted` if only its record has changed; `options` or `program` if its bytes are equal, and other options or another version of hayrake make another text of them. */
                reason: string | null;
                /** @description With `text=true`: as in `/data`. */
                meta?: components["schemas"]["PageMeta"];
                /** @description With `text=true`. */
                text?: string;
                /** @description Continues after this change. */
                cursor: string;
                /**
                 * @description The text is no longer kept. A later row has a newer one, or says that the page was removed.
                 * @constant
                 */
                superseded?: true;
                /**
                 * @description The stored text is damaged. Crawl the page again to get it.
                 * @constant
                 */
                damaged?: true;
            }[];
            /** @description Where to continue. Absent when nothing remains. */
            cursor?: string;
            /** @description The same as `cursor`. */
            nextCursor?: string;
        };
        Feed: {
            /** @description Rows are `added`, `changed`, `moved`, `removed`. */
            data: {
                job: string;
                /** @description When the job was created, in milliseconds since the epoch. */
                runAt: number;
                /** @enum {string} */
                change: "added" | "changed" | "moved" | "unchanged" | "removed" | "unknown";
                url: string;
                /** @description Number of the page in this job; of a page that has moved, at its new URL. */
                page: number | null;
                /** @description With `moved`: the new URL of the page. Its old one redirects there. */
                movedTo?: string;
                /** @description Its number in the job that `since` names. */
                previousPage: number | null;
                /** @description Of title, text and record. */
                contentHash: string | null;
                previousContentHash: string | null;
                /** @description Why the page is `removed` or `unknown`; `extracted` if only its record has changed; `options` or `program` if its bytes are equal, and other options or another version of hayrake make another text of them. */
                reason: string | null;
                /** @description With `text=true`: as in `/data`. */
                meta?: components["schemas"]["PageMeta"];
                /** @description With `text=true`. */
                text?: string;
                /** @description Continues after this change. */
                cursor: string;
                /**
                 * @description The text is no longer kept. A later row has a newer one, or says that the page was removed.
                 * @constant
                 */
                superseded?: true;
                /**
                 * @description The stored text is damaged. Crawl the page again to get it.
                 * @constant
                 */
                damaged?: true;
            }[];
            /** @description Where to continue. Always present: keep it for the next time. */
            cursor: string;
            /** @description Nothing follows yet. */
            upToDate: boolean;
        };
        SnapshotPages: {
            data: {
                meta: components["schemas"]["PageMeta"];
                /** @description The page in the output format of the job. */
                text: string;
                /** @description Only with `extract`: the record of the page, at most 64 KiB, with every field; `null` if the page has no record. */
                extracted?: {
                    [key: string]: unknown;
                } | null;
                /** @description Further outputs, if the job has `formats`: those requested, except the one that is `text`. */
                formats?: {
                    markdown?: string;
                    html?: string;
                    text?: string;
                    readonly links?: string[];
                    readonly images?: string[];
                    source?: string;
                    /** @description What the rules left out of the page, box by box, in its order. */
                    readonly dropped?: {
                        /** @description The name of the rule. `outside-content`: it stands outside the element that is the content; `outside-posts`: in no post of a thread. `said-in-metadata`: a line that repeats the metadata. `selectors`: `exclude_elements` or `include_elements`. `rest`: all texts after the first 999. */
                        rule: string;
                        /** @description Its beginning, at most 500 characters. Plain text from the page. */
                        text: string;
                        /**
                         * @description It is longer than shown.
                         * @constant
                         */
                        cut?: true;
                        /** @description Words of all of it. */
                        words: number;
                    }[];
                };
            }[];
            /** @description The run whose pages these are; `null` as long as no run knows one. */
            run: string | null;
            /** @description In the first response: `GET .../changes` with this cursor follows on these pages. */
            changesCursor?: string;
            /** @description Where to continue. Absent when nothing remains. */
            cursor?: string;
            /** @description The same as `cursor`. */
            nextCursor?: string;
        };
        SnapshotMeta: {
            data: {
                meta: components["schemas"]["PageMeta"];
            }[];
            /** @description The run whose pages these are; `null` as long as no run knows one. */
            run: string | null;
            /** @description In the first response: `GET .../changes` with this cursor follows on these pages. */
            changesCursor?: string;
            /** @description Where to continue. Absent when nothing remains. */
            cursor?: string;
            /** @description The same as `cursor`. */
            nextCursor?: string;
        };
        UrlList: {
            data: {
                url: string;
                /** @enum {string} */
                kind: "page" | "sitemap";
                /** @enum {string} */
                status: "queued" | "inFlight" | "scraped" | "discarded" | "failed" | "outside";
                reason?: string;
                detail?: string;
                depth: number;
                attempts: number;
                /** @description When the last attempt ended, in milliseconds since the epoch. */
                attemptedAt?: number;
                statusCode?: number;
                page?: number;
                foundOn?: string;
                /**
                 * @description Only scripts made links to it: rendered pages had it, and not as received.
                 * @constant
                 */
                foundBy?: "script";
                /** @description When the page was last changed, according to a sitemap. */
                lastmod?: string;
            }[];
            /** @description With `url`: the outcome of that URL in sentences, also if the job did not discover it. */
            readonly explanation?: string[];
            /** @description Where to continue. Absent when nothing remains. */
            cursor?: string;
            /** @description The same as `cursor`. */
            nextCursor?: string;
        };
        HostList: {
            data: {
                /** @description Name and port. */
                host: string;
                /** @description Ids of your jobs that wait for the host, ten at most. */
                readonly jobs: string[];
                /** @description Some process works on it now. */
                isLeased: boolean;
                /** @description Time between the starts of two requests. */
                delayMs: number;
                /** @description No request before this time, in milliseconds since the epoch. Absent: the host can be asked now. */
                backOffUntil?: number;
                /**
                 * @description Whether robots.txt was read; `unreachable`: nothing may be fetched until it responds. This and the next fields are absent if the process that answers does not work on the host.
                 * @enum {string}
                 */
                robots?: "unknown" | "read" | "unreachable";
                /** @description Requests in flight at most, as the host bears it. */
                concurrency?: number;
                inFlight?: number;
                /**
                 * @description `open`: the host does not respond, and is not asked. `half_open`: it is tried again.
                 * @enum {string}
                 */
                circuit?: "closed" | "open" | "half_open";
                /** @description Why the circuit opened. */
                lastError?: {
                    reason: string;
                    message: string;
                };
            }[];
            /** @description Where to continue. Absent when nothing remains. */
            cursor?: string;
            /** @description The same as `cursor`. */
            nextCursor?: string;
        };
        Rules: {
            /** @description Pages that the job has read for a record: those that match `when`. */
            pages: number;
            /** @description How many of them have a value, by field; inside another as `reviews.by`. */
            values: {
                [key: string]: number;
            };
            readonly sites: {
                site: string;
                /** @description Grows whenever a place changes; as `extractedFrom.rules` of a page. */
                version: number;
                /** @description Pages that the model was asked about; with `since`, also those of earlier jobs that it began with. */
                asked: number;
                /** @description How the site writes decimals; `null`: no answer tells. */
                decimal: ("." | ",") | null;
                /** @description What comes first in dates of numbers. */
                dayOrder: ("day" | "month") | null;
                readonly templates: {
                    /** @description The URL of a page of it. */
                    example: string;
                    asked: number;
                    /** @description Asked pages that have a record. */
                    records: number;
                    /** @description Its pages are read without a question. */
                    isSettled: boolean;
                }[];
                fields: {
                    [key: string]: {
                        /** @description Places, of which the first one with a value counts. */
                        readonly locators: components["schemas"]["Place"][];
                        /** @description Another way to the value; where it differs, the model is asked. */
                        witness: components["schemas"]["Place"] | null;
                        /** @description What the page declares comes first. */
                        declaredFirst: boolean;
                        /** @description Asked pages with a record. */
                        asked: number;
                        /** @description Of these, pages on which the rules read the answer. */
                        right: number;
                        /** @description Pages that were asked about after rules had read them. */
                        judged: number;
                        /** @description Of these, pages that the rules read otherwise. */
                        misses: number;
                    };
                };
            }[];
            /** @description For `fields` of the next job. */
            fields: {
                [key: string]: components["schemas"]["Place"] | components["schemas"]["Place"][];
            };
        };
        Stats: {
            /** @description Milliseconds of a step. */
            step: number;
            readonly data: {
                /** @description When the counters were read, at the end of the step: milliseconds since the epoch. */
                at: number;
                /** @description In this step, like the next three. */
                scraped: number;
                discarded: number;
                failed: number;
                /** @description Of fetched bodies, as sent. */
                bytes: number;
                /** @description At the end of the step. */
                queued: number;
                /** @description At the end of the step. */
                inFlight: number;
            }[];
        };
        TreeNode: {
            /** @description Empty: the URL of the level above, with any query. */
            segment: string;
            /** @description The beginning of these URLs: `prefix` of a request for the next level. */
            prefix: string;
            urls: number;
            scraped: number;
            discarded: number;
            failed: number;
            outside: number;
            /** @description In flight too. */
            queued: number;
            readonly data?: components["schemas"]["TreeNode"][];
            /** @description What is not among the rows of this level. */
            others?: {
                urls: number;
                scraped: number;
                discarded: number;
                failed: number;
                outside: number;
                /** @description In flight too. */
                queued: number;
            };
        };
        Tree: {
            prefix?: string;
            /** @description Most URLs first. */
            readonly data: components["schemas"]["TreeNode"][];
            /** @description What is not among the rows of this level. */
            others?: {
                urls: number;
                scraped: number;
                discarded: number;
                failed: number;
                outside: number;
                /** @description In flight too. */
                queued: number;
            };
        };
        Problem: {
            type: string;
            title: string;
            status: number;
            /** @description What is wrong and what to change. */
            detail: string;
            instance: string;
            /**
             * @description Stable. New codes can be added.
             * @enum {string}
             */
            code: "invalid_parameter" | "invalid_body" | "invalid_cron" | "invalid_cursor" | "browser_missing" | "no_model" | "not_supported_yet" | "destination_not_allowed" | "unauthorized" | "invalid_token" | "sign_in_refused" | "permission_denied" | "job_not_found" | "schedule_not_found" | "delivery_not_found" | "screenshot_not_found" | "no_raw" | "no_records" | "page_not_found" | "token_not_found" | "job_not_ended" | "run_superseded" | "schedule_deleted" | "changes_expired" | "nothing_to_compare" | "text_expired" | "url_not_found" | "run_in_progress" | "confirmation_required" | "nothing_to_retry" | "search_off" | "job_data_expired" | "page_erased" | "idempotency_key_reused" | "page_unreadable" | "page_not_html" | "not_found" | "method_not_allowed" | "origin_refused" | "misdirected_request" | "crawler_refused" | "rate_limited" | "too_many_jobs" | "too_many_tokens" | "too_many_schedules" | "too_many_waiting" | "backup_in_progress" | "backup_failed" | "too_many_exports" | "range_not_satisfiable" | "body_too_large" | "headers_too_large" | "request_timeout" | "bad_request" | "unsupported_media_type" | "insufficient_storage" | "storage_read_only" | "unavailable" | "overloaded" | "page_damaged" | "internal";
            requestId: string;
            errors?: {
                field: string;
                message: string;
            }[];
            /** @description With `page_damaged`: the number of the page. */
            page?: number;
            /** @description With `page_damaged`: continue after that page. */
            cursor?: string;
            /** @description With `page_unreadable`: why, as in the list of URLs. */
            reason?: string;
            /** @description The same as `detail`. */
            message: string;
        };
        Dropped: {
            /** @description The number of the page, as in `/data`. */
            page: number;
            url: string;
            /** @description What the rules left out of the page, box by box, in its order. */
            readonly data: {
                /** @description The name of the rule. `outside-content`: it stands outside the element that is the content; `outside-posts`: in no post of a thread. `said-in-metadata`: a line that repeats the metadata. `selectors`: `exclude_elements` or `include_elements`. `rest`: all texts after the first 999. */
                rule: string;
                /** @description Its beginning, at most 500 characters. Plain text from the page. */
                text: string;
                /**
                 * @description It is longer than shown.
                 * @constant
                 */
                cut?: true;
                /** @description Words of all of it. */
                words: number;
            }[];
            /** @description Words of all of them. */
            words: number;
        };
        Erased: {
            /** @description The number of the page, which it keeps. */
            page: number;
            /** @description When the page was erased first. In milliseconds since the epoch. */
            erasedAt: number;
            /** @description Whether this request erased the URL too. */
            url: boolean;
            /** @description All jobs that have forgotten the page: this one, and those that are made from each other. */
            readonly jobs: string[];
        };
        Diff: {
            /** @description The job that found the page changed. */
            job: string;
            /** @description When it was created, in milliseconds since the epoch. */
            runAt: number;
            url: string;
            /** @enum {string} */
            change: "changed" | "unchanged";
            /** @description `extracted`, `options` or `program`: as in the list of changes. */
            reason: string | null;
            contentHash: string | null;
            previousContentHash: string | null;
            /** @description Only if the title has changed, as `previousTitle`. */
            title?: string;
            previousTitle?: string;
            /** @description The texts were not compared in full: only their beginnings were, or they differ so much that all lines between the first and the last difference count as changed. */
            truncated: boolean;
            /** @description Empty if the texts are equal, and only title, record or markup have changed. */
            hunks: {
                /** @description From 1. */
                oldStart: number;
                oldLines: number;
                /** @description From 1. */
                newStart: number;
                newLines: number;
                /** @description As in a unified diff: with up to three equal lines before and after those that differ. */
                lines: {
                    /** @enum {string} */
                    kind: "same" | "removed" | "added";
                    /** @description Joined they are the line. Of one without a counterpart, all has changed. */
                    parts: {
                        text: string;
                        /** @description It differs from the other text. */
                        changed: boolean;
                    }[];
                }[];
            }[];
        };
        CrawlPreview: {
            /** @description The first start URL. Only this one is fetched. */
            url: string;
            /** @description Requests that were sent: at most 3, redirects included. */
            fetches: number;
            robots: {
                url: string;
                /**
                 * @description `unreachable`: it could not be read, so nothing may be fetched.
                 * @enum {string}
                 */
                status: "read" | "unreachable" | "not_read";
                /** @description False with `respect_robots: false`. */
                isObeyed: boolean;
                /** @description The rules allow the start URL. */
                isAllowed?: boolean;
                /** @description What forbids the start URL. */
                rule?: string;
                crawlDelaySeconds?: number;
                /** @description Sitemaps that the file names. */
                sitemaps: number;
                message?: string;
            };
            page: {
                /**
                 * @description `redirected`: it leads to another origin, which the preview does not fetch; a crawl does.
                 * @enum {string}
                 */
                status: "read" | "redirected" | "discarded" | "failed" | "not_read";
                statusCode?: number;
                redirectsTo?: string;
                reason?: ("excluded_by_glob" | "excluded_by_pattern" | "not_included" | "off_host" | "off_path" | "depth" | "logout" | "nofollow" | "robots_disallowed" | "crawl_delay_too_long" | "duplicate_of" | "doubted" | "below_min_length" | "unchanged" | "not_delivered" | "content_type" | "url_too_long" | "page_limit" | "fetch_limit" | "trap" | "script_link" | "time_limit" | "crawled_before" | "no_raw" | "cancelled") | ("http_error" | "dns" | "connect" | "tls" | "timeout" | "reset" | "challenge" | "bad_response" | "body_too_large" | "bad_encoding" | "too_many_redirects" | "bad_redirect" | "destination_not_allowed" | "robots_unreachable" | "unreadable_file" | "parse_timeout" | "parse_budget" | "parse_crashed" | "sitemap_unreadable" | "browser_missing" | "poison");
                message?: string;
                fetchedUrl?: string;
                /** @description Metadata taken from the page and its headers: title and description, possibly empty, and other fields where the page has them. */
                meta?: {
                    title: string;
                    description: string;
                    /** @description As the page declares it, otherwise the first of the `Content-Language` header. */
                    language?: string;
                    /** @description The URL that the page declares as its original, in a `<link rel=canonical>`, otherwise in a `Link` header. */
                    canonical?: string;
                    /** @description The title of the text: `title` without the site name, if that can be separated. */
                    headline?: string;
                    /** @description Names, separated by commas. */
                    author?: string;
                    /** @description In ISO 8601 if it can be parsed, otherwise as the page writes it. */
                    publishedTime?: string;
                    /** @description In ISO 8601 if it can be parsed, otherwise as the page writes it. */
                    modifiedTime?: string;
                    siteName?: string;
                    image?: string;
                    keywords?: string[];
                    /** @description For linked files: pages of a PDF, slides of a presentation. */
                    pageCount?: number;
                    /** @description `true` if the text comes from the browser. Absent otherwise. */
                    rendered?: boolean;
                    /** @description `false` if a certificate could not be verified: of the page, a redirect to it, or a resource in the browser (`insecure_tls`). Absent otherwise. */
                    tlsVerified?: boolean;
                    /** @description `true` if a limit ended the reading: text, metadata and links cover only the beginning. */
                    truncated?: boolean;
                    /**
                     * @description `no_text_layer`: pages of this PDF are images, such as scans, without text. `unreadable_text`: it has `unreadableCharacters`.
                     * @enum {string}
                     */
                    warning?: "no_text_layer" | "unreadable_text";
                    /** @description For PDFs: characters whose fonts do not say which letters they are. Absent if there are none. */
                    unreadableCharacters?: number;
                    /** @description The kind of the page in the vocabulary of schema.org, such as `NewsArticle`. */
                    type?: string;
                    /** @description The kind of the page in the vocabulary of Open Graph, such as `article`. */
                    ogType?: string;
                    productName?: string;
                    productBrand?: string;
                    productSku?: string;
                    /** @description As the page writes it; with several offers, that of the first. */
                    productPrice?: string;
                    productCurrency?: string;
                    /** @description Such as `InStock`. */
                    productAvailability?: string;
                    ratingValue?: number;
                    ratingCount?: number;
                    /** @description From the top of the site down to the page. */
                    breadcrumbs?: string[];
                    /** @description The questions that the page answers. */
                    questions?: string[];
                    /** @description The outline of the content, such as `## Sizes`: at most 100, of 200 characters each. */
                    headings?: string[];
                    /** @description The directives of the page for robots, in lower case, those for all and those for hayrake. The crawl obeys `nofollow` and `none`, and only reports the others, `noindex` included. */
                    robots?: string[];
                    /** @description How the content was found. `article`, `main`: the element of that name or role. `body`: the page without what surrounds its content. `thread`: the posts of a forum. `noscript`: what the page shows without scripts. `json_ld`: what the page shows, followed by its text in JSON-LD. `whole`: all of it. `include_elements`: the elements that matched; `include_elements_unmatched`: none matched. */
                    extractionMethod?: string;
                    /** @description Confidence that this is the content, from 0 to 1. */
                    extractionQuality?: number;
                    /** @description Words of the main content. */
                    wordCount?: number;
                    /** @description Changes only when the text of the content does, whatever the output format. Absent if there is no text. */
                    contentHash?: string;
                    /** @description With `declared_things` of `extract`: what the page declares, at most 32 KiB; `main` marks the subject of the page. */
                    declaredThings?: ({
                        /** @enum {string} */
                        source: "json-ld" | "microdata" | "rdfa" | "opengraph";
                        type: string[];
                        /** @constant */
                        main?: true;
                        values: {
                            [key: string]: unknown;
                        };
                    } & {
                        [key: string]: unknown;
                    })[];
                    /** @description Number of declared things that did not fit. */
                    declaredThingsOmitted?: number;
                    /** @description With `extract`: where the values of `extracted` come from. */
                    extractedFrom?: {
                        /** @description Version of learned rules; 0 if there are none. */
                        rules: number;
                        /**
                         * @description The page declares no other thing, whose name may differ.
                         * @constant
                         */
                        certainty?: "only";
                        /** @description Where each value comes from, and its text on the page. */
                        fields: {
                            [key: string]: {
                                /** @enum {string} */
                                source: "declared" | "css" | "learned" | "model";
                                raw?: string;
                            };
                        };
                        /** @description Why values are `null` or in doubt: `missing`, `type` (it is not of its type), `ambiguous` (a number or date that can mean two), `cut` by a limit. With `model`: `disagree` (two places of the page tell different values, or one looks like no answer), `unsupported` (the answer is not on the page), `unasked`, `bad_answer`. */
                        problems: {
                            [key: string]: "missing" | "type" | "ambiguous" | "cut" | "disagree" | "unsupported" | "unasked" | "bad_answer";
                        };
                        /** @description Changes only when the record does. */
                        hash: string;
                    };
                    /** @description When the page was erased, in milliseconds since the epoch: nothing else is left of its content. Absent otherwise. */
                    erasedAt?: number;
                    statusCode?: number;
                    /** @description The `Content-Type` header as sent. */
                    contentType?: string;
                    /**
                     * @description With `since`: the page compared with that of the earlier job.
                     * @enum {string}
                     */
                    change?: "added" | "changed" | "unchanged";
                    /**
                     * @description How that is known: the site said so; the bytes are equal, and so are the options and the program; or title, text and record are compared. `lastmod`: it was not asked for, with `trust_lastmod`.
                     * @enum {string}
                     */
                    evidence?: "304" | "bytes" | "hash" | "lastmod";
                    /** @description The `ETag` header as sent, for a conditional request. */
                    etag?: string;
                    /** @description The `Last-Modified` header as sent, for a conditional request. */
                    lastModified?: string;
                } & {
                    [key: string]: unknown;
                };
                /** @description The page in the output format: the first 100,000 characters. */
                text?: string;
                isTextCut?: boolean;
                /**
                 * @description A browser could show more of the page. The preview never uses one.
                 * @constant
                 */
                needsBrowser?: true;
            };
            links: {
                /** @description Distinct links of the page. */
                found: number;
                /** @description Those that the crawl would follow, within its other limits. */
                followed: number;
                /** @description Those of them whose pages would be delivered, as far as `deliver_globs` decides. */
                delivered: number;
                /** @description Number of the others, by reason. */
                reasons: {
                    [key: string]: number;
                };
                /** @description The first 200 links. */
                data: {
                    url: string;
                    /** @enum {string} */
                    verdict: "follow" | "discard";
                    /** @enum {string} */
                    reason?: "excluded_by_glob" | "excluded_by_pattern" | "not_included" | "off_host" | "off_path" | "depth" | "logout" | "nofollow" | "robots_disallowed" | "crawl_delay_too_long" | "duplicate_of" | "doubted" | "below_min_length" | "unchanged" | "not_delivered" | "content_type" | "url_too_long" | "page_limit" | "fetch_limit" | "trap" | "script_link" | "time_limit" | "crawled_before" | "no_raw" | "cancelled";
                    /** @description The glob or the line of robots.txt that decides. */
                    detail?: string;
                }[];
                /** @description False if robots.txt is so large that some links were not compared with it. */
                isRobotsChecked: boolean;
            };
            sitemap: {
                /** @enum {string} */
                status: "read" | "missing" | "unreadable" | "not_read";
                url?: string;
                /** @description URLs that it names. */
                urls?: number;
                /** @description Those that the crawl would fetch, as far as its options decide. */
                followed?: number;
                /** @description Further sitemaps that it names. */
                sitemaps?: number;
                message?: string;
            };
        };
        Schedule: {
            id: string;
            org: string;
            name: string;
            cron: string;
            time_zone: string;
            /** @description The request of each run as it was given, without `headers` and `cookies`. */
            job: {
                [key: string]: unknown;
            };
            keep: number;
            /** @enum {string} */
            overlap: "skip" | "queue";
            paused: boolean;
            /** @description Why it is paused: by a request, or because the token that wrote it last was revoked or has expired. `null` if it is not. */
            pausedBy: ("client" | "token_revoked" | "token_expired") | null;
            createdAt: number;
            /** @description `null` while it is paused. */
            nextRunAt: number | null;
            /** @description When the last run was created; `null` if there was none. */
            lastRunAt: number | null;
            /** @description The job of the last run. */
            lastJob: string | null;
            /** @description Why the last time has no run: `run_in_progress` with `overlap: skip`, or an error that lasted for an hour. `null` once a run is created. */
            lastError: {
                code: string;
                message: string;
                at: number;
            } | null;
            /** @description Names of the headers and cookies that are kept. Their values are never returned. */
            secrets: {
                readonly headers: string[];
                readonly cookies: string[];
            };
        };
        ChangedSchedule: {
            id: string;
            org: string;
            name: string;
            cron: string;
            time_zone: string;
            /** @description The request of each run as it was given, without `headers` and `cookies`. */
            job: {
                [key: string]: unknown;
            };
            keep: number;
            /** @enum {string} */
            overlap: "skip" | "queue";
            paused: boolean;
            /** @description Why it is paused: by a request, or because the token that wrote it last was revoked or has expired. `null` if it is not. */
            pausedBy: ("client" | "token_revoked" | "token_expired") | null;
            createdAt: number;
            /** @description `null` while it is paused. */
            nextRunAt: number | null;
            /** @description When the last run was created; `null` if there was none. */
            lastRunAt: number | null;
            /** @description The job of the last run. */
            lastJob: string | null;
            /** @description Why the last time has no run: `run_in_progress` with `overlap: skip`, or an error that lasted for an hour. `null` once a run is created. */
            lastError: {
                code: string;
                message: string;
                at: number;
            } | null;
            /** @description Names of the headers and cookies that are kept. Their values are never returned. */
            secrets: {
                readonly headers: string[];
                readonly cookies: string[];
            };
            /** @description Headers and cookies that were stored and are no longer, because the new `job` has other hosts or another proxy. Give them again if they are meant for these. */
            droppedSecrets?: {
                readonly headers: string[];
                readonly cookies: string[];
            };
        };
        ScheduleList: {
            data: components["schemas"]["Schedule"][];
            /** @description Where to continue. Absent when nothing remains. */
            cursor?: string;
            /** @description The same as `cursor`. */
            nextCursor?: string;
        };
        RunList: {
            data: components["schemas"]["Job"][];
            /** @description Where to continue. Absent when nothing remains. */
            cursor?: string;
            /** @description The same as `cursor`. */
            nextCursor?: string;
        };
        MadeRun: {
            /** @description `null` if the run waits for the end of the last one (`overlap: queue`). */
            job: components["schemas"]["Job"] | null;
        };
        SystemStatus: {
            version: string;
            /** @description Milliseconds since the epoch. */
            startedAt: number;
            /** @description The data directory, or the server of PostgreSQL. */
            place: string;
            /** @enum {string} */
            database: "sqlite" | "postgresql";
            /** @description Size of the data; null if it is in PostgreSQL. */
            dataBytes: number | null;
            /** @description Of the data directory. */
            disk: {
                /** @description Bytes. */
                freeBytes: number;
                /** @description Bytes. */
                totalBytes: number;
                /** @description Bytes. */
                pausesBelowBytes: number;
            };
            /** @description Of this process. */
            memory: {
                /** @description Bytes. */
                usedBytes: number;
                /** @description Bytes. */
                limitBytes: number;
            };
            /** @description A process that crawls has a browser. */
            hasBrowser: boolean;
            /** @description Of all orgs. */
            queue: {
                starting: number;
                running: number;
                queued: number;
                inFlight: number;
                /** @description Since when the host that waits longest could be asked. */
                dueSince: number | null;
                /** @description Webhook events that are not delivered yet. */
                deliveries: number;
            };
            readonly settings: {
                name: string;
                value: string;
                origin: string;
            }[];
        };
        Token: {
            id: string;
            org: string;
            /** @description Empty if it has none. */
            name: string;
            readonly permissions: ("read" | "write" | "ignore_robots" | "high_priority" | "proxy" | "model" | "metrics" | "tokens" | "operate")[];
            createdAt: number;
            /** @description When it becomes invalid; `null` if it does not expire. */
            expiresAt: number | null;
            revokedAt: number | null;
        };
        NewToken: {
            id: string;
            org: string;
            /** @description Empty if it has none. */
            name: string;
            readonly permissions: ("read" | "write" | "ignore_robots" | "high_priority" | "proxy" | "model" | "metrics" | "tokens" | "operate")[];
            createdAt: number;
            /** @description When it becomes invalid; `null` if it does not expire. */
            expiresAt: number | null;
            revokedAt: number | null;
            /** @description The secret. It is shown once: only its hash is stored. */
            token: string;
        };
        TokenList: {
            data: components["schemas"]["Token"][];
            /** @description Where to continue. Absent when nothing remains. */
            cursor?: string;
            /** @description The same as `cursor`. */
            nextCursor?: string;
        };
        Delivery: {
            id: number;
            /** @description The `webhook-id` that is sent with every attempt. */
            webhookId: string;
            /** @enum {string} */
            event: "job.started" | "job.progress" | "job.finished" | "schedule.changed";
            /** @enum {string} */
            status: "pending" | "delivered" | "failed";
            createdAt: number;
            /** @description Attempts started since the last replay. */
            attempts: number;
            /** @description When the next attempt is due; for an attempt in flight, when it counts as lost. */
            nextAt?: number;
            /** @description When it was delivered or given up. */
            settledAt?: number;
            /** @description The last status code that the webhook returned. */
            statusCode?: number;
            /** @description Why the last attempt failed. */
            error?: string;
        };
        DeliveryList: {
            data: components["schemas"]["Delivery"][];
            /** @description Where to continue. Absent when nothing remains. */
            cursor?: string;
            /** @description The same as `cursor`. */
            nextCursor?: string;
        };
        WebhookKey: {
            /** @description Signs the webhooks of your org: `whsec_` and 32 bytes in base64. */
            key: string;
            /** @description The previous key, which also signs for 24 hours after a rotation. */
            previousKey?: string;
        };
        ScheduleEvent: {
            /** @enum {string} */
            type: "schedule.failed";
            /** @description When it happened, in ISO 8601. */
            timestamp: string;
            data: {
                /** @description The id of the schedule. */
                schedule: string;
                name: string;
                /** @description As `lastError`. */
                error: {
                    code: string;
                    message: string;
                    at: number;
                };
                /** @description When the next run is due. */
                nextRunAt: number | null;
            };
        };
        RunEvent: {
            /** @constant */
            type: "schedule.changed";
            /** @description When the run ended, in ISO 8601. */
            timestamp: string;
            data: {
                /** @description The id of the schedule. */
                schedule: string;
                /** @description The id of the run. */
                job: string;
                changes: {
                    added: number;
                    changed: number;
                    moved: number;
                    unchanged: number;
                    removed: number;
                    unknown: number;
                };
                /** @description The rows of the run follow it in `GET /crawler/schedules/{id}/changes`. */
                cursor: string;
            };
        };
        WebhookEvent: {
            /** @enum {string} */
            type: "job.started" | "job.progress" | "job.finished";
            /** @description When it happened, in ISO 8601. */
            timestamp: string;
            data: {
                /** @description The id of the job. */
                id: string;
                /** @enum {string} */
                status: "starting" | "running" | "succeeded" | "failed" | "cancelled";
                /** @description As in the job. */
                complete: boolean | null;
                /** @description As in the job. */
                findings: components["schemas"]["Finding"][];
                progress: components["schemas"]["Progress"];
                /** @description Milliseconds since the epoch. */
                finishedAt: number | null;
                /** @description With `job.progress`: the numbers of the first and the last page that were committed. */
                pages?: {
                    from: number;
                    to: number;
                };
            };
        };
        /** @description Which structured data is read from pages (docs/extract.md). At most 64 KiB, 200 fields, 8 deep. */
        Extract: {
            /** @description Names and types of the fields of a record, which what a page declares, or a model, fills. */
            schema?: components["schemas"]["RecordSchema"] | null;
            /** @description Where values stand, by the name of the field: one place, or a list of alternatives of one `type`, of which the first with a value counts. These win over `schema`. */
            fields?: {
                [key: string]: components["schemas"]["Place"] | components["schemas"]["Place"][];
            };
            /**
             * @description Read what pages declare about their subject.
             * @default true
             */
            declared?: boolean;
            /**
             * @description List all declarations in the metadata, as `declaredThings`.
             * @default false
             */
            declared_things?: boolean;
            /** @description Globs of the pages that have a record. */
            when?: string[];
            /**
             * @description A model is asked about a few pages of each template. Needs the permission `model`.
             * @default false
             */
            model?: boolean;
            /**
             * @description Pages that are fetched with headers or cookies of the job are shown to the model.
             * @default false
             */
            private_to_model?: boolean;
            /**
             * @description The most pages of a template that a model is asked about, with `model`.
             * @default 30
             */
            calls_per_template?: number;
            /**
             * @description The most calls of the job, repeats included, with `model`.
             * @default 200
             */
            calls?: number;
        };
        /** @description Where a value stands on a page, and what it is. */
        Place: {
            /** @description The first element that matches and holds something. */
            css?: string;
            /** @description The text beside this text. With `css`, only inside those elements. */
            label?: string;
            /** @description The value of this attribute. */
            attribute?: string;
            /** @description The part between two texts, one of which may be empty. */
            between?: string[];
            /**
             * @description All matches. With `fields`: one object for each match of `css`.
             * @default false
             */
            list?: boolean;
            /**
             * @description What the value is.
             * @default text
             * @enum {string}
             */
            type?: "text" | "markdown" | "html" | "number" | "integer" | "boolean" | "date" | "url" | "price";
            /** @description Values for texts of the page. A `boolean` needs it. */
            map?: {
                [key: string]: string | number | boolean | null;
            };
            /** @description An object of further fields, searched inside the element. */
            fields?: {
                [key: string]: components["schemas"]["Place"] | components["schemas"]["Place"][];
            };
        };
        /** @description The part of JSON Schema that names fields. References inside it are read, `pattern`, `oneOf`, `not` and the like refused. */
        RecordSchema: {
            /** @description One type, or one and `null`. */
            type?: ("string" | "number" | "integer" | "boolean" | "array" | "object" | "null") | ("string" | "number" | "integer" | "boolean" | "array" | "object" | "null")[];
            properties?: {
                [key: string]: components["schemas"]["RecordSchema"];
            };
            items?: components["schemas"]["RecordSchema"];
            enum?: (string | number | boolean | null)[];
            /** @description `date`, `date-time`, `uri`; others say nothing. */
            format?: string;
            /** @description The finding `extract_incomplete` counts pages without them. */
            required?: string[];
            /** @description One schema, and `{"type": "null"}`. */
            anyOf?: components["schemas"]["RecordSchema"][];
            /** @description For the model. */
            description?: string;
            title?: string;
            additionalProperties?: boolean;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Identifies the request in the log. */
        "X-Request-Id": string;
        /** @description The status of the job at the time of this response. */
        "X-Job-Status": string;
        /** @description Number of pages of the job that the file covers. */
        "X-Pages": number;
        /** @description With the name of the file. */
        "Content-Disposition": string;
        /** @description `bytes` if the request can have a `Range`, otherwise `none`. */
        "Accept-Ranges": string;
        /** @description Seconds to wait, with 429, 503 and 507. */
        "Retry-After": number;
        /** @description With 401: the scheme, and what is wrong with the token. */
        "WWW-Authenticate": string;
        /** @description With 405: the methods of this path. */
        Allow: string;
        /** @description The path of the new job or schedule. */
        Location: string;
        /** @description While more remains: the same request with the next cursor, relative, with `rel="next"`. */
        Link: string;
        /** @description For a job that has ended. Send it as `If-None-Match` to get 304 while nothing changed. */
        ETag: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listJobs: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. Default: 400. */
                limit?: number | null;
                /** @description Taken from the previous response. */
                cursor?: string | null;
                /** @description Only jobs in this state. `stopped`: those with `stoppedAt`, which `running` and `starting` also list. */
                status?: "starting" | "running" | "succeeded" | "failed" | "cancelled" | "stopped";
                /** @description Only jobs of this kind. Without it: all but `scrape`. */
                kind?: "crawl" | "scrape" | "batch" | "map" | "reextract" | "all";
                /** @description Only jobs with a start URL that contains this; ASCII letters match in upper and lower case. */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobList"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with its key returns the job that it created. Keys are kept for 24 hours, per org. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Start URLs, http or https. Without a scheme, `https://` is added. A crawl takes 1,000 at most, a batch 10,000. */
                    urls?: string[];
                    /**
                     * @description Id of an ended crawl or batch: asks again about every page that it knew, about what failed and what a limit left, and follows links as always. Each page says whether it was `added` or `changed`, or is `unchanged`; `changes` counts them. Fields that are not given are those of that job, `urls` too; `headers`, `cookies`, `webhook_url`, `deliver` and `priority` are not taken over (docs/results.md).
                     * @default null
                     */
                    since?: string | null;
                    /**
                     * @description With `since`, and in schedules: `changed` delivers only pages that are new or changed. The others are `discarded` as `unchanged` and do not count against `page_limit`.
                     * @default all
                     * @enum {string}
                     */
                    deliver?: "all" | "changed";
                    /**
                     * @description With `since`, and in schedules: pages that seem to be gone are `removed` when this number of runs in a row have found them gone; 1: at once. Responses of less certain kinds are accepted after five times that number (docs/results.md).
                     * @default 2
                     */
                    confirm_runs?: number;
                    /**
                     * @description With `since`, and in schedules: `true` does not ask for pages whose `lastmod` in the sitemap stands still, on hosts that have told the truth with it; their `evidence` is `lastmod`. One page in twenty is asked for all the same, and each page after 30 days. docs/schedules.md says when a host is trusted.
                     * @default false
                     */
                    trust_lastmod?: boolean;
                    /**
                     * @description The format of the `text` of each page.
                     * @default markdown
                     * @enum {string}
                     */
                    output_format?: "markdown" | "text" | "html";
                    /**
                     * @description Further outputs of each page, in its field `formats`: `markdown`, `html` and `text` of the same content, `links` (all of the page: absolute, without fragment, each once), `images` (of the content, likewise, at most 2,000), `source` (the HTML as sent, decoded, at most 10 MiB; with a browser as rendered), `dropped` (what the rules left out of it). `output_format` is in `text` and is not repeated. A file has no `links`, `images`, `source` and `dropped`.
                     * @default []
                     */
                    formats?: ("markdown" | "html" | "text" | "links" | "images" | "source" | "dropped")[];
                    /**
                     * @description URLs that match any of these globs are not crawled. A glob matches the whole URL, or path and query if it begins with `/`. `*` matches any characters but `/`, `**` any characters, `?` one character. At most 100 globs of 512 characters.
                     * @default []
                     */
                    exclude_globs?: string[];
                    /**
                     * @description If given, only URLs that match one of these globs are crawled. Start URLs always are.
                     * @default []
                     */
                    include_globs?: string[];
                    /**
                     * @description If given, only pages that match one of these globs are delivered. The others, start pages too, are read for their links and discarded as `not_delivered`; they count only against `fetch_limit`. A redirected page matches by either URL.
                     * @default []
                     */
                    deliver_globs?: string[];
                    /**
                     * @description URLs that match any of these regular expressions are not crawled. RE2 syntax, searched anywhere in `pattern_target`, case-sensitive. At most 100 of 512 characters; counted repetitions add up to at most 500 per pattern and 2,000 in all. A URL of more than 2,048 characters matches no pattern.
                     * @default []
                     */
                    exclude_patterns?: string[];
                    /**
                     * @description If given, only URLs that match one of these regular expressions, and one of `include_globs` if given, are crawled. Start URLs always are.
                     * @default []
                     */
                    include_patterns?: string[];
                    /**
                     * @description The text in which the patterns are searched. `url`: the URL without its fragment. `path`: only its path.
                     * @default url
                     * @enum {string}
                     */
                    pattern_target?: "url" | "path";
                    /**
                     * @description Also follow links to other hosts, with their own robots.txt and pace; their sitemaps are not read, and private networks are not entered. `page_limit` and `max_depth` bound the crawl.
                     * @default false
                     */
                    allow_external?: boolean;
                    /**
                     * @description Remove the query from links before they are compared and fetched. Start URLs keep theirs.
                     * @default false
                     */
                    ignore_query?: boolean;
                    /** @description Comma-separated CSS selectors of elements to remove before conversion; `""` removes nothing. With `content: auto` only selectors given here apply. Default: `nav, header:not(article header, main header), footer, script, style, noscript, svg, [role="alert"], [role="banner"], [role="dialog"], [role="alertdialog"], [role="region"][aria-label*="skip" i], [aria-modal="true"]`. */
                    exclude_elements?: string;
                    /** @description Comma-separated CSS selectors. If given, the content is only the elements that match, in document order, without `exclude_elements`. If none matches, the option has no effect, and `extractionMethod` says so. */
                    include_elements?: string;
                    /**
                     * @description `auto`: the main content if it can be detected, otherwise the whole page. `full`: the whole page without `exclude_elements`.
                     * @default auto
                     * @enum {string}
                     */
                    content?: "auto" | "full";
                    /**
                     * @description Links in the Markdown. `reference`: the URLs are listed at the end of the text, each once. `none`: the text of a link stays, without the URL. Only with Markdown.
                     * @default inline
                     * @enum {string}
                     */
                    links?: "inline" | "reference" | "none";
                    /**
                     * @description Images in the Markdown. `described`: only images with an alternative text. `none`: neither images nor their texts, except as the text of a link that contains only an image. Only with Markdown.
                     * @default all
                     * @enum {string}
                     */
                    images?: "all" | "described" | "none";
                    /**
                     * @description `auto`: Markdown and text begin with the title of the page, without the name of the site, if its content has no heading of the first level. `page`, `false`, `null`, `""`: the text as the page has it. Not with HTML.
                     * @default page
                     */
                    title?: ("page" | "auto") | "" | false | null;
                    /** @description Structured data: pages get `extracted` beside `text`, from `fields` (where values stand), from what a page declares about its subject for the names of a JSON `schema`, or both. `when`: globs of the pages that have a record. `declared: false` reads no declarations, `declared_things: true` lists them in the metadata. `model: true` asks the language model of the operator about a few pages of each template, and reads the others as it taught; it needs a token with the permission `model`. See docs/extract.md. */
                    extract?: components["schemas"]["Extract"] | null;
                    /** @description The `schema` of `extract`, as UseScraper names it: a JSON Schema with `properties`. Filled by what pages declare about themselves. An empty value is ignored. */
                    extract_object?: components["schemas"]["RecordSchema"] | null;
                    /** @description Seconds for which the results are kept after the job's end; `null`: until they are deleted. `PATCH /crawler/jobs/{id}` changes it after the end. Default: `HAYRAKE_OUTPUT_EXPIRY`, which is never. */
                    output_expiry?: number | null;
                    /**
                     * @description Pages with fewer characters of text are discarded (`below_min_length`).
                     * @default 0
                     */
                    min_length?: number;
                    /**
                     * @description Maximum number of delivered pages. A job lists at most `HAYRAKE_JOB_URLS` URLs (1,000,000): raise that setting for larger limits.
                     * @default 10000
                     */
                    page_limit?: number;
                    /** @description Maximum number of attempts at URLs, successful or not. A redirect to another host is one more attempt. Default: ten times `page_limit`, at least 1,000. */
                    fetch_limit?: number;
                    /**
                     * @description Seconds after its creation when the job ends, even if URLs are left.
                     * @default 2592000
                     */
                    time_limit?: number;
                    /**
                     * @description Milliseconds between the starts of two requests to a host. The longest of this, `HAYRAKE_HOST_DELAY_MS` and `Crawl-delay` holds for all jobs on the host while this one has requests there. `null`: no delay of its own.
                     * @default null
                     */
                    host_delay_ms?: number | null;
                    /**
                     * @description Maximum number of requests in flight to a host. The lowest of this, `HAYRAKE_HOST_CONCURRENCY` and what the host bears holds for all jobs on the host while this one has requests there. `null`: no limit of its own.
                     * @default null
                     */
                    host_concurrency?: number | null;
                    /**
                     * @description Seconds for which a host that has not responded since the job was created is tried before its URLs fail. Other jobs do not count. After a response, and for pages that the crawl found, `HAYRAKE_UNREACHABLE_SECONDS` applies. `null`: 20, or `HAYRAKE_UNREACHABLE_SECONDS` if that is less.
                     * @default null
                     */
                    unreachable_seconds?: number | null;
                    /**
                     * @description Maximum number of links from a start URL to a page. `null`: no limit; 0: only the start URLs.
                     * @default null
                     */
                    max_depth?: number | null;
                    /**
                     * @description `link`: only links; `sitemap`: only start URLs and sitemaps; `null`: both.
                     * @default null
                     */
                    force_crawling_mode?: ("link" | "sitemap") | null;
                    /**
                     * @description Links that belong to the crawl. `host`: to the hosts of the start URLs, with and without `www.`. `path`: of these, only URLs below the directory of a start URL. `subdomains`: also subdomains of the hosts.
                     * @default host
                     * @enum {string}
                     */
                    scope?: "host" | "path" | "subdomains";
                    /**
                     * @description In a job with `cookies` or `headers`: `true` follows links that end a session, such as `/logout`. `false`: they are listed as `logout`.
                     * @default false
                     */
                    follow_logout?: boolean;
                    /**
                     * @description Follow links that their page marks as nofollow, individually or all of them.
                     * @default false
                     */
                    follow_nofollow?: boolean;
                    /**
                     * @description `false`: no URL is discarded as `trap`. Then only the limits of the job bound a site with endless URLs.
                     * @default true
                     */
                    trap_detection?: boolean;
                    /**
                     * @description `auto`: pages without text unless JavaScript runs are rendered in a browser, if there is one (docs/browser.md). `true`: every page is; refused if there is no browser. `false`: none is.
                     * @default auto
                     */
                    use_browser?: boolean | "auto";
                    /** @description What to wait for on a rendered page: a CSS selector, or milliseconds of its virtual time, 0 to 20,000. `null` waits for timers of up to 5 s and all fetches. Only with a browser. */
                    wait_for?: number | string | false | null;
                    /** @description Also takes a picture of each page, 1,280 pixels wide: `{"format": "png" or "jpeg", "full_page": false or true}`. The first 1,024 pixels, or with `full_page` up to 12,000. At most 10 MiB. Implies `use_browser: true` (docs/browser.md). */
                    screenshot?: {
                        /**
                         * @default png
                         * @enum {string}
                         */
                        format?: "png" | "jpeg";
                        /** @default false */
                        full_page?: boolean;
                    } | false | null;
                    /**
                     * @description Also keeps each page as its site sent it: headers and body, and the document of a rendered page (docs/results.md). Read it with `GET /crawler/jobs/{id}/pages/{n}/raw` or `export?format=warc`, and convert it again with `POST /crawler/jobs/{id}/reextract`.
                     * @default false
                     */
                    store_raw?: boolean;
                    /** @description Do not load images, style sheets, fonts, video and audio: pages get empty ones. Only with a browser. Default: `true`, with `screenshot` `false`. */
                    block_resources?: boolean;
                    /**
                     * @description Linked PDF, DOCX, XLSX, PPTX, ODT, ODS, ODP, EPUB, RTF, TXT, CSV, Markdown, JSON, YAML, XML and feed files, notebooks (`.ipynb`), messages (`.eml`) and web archives (`.mhtml`) become pages too. Only links of Markdown are followed.
                     * @default false
                     */
                    include_linked_files?: boolean;
                    /**
                     * @description `false`: also crawl what robots.txt forbids. Needs a token with the permission `ignore_robots`.
                     * @default true
                     */
                    respect_robots?: boolean;
                    /**
                     * @description `true`: accept any certificate of hosts whose address is in `HAYRAKE_ALLOW_PRIVATE`, but of no other host, also after a redirect. Such pages have `tlsVerified: false` in their metadata. 400 if the operator allows no private network. For a private authority, set `HAYRAKE_CA_FILE` instead.
                     * @default false
                     */
                    insecure_tls?: boolean;
                    /**
                     * @description Every connection of the job, of its robots.txt and of its browser takes this proxy: a `NAME` in `HAYRAKE_PROXY`. 400 if there is none. The pace of a host holds over all proxies. Needs the permission `proxy`. `null`: as the operator has set for all.
                     * @default null
                     */
                    proxy?: string | null;
                    /** @description `true`: `proxy: advanced_proxy`, for clients that send it. `false`, `null` and an empty value mean no. Default: `false`. */
                    advanced_proxy?: unknown;
                    /**
                     * @description Return cookies to the sites that set them, until the job ends or the program restarts: those of start URLs with every request, those of other pages along their own redirects. Jobs share no cookies. `false`: ignore them. A name in `cookies` overrides one that a site sets.
                     * @default true
                     */
                    keep_cookies?: boolean;
                    /**
                     * @description Headers for every request to the hosts of the start URLs, and to no other host: an object of names and values, at most 20. Values are never shown or logged, and deleted when the job ends.
                     * @default null
                     */
                    headers?: {
                        [key: string]: string;
                    } | null;
                    /**
                     * @description Cookies, sent like `headers`: an object of names and values, at most 20.
                     * @default null
                     */
                    cookies?: {
                        [key: string]: string;
                    } | null;
                    /**
                     * @description Turns of the job among the jobs of its org: `high` gets about four of five while others wait, `low` one of twenty. `high` needs a token with the permission `high_priority`.
                     * @default normal
                     * @enum {string}
                     */
                    priority?: "low" | "normal" | "high";
                    /** @description Receives the events of the job, signed according to Standard Webhooks: `job.started`, `job.progress`, `job.finished`, and of a run with changes `schedule.changed`. An absolute https URL of at most 2,048 characters. */
                    webhook_url?: string | null;
                    /** @description Deprecated; accepted and ignored. */
                    link_crawling?: unknown;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retryJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with its key returns the job that it created. Keys are kept for 24 hours, per org. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Headers for every request to the hosts of the start URLs, and to no other host: an object of names and values, at most 20. Values are never shown or logged, and deleted when the job ends.
                     * @default null
                     */
                    headers?: {
                        [key: string]: string;
                    } | null;
                    /**
                     * @description Cookies, sent like `headers`: an object of names and values, at most 20.
                     * @default null
                     */
                    cookies?: {
                        [key: string]: string;
                    } | null;
                    /** @description Receives the events of the job, signed according to Standard Webhooks: `job.started`, `job.progress`, `job.finished`, and of a run with changes `schedule.changed`. An absolute https URL of at most 2,048 characters. */
                    webhook_url?: string | null;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reextractJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with its key returns the job that it created. Keys are kept for 24 hours, per org. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description The format of the `text` of each page.
                     * @default markdown
                     * @enum {string}
                     */
                    output_format?: "markdown" | "text" | "html";
                    /**
                     * @description Further outputs of each page, in its field `formats`: `markdown`, `html` and `text` of the same content, `links` (all of the page: absolute, without fragment, each once), `images` (of the content, likewise, at most 2,000), `source` (the HTML as sent, decoded, at most 10 MiB; with a browser as rendered), `dropped` (what the rules left out of it). `output_format` is in `text` and is not repeated. A file has no `links`, `images`, `source` and `dropped`.
                     * @default []
                     */
                    formats?: ("markdown" | "html" | "text" | "links" | "images" | "source" | "dropped")[];
                    /** @description Comma-separated CSS selectors of elements to remove before conversion; `""` removes nothing. With `content: auto` only selectors given here apply. Default: `nav, header:not(article header, main header), footer, script, style, noscript, svg, [role="alert"], [role="banner"], [role="dialog"], [role="alertdialog"], [role="region"][aria-label*="skip" i], [aria-modal="true"]`. */
                    exclude_elements?: string;
                    /** @description Comma-separated CSS selectors. If given, the content is only the elements that match, in document order, without `exclude_elements`. If none matches, the option has no effect, and `extractionMethod` says so. */
                    include_elements?: string;
                    /**
                     * @description `auto`: the main content if it can be detected, otherwise the whole page. `full`: the whole page without `exclude_elements`.
                     * @default auto
                     * @enum {string}
                     */
                    content?: "auto" | "full";
                    /**
                     * @description Links in the Markdown. `reference`: the URLs are listed at the end of the text, each once. `none`: the text of a link stays, without the URL. Only with Markdown.
                     * @default inline
                     * @enum {string}
                     */
                    links?: "inline" | "reference" | "none";
                    /**
                     * @description Images in the Markdown. `described`: only images with an alternative text. `none`: neither images nor their texts, except as the text of a link that contains only an image. Only with Markdown.
                     * @default all
                     * @enum {string}
                     */
                    images?: "all" | "described" | "none";
                    /**
                     * @description `auto`: Markdown and text begin with the title of the page, without the name of the site, if its content has no heading of the first level. `page`, `false`, `null`, `""`: the text as the page has it. Not with HTML.
                     * @default page
                     */
                    title?: ("page" | "auto") | "" | false | null;
                    /** @description Structured data: pages get `extracted` beside `text`, from `fields` (where values stand), from what a page declares about its subject for the names of a JSON `schema`, or both. `when`: globs of the pages that have a record. `declared: false` reads no declarations, `declared_things: true` lists them in the metadata. `model: true` asks the language model of the operator about a few pages of each template, and reads the others as it taught; it needs a token with the permission `model`. See docs/extract.md. */
                    extract?: components["schemas"]["Extract"] | null;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    previewJob: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Start URLs, http or https. Without a scheme, `https://` is added. A crawl takes 1,000 at most, a batch 10,000. */
                    urls: string[];
                    /**
                     * @description Id of an ended crawl or batch: asks again about every page that it knew, about what failed and what a limit left, and follows links as always. Each page says whether it was `added` or `changed`, or is `unchanged`; `changes` counts them. Fields that are not given are those of that job, `urls` too; `headers`, `cookies`, `webhook_url`, `deliver` and `priority` are not taken over (docs/results.md).
                     * @default null
                     */
                    since?: string | null;
                    /**
                     * @description With `since`, and in schedules: `changed` delivers only pages that are new or changed. The others are `discarded` as `unchanged` and do not count against `page_limit`.
                     * @default all
                     * @enum {string}
                     */
                    deliver?: "all" | "changed";
                    /**
                     * @description With `since`, and in schedules: pages that seem to be gone are `removed` when this number of runs in a row have found them gone; 1: at once. Responses of less certain kinds are accepted after five times that number (docs/results.md).
                     * @default 2
                     */
                    confirm_runs?: number;
                    /**
                     * @description With `since`, and in schedules: `true` does not ask for pages whose `lastmod` in the sitemap stands still, on hosts that have told the truth with it; their `evidence` is `lastmod`. One page in twenty is asked for all the same, and each page after 30 days. docs/schedules.md says when a host is trusted.
                     * @default false
                     */
                    trust_lastmod?: boolean;
                    /**
                     * @description The format of the `text` of each page.
                     * @default markdown
                     * @enum {string}
                     */
                    output_format?: "markdown" | "text" | "html";
                    /**
                     * @description Further outputs of each page, in its field `formats`: `markdown`, `html` and `text` of the same content, `links` (all of the page: absolute, without fragment, each once), `images` (of the content, likewise, at most 2,000), `source` (the HTML as sent, decoded, at most 10 MiB; with a browser as rendered), `dropped` (what the rules left out of it). `output_format` is in `text` and is not repeated. A file has no `links`, `images`, `source` and `dropped`.
                     * @default []
                     */
                    formats?: ("markdown" | "html" | "text" | "links" | "images" | "source" | "dropped")[];
                    /**
                     * @description URLs that match any of these globs are not crawled. A glob matches the whole URL, or path and query if it begins with `/`. `*` matches any characters but `/`, `**` any characters, `?` one character. At most 100 globs of 512 characters.
                     * @default []
                     */
                    exclude_globs?: string[];
                    /**
                     * @description If given, only URLs that match one of these globs are crawled. Start URLs always are.
                     * @default []
                     */
                    include_globs?: string[];
                    /**
                     * @description If given, only pages that match one of these globs are delivered. The others, start pages too, are read for their links and discarded as `not_delivered`; they count only against `fetch_limit`. A redirected page matches by either URL.
                     * @default []
                     */
                    deliver_globs?: string[];
                    /**
                     * @description URLs that match any of these regular expressions are not crawled. RE2 syntax, searched anywhere in `pattern_target`, case-sensitive. At most 100 of 512 characters; counted repetitions add up to at most 500 per pattern and 2,000 in all. A URL of more than 2,048 characters matches no pattern.
                     * @default []
                     */
                    exclude_patterns?: string[];
                    /**
                     * @description If given, only URLs that match one of these regular expressions, and one of `include_globs` if given, are crawled. Start URLs always are.
                     * @default []
                     */
                    include_patterns?: string[];
                    /**
                     * @description The text in which the patterns are searched. `url`: the URL without its fragment. `path`: only its path.
                     * @default url
                     * @enum {string}
                     */
                    pattern_target?: "url" | "path";
                    /**
                     * @description Also follow links to other hosts, with their own robots.txt and pace; their sitemaps are not read, and private networks are not entered. `page_limit` and `max_depth` bound the crawl.
                     * @default false
                     */
                    allow_external?: boolean;
                    /**
                     * @description Remove the query from links before they are compared and fetched. Start URLs keep theirs.
                     * @default false
                     */
                    ignore_query?: boolean;
                    /** @description Comma-separated CSS selectors of elements to remove before conversion; `""` removes nothing. With `content: auto` only selectors given here apply. Default: `nav, header:not(article header, main header), footer, script, style, noscript, svg, [role="alert"], [role="banner"], [role="dialog"], [role="alertdialog"], [role="region"][aria-label*="skip" i], [aria-modal="true"]`. */
                    exclude_elements?: string;
                    /** @description Comma-separated CSS selectors. If given, the content is only the elements that match, in document order, without `exclude_elements`. If none matches, the option has no effect, and `extractionMethod` says so. */
                    include_elements?: string;
                    /**
                     * @description `auto`: the main content if it can be detected, otherwise the whole page. `full`: the whole page without `exclude_elements`.
                     * @default auto
                     * @enum {string}
                     */
                    content?: "auto" | "full";
                    /**
                     * @description Links in the Markdown. `reference`: the URLs are listed at the end of the text, each once. `none`: the text of a link stays, without the URL. Only with Markdown.
                     * @default inline
                     * @enum {string}
                     */
                    links?: "inline" | "reference" | "none";
                    /**
                     * @description Images in the Markdown. `described`: only images with an alternative text. `none`: neither images nor their texts, except as the text of a link that contains only an image. Only with Markdown.
                     * @default all
                     * @enum {string}
                     */
                    images?: "all" | "described" | "none";
                    /**
                     * @description `auto`: Markdown and text begin with the title of the page, without the name of the site, if its content has no heading of the first level. `page`, `false`, `null`, `""`: the text as the page has it. Not with HTML.
                     * @default page
                     */
                    title?: ("page" | "auto") | "" | false | null;
                    /** @description Structured data: pages get `extracted` beside `text`, from `fields` (where values stand), from what a page declares about its subject for the names of a JSON `schema`, or both. `when`: globs of the pages that have a record. `declared: false` reads no declarations, `declared_things: true` lists them in the metadata. `model: true` asks the language model of the operator about a few pages of each template, and reads the others as it taught; it needs a token with the permission `model`. See docs/extract.md. */
                    extract?: components["schemas"]["Extract"] | null;
                    /** @description The `schema` of `extract`, as UseScraper names it: a JSON Schema with `properties`. Filled by what pages declare about themselves. An empty value is ignored. */
                    extract_object?: components["schemas"]["RecordSchema"] | null;
                    /** @description Seconds for which the results are kept after the job's end; `null`: until they are deleted. `PATCH /crawler/jobs/{id}` changes it after the end. Default: `HAYRAKE_OUTPUT_EXPIRY`, which is never. */
                    output_expiry?: number | null;
                    /**
                     * @description Pages with fewer characters of text are discarded (`below_min_length`).
                     * @default 0
                     */
                    min_length?: number;
                    /**
                     * @description Maximum number of delivered pages. A job lists at most `HAYRAKE_JOB_URLS` URLs (1,000,000): raise that setting for larger limits.
                     * @default 10000
                     */
                    page_limit?: number;
                    /** @description Maximum number of attempts at URLs, successful or not. A redirect to another host is one more attempt. Default: ten times `page_limit`, at least 1,000. */
                    fetch_limit?: number;
                    /**
                     * @description Seconds after its creation when the job ends, even if URLs are left.
                     * @default 2592000
                     */
                    time_limit?: number;
                    /**
                     * @description Milliseconds between the starts of two requests to a host. The longest of this, `HAYRAKE_HOST_DELAY_MS` and `Crawl-delay` holds for all jobs on the host while this one has requests there. `null`: no delay of its own.
                     * @default null
                     */
                    host_delay_ms?: number | null;
                    /**
                     * @description Maximum number of requests in flight to a host. The lowest of this, `HAYRAKE_HOST_CONCURRENCY` and what the host bears holds for all jobs on the host while this one has requests there. `null`: no limit of its own.
                     * @default null
                     */
                    host_concurrency?: number | null;
                    /**
                     * @description Seconds for which a host that has not responded since the job was created is tried before its URLs fail. Other jobs do not count. After a response, and for pages that the crawl found, `HAYRAKE_UNREACHABLE_SECONDS` applies. `null`: 20, or `HAYRAKE_UNREACHABLE_SECONDS` if that is less.
                     * @default null
                     */
                    unreachable_seconds?: number | null;
                    /**
                     * @description Maximum number of links from a start URL to a page. `null`: no limit; 0: only the start URLs.
                     * @default null
                     */
                    max_depth?: number | null;
                    /**
                     * @description `link`: only links; `sitemap`: only start URLs and sitemaps; `null`: both.
                     * @default null
                     */
                    force_crawling_mode?: ("link" | "sitemap") | null;
                    /**
                     * @description Links that belong to the crawl. `host`: to the hosts of the start URLs, with and without `www.`. `path`: of these, only URLs below the directory of a start URL. `subdomains`: also subdomains of the hosts.
                     * @default host
                     * @enum {string}
                     */
                    scope?: "host" | "path" | "subdomains";
                    /**
                     * @description In a job with `cookies` or `headers`: `true` follows links that end a session, such as `/logout`. `false`: they are listed as `logout`.
                     * @default false
                     */
                    follow_logout?: boolean;
                    /**
                     * @description Follow links that their page marks as nofollow, individually or all of them.
                     * @default false
                     */
                    follow_nofollow?: boolean;
                    /**
                     * @description `false`: no URL is discarded as `trap`. Then only the limits of the job bound a site with endless URLs.
                     * @default true
                     */
                    trap_detection?: boolean;
                    /**
                     * @description `auto`: pages without text unless JavaScript runs are rendered in a browser, if there is one (docs/browser.md). `true`: every page is; refused if there is no browser. `false`: none is.
                     * @default auto
                     */
                    use_browser?: boolean | "auto";
                    /** @description What to wait for on a rendered page: a CSS selector, or milliseconds of its virtual time, 0 to 20,000. `null` waits for timers of up to 5 s and all fetches. Only with a browser. */
                    wait_for?: number | string | false | null;
                    /** @description Also takes a picture of each page, 1,280 pixels wide: `{"format": "png" or "jpeg", "full_page": false or true}`. The first 1,024 pixels, or with `full_page` up to 12,000. At most 10 MiB. Implies `use_browser: true` (docs/browser.md). */
                    screenshot?: {
                        /**
                         * @default png
                         * @enum {string}
                         */
                        format?: "png" | "jpeg";
                        /** @default false */
                        full_page?: boolean;
                    } | false | null;
                    /**
                     * @description Also keeps each page as its site sent it: headers and body, and the document of a rendered page (docs/results.md). Read it with `GET /crawler/jobs/{id}/pages/{n}/raw` or `export?format=warc`, and convert it again with `POST /crawler/jobs/{id}/reextract`.
                     * @default false
                     */
                    store_raw?: boolean;
                    /** @description Do not load images, style sheets, fonts, video and audio: pages get empty ones. Only with a browser. Default: `true`, with `screenshot` `false`. */
                    block_resources?: boolean;
                    /**
                     * @description Linked PDF, DOCX, XLSX, PPTX, ODT, ODS, ODP, EPUB, RTF, TXT, CSV, Markdown, JSON, YAML, XML and feed files, notebooks (`.ipynb`), messages (`.eml`) and web archives (`.mhtml`) become pages too. Only links of Markdown are followed.
                     * @default false
                     */
                    include_linked_files?: boolean;
                    /**
                     * @description `false`: also crawl what robots.txt forbids. Needs a token with the permission `ignore_robots`.
                     * @default true
                     */
                    respect_robots?: boolean;
                    /**
                     * @description `true`: accept any certificate of hosts whose address is in `HAYRAKE_ALLOW_PRIVATE`, but of no other host, also after a redirect. Such pages have `tlsVerified: false` in their metadata. 400 if the operator allows no private network. For a private authority, set `HAYRAKE_CA_FILE` instead.
                     * @default false
                     */
                    insecure_tls?: boolean;
                    /**
                     * @description Every connection of the job, of its robots.txt and of its browser takes this proxy: a `NAME` in `HAYRAKE_PROXY`. 400 if there is none. The pace of a host holds over all proxies. Needs the permission `proxy`. `null`: as the operator has set for all.
                     * @default null
                     */
                    proxy?: string | null;
                    /** @description `true`: `proxy: advanced_proxy`, for clients that send it. `false`, `null` and an empty value mean no. Default: `false`. */
                    advanced_proxy?: unknown;
                    /**
                     * @description Return cookies to the sites that set them, until the job ends or the program restarts: those of start URLs with every request, those of other pages along their own redirects. Jobs share no cookies. `false`: ignore them. A name in `cookies` overrides one that a site sets.
                     * @default true
                     */
                    keep_cookies?: boolean;
                    /**
                     * @description Headers for every request to the hosts of the start URLs, and to no other host: an object of names and values, at most 20. Values are never shown or logged, and deleted when the job ends.
                     * @default null
                     */
                    headers?: {
                        [key: string]: string;
                    } | null;
                    /**
                     * @description Cookies, sent like `headers`: an object of names and values, at most 20.
                     * @default null
                     */
                    cookies?: {
                        [key: string]: string;
                    } | null;
                    /**
                     * @description Turns of the job among the jobs of its org: `high` gets about four of five while others wait, `low` one of twenty. `high` needs a token with the permission `high_priority`.
                     * @default normal
                     * @enum {string}
                     */
                    priority?: "low" | "normal" | "high";
                    /** @description Receives the events of the job, signed according to Standard Webhooks: `job.started`, `job.progress`, `job.finished`, and of a run with changes `schedule.changed`. An absolute https URL of at most 2,048 characters. */
                    webhook_url?: string | null;
                    /** @description Deprecated; accepted and ignored. */
                    link_crawling?: unknown;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CrawlPreview"];
                };
            };
            /** @description What is wrong and what to change. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The job is the one with the `ETag` of `If-None-Match`. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setExpiry: {
        parameters: {
            query?: {
                /** @description `true`: a time in the past is meant. */
                confirm?: "true" | "false";
            };
            header?: never;
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Seconds for which the results are kept, counted from the job's end; `null`: until they are deleted. */
                    output_expiry: number | null;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    stopJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resumeJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listUrls: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. Default: 400. */
                limit?: number | null;
                /** @description Taken from the previous response. */
                cursor?: string | null;
                /** @description Only URLs in this state. */
                status?: "queued" | "inFlight" | "scraped" | "discarded" | "failed" | "outside";
                /** @description Only URLs with this reason, such as `http_404`. */
                reason?: string;
                /** @description Only URLs that contain this; ASCII letters match in upper and lower case. */
                q?: string;
                /** @description Only URLs that were found first on the page with this URL. */
                found_on?: string;
                /** @description Explain this URL in sentences (`explanation`), in any spelling. Takes no other filter. */
                url?: string;
                /** @description `sitemap`: the sitemaps of the job and what they name. `progress` does not count them. */
                kind?: "page" | "sitemap";
                /** @description Seconds to wait when a running job has nothing new yet. */
                wait?: number | null;
            };
            header?: never;
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Job-Status": components["headers"]["X-Job-Status"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UrlList"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readPages: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. Default: 400. */
                limit?: number | null;
                /** @description Taken from the previous response. */
                cursor?: string | null;
                /** @description Seconds to wait when a running job has nothing new yet. */
                wait?: number | null;
                /** @description Start after this page number; a cursor takes precedence. */
                after?: number | null;
                /** @description Links in Markdown: as stored, as references to a list at the end of the text, or only their text. */
                links?: "inline" | "reference" | "none";
                /** @description Images in Markdown: as stored, only those with an alternative text, or none. */
                images?: "all" | "described" | "none";
                /** @description Title at the beginning of Markdown that has no heading of the first level: none, or that of the page. */
                title?: "page" | "auto";
                /** @description With `Accept: application/x-ndjson`: each line is a chunk of a page instead of a page, split at headings, and never within a table, list item or code block. */
                chunk?: "heading";
                /** @description Approximate number of characters per chunk. Needs `chunk`. */
                chunk_chars?: number;
            };
            header?: never;
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Job-Status": components["headers"]["X-Job-Status"];
                    Link: components["headers"]["Link"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Results"];
                };
            };
            /** @description Nothing changed since the response with this `ETag`. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Job-Status": components["headers"]["X-Job-Status"];
                    Link: components["headers"]["Link"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong and what to change. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readMetadata: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. Default: 400. */
                limit?: number | null;
                /** @description Taken from the previous response. */
                cursor?: string | null;
                /** @description Seconds to wait when a running job has nothing new yet. */
                wait?: number | null;
                /** @description Start after this page number; a cursor takes precedence. */
                after?: number | null;
                /** @description Return only these metadata fields of each page, separated by commas, such as `title,description,wordCount`. Fields that a page does not have are left out, and so are `title` and `description` unless named. */
                fields?: string;
            };
            header?: never;
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Job-Status": components["headers"]["X-Job-Status"];
                    Link: components["headers"]["Link"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResultsMeta"];
                };
            };
            /** @description Nothing changed since the response with this `ETag`. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Job-Status": components["headers"]["X-Job-Status"];
                    Link: components["headers"]["Link"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong and what to change. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readChanges: {
        parameters: {
            query?: {
                /** @description Only these, with commas between: `added`, `changed`, `moved`, `unchanged`, `removed`, `unknown`. */
                change?: string;
                /** @description `true`: each change that has a page has its `meta` and `text`, as in `/data`. */
                text?: "true" | "false";
                /** @description Maximum number of rows. Default: 400. */
                limit?: number | null;
                /** @description Taken from the previous response. */
                cursor?: string | null;
                /** @description Seconds to wait when a running job has nothing new yet. */
                wait?: number | null;
            };
            header?: never;
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeList"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    acceptChanges: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readFeed: {
        parameters: {
            query?: {
                /** @description Only these, with commas between: `added`, `changed`, `moved`, `removed`. */
                change?: string;
                /** @description `true`: each change that has a page has its `meta` and `text`, as in `/data`. */
                text?: "true" | "false";
                /** @description `now`: without a cursor, only what comes from now on. */
                from?: "now";
                /** @description Maximum number of rows. Default: 400. */
                limit?: number | null;
                /** @description Taken from the previous response. */
                cursor?: string | null;
                /** @description Seconds to wait when a running job has nothing new yet. */
                wait?: number | null;
            };
            header?: never;
            path: {
                /** @description The id of the schedule, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Feed"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readSnapshot: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. Default: 400. */
                limit?: number | null;
                /** @description Taken from the previous response. */
                cursor?: string | null;
                /** @description Links in Markdown: as stored, as references to a list at the end of the text, or only their text. */
                links?: "inline" | "reference" | "none";
                /** @description Images in Markdown: as stored, only those with an alternative text, or none. */
                images?: "all" | "described" | "none";
                /** @description Title at the beginning of Markdown that has no heading of the first level: none, or that of the page. */
                title?: "page" | "auto";
                /** @description With `Accept: application/x-ndjson`: each line is a chunk of a page instead of a page, split at headings, and never within a table, list item or code block. */
                chunk?: "heading";
                /** @description Approximate number of characters per chunk. Needs `chunk`. */
                chunk_chars?: number;
            };
            header?: never;
            path: {
                /** @description The id of the schedule, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotPages"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong and what to change. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readSnapshotMeta: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. Default: 400. */
                limit?: number | null;
                /** @description Taken from the previous response. */
                cursor?: string | null;
                /** @description Links in Markdown: as stored, as references to a list at the end of the text, or only their text. */
                links?: "inline" | "reference" | "none";
                /** @description Images in Markdown: as stored, only those with an alternative text, or none. */
                images?: "all" | "described" | "none";
                /** @description Title at the beginning of Markdown that has no heading of the first level: none, or that of the page. */
                title?: "page" | "auto";
                /** @description With `Accept: application/x-ndjson`: each line is a chunk of a page instead of a page, split at headings, and never within a table, list item or code block. */
                chunk?: "heading";
                /** @description Approximate number of characters per chunk. Needs `chunk`. */
                chunk_chars?: number;
            };
            header?: never;
            path: {
                /** @description The id of the schedule, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotMeta"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong and what to change. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readDiff: {
        parameters: {
            query: {
                /** @description The page, as `changes` lists it. */
                url: string;
            };
            header?: never;
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The difference. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/x-diff": string;
                    "application/json": components["schemas"]["Diff"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong and what to change. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readFeedDiff: {
        parameters: {
            query: {
                /** @description The page, as `changes` lists it. */
                url: string;
            };
            header?: never;
            path: {
                /** @description The id of the schedule, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The difference. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/x-diff": string;
                    "application/json": components["schemas"]["Diff"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong and what to change. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readRules: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rules"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    searchPages: {
        parameters: {
            query: {
                /** @description Words, and phrases in double quotes. A page must have all of them. Case and accents do not count. The last word also finds longer words, unless it is quoted. Nothing else has a meaning. */
                q: string;
                /** @description Maximum number of hits. Default: 20. */
                limit?: number | null;
                /** @description Taken from the previous response. */
                cursor?: string | null;
            };
            header?: never;
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Job-Status": components["headers"]["X-Job-Status"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchResults"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readScreenshot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
                /** @description The number of the page, from 1. */
                page: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "image/png": string;
                    "image/jpeg": string;
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong and what to change. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readRaw: {
        parameters: {
            query?: {
                /** @description `true`, or no value: the document after rendering, in UTF-8, of a page from the browser. */
                rendered?: "true" | "false";
            };
            header?: never;
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
                /** @description The number of the page, from 1. */
                page: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong and what to change. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readDropped: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
                /** @description The number of the page, from 1. */
                page: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dropped"];
                };
            };
            /** @description What is wrong and what to change. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    erasePage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
                /** @description The number of the page, from 1. */
                page: string;
            };
            cookie?: never;
        };
        /** @description Can be left out. */
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Erase the URL too.
                     * @default false
                     */
                    url?: boolean;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erased"];
                };
            };
            /** @description What is wrong and what to change. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    followEvents: {
        parameters: {
            query?: {
                /** @description Taken from the previous response. */
                cursor?: string | null;
                /** @description Start after this page number; a cursor takes precedence, and `Last-Event-ID` over both. */
                after?: number | null;
                /** @description `false`: rows as in `/meta`, without text. */
                text?: "true" | "false";
            };
            header?: {
                /** @description The id of the last event received. The stream continues after it. */
                "last-event-id"?: string;
            };
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Job-Status": components["headers"]["X-Job-Status"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description The job has ended, and no event follows `Last-Event-ID`. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Job-Status": components["headers"]["X-Job-Status"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readTree: {
        parameters: {
            query?: {
                /** @description Only URLs below this directory: a URL, or a path on the site of the first start URL. Without it, the first level has the origins. */
                prefix?: string;
                /** @description Levels to return. */
                depth?: number | null;
                /** @description Rows per level. */
                limit?: number | null;
            };
            header?: never;
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tree"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listHosts: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. Default: 400. */
                limit?: number | null;
                /** @description Taken from the previous response. */
                cursor?: string | null;
                /** @description Only hosts that contain this. */
                q?: string;
                /** @description Only hosts of this job. */
                job?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HostList"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readStats: {
        parameters: {
            query?: {
                /** @description Only steps that end after this time, in milliseconds since the epoch. Default: the whole job. */
                since?: string;
            };
            header?: never;
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stats"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportJob: {
        parameters: {
            query: {
                /** @description `jsonl`: One JSON object per line, as `/data` returns with `Accept: application/x-ndjson`. `csv`: One row per page, for spreadsheets and data tools. `zip`: One file per page, named after its URL; Markdown and text begin with front matter. `llms.txt`: An index of the pages as llmstxt.org describes: title, URL and description, by first directory. `llms-full.txt`: The text of all pages, each below its title and URL, in the order of the crawl. `parquet`: Apache Parquet, compressed with Zstandard, for DuckDB, pandas, Spark and others. `sqlite`: A SQLite database with one table, `page`. `warc`: WARC 1.1, compressed record by record: the pages as the site sent them, and the outcome of each URL. Only of a job with `store_raw`. */
                format: "jsonl" | "csv" | "zip" | "llms.txt" | "llms-full.txt" | "parquet" | "sqlite" | "warc";
                /** @description `true`: of a job that has not ended, the pages that it has so far. */
                partial?: "true" | "false";
                /** @description Only for `jsonl`: `true` adds a last line, `{"end":true,"pages":N}`, which a cut file does not have. */
                end?: "true" | "false";
                /** @description Only for `jsonl`: start after this page number, to continue a download that was cut. */
                after?: number | null;
            };
            header?: never;
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Job-Status": components["headers"]["X-Job-Status"];
                    "X-Pages": components["headers"]["X-Pages"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                    "application/zip": string;
                    "text/plain": string;
                    "application/vnd.apache.parquet": string;
                    "application/vnd.sqlite3": string;
                    "application/warc": string;
                };
            };
            /** @description The requested part of the file, only for `sqlite`. */
            206: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Job-Status": components["headers"]["X-Job-Status"];
                    "X-Pages": components["headers"]["X-Pages"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The file is the one with the `ETag` of `If-None-Match`. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Job-Status": components["headers"]["X-Job-Status"];
                    "X-Pages": components["headers"]["X-Pages"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong and what to change. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSchedules: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. Default: 400. */
                limit?: number | null;
                /** @description Taken from the previous response. */
                cursor?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleList"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with its key returns the job that it created. Keys are kept for 24 hours, per org. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What it is for. Need not be unique. */
                    name: string;
                    /** @description Five fields: minute, hour, day of month, month, day of week; or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`. Names (`MON`, `JAN`), lists, ranges, steps, and `L`, `W`, `#` are understood. With a day of month and a day of week, either is enough. */
                    cron: string;
                    /**
                     * @description IANA name of the time zone in which `cron` is read, such as `Europe/Berlin`.
                     * @default UTC
                     */
                    time_zone?: string;
                    /** @description The request of each run, as for `POST /crawler/jobs`, without `since`: each is compared with the last one. `headers` and `cookies` are kept and never returned. */
                    job: {
                        /** @description Start URLs, http or https. Without a scheme, `https://` is added. A crawl takes 1,000 at most, a batch 10,000. */
                        urls: string[];
                        /**
                         * @description Id of an ended crawl or batch: asks again about every page that it knew, about what failed and what a limit left, and follows links as always. Each page says whether it was `added` or `changed`, or is `unchanged`; `changes` counts them. Fields that are not given are those of that job, `urls` too; `headers`, `cookies`, `webhook_url`, `deliver` and `priority` are not taken over (docs/results.md).
                         * @default null
                         */
                        since?: string | null;
                        /**
                         * @description With `since`, and in schedules: `changed` delivers only pages that are new or changed. The others are `discarded` as `unchanged` and do not count against `page_limit`.
                         * @default all
                         * @enum {string}
                         */
                        deliver?: "all" | "changed";
                        /**
                         * @description With `since`, and in schedules: pages that seem to be gone are `removed` when this number of runs in a row have found them gone; 1: at once. Responses of less certain kinds are accepted after five times that number (docs/results.md).
                         * @default 2
                         */
                        confirm_runs?: number;
                        /**
                         * @description With `since`, and in schedules: `true` does not ask for pages whose `lastmod` in the sitemap stands still, on hosts that have told the truth with it; their `evidence` is `lastmod`. One page in twenty is asked for all the same, and each page after 30 days. docs/schedules.md says when a host is trusted.
                         * @default false
                         */
                        trust_lastmod?: boolean;
                        /**
                         * @description The format of the `text` of each page.
                         * @default markdown
                         * @enum {string}
                         */
                        output_format?: "markdown" | "text" | "html";
                        /**
                         * @description Further outputs of each page, in its field `formats`: `markdown`, `html` and `text` of the same content, `links` (all of the page: absolute, without fragment, each once), `images` (of the content, likewise, at most 2,000), `source` (the HTML as sent, decoded, at most 10 MiB; with a browser as rendered), `dropped` (what the rules left out of it). `output_format` is in `text` and is not repeated. A file has no `links`, `images`, `source` and `dropped`.
                         * @default []
                         */
                        formats?: ("markdown" | "html" | "text" | "links" | "images" | "source" | "dropped")[];
                        /**
                         * @description URLs that match any of these globs are not crawled. A glob matches the whole URL, or path and query if it begins with `/`. `*` matches any characters but `/`, `**` any characters, `?` one character. At most 100 globs of 512 characters.
                         * @default []
                         */
                        exclude_globs?: string[];
                        /**
                         * @description If given, only URLs that match one of these globs are crawled. Start URLs always are.
                         * @default []
                         */
                        include_globs?: string[];
                        /**
                         * @description If given, only pages that match one of these globs are delivered. The others, start pages too, are read for their links and discarded as `not_delivered`; they count only against `fetch_limit`. A redirected page matches by either URL.
                         * @default []
                         */
                        deliver_globs?: string[];
                        /**
                         * @description URLs that match any of these regular expressions are not crawled. RE2 syntax, searched anywhere in `pattern_target`, case-sensitive. At most 100 of 512 characters; counted repetitions add up to at most 500 per pattern and 2,000 in all. A URL of more than 2,048 characters matches no pattern.
                         * @default []
                         */
                        exclude_patterns?: string[];
                        /**
                         * @description If given, only URLs that match one of these regular expressions, and one of `include_globs` if given, are crawled. Start URLs always are.
                         * @default []
                         */
                        include_patterns?: string[];
                        /**
                         * @description The text in which the patterns are searched. `url`: the URL without its fragment. `path`: only its path.
                         * @default url
                         * @enum {string}
                         */
                        pattern_target?: "url" | "path";
                        /**
                         * @description Also follow links to other hosts, with their own robots.txt and pace; their sitemaps are not read, and private networks are not entered. `page_limit` and `max_depth` bound the crawl.
                         * @default false
                         */
                        allow_external?: boolean;
                        /**
                         * @description Remove the query from links before they are compared and fetched. Start URLs keep theirs.
                         * @default false
                         */
                        ignore_query?: boolean;
                        /** @description Comma-separated CSS selectors of elements to remove before conversion; `""` removes nothing. With `content: auto` only selectors given here apply. Default: `nav, header:not(article header, main header), footer, script, style, noscript, svg, [role="alert"], [role="banner"], [role="dialog"], [role="alertdialog"], [role="region"][aria-label*="skip" i], [aria-modal="true"]`. */
                        exclude_elements?: string;
                        /** @description Comma-separated CSS selectors. If given, the content is only the elements that match, in document order, without `exclude_elements`. If none matches, the option has no effect, and `extractionMethod` says so. */
                        include_elements?: string;
                        /**
                         * @description `auto`: the main content if it can be detected, otherwise the whole page. `full`: the whole page without `exclude_elements`.
                         * @default auto
                         * @enum {string}
                         */
                        content?: "auto" | "full";
                        /**
                         * @description Links in the Markdown. `reference`: the URLs are listed at the end of the text, each once. `none`: the text of a link stays, without the URL. Only with Markdown.
                         * @default inline
                         * @enum {string}
                         */
                        links?: "inline" | "reference" | "none";
                        /**
                         * @description Images in the Markdown. `described`: only images with an alternative text. `none`: neither images nor their texts, except as the text of a link that contains only an image. Only with Markdown.
                         * @default all
                         * @enum {string}
                         */
                        images?: "all" | "described" | "none";
                        /**
                         * @description `auto`: Markdown and text begin with the title of the page, without the name of the site, if its content has no heading of the first level. `page`, `false`, `null`, `""`: the text as the page has it. Not with HTML.
                         * @default page
                         */
                        title?: ("page" | "auto") | "" | false | null;
                        /** @description Structured data: pages get `extracted` beside `text`, from `fields` (where values stand), from what a page declares about its subject for the names of a JSON `schema`, or both. `when`: globs of the pages that have a record. `declared: false` reads no declarations, `declared_things: true` lists them in the metadata. `model: true` asks the language model of the operator about a few pages of each template, and reads the others as it taught; it needs a token with the permission `model`. See docs/extract.md. */
                        extract?: components["schemas"]["Extract"] | null;
                        /** @description The `schema` of `extract`, as UseScraper names it: a JSON Schema with `properties`. Filled by what pages declare about themselves. An empty value is ignored. */
                        extract_object?: components["schemas"]["RecordSchema"] | null;
                        /** @description Seconds for which the results are kept after the job's end; `null`: until they are deleted. `PATCH /crawler/jobs/{id}` changes it after the end. Default: `HAYRAKE_OUTPUT_EXPIRY`, which is never. */
                        output_expiry?: number | null;
                        /**
                         * @description Pages with fewer characters of text are discarded (`below_min_length`).
                         * @default 0
                         */
                        min_length?: number;
                        /**
                         * @description Maximum number of delivered pages. A job lists at most `HAYRAKE_JOB_URLS` URLs (1,000,000): raise that setting for larger limits.
                         * @default 10000
                         */
                        page_limit?: number;
                        /** @description Maximum number of attempts at URLs, successful or not. A redirect to another host is one more attempt. Default: ten times `page_limit`, at least 1,000. */
                        fetch_limit?: number;
                        /**
                         * @description Seconds after its creation when the job ends, even if URLs are left.
                         * @default 2592000
                         */
                        time_limit?: number;
                        /**
                         * @description Milliseconds between the starts of two requests to a host. The longest of this, `HAYRAKE_HOST_DELAY_MS` and `Crawl-delay` holds for all jobs on the host while this one has requests there. `null`: no delay of its own.
                         * @default null
                         */
                        host_delay_ms?: number | null;
                        /**
                         * @description Maximum number of requests in flight to a host. The lowest of this, `HAYRAKE_HOST_CONCURRENCY` and what the host bears holds for all jobs on the host while this one has requests there. `null`: no limit of its own.
                         * @default null
                         */
                        host_concurrency?: number | null;
                        /**
                         * @description Seconds for which a host that has not responded since the job was created is tried before its URLs fail. Other jobs do not count. After a response, and for pages that the crawl found, `HAYRAKE_UNREACHABLE_SECONDS` applies. `null`: 20, or `HAYRAKE_UNREACHABLE_SECONDS` if that is less.
                         * @default null
                         */
                        unreachable_seconds?: number | null;
                        /**
                         * @description Maximum number of links from a start URL to a page. `null`: no limit; 0: only the start URLs.
                         * @default null
                         */
                        max_depth?: number | null;
                        /**
                         * @description `link`: only links; `sitemap`: only start URLs and sitemaps; `null`: both.
                         * @default null
                         */
                        force_crawling_mode?: ("link" | "sitemap") | null;
                        /**
                         * @description Links that belong to the crawl. `host`: to the hosts of the start URLs, with and without `www.`. `path`: of these, only URLs below the directory of a start URL. `subdomains`: also subdomains of the hosts.
                         * @default host
                         * @enum {string}
                         */
                        scope?: "host" | "path" | "subdomains";
                        /**
                         * @description In a job with `cookies` or `headers`: `true` follows links that end a session, such as `/logout`. `false`: they are listed as `logout`.
                         * @default false
                         */
                        follow_logout?: boolean;
                        /**
                         * @description Follow links that their page marks as nofollow, individually or all of them.
                         * @default false
                         */
                        follow_nofollow?: boolean;
                        /**
                         * @description `false`: no URL is discarded as `trap`. Then only the limits of the job bound a site with endless URLs.
                         * @default true
                         */
                        trap_detection?: boolean;
                        /**
                         * @description `auto`: pages without text unless JavaScript runs are rendered in a browser, if there is one (docs/browser.md). `true`: every page is; refused if there is no browser. `false`: none is.
                         * @default auto
                         */
                        use_browser?: boolean | "auto";
                        /** @description What to wait for on a rendered page: a CSS selector, or milliseconds of its virtual time, 0 to 20,000. `null` waits for timers of up to 5 s and all fetches. Only with a browser. */
                        wait_for?: number | string | false | null;
                        /** @description Also takes a picture of each page, 1,280 pixels wide: `{"format": "png" or "jpeg", "full_page": false or true}`. The first 1,024 pixels, or with `full_page` up to 12,000. At most 10 MiB. Implies `use_browser: true` (docs/browser.md). */
                        screenshot?: {
                            /**
                             * @default png
                             * @enum {string}
                             */
                            format?: "png" | "jpeg";
                            /** @default false */
                            full_page?: boolean;
                        } | false | null;
                        /**
                         * @description Also keeps each page as its site sent it: headers and body, and the document of a rendered page (docs/results.md). Read it with `GET /crawler/jobs/{id}/pages/{n}/raw` or `export?format=warc`, and convert it again with `POST /crawler/jobs/{id}/reextract`.
                         * @default false
                         */
                        store_raw?: boolean;
                        /** @description Do not load images, style sheets, fonts, video and audio: pages get empty ones. Only with a browser. Default: `true`, with `screenshot` `false`. */
                        block_resources?: boolean;
                        /**
                         * @description Linked PDF, DOCX, XLSX, PPTX, ODT, ODS, ODP, EPUB, RTF, TXT, CSV, Markdown, JSON, YAML, XML and feed files, notebooks (`.ipynb`), messages (`.eml`) and web archives (`.mhtml`) become pages too. Only links of Markdown are followed.
                         * @default false
                         */
                        include_linked_files?: boolean;
                        /**
                         * @description `false`: also crawl what robots.txt forbids. Needs a token with the permission `ignore_robots`.
                         * @default true
                         */
                        respect_robots?: boolean;
                        /**
                         * @description `true`: accept any certificate of hosts whose address is in `HAYRAKE_ALLOW_PRIVATE`, but of no other host, also after a redirect. Such pages have `tlsVerified: false` in their metadata. 400 if the operator allows no private network. For a private authority, set `HAYRAKE_CA_FILE` instead.
                         * @default false
                         */
                        insecure_tls?: boolean;
                        /**
                         * @description Every connection of the job, of its robots.txt and of its browser takes this proxy: a `NAME` in `HAYRAKE_PROXY`. 400 if there is none. The pace of a host holds over all proxies. Needs the permission `proxy`. `null`: as the operator has set for all.
                         * @default null
                         */
                        proxy?: string | null;
                        /** @description `true`: `proxy: advanced_proxy`, for clients that send it. `false`, `null` and an empty value mean no. Default: `false`. */
                        advanced_proxy?: unknown;
                        /**
                         * @description Return cookies to the sites that set them, until the job ends or the program restarts: those of start URLs with every request, those of other pages along their own redirects. Jobs share no cookies. `false`: ignore them. A name in `cookies` overrides one that a site sets.
                         * @default true
                         */
                        keep_cookies?: boolean;
                        /**
                         * @description Headers for every request to the hosts of the start URLs, and to no other host: an object of names and values, at most 20. Values are never shown or logged, and deleted when the job ends.
                         * @default null
                         */
                        headers?: {
                            [key: string]: string;
                        } | null;
                        /**
                         * @description Cookies, sent like `headers`: an object of names and values, at most 20.
                         * @default null
                         */
                        cookies?: {
                            [key: string]: string;
                        } | null;
                        /**
                         * @description Turns of the job among the jobs of its org: `high` gets about four of five while others wait, `low` one of twenty. `high` needs a token with the permission `high_priority`.
                         * @default normal
                         * @enum {string}
                         */
                        priority?: "low" | "normal" | "high";
                        /** @description Receives the events of the job, signed according to Standard Webhooks: `job.started`, `job.progress`, `job.finished`, and of a run with changes `schedule.changed`. An absolute https URL of at most 2,048 characters. */
                        webhook_url?: string | null;
                        /** @description Deprecated; accepted and ignored. */
                        link_crawling?: unknown;
                    };
                    /**
                     * @description Ended runs whose results are kept, beside the one that the next is compared with. Those of older runs are deleted.
                     * @default 10
                     */
                    keep?: number;
                    /**
                     * @description When the last run has not ended: `skip` makes no run; `queue` makes one when it ends.
                     * @default skip
                     * @enum {string}
                     */
                    overlap?: "skip" | "queue";
                    /**
                     * @description No run is due while it is true.
                     * @default false
                     */
                    paused?: boolean;
                };
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the schedule, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the schedule, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    changeSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the schedule, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What it is for. Need not be unique. */
                    name?: string;
                    /** @description Five fields: minute, hour, day of month, month, day of week; or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`. Names (`MON`, `JAN`), lists, ranges, steps, and `L`, `W`, `#` are understood. With a day of month and a day of week, either is enough. */
                    cron?: string;
                    /** @description IANA name of the time zone in which `cron` is read, such as `Europe/Berlin`. */
                    time_zone?: string;
                    /** @description The request of each run, as for `POST /crawler/jobs`, without `since`: each is compared with the last one. `headers` and `cookies` are kept and never returned. */
                    job?: {
                        /** @description Start URLs, http or https. Without a scheme, `https://` is added. A crawl takes 1,000 at most, a batch 10,000. */
                        urls: string[];
                        /**
                         * @description Id of an ended crawl or batch: asks again about every page that it knew, about what failed and what a limit left, and follows links as always. Each page says whether it was `added` or `changed`, or is `unchanged`; `changes` counts them. Fields that are not given are those of that job, `urls` too; `headers`, `cookies`, `webhook_url`, `deliver` and `priority` are not taken over (docs/results.md).
                         * @default null
                         */
                        since?: string | null;
                        /**
                         * @description With `since`, and in schedules: `changed` delivers only pages that are new or changed. The others are `discarded` as `unchanged` and do not count against `page_limit`.
                         * @default all
                         * @enum {string}
                         */
                        deliver?: "all" | "changed";
                        /**
                         * @description With `since`, and in schedules: pages that seem to be gone are `removed` when this number of runs in a row have found them gone; 1: at once. Responses of less certain kinds are accepted after five times that number (docs/results.md).
                         * @default 2
                         */
                        confirm_runs?: number;
                        /**
                         * @description With `since`, and in schedules: `true` does not ask for pages whose `lastmod` in the sitemap stands still, on hosts that have told the truth with it; their `evidence` is `lastmod`. One page in twenty is asked for all the same, and each page after 30 days. docs/schedules.md says when a host is trusted.
                         * @default false
                         */
                        trust_lastmod?: boolean;
                        /**
                         * @description The format of the `text` of each page.
                         * @default markdown
                         * @enum {string}
                         */
                        output_format?: "markdown" | "text" | "html";
                        /**
                         * @description Further outputs of each page, in its field `formats`: `markdown`, `html` and `text` of the same content, `links` (all of the page: absolute, without fragment, each once), `images` (of the content, likewise, at most 2,000), `source` (the HTML as sent, decoded, at most 10 MiB; with a browser as rendered), `dropped` (what the rules left out of it). `output_format` is in `text` and is not repeated. A file has no `links`, `images`, `source` and `dropped`.
                         * @default []
                         */
                        formats?: ("markdown" | "html" | "text" | "links" | "images" | "source" | "dropped")[];
                        /**
                         * @description URLs that match any of these globs are not crawled. A glob matches the whole URL, or path and query if it begins with `/`. `*` matches any characters but `/`, `**` any characters, `?` one character. At most 100 globs of 512 characters.
                         * @default []
                         */
                        exclude_globs?: string[];
                        /**
                         * @description If given, only URLs that match one of these globs are crawled. Start URLs always are.
                         * @default []
                         */
                        include_globs?: string[];
                        /**
                         * @description If given, only pages that match one of these globs are delivered. The others, start pages too, are read for their links and discarded as `not_delivered`; they count only against `fetch_limit`. A redirected page matches by either URL.
                         * @default []
                         */
                        deliver_globs?: string[];
                        /**
                         * @description URLs that match any of these regular expressions are not crawled. RE2 syntax, searched anywhere in `pattern_target`, case-sensitive. At most 100 of 512 characters; counted repetitions add up to at most 500 per pattern and 2,000 in all. A URL of more than 2,048 characters matches no pattern.
                         * @default []
                         */
                        exclude_patterns?: string[];
                        /**
                         * @description If given, only URLs that match one of these regular expressions, and one of `include_globs` if given, are crawled. Start URLs always are.
                         * @default []
                         */
                        include_patterns?: string[];
                        /**
                         * @description The text in which the patterns are searched. `url`: the URL without its fragment. `path`: only its path.
                         * @default url
                         * @enum {string}
                         */
                        pattern_target?: "url" | "path";
                        /**
                         * @description Also follow links to other hosts, with their own robots.txt and pace; their sitemaps are not read, and private networks are not entered. `page_limit` and `max_depth` bound the crawl.
                         * @default false
                         */
                        allow_external?: boolean;
                        /**
                         * @description Remove the query from links before they are compared and fetched. Start URLs keep theirs.
                         * @default false
                         */
                        ignore_query?: boolean;
                        /** @description Comma-separated CSS selectors of elements to remove before conversion; `""` removes nothing. With `content: auto` only selectors given here apply. Default: `nav, header:not(article header, main header), footer, script, style, noscript, svg, [role="alert"], [role="banner"], [role="dialog"], [role="alertdialog"], [role="region"][aria-label*="skip" i], [aria-modal="true"]`. */
                        exclude_elements?: string;
                        /** @description Comma-separated CSS selectors. If given, the content is only the elements that match, in document order, without `exclude_elements`. If none matches, the option has no effect, and `extractionMethod` says so. */
                        include_elements?: string;
                        /**
                         * @description `auto`: the main content if it can be detected, otherwise the whole page. `full`: the whole page without `exclude_elements`.
                         * @default auto
                         * @enum {string}
                         */
                        content?: "auto" | "full";
                        /**
                         * @description Links in the Markdown. `reference`: the URLs are listed at the end of the text, each once. `none`: the text of a link stays, without the URL. Only with Markdown.
                         * @default inline
                         * @enum {string}
                         */
                        links?: "inline" | "reference" | "none";
                        /**
                         * @description Images in the Markdown. `described`: only images with an alternative text. `none`: neither images nor their texts, except as the text of a link that contains only an image. Only with Markdown.
                         * @default all
                         * @enum {string}
                         */
                        images?: "all" | "described" | "none";
                        /**
                         * @description `auto`: Markdown and text begin with the title of the page, without the name of the site, if its content has no heading of the first level. `page`, `false`, `null`, `""`: the text as the page has it. Not with HTML.
                         * @default page
                         */
                        title?: ("page" | "auto") | "" | false | null;
                        /** @description Structured data: pages get `extracted` beside `text`, from `fields` (where values stand), from what a page declares about its subject for the names of a JSON `schema`, or both. `when`: globs of the pages that have a record. `declared: false` reads no declarations, `declared_things: true` lists them in the metadata. `model: true` asks the language model of the operator about a few pages of each template, and reads the others as it taught; it needs a token with the permission `model`. See docs/extract.md. */
                        extract?: components["schemas"]["Extract"] | null;
                        /** @description The `schema` of `extract`, as UseScraper names it: a JSON Schema with `properties`. Filled by what pages declare about themselves. An empty value is ignored. */
                        extract_object?: components["schemas"]["RecordSchema"] | null;
                        /** @description Seconds for which the results are kept after the job's end; `null`: until they are deleted. `PATCH /crawler/jobs/{id}` changes it after the end. Default: `HAYRAKE_OUTPUT_EXPIRY`, which is never. */
                        output_expiry?: number | null;
                        /**
                         * @description Pages with fewer characters of text are discarded (`below_min_length`).
                         * @default 0
                         */
                        min_length?: number;
                        /**
                         * @description Maximum number of delivered pages. A job lists at most `HAYRAKE_JOB_URLS` URLs (1,000,000): raise that setting for larger limits.
                         * @default 10000
                         */
                        page_limit?: number;
                        /** @description Maximum number of attempts at URLs, successful or not. A redirect to another host is one more attempt. Default: ten times `page_limit`, at least 1,000. */
                        fetch_limit?: number;
                        /**
                         * @description Seconds after its creation when the job ends, even if URLs are left.
                         * @default 2592000
                         */
                        time_limit?: number;
                        /**
                         * @description Milliseconds between the starts of two requests to a host. The longest of this, `HAYRAKE_HOST_DELAY_MS` and `Crawl-delay` holds for all jobs on the host while this one has requests there. `null`: no delay of its own.
                         * @default null
                         */
                        host_delay_ms?: number | null;
                        /**
                         * @description Maximum number of requests in flight to a host. The lowest of this, `HAYRAKE_HOST_CONCURRENCY` and what the host bears holds for all jobs on the host while this one has requests there. `null`: no limit of its own.
                         * @default null
                         */
                        host_concurrency?: number | null;
                        /**
                         * @description Seconds for which a host that has not responded since the job was created is tried before its URLs fail. Other jobs do not count. After a response, and for pages that the crawl found, `HAYRAKE_UNREACHABLE_SECONDS` applies. `null`: 20, or `HAYRAKE_UNREACHABLE_SECONDS` if that is less.
                         * @default null
                         */
                        unreachable_seconds?: number | null;
                        /**
                         * @description Maximum number of links from a start URL to a page. `null`: no limit; 0: only the start URLs.
                         * @default null
                         */
                        max_depth?: number | null;
                        /**
                         * @description `link`: only links; `sitemap`: only start URLs and sitemaps; `null`: both.
                         * @default null
                         */
                        force_crawling_mode?: ("link" | "sitemap") | null;
                        /**
                         * @description Links that belong to the crawl. `host`: to the hosts of the start URLs, with and without `www.`. `path`: of these, only URLs below the directory of a start URL. `subdomains`: also subdomains of the hosts.
                         * @default host
                         * @enum {string}
                         */
                        scope?: "host" | "path" | "subdomains";
                        /**
                         * @description In a job with `cookies` or `headers`: `true` follows links that end a session, such as `/logout`. `false`: they are listed as `logout`.
                         * @default false
                         */
                        follow_logout?: boolean;
                        /**
                         * @description Follow links that their page marks as nofollow, individually or all of them.
                         * @default false
                         */
                        follow_nofollow?: boolean;
                        /**
                         * @description `false`: no URL is discarded as `trap`. Then only the limits of the job bound a site with endless URLs.
                         * @default true
                         */
                        trap_detection?: boolean;
                        /**
                         * @description `auto`: pages without text unless JavaScript runs are rendered in a browser, if there is one (docs/browser.md). `true`: every page is; refused if there is no browser. `false`: none is.
                         * @default auto
                         */
                        use_browser?: boolean | "auto";
                        /** @description What to wait for on a rendered page: a CSS selector, or milliseconds of its virtual time, 0 to 20,000. `null` waits for timers of up to 5 s and all fetches. Only with a browser. */
                        wait_for?: number | string | false | null;
                        /** @description Also takes a picture of each page, 1,280 pixels wide: `{"format": "png" or "jpeg", "full_page": false or true}`. The first 1,024 pixels, or with `full_page` up to 12,000. At most 10 MiB. Implies `use_browser: true` (docs/browser.md). */
                        screenshot?: {
                            /**
                             * @default png
                             * @enum {string}
                             */
                            format?: "png" | "jpeg";
                            /** @default false */
                            full_page?: boolean;
                        } | false | null;
                        /**
                         * @description Also keeps each page as its site sent it: headers and body, and the document of a rendered page (docs/results.md). Read it with `GET /crawler/jobs/{id}/pages/{n}/raw` or `export?format=warc`, and convert it again with `POST /crawler/jobs/{id}/reextract`.
                         * @default false
                         */
                        store_raw?: boolean;
                        /** @description Do not load images, style sheets, fonts, video and audio: pages get empty ones. Only with a browser. Default: `true`, with `screenshot` `false`. */
                        block_resources?: boolean;
                        /**
                         * @description Linked PDF, DOCX, XLSX, PPTX, ODT, ODS, ODP, EPUB, RTF, TXT, CSV, Markdown, JSON, YAML, XML and feed files, notebooks (`.ipynb`), messages (`.eml`) and web archives (`.mhtml`) become pages too. Only links of Markdown are followed.
                         * @default false
                         */
                        include_linked_files?: boolean;
                        /**
                         * @description `false`: also crawl what robots.txt forbids. Needs a token with the permission `ignore_robots`.
                         * @default true
                         */
                        respect_robots?: boolean;
                        /**
                         * @description `true`: accept any certificate of hosts whose address is in `HAYRAKE_ALLOW_PRIVATE`, but of no other host, also after a redirect. Such pages have `tlsVerified: false` in their metadata. 400 if the operator allows no private network. For a private authority, set `HAYRAKE_CA_FILE` instead.
                         * @default false
                         */
                        insecure_tls?: boolean;
                        /**
                         * @description Every connection of the job, of its robots.txt and of its browser takes this proxy: a `NAME` in `HAYRAKE_PROXY`. 400 if there is none. The pace of a host holds over all proxies. Needs the permission `proxy`. `null`: as the operator has set for all.
                         * @default null
                         */
                        proxy?: string | null;
                        /** @description `true`: `proxy: advanced_proxy`, for clients that send it. `false`, `null` and an empty value mean no. Default: `false`. */
                        advanced_proxy?: unknown;
                        /**
                         * @description Return cookies to the sites that set them, until the job ends or the program restarts: those of start URLs with every request, those of other pages along their own redirects. Jobs share no cookies. `false`: ignore them. A name in `cookies` overrides one that a site sets.
                         * @default true
                         */
                        keep_cookies?: boolean;
                        /**
                         * @description Headers for every request to the hosts of the start URLs, and to no other host: an object of names and values, at most 20. Values are never shown or logged, and deleted when the job ends.
                         * @default null
                         */
                        headers?: {
                            [key: string]: string;
                        } | null;
                        /**
                         * @description Cookies, sent like `headers`: an object of names and values, at most 20.
                         * @default null
                         */
                        cookies?: {
                            [key: string]: string;
                        } | null;
                        /**
                         * @description Turns of the job among the jobs of its org: `high` gets about four of five while others wait, `low` one of twenty. `high` needs a token with the permission `high_priority`.
                         * @default normal
                         * @enum {string}
                         */
                        priority?: "low" | "normal" | "high";
                        /** @description Receives the events of the job, signed according to Standard Webhooks: `job.started`, `job.progress`, `job.finished`, and of a run with changes `schedule.changed`. An absolute https URL of at most 2,048 characters. */
                        webhook_url?: string | null;
                        /** @description Deprecated; accepted and ignored. */
                        link_crawling?: unknown;
                    };
                    /** @description Ended runs whose results are kept, beside the one that the next is compared with. Those of older runs are deleted. */
                    keep?: number;
                    /**
                     * @description When the last run has not ended: `skip` makes no run; `queue` makes one when it ends.
                     * @enum {string}
                     */
                    overlap?: "skip" | "queue";
                    /** @description No run is due while it is true. */
                    paused?: boolean;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedSchedule"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. Default: 400. */
                limit?: number | null;
                /** @description Taken from the previous response. */
                cursor?: string | null;
            };
            header?: never;
            path: {
                /** @description The id of the schedule, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunList"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    runSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the schedule, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeRun"];
                };
            };
            /** @description The run waits for the end of the last one. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeRun"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    scrapePage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description URL of the page, http or https. Without a scheme, `https://` is added. */
                    url: string;
                    /**
                     * @description The format of the `text` of each page.
                     * @default markdown
                     * @enum {string}
                     */
                    format?: "markdown" | "text" | "html";
                    /**
                     * @description Further outputs of each page, in its field `formats`: `markdown`, `html` and `text` of the same content, `links` (all of the page: absolute, without fragment, each once), `images` (of the content, likewise, at most 2,000), `source` (the HTML as sent, decoded, at most 10 MiB; with a browser as rendered), `dropped` (what the rules left out of it). `output_format` is in `text` and is not repeated. A file has no `links`, `images`, `source` and `dropped`.
                     * @default []
                     */
                    formats?: ("markdown" | "html" | "text" | "links" | "images" | "source" | "dropped")[];
                    /** @description Comma-separated CSS selectors of elements to remove before conversion; `""` removes nothing. With `content: auto` only selectors given here apply. Default: `nav, header:not(article header, main header), footer, script, style, noscript, svg, [role="alert"], [role="banner"], [role="dialog"], [role="alertdialog"], [role="region"][aria-label*="skip" i], [aria-modal="true"]`. */
                    exclude_elements?: string;
                    /** @description Comma-separated CSS selectors. If given, the content is only the elements that match, in document order, without `exclude_elements`. If none matches, the option has no effect, and `extractionMethod` says so. */
                    include_elements?: string;
                    /**
                     * @description `auto`: the main content if it can be detected, otherwise the whole page. `full`: the whole page without `exclude_elements`.
                     * @default auto
                     * @enum {string}
                     */
                    content?: "auto" | "full";
                    /**
                     * @description Links in the Markdown. `reference`: the URLs are listed at the end of the text, each once. `none`: the text of a link stays, without the URL. Only with Markdown.
                     * @default inline
                     * @enum {string}
                     */
                    links?: "inline" | "reference" | "none";
                    /**
                     * @description Images in the Markdown. `described`: only images with an alternative text. `none`: neither images nor their texts, except as the text of a link that contains only an image. Only with Markdown.
                     * @default all
                     * @enum {string}
                     */
                    images?: "all" | "described" | "none";
                    /**
                     * @description `auto`: Markdown and text begin with the title of the page, without the name of the site, if its content has no heading of the first level. `page`, `false`, `null`, `""`: the text as the page has it. Not with HTML.
                     * @default page
                     */
                    title?: ("page" | "auto") | "" | false | null;
                    /** @description Structured data: pages get `extracted` beside `text`, from `fields` (where values stand), from what a page declares about its subject for the names of a JSON `schema`, or both. `when`: globs of the pages that have a record. `declared: false` reads no declarations, `declared_things: true` lists them in the metadata. `model: true` asks the language model of the operator about a few pages of each template, and reads the others as it taught; it needs a token with the permission `model`. See docs/extract.md. */
                    extract?: components["schemas"]["Extract"] | null;
                    /** @description The `schema` of `extract`, as UseScraper names it: a JSON Schema with `properties`. Filled by what pages declare about themselves. An empty value is ignored. */
                    extract_object?: components["schemas"]["RecordSchema"] | null;
                    /**
                     * @description `true`: the page that the site sends with an error status, such as 404, is a page too, with this `statusCode`. `false`: the URL fails.
                     * @default false
                     */
                    error_pages?: boolean;
                    /**
                     * @description `auto`: pages without text unless JavaScript runs are rendered in a browser, if there is one (docs/browser.md). `true`: every page is; refused if there is no browser. `false`: none is.
                     * @default auto
                     */
                    use_browser?: boolean | "auto";
                    /** @description What to wait for on a rendered page: a CSS selector, or milliseconds of its virtual time, 0 to 20,000. `null` waits for timers of up to 5 s and all fetches. Only with a browser. */
                    wait_for?: number | string | false | null;
                    /** @description Also takes a picture of each page, 1,280 pixels wide: `{"format": "png" or "jpeg", "full_page": false or true}`. The first 1,024 pixels, or with `full_page` up to 12,000. At most 10 MiB. Implies `use_browser: true` (docs/browser.md). */
                    screenshot?: {
                        /**
                         * @default png
                         * @enum {string}
                         */
                        format?: "png" | "jpeg";
                        /** @default false */
                        full_page?: boolean;
                    } | false | null;
                    /** @description Do not load images, style sheets, fonts, video and audio: pages get empty ones. Only with a browser. Default: `true`, with `screenshot` `false`. */
                    block_resources?: boolean;
                    /**
                     * @description `false`: also crawl what robots.txt forbids. Needs a token with the permission `ignore_robots`.
                     * @default true
                     */
                    respect_robots?: boolean;
                    /**
                     * @description `true`: accept any certificate of hosts whose address is in `HAYRAKE_ALLOW_PRIVATE`, but of no other host, also after a redirect. Such pages have `tlsVerified: false` in their metadata. 400 if the operator allows no private network. For a private authority, set `HAYRAKE_CA_FILE` instead.
                     * @default false
                     */
                    insecure_tls?: boolean;
                    /**
                     * @description Every connection of the job, of its robots.txt and of its browser takes this proxy: a `NAME` in `HAYRAKE_PROXY`. 400 if there is none. The pace of a host holds over all proxies. Needs the permission `proxy`. `null`: as the operator has set for all.
                     * @default null
                     */
                    proxy?: string | null;
                    /** @description `true`: `proxy: advanced_proxy`, for clients that send it. `false`, `null` and an empty value mean no. Default: `false`. */
                    advanced_proxy?: unknown;
                    /**
                     * @description Return cookies to the sites that set them, until the job ends or the program restarts: those of start URLs with every request, those of other pages along their own redirects. Jobs share no cookies. `false`: ignore them. A name in `cookies` overrides one that a site sets.
                     * @default true
                     */
                    keep_cookies?: boolean;
                    /**
                     * @description Headers for every request to the hosts of the start URLs, and to no other host: an object of names and values, at most 20. Values are never shown or logged, and deleted when the job ends.
                     * @default null
                     */
                    headers?: {
                        [key: string]: string;
                    } | null;
                    /**
                     * @description Cookies, sent like `headers`: an object of names and values, at most 20.
                     * @default null
                     */
                    cookies?: {
                        [key: string]: string;
                    } | null;
                    /**
                     * @description Seconds after which a scrape fails with `timeout`, and a map returns what it has found.
                     * @default 60
                     */
                    timeout?: number;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScrapeResponse"];
                };
            };
            /** @description What is wrong and what to change. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    mapSite: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description URL of the page, http or https. Without a scheme, `https://` is added. */
                    url: string;
                    /**
                     * @description URLs that match any of these globs are not crawled. A glob matches the whole URL, or path and query if it begins with `/`. `*` matches any characters but `/`, `**` any characters, `?` one character. At most 100 globs of 512 characters.
                     * @default []
                     */
                    exclude_globs?: string[];
                    /**
                     * @description If given, only URLs that match one of these globs are crawled. Start URLs always are.
                     * @default []
                     */
                    include_globs?: string[];
                    /**
                     * @description URLs that match any of these regular expressions are not crawled. RE2 syntax, searched anywhere in `pattern_target`, case-sensitive. At most 100 of 512 characters; counted repetitions add up to at most 500 per pattern and 2,000 in all. A URL of more than 2,048 characters matches no pattern.
                     * @default []
                     */
                    exclude_patterns?: string[];
                    /**
                     * @description If given, only URLs that match one of these regular expressions, and one of `include_globs` if given, are crawled. Start URLs always are.
                     * @default []
                     */
                    include_patterns?: string[];
                    /**
                     * @description The text in which the patterns are searched. `url`: the URL without its fragment. `path`: only its path.
                     * @default url
                     * @enum {string}
                     */
                    pattern_target?: "url" | "path";
                    /**
                     * @description Remove the query from links before they are compared and fetched. Start URLs keep theirs.
                     * @default false
                     */
                    ignore_query?: boolean;
                    /**
                     * @description `link`: only links; `sitemap`: only start URLs and sitemaps; `null`: both.
                     * @default null
                     */
                    force_crawling_mode?: ("link" | "sitemap") | null;
                    /**
                     * @description Links that belong to the crawl. `host`: to the hosts of the start URLs, with and without `www.`. `path`: of these, only URLs below the directory of a start URL. `subdomains`: also subdomains of the hosts.
                     * @default host
                     * @enum {string}
                     */
                    scope?: "host" | "path" | "subdomains";
                    /**
                     * @description `auto`: pages without text unless JavaScript runs are rendered in a browser, if there is one (docs/browser.md). `true`: every page is; refused if there is no browser. `false`: none is.
                     * @default auto
                     */
                    use_browser?: boolean | "auto";
                    /** @description What to wait for on a rendered page: a CSS selector, or milliseconds of its virtual time, 0 to 20,000. `null` waits for timers of up to 5 s and all fetches. Only with a browser. */
                    wait_for?: number | string | false | null;
                    /**
                     * @description `false`: also crawl what robots.txt forbids. Needs a token with the permission `ignore_robots`.
                     * @default true
                     */
                    respect_robots?: boolean;
                    /**
                     * @description `true`: accept any certificate of hosts whose address is in `HAYRAKE_ALLOW_PRIVATE`, but of no other host, also after a redirect. Such pages have `tlsVerified: false` in their metadata. 400 if the operator allows no private network. For a private authority, set `HAYRAKE_CA_FILE` instead.
                     * @default false
                     */
                    insecure_tls?: boolean;
                    /**
                     * @description Every connection of the job, of its robots.txt and of its browser takes this proxy: a `NAME` in `HAYRAKE_PROXY`. 400 if there is none. The pace of a host holds over all proxies. Needs the permission `proxy`. `null`: as the operator has set for all.
                     * @default null
                     */
                    proxy?: string | null;
                    /** @description `true`: `proxy: advanced_proxy`, for clients that send it. `false`, `null` and an empty value mean no. Default: `false`. */
                    advanced_proxy?: unknown;
                    /**
                     * @description Return cookies to the sites that set them, until the job ends or the program restarts: those of start URLs with every request, those of other pages along their own redirects. Jobs share no cookies. `false`: ignore them. A name in `cookies` overrides one that a site sets.
                     * @default true
                     */
                    keep_cookies?: boolean;
                    /**
                     * @description Headers for every request to the hosts of the start URLs, and to no other host: an object of names and values, at most 20. Values are never shown or logged, and deleted when the job ends.
                     * @default null
                     */
                    headers?: {
                        [key: string]: string;
                    } | null;
                    /**
                     * @description Cookies, sent like `headers`: an object of names and values, at most 20.
                     * @default null
                     */
                    cookies?: {
                        [key: string]: string;
                    } | null;
                    /** @description Only URLs that contain this; ASCII letters match in upper and lower case. */
                    q?: string;
                    /**
                     * @description Maximum number of URLs in the response.
                     * @default 5000
                     */
                    limit?: number;
                    /**
                     * @description Seconds after which a scrape fails with `timeout`, and a map returns what it has found.
                     * @default 60
                     */
                    timeout?: number;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteMap"];
                };
            };
            /** @description What is wrong and what to change. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with its key returns the job that it created. Keys are kept for 24 hours, per org. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The pages: http or https URLs. Without a scheme, `https://` is added. */
                    urls: string[];
                    /**
                     * @description The format of the `text` of each page.
                     * @default markdown
                     * @enum {string}
                     */
                    output_format?: "markdown" | "text" | "html";
                    /**
                     * @description Further outputs of each page, in its field `formats`: `markdown`, `html` and `text` of the same content, `links` (all of the page: absolute, without fragment, each once), `images` (of the content, likewise, at most 2,000), `source` (the HTML as sent, decoded, at most 10 MiB; with a browser as rendered), `dropped` (what the rules left out of it). `output_format` is in `text` and is not repeated. A file has no `links`, `images`, `source` and `dropped`.
                     * @default []
                     */
                    formats?: ("markdown" | "html" | "text" | "links" | "images" | "source" | "dropped")[];
                    /** @description Comma-separated CSS selectors of elements to remove before conversion; `""` removes nothing. With `content: auto` only selectors given here apply. Default: `nav, header:not(article header, main header), footer, script, style, noscript, svg, [role="alert"], [role="banner"], [role="dialog"], [role="alertdialog"], [role="region"][aria-label*="skip" i], [aria-modal="true"]`. */
                    exclude_elements?: string;
                    /** @description Comma-separated CSS selectors. If given, the content is only the elements that match, in document order, without `exclude_elements`. If none matches, the option has no effect, and `extractionMethod` says so. */
                    include_elements?: string;
                    /**
                     * @description `auto`: the main content if it can be detected, otherwise the whole page. `full`: the whole page without `exclude_elements`.
                     * @default auto
                     * @enum {string}
                     */
                    content?: "auto" | "full";
                    /**
                     * @description Links in the Markdown. `reference`: the URLs are listed at the end of the text, each once. `none`: the text of a link stays, without the URL. Only with Markdown.
                     * @default inline
                     * @enum {string}
                     */
                    links?: "inline" | "reference" | "none";
                    /**
                     * @description Images in the Markdown. `described`: only images with an alternative text. `none`: neither images nor their texts, except as the text of a link that contains only an image. Only with Markdown.
                     * @default all
                     * @enum {string}
                     */
                    images?: "all" | "described" | "none";
                    /**
                     * @description `auto`: Markdown and text begin with the title of the page, without the name of the site, if its content has no heading of the first level. `page`, `false`, `null`, `""`: the text as the page has it. Not with HTML.
                     * @default page
                     */
                    title?: ("page" | "auto") | "" | false | null;
                    /** @description Structured data: pages get `extracted` beside `text`, from `fields` (where values stand), from what a page declares about its subject for the names of a JSON `schema`, or both. `when`: globs of the pages that have a record. `declared: false` reads no declarations, `declared_things: true` lists them in the metadata. `model: true` asks the language model of the operator about a few pages of each template, and reads the others as it taught; it needs a token with the permission `model`. See docs/extract.md. */
                    extract?: components["schemas"]["Extract"] | null;
                    /** @description The `schema` of `extract`, as UseScraper names it: a JSON Schema with `properties`. Filled by what pages declare about themselves. An empty value is ignored. */
                    extract_object?: components["schemas"]["RecordSchema"] | null;
                    /** @description Seconds for which the results are kept after the job's end; `null`: until they are deleted. `PATCH /crawler/jobs/{id}` changes it after the end. Default: `HAYRAKE_OUTPUT_EXPIRY`, which is never. */
                    output_expiry?: number | null;
                    /**
                     * @description `true`: the page that the site sends with an error status, such as 404, is a page too, with this `statusCode`. `false`: the URL fails.
                     * @default false
                     */
                    error_pages?: boolean;
                    /**
                     * @description Pages with fewer characters of text are discarded (`below_min_length`).
                     * @default 0
                     */
                    min_length?: number;
                    /**
                     * @description Seconds after its creation when the job ends, even if URLs are left.
                     * @default 2592000
                     */
                    time_limit?: number;
                    /**
                     * @description Milliseconds between the starts of two requests to a host. The longest of this, `HAYRAKE_HOST_DELAY_MS` and `Crawl-delay` holds for all jobs on the host while this one has requests there. `null`: no delay of its own.
                     * @default null
                     */
                    host_delay_ms?: number | null;
                    /**
                     * @description Maximum number of requests in flight to a host. The lowest of this, `HAYRAKE_HOST_CONCURRENCY` and what the host bears holds for all jobs on the host while this one has requests there. `null`: no limit of its own.
                     * @default null
                     */
                    host_concurrency?: number | null;
                    /**
                     * @description Seconds for which a host that has not responded since the job was created is tried before its URLs fail. Other jobs do not count. After a response, and for pages that the crawl found, `HAYRAKE_UNREACHABLE_SECONDS` applies. `null`: 20, or `HAYRAKE_UNREACHABLE_SECONDS` if that is less.
                     * @default null
                     */
                    unreachable_seconds?: number | null;
                    /**
                     * @description Seconds after the first turn of a URL when it ends, with the reason of its last attempt. Waiting for the pace of its host does not count; waiting for a host that fails does. `null`: no limit.
                     * @default 60
                     */
                    url_timeout?: number | null;
                    /**
                     * @description `auto`: pages without text unless JavaScript runs are rendered in a browser, if there is one (docs/browser.md). `true`: every page is; refused if there is no browser. `false`: none is.
                     * @default auto
                     */
                    use_browser?: boolean | "auto";
                    /** @description What to wait for on a rendered page: a CSS selector, or milliseconds of its virtual time, 0 to 20,000. `null` waits for timers of up to 5 s and all fetches. Only with a browser. */
                    wait_for?: number | string | false | null;
                    /**
                     * @description Also keeps each page as its site sent it: headers and body, and the document of a rendered page (docs/results.md). Read it with `GET /crawler/jobs/{id}/pages/{n}/raw` or `export?format=warc`, and convert it again with `POST /crawler/jobs/{id}/reextract`.
                     * @default false
                     */
                    store_raw?: boolean;
                    /** @description Do not load images, style sheets, fonts, video and audio: pages get empty ones. Only with a browser. Default: `true`, with `screenshot` `false`. */
                    block_resources?: boolean;
                    /**
                     * @description `false`: also crawl what robots.txt forbids. Needs a token with the permission `ignore_robots`.
                     * @default true
                     */
                    respect_robots?: boolean;
                    /**
                     * @description `true`: accept any certificate of hosts whose address is in `HAYRAKE_ALLOW_PRIVATE`, but of no other host, also after a redirect. Such pages have `tlsVerified: false` in their metadata. 400 if the operator allows no private network. For a private authority, set `HAYRAKE_CA_FILE` instead.
                     * @default false
                     */
                    insecure_tls?: boolean;
                    /**
                     * @description Every connection of the job, of its robots.txt and of its browser takes this proxy: a `NAME` in `HAYRAKE_PROXY`. 400 if there is none. The pace of a host holds over all proxies. Needs the permission `proxy`. `null`: as the operator has set for all.
                     * @default null
                     */
                    proxy?: string | null;
                    /** @description `true`: `proxy: advanced_proxy`, for clients that send it. `false`, `null` and an empty value mean no. Default: `false`. */
                    advanced_proxy?: unknown;
                    /**
                     * @description Return cookies to the sites that set them, until the job ends or the program restarts: those of start URLs with every request, those of other pages along their own redirects. Jobs share no cookies. `false`: ignore them. A name in `cookies` overrides one that a site sets.
                     * @default true
                     */
                    keep_cookies?: boolean;
                    /**
                     * @description Headers for every request to the hosts of the start URLs, and to no other host: an object of names and values, at most 20. Values are never shown or logged, and deleted when the job ends.
                     * @default null
                     */
                    headers?: {
                        [key: string]: string;
                    } | null;
                    /**
                     * @description Cookies, sent like `headers`: an object of names and values, at most 20.
                     * @default null
                     */
                    cookies?: {
                        [key: string]: string;
                    } | null;
                    /**
                     * @description Turns of the job among the jobs of its org: `high` gets about four of five while others wait, `low` one of twenty. `high` needs a token with the permission `high_priority`.
                     * @default normal
                     * @enum {string}
                     */
                    priority?: "low" | "normal" | "high";
                    /** @description Receives the events of the job, signed according to Standard Webhooks: `job.started`, `job.progress`, `job.finished`, and of a run with changes `schedule.changed`. An absolute https URL of at most 2,048 characters. */
                    webhook_url?: string | null;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    callMcp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description A JSON-RPC message of the Model Context Protocol. */
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    jsonrpc: "2.0";
                    method?: string;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description A JSON-RPC message of the Model Context Protocol. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        jsonrpc: "2.0";
                        method?: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    loadPages: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The pages: absolute http or https URLs. */
                    urls: string[];
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The page in Markdown; empty if it could not be read. */
                        page_content: string;
                        metadata: {
                            /** @description The URL as it was given. */
                            source: string;
                            title?: string;
                            description?: string;
                            language?: string;
                            /** @description Why the page could not be read. */
                            error?: string;
                        };
                    }[];
                };
            };
            /** @description What is wrong and what to change. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readPageOf: {
        parameters: {
            query?: never;
            header?: {
                /** @description `markdown` (default), `html` or `text`. */
                "x-respond-with"?: string;
                /** @description CSS selectors: only these elements. */
                "x-target-selector"?: string;
                /** @description CSS selectors: without these elements. */
                "x-remove-selector"?: string;
                /** @description Whole seconds, 1 to 300; 60 without it. */
                "x-timeout"?: string;
                /** @description A CSS selector, awaited in the browser. */
                "x-wait-for-selector"?: string;
                /** @description `browser`, `direct` or `auto` (default). */
                "x-engine"?: string;
                /** @description `inlined` (default), `referenced` or `discarded`. */
                "x-md-link-style"?: string;
                /** @description `all` (default) or `none`. */
                "x-retain-images"?: string;
                /** @description `true`: the links of the page follow its text. */
                "x-with-links-summary"?: string;
                /** @description `true`: the images of the content follow its text. */
                "x-with-images-summary"?: string;
                /** @description The text is cut after as many tokens, and says so. */
                "x-max-tokens"?: string;
                /** @description A page with more tokens is a 422. */
                "x-token-budget"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description An http or https URL. Without a scheme, `https://` is added. */
                    url: string;
                };
            };
        };
        responses: {
            /** @description The page as plain text, after lines with its title and URL. With `Accept: application/json`, as JSON. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "application/json": {
                        /** @enum {number} */
                        code: 200;
                        /** @enum {number} */
                        status: 20000;
                        data: {
                            title: string;
                            description: string;
                            url: string;
                            content: string;
                            publishedTime?: string;
                            readonly links?: string[];
                            readonly images?: string[];
                            usage: {
                                /** @description A quarter of the characters. */
                                tokens: number;
                            };
                        };
                    };
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong and what to change. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. Default: 400. */
                limit?: number | null;
                /** @description Taken from the previous response. */
                cursor?: string | null;
                /** @description Only deliveries in this state. */
                status?: "pending" | "delivered" | "failed";
            };
            header?: never;
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryList"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replayDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job, in upper or lower case. */
                id: string;
                /** @description The id of the delivery. */
                delivery: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getWebhookKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookKey"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rotateWebhookKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookKey"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        org: string;
                        permissions: ("read" | "write" | "ignore_robots" | "high_priority" | "proxy" | "model" | "metrics" | "tokens" | "operate")[];
                        /** @description The id of the token. */
                        token: string;
                        /** @description When the session ends without a further request; of a token, when it expires. */
                        expiresAt: number | null;
                    };
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description An API token. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description Signed in. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed out. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. Default: 400. */
                limit?: number | null;
                /** @description Taken from the previous response. */
                cursor?: string | null;
                /** @description Only tokens of this org. */
                org?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenList"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description What the token is for.
                     * @default
                     */
                    name?: string;
                    /** @description Default: your own. Another org needs `HAYRAKE_TOKEN`. */
                    org?: string;
                    /**
                     * @description What the token allows. You can only give permissions that you have.
                     * @default [
                     *       "read",
                     *       "write"
                     *     ]
                     */
                    permissions?: ("read" | "write" | "ignore_robots" | "high_priority" | "proxy" | "model" | "metrics" | "tokens" | "operate")[];
                    /**
                     * @description Lifetime in seconds. `null`: until it is revoked, or until your own token expires.
                     * @default null
                     */
                    expires_in?: number | null;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewToken"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the token. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSystem: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SystemStatus"];
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    backUp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description On the machine of the service. */
                        file: string;
                        /** @description Bytes. */
                        bytes: number;
                    };
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong and what to change. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok";
                    };
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ready" | "not_ready";
                        database: boolean;
                        /** @description Whether object storage can be used, if raw bodies and screenshots are there */
                        objects?: boolean;
                        /** @description Whether the crawler runs, in a process that crawls */
                        worker?: boolean;
                        /**
                         * @description What does not work
                         * @enum {string}
                         */
                        reason?: "disk_full" | "read_only" | "unavailable" | "objects_away" | "objects_refused";
                    };
                };
            };
            /** @description Success. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ready" | "not_ready";
                        database: boolean;
                        /** @description Whether object storage can be used, if raw bodies and screenshots are there */
                        objects?: boolean;
                        /** @description Whether the crawler runs, in a process that crawls */
                        worker?: boolean;
                        /**
                         * @description What does not work
                         * @enum {string}
                         */
                        reason?: "disk_full" | "read_only" | "unavailable" | "objects_away" | "objects_refused";
                    };
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        openapi: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Text. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong. Retry later. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readPage: {
        parameters: {
            query?: never;
            header?: {
                /** @description `markdown` (default), `html` or `text`. */
                "x-respond-with"?: string;
                /** @description CSS selectors: only these elements. */
                "x-target-selector"?: string;
                /** @description CSS selectors: without these elements. */
                "x-remove-selector"?: string;
                /** @description Whole seconds, 1 to 300; 60 without it. */
                "x-timeout"?: string;
                /** @description A CSS selector, awaited in the browser. */
                "x-wait-for-selector"?: string;
                /** @description `browser`, `direct` or `auto` (default). */
                "x-engine"?: string;
                /** @description `inlined` (default), `referenced` or `discarded`. */
                "x-md-link-style"?: string;
                /** @description `all` (default) or `none`. */
                "x-retain-images"?: string;
                /** @description `true`: the links of the page follow its text. */
                "x-with-links-summary"?: string;
                /** @description `true`: the images of the content follow its text. */
                "x-with-images-summary"?: string;
                /** @description The text is cut after as many tokens, and says so. */
                "x-max-tokens"?: string;
                /** @description A page with more tokens is a 422. */
                "x-token-budget"?: string;
            };
            path: {
                /** @description An absolute http or https URL. */
                url: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page as plain text, after lines with its title and URL. With `Accept: application/json`, as JSON. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "application/json": {
                        /** @enum {number} */
                        code: 200;
                        /** @enum {number} */
                        status: 20000;
                        data: {
                            title: string;
                            description: string;
                            url: string;
                            content: string;
                            publishedTime?: string;
                            readonly links?: string[];
                            readonly images?: string[];
                            usage: {
                                /** @description A quarter of the characters. */
                                tokens: number;
                            };
                        };
                    };
                };
            };
            /** @description What is wrong and what to change. */
            "4XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What is wrong and what to change. */
            "5XX": {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    jobStarted: {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEvent"];
            };
        };
        responses: {
            /** @description Delivered. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: it is tried again. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    jobProgress: {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEvent"];
            };
        };
        responses: {
            /** @description Delivered. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: it is tried again. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    jobFinished: {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEvent"];
            };
        };
        responses: {
            /** @description Delivered. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: it is tried again. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    scheduleChanged: {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunEvent"];
            };
        };
        responses: {
            /** @description Delivered. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: it is tried again. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    scheduleFailed: {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScheduleEvent"];
            };
        };
        responses: {
            /** @description Delivered. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: it is tried again. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
