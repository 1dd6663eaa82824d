// Errors in the shape that the clients of this door read: `{"success": false, "error": ..., "code": ...}`.
import type { FastifyReply } from 'fastify';
import { problemStatus } from '../api/answer/problem.ts';
import type { ErrorCode, UserError } from '../core/errors.ts';
import type { ScrapeError } from '../jobs/scrape-error.ts';

/** A refusal with its HTTP status. */
export class DoorError extends Error {
  override readonly name = 'DoorError';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The error for a field that cannot be obeyed. */
export function badRequest(message: string): DoorError {
  return new DoorError(400, 'BAD_REQUEST', message);
}

/** Clients of this door do not know 410 and 422, and show the message of few statuses only. */
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

/** Returns an error of our verbs in the shape of this door. */
export function fromUserError({ code, message }: UserError): DoorError {
  const renamed = message.replaceAll(/`(\w+)/g, (whole, name: string) => {
    const theirs = names[name];
    return theirs === undefined ? whole : `\`${theirs}`;
  });
  return new DoorError(statuses[code] ?? problemStatus(code), code.toUpperCase(), messages[code] ?? renamed);
}

/**
 * Returns the error for a page that could not be scraped. Never 502: clients repeat the request three times.
 */
export function fromScrapeError({ reason, detail }: ScrapeError): DoorError {
  const code = `SCRAPE_${reason.toUpperCase()}`;
  if (reason === 'timeout') return new DoorError(408, code, detail);
  if (reason === 'robots_disallowed' || reason === 'destination_not_allowed') return new DoorError(403, code, detail);
  return new DoorError(500, code, detail);
}

export function sendDoorError(reply: FastifyReply, { status, code, message }: DoorError): FastifyReply {
  if (status === 401) void reply.header('www-authenticate', 'Bearer');
  if ((status === 429 || status === 503) && !reply.hasHeader('retry-after')) void reply.header('retry-after', '5');
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify({ success: false, error: message, code }));
}
