/**
 * Errors that a user can act on. The code is stable and part of the API; the message says what is wrong and what to do.
 * docs/errors.md explains each code, and a test keeps the two in step.
 */
export const errorCodes = {
  invalid_parameter: 'A query or path parameter is not valid. The detail lists the allowed values.',
  invalid_body: 'The request body is not valid; `errors` names each field.',
  invalid_cron: 'The `cron` of a schedule is not valid, or never fires within five years.',
  invalid_cursor: 'The cursor was not issued for this list.',
  browser_missing:
    'The options `use_browser: true` and `screenshot` need a browser, and no crawling process has one. Install chromium-headless-shell and bubblewrap.',
  no_model: 'The request needs a language model, and none is configured. Leave `model` out.',
  not_supported_yet: 'The field is reserved for a feature that is not implemented. Leave it out.',
  destination_not_allowed: 'The URL leads to an address, port or scheme that this service may not reach.',
  unauthorized: 'The request carries no bearer token.',
  invalid_token: 'The bearer token is wrong, revoked or expired.',
  sign_in_refused:
    'No browser session was created: the login link is wrong, used or expired, or the request does not come from the dashboard.',
  permission_denied: 'The token lacks the permission that this request needs.',
  job_not_found: 'No job of your org has this id.',
  schedule_not_found: 'No schedule of your org has this id.',
  delivery_not_found: 'The job has no delivery with this id.',
  screenshot_not_found: 'The job has no page with this number, or the page has no screenshot.',
  no_raw: 'The job was created without `store_raw`, or the page was not rendered: nothing of that kind is kept.',
  no_records: 'The job was created without `extract`, so its pages have no records.',
  page_not_found: 'The job has no page with this number.',
  token_not_found: 'Your org has no token with this id.',
  job_not_ended:
    'The job has not ended, so it cannot be retried yet, nor exported without `partial=true`, and its `output_expiry` cannot be changed.',
  run_superseded:
    'The schedule has a later run than this one. Its pages were compared with that one, so it decides what is removed.',
  schedule_deleted: 'The schedule was deleted, and its feed has ended. Its jobs can be read.',
  changes_expired:
    'Rows of the feed after this cursor are no longer kept. Read `snapshot`, replace your copy with it, and continue with `cursor`.',
  nothing_to_compare: 'The page was not changed, so it has no earlier text to compare with.',
  text_expired: 'A text of the page is no longer kept.',
  url_not_found: 'The job has no page with this URL.',
  run_in_progress: 'The last run of the schedule has not ended, and its `overlap` is `skip`.',
  confirmation_required:
    'The request would remove the results of a job at once. Repeat it with `?confirm=true` if that is meant.',
  nothing_to_retry: 'None of the URLs of the job failed.',
  search_off: 'The operator has switched search off (`HAYRAKE_SEARCH`).',
  job_data_expired: "The job's results were deleted or have expired.",
  page_erased: 'The page was erased, so nothing of it is left to read.',
  idempotency_key_reused:
    'The idempotency key was already used for a different request: another body, or a retry of another job.',
  page_unreadable: 'The page could not be fetched or converted; the detail says why.',
  page_not_html: 'The page is a file, such as a PDF: nothing but a page of HTML has parts that rules leave out.',
  not_found: 'There is no such endpoint.',
  method_not_allowed: 'The endpoint does not have this method. `Allow` lists those that it has.',
  origin_refused: 'The `Origin` header names another site, and web pages of other sites cannot use `/mcp`.',
  misdirected_request: 'The `Host` header names a different service; this one listens on loopback only.',
  crawler_refused: 'The request comes from a hayrake crawler, as its `User-Agent` says. The API refuses crawlers.',
  rate_limited: 'The org or the address exceeds its rate limit. Wait as long as `Retry-After` says.',
  too_many_jobs: 'The org has reached its limit of unfinished jobs.',
  too_many_tokens: 'The org has reached its limit of valid tokens.',
  too_many_schedules: 'The org has reached its limit of schedules.',
  too_many_waiting: 'The org has reached its limit of requests that wait for pages.',
  backup_in_progress: 'The service makes a backup already.',
  backup_failed: 'The backup could not be made; the detail says why.',
  too_many_exports: 'The org has an export in progress, which is its limit.',
  range_not_satisfiable: 'The range begins after the end of the file. `Content-Range` has its length.',
  body_too_large: 'The request body is larger than 1 MiB; for `POST /scraper/batch`, 4 MiB.',
  headers_too_large: 'The request line and headers together exceed 16 KiB.',
  request_timeout: 'The request did not arrive in time.',
  bad_request: 'This is not a valid HTTP request.',
  unsupported_media_type: 'The request body is not `application/json`.',
  insufficient_storage:
    "The service's disk is full. Stored data stays readable; the crawl waits for space. A search index does not grow before the crawl has to wait.",
  storage_read_only: 'The service cannot write to its disk or database. Stored data stays readable; the crawl waits.',
  unavailable:
    'The service is stopping, its database cannot be used, or no process crawls for `POST /scraper/scrape`, `/scraper/map` or `/crawler/jobs/preview`.',
  overloaded: 'The service has no memory left for this request. Retry in a few seconds.',
  page_damaged:
    'The page, its screenshot or its raw body is damaged: `page` is its number. Lists continue after it with `cursor`. The other pages can be read.',
  internal: 'An internal error occurred. Find it in the log by the request id.',
} as const;

export type ErrorCode = keyof typeof errorCodes;

export interface FieldError {
  /** The field as the client wrote it, such as `urls[3]`. */
  readonly field: string;
  readonly message: string;
}

export class UserError extends Error {
  override readonly name = 'UserError';
  readonly code: ErrorCode;
  readonly fields: readonly FieldError[];
  /** Further members of the problem document that an API client gets. */
  readonly members: Readonly<Record<string, string | number>>;

  constructor(
    code: ErrorCode,
    message: string,
    fields: readonly FieldError[] = [],
    members: Readonly<Record<string, string | number>> = {},
  ) {
    super(message);
    this.code = code;
    this.fields = fields;
    this.members = members;
  }
}

/** The program cannot start or continue. `exitCode` is part of the program's interface (docs/configuration.md). */
export class ExitError extends Error {
  override readonly name = 'ExitError';
  readonly exitCode: number;
  /** If storage failed: the problem that API clients see. */
  readonly problem: StorageProblem;

  constructor(exitCode: number, message: string, problem: StorageProblem = 'unavailable') {
    super(message);
    this.exitCode = exitCode;
    this.problem = problem;
  }
}

export type StorageProblem = Extract<ErrorCode, 'insufficient_storage' | 'storage_read_only' | 'unavailable'>;

/** Why a store cannot be written; undefined if it can. */
export function storageProblem(store: { ping(): Promise<void> }): Promise<StorageProblem | undefined> {
  return store.ping().then(
    () => undefined,
    (error: unknown) => (error instanceof ExitError ? error.problem : 'unavailable'),
  );
}

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  incomplete: 3,
  databaseNewer: 4,
  databaseDamaged: 5,
  directoryInUse: 6,
  storageFailed: 7,
  interrupted: 130,
} as const;
