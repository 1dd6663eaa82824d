// Errors in the shape that the clients of this facade read: `{"success": false, "error": ..., "code": ...}`.
import type { FastifyReply } from 'fastify';
import { problemStatus } from '../api/response/problem.ts';
import type { ErrorCode, UserError } from '../core/errors.ts';
import type { ScrapeError } from '../jobs/scrape-error.ts';

/** A refusal with its HTTP status. */
export class FacadeError extends Error {
  override readonly name = 'FacadeError';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The error for a field that cannot be obeyed. */
export function badRequest(message: string): FacadeError {
  return new FacadeError(400, 'BAD_REQUEST', message);
}

/** Clients of this facade do not know 410 and 422, and show the message of few statuses only. */
const statuses: Partial<Readonly<Record<ErrorCode, number>>> = {
  job_data_expired: 404,
  idempotency_key_reused: 409,
  destination_not_allowed: 403,
};

const messages: Partial<Readonly<Record<ErrorCode, string>>> = {
  job_not_found: 'Job not found',
  job_data_expired: 'Job expired',
};

/** Our names of fields, and the client's. */
const names: Readonly<Record<string, string>> = {
  page_limit: 'limit',
  max_depth: 'maxDiscoveryDepth',
  include_patterns: 'includePaths',
  exclude_patterns: 'excludePaths',
  include_elements: 'includeTags',
  exclude_elements: 'excludeTags',
  respect_robots: 'ignoreRobotsTxt',
  wait_for: 'waitFor',
  extract: 'schema',
};

/** Returns an error of our verbs in the shape of this facade. */
export function fromUserError({ code, message }: UserError): FacadeError {
  const renamed = message.replaceAll(/`(\w+)/g, (whole, name: string) => {
    const theirs = names[name];
    return theirs === undefined ? whole : `\`${theirs}`;
  });
  return new FacadeError(statuses[code] ?? problemStatus(code), code.toUpperCase(), messages[code] ?? renamed);
}

/**
 * Returns the error for a page that could not be scraped. Never 502: clients repeat the request three times.
 */
export function fromScrapeError({ reason, detail }: ScrapeError): FacadeError {
  const code = `SCRAPE_${reason.toUpperCase()}`;
  if (reason === 'timeout') return new FacadeError(408, code, detail);
  if (reason === 'robots_disallowed' || reason === 'destination_not_allowed') return new FacadeError(403, code, detail);
  return new FacadeError(500, code, detail);
}

export function sendFacadeError(reply: FastifyReply, { status, code, message }: FacadeError): FastifyReply {
  if (status === 401) void reply.header('www-authenticate', 'Bearer');
  if ((status === 429 || status === 503) && !reply.hasHeader('retry-after')) void reply.header('retry-after', '5');
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify({ success: false, error: message, code }));
}
