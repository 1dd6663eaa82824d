import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type ErrorCode,
  errorCodes,
  ExitError,
  exitCodes,
  type FieldError,
  type StorageProblem,
  UserError,
} from '../../core/errors.ts';

/** The HTTP status of each error code. */
const statuses: Readonly<Record<ErrorCode, number>> = {
  bad_request: 400,
  invalid_parameter: 400,
  invalid_body: 400,
  invalid_cron: 400,
  invalid_cursor: 400,
  browser_missing: 400,
  no_model: 400,
  not_supported_yet: 400,
  destination_not_allowed: 400,
  unauthorized: 401,
  invalid_token: 401,
  permission_denied: 403,
  sign_in_refused: 403,
  search_off: 403,
  job_not_found: 404,
  schedule_not_found: 404,
  delivery_not_found: 404,
  screenshot_not_found: 404,
  page_not_found: 404,
  token_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  job_not_ended: 409,
  run_in_progress: 409,
  run_superseded: 409,
  schedule_deleted: 410,
  changes_expired: 410,
  nothing_to_compare: 400,
  text_expired: 410,
  url_not_found: 404,
  confirmation_required: 400,
  nothing_to_retry: 409,
  backup_in_progress: 409,
  backup_failed: 500,
  no_raw: 409,
  no_records: 409,
  job_data_expired: 410,
  page_erased: 410,
  body_too_large: 413,
  crawler_refused: 403,
  origin_refused: 403,
  misdirected_request: 421,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  idempotency_key_reused: 422,
  rate_limited: 429,
  too_many_jobs: 429,
  too_many_tokens: 429,
  too_many_schedules: 429,
  too_many_waiting: 429,
  too_many_exports: 429,
  headers_too_large: 431,
  internal: 500,
  page_unreadable: 422,
  page_not_html: 422,
  page_damaged: 500,
  overloaded: 503,
  storage_read_only: 503,
  unavailable: 503,
  insufficient_storage: 507,
};

/** Default `Retry-After` in seconds, unless the code that refuses sets one. */
const retryAfterSeconds: Partial<Readonly<Record<ErrorCode, number>>> = {
  too_many_jobs: 30,
  too_many_tokens: 30,
  too_many_schedules: 30,
  too_many_waiting: 5,
  too_many_exports: 5,
  overloaded: 5,
  storage_read_only: 30,
  unavailable: 5,
  insufficient_storage: 30,
};

export function problemStatus(code: ErrorCode): number {
  return statuses[code];
}

/** Errors raised before a route is reached, by the codes of the web framework and of Node. */
const frameworkErrors: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [
    'body_too_large',
    'The body is larger than 1 MiB; for `POST /scraper/batch`, 4 MiB. Split the URLs over several jobs.',
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'Send JSON, with the header `Content-Type: application/json`.',
  ],
  // The client disconnected in the middle of its body.
  ECONNRESET: ['bad_request', 'The connection was closed before the request was complete.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_body', 'The length of the body differs from its `Content-Length`.'],
};

/** Sends an error as RFC 9457 defines, plus `message` for clients that look there. A query can have a token: it is left out. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: UserError): FastifyReply {
  const { code } = error;
  if (code === 'unauthorized') void reply.header('www-authenticate', 'Bearer');
  if (code === 'invalid_token') void reply.header('www-authenticate', 'Bearer error="invalid_token"');
  const seconds = retryAfterSeconds[code];
  if (seconds !== undefined && !reply.hasHeader('retry-after')) void reply.header('retry-after', String(seconds));
  return reply
    .code(problemStatus(code))
    .header('content-type', 'application/problem+json; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(
      problemBody(error, {
        instance: request.originalUrl.replace(/[?].*$/su, '').slice(0, 2_000),
        requestId: request.id,
      }),
    );
}

const ownAddresses =
  'For an own machine or network, its operator names it: `--allow-private`, or HAYRAKE_ALLOW_PRIVATE.';

export function problemBody(
  error: UserError,
  about: { readonly instance: string; readonly requestId: string },
): string {
  const { code, fields, members } = error;
  const message = code === 'destination_not_allowed' ? `${error.message} ${ownAddresses}` : error.message;
  return JSON.stringify({
    type: `urn:hayrake:error:${code}`,
    title: errorCodes[code],
    status: problemStatus(code),
    detail: message,
    instance: about.instance,
    code,
    requestId: about.requestId,
    ...(fields.length > 0 && { errors: fields }),
    ...members,
    message,
  });
}

/** Returns the error that a client may see. Undefined for a defect of ours, which is logged and not shown. */
export function toUserError(error: unknown): UserError | undefined {
  if (error instanceof UserError) return error;
  if (!(error instanceof Error)) return undefined;
  if (error instanceof ExitError && isOfStorage(error))
    return new UserError(error.problem, storageProblems[error.problem]);
  if ('validation' in error && Array.isArray(error.validation)) {
    const isBody = 'validationContext' in error && error.validationContext === 'body';
    return invalid(isBody ? 'invalid_body' : 'invalid_parameter', error.validation);
  }
  const known = 'code' in error && typeof error.code === 'string' ? frameworkErrors[error.code] : undefined;
  if (known) return new UserError(known[0], known[1]);
  return undefined;
}

interface ValidationIssue {
  readonly instancePath?: string;
  readonly message?: string;
}

function isOfStorage({ exitCode }: ExitError): boolean {
  return exitCode === exitCodes.storageFailed || exitCode === exitCodes.databaseDamaged;
}

/** Reveals nothing about the machine: the operator's log says more. */
const storageProblems: Readonly<Record<StorageProblem, string>> = {
  insufficient_storage: 'The disk is full, so nothing new can be stored. Try again after the operator has freed space.',
  storage_read_only:
    'The disk or the database is not writable, so nothing new can be stored. Try again after the operator has fixed it.',
  unavailable: 'The service is stopping, or its database cannot be used. Try again later.',
};

function invalid(code: ErrorCode, issues: readonly ValidationIssue[]): UserError {
  const fields: FieldError[] = issues.map(({ instancePath = '', message = 'is not valid' }) => ({
    field: instancePath.replace(/^\//, '').replaceAll('/', '.') || 'body',
    message,
  }));
  const detail = fields.map(({ field, message }) => `\`${field}\`: ${message}`).join(' ');
  return new UserError(code, detail, fields);
}
