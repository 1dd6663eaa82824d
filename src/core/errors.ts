/**
 * Errors that a user can act on. The code is stable and part of the API; the message says what is wrong and what to do.
 * docs/errors.md explains each code, and a test keeps the two in step.
 */
export const errorCodes = {
  invalid_parameter: 'A query or path parameter is not valid; the detail says what it may be.',
  invalid_body: 'The request body is not valid; `errors` names each field.',
  invalid_cursor: 'The cursor is not one that this service gave for this list.',
  browser_missing:
    'Nothing that crawls has a browser, and `use_browser: true` needs one: install chromium-headless-shell and bubblewrap.',
  not_supported_yet: 'The field is known, but its feature is not built yet. Leave it out.',
  destination_not_allowed: 'The URL leads to an address, port or scheme that this service may not reach.',
  unauthorized: 'The request carries no bearer token.',
  invalid_token: 'The bearer token is wrong, revoked or expired.',
  permission_denied: 'The token lacks the permission that this request needs.',
  job_not_found: 'No job of your org has this id.',
  delivery_not_found: 'The job has no delivery with this id.',
  job_not_ended: 'The job has not ended, so it cannot be retried yet.',
  nothing_to_retry: 'None of the URLs of the job failed.',
  job_data_expired: "The job's results were deleted, or their time was up.",
  idempotency_key_reused:
    'The idempotency key was used before for another request: another body, or another job to retry.',
  not_found: 'There is no such endpoint.',
  misdirected_request: 'The `Host` header names another service than this one, which listens on its own machine only.',
  crawler_refused:
    'The request is of a crawler of hayrake, which was led to a hayrake service: its `User-Agent` says so.',
  rate_limited: 'The org, or the address, sends more requests than it may. Wait for as long as `Retry-After` says.',
  too_many_jobs: 'The org has as many unfinished jobs as it may.',
  too_many_waiting: 'The org has as many requests waiting for pages as it may.',
  body_too_large: 'The request body is larger than 1 MiB.',
  headers_too_large: 'Address and headers of the request are larger than 16 KiB together.',
  request_timeout: 'The request did not arrive in time.',
  bad_request: 'This is not a valid HTTP request.',
  unsupported_media_type: 'The request body is not `application/json`.',
  insufficient_storage:
    'The disk that the service stores on is full. What is stored can be read; the crawl waits for room.',
  storage_read_only:
    'The disk or the database that the service stores on cannot be written. What is stored can be read; the crawl waits.',
  unavailable: 'The service is stopping, its database cannot be used, or nothing crawls for `POST /scraper/scrape`.',
  overloaded: 'The service has no memory left for this request. Send it again a little later.',
  page_damaged:
    'The next page is damaged: `page` is its number. Continue after it with `cursor`. The other pages can be read.',
  internal: 'Something went wrong that is not your fault. The log has it under the request id.',
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

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  somePagesFailed: 3,
  databaseNewer: 4,
  databaseDamaged: 5,
  directoryInUse: 6,
  storageFailed: 7,
  interrupted: 130,
} as const;
