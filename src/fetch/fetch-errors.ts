import { isIPv4 } from 'node:net';
import { errors } from 'undici';
import type { FetchFailure } from '../core/fetcher.ts';
import type { ErrorReason } from '../core/reasons.ts';
import { destinationNotAllowed } from './destination-error.ts';

/**
 * The failure that an error of Node's or undici's stands for, by its code alone: messages change, and they hold
 * addresses of the inside.
 */
export function toFailure(error: unknown): FetchFailure {
  // The only class without a code of its own.
  if (error instanceof errors.HTTPParserError) {
    return fail('badResponse');
  }
  if (isNetworkGone(error)) {
    return fail('networkGone');
  }
  const code = codeOf(error);
  return fail(kindByCode.get(code) ?? kindByPrefix(code));
}

/** A failure that we noticed ourselves. */
export function fail(kind: FailureKind): FetchFailure {
  return failures[kind];
}

export type FailureKind = keyof typeof failures;

const failures = {
  // A name server said so.
  nameUnknown: theirs('dns', false, 'The host name does not exist.'),
  // The resolver's trouble, not the name's: the site may well be there.
  nameUnanswered: ours('dns', 'The host name could not be resolved at this time.'),
  networkGone: ours('connect', 'There is no network through which the host could be reached.'),
  refused: theirs('connect', true, 'The host refused the connection.'),
  unreachable: failure('connect', true, 'The host could not be reached.'),
  // On our side: too many files open, no ports left.
  noResources: ours('connect', 'No connection could be opened at this time.'),
  connectTimeout: failure('connect', true, 'The host did not accept the connection in time.'),
  // Ours and not the host's. Retryable, since it is for the operator to mend while the job goes on.
  proxyUnreachable: ours('connect', "The operator's proxy could not be reached."),
  proxyDenied: ours('connect', "The operator's proxy does not accept the user name and password it was given."),
  proxyRefused: failure('connect', true, "The operator's proxy did not open a connection to the host."),
  proxyBroken: ours('connect', "The operator's proxy did not answer as a proxy does."),
  proxyTimeout: failure('connect', true, "The operator's proxy did not open a connection in time."),
  // A wrong certificate stays wrong for longer than retries last.
  certificate: theirs('tls', false, "The host's certificate is not valid."),
  // Can be an overloaded server; a wrong version fails the same way again, and cheaply.
  handshake: failure('tls', true, 'The TLS handshake with the host failed.'),
  timeout: failure('timeout', true, 'The fetch did not end within its deadline.'),
  stalled: failure('timeout', true, 'The host stopped sending.'),
  stopped: failure('timeout', true, 'The fetch was stopped before it ended.'),
  reset: failure('reset', true, 'The host closed the connection before the answer was complete.'),
  // A server that speaks broken HTTP does so on purpose or by its nature.
  badResponse: theirs('bad_response', false, 'The answer is not valid HTTP.'),
  headersTooLarge: theirs(
    'bad_response',
    false,
    'The headers of the answer are larger than 128 KiB, or more than 1,000.',
  ),
  switchedProtocol: theirs('bad_response', false, 'The host switched to a protocol that was not asked for.'),
  bodyTooLarge: theirs('body_too_large', false, 'The body is larger than the limit.'),
  badEncoding: theirs('bad_encoding', false, 'The body is packed in a way that was not asked for.'),
  notAllowed: failure('destination_not_allowed', false, destinationNotAllowed),
  badUrl: failure('destination_not_allowed', false, 'The URL is not one that can be asked for.'),
  // A code that nobody listed: more likely a passing trouble than a lasting one.
  unknown: failure('connect', true, 'The fetch failed for an unknown reason.'),
} as const;

const kindByCode = new Map<string, FailureKind>([
  ['DESTINATION_NOT_ALLOWED', 'notAllowed'],
  ['PROXY_UNREACHABLE', 'proxyUnreachable'],
  ['PROXY_DENIED', 'proxyDenied'],
  ['PROXY_REFUSED', 'proxyRefused'],
  ['PROXY_BROKEN', 'proxyBroken'],
  ['PROXY_TIMEOUT', 'proxyTimeout'],
  ['ENOTFOUND', 'nameUnknown'],
  ['ENODATA', 'nameUnknown'],
  ['EAI_AGAIN', 'nameUnanswered'],
  ['EAI_FAIL', 'nameUnanswered'],
  ['EAI_MEMORY', 'nameUnanswered'],
  ['EAI_SYSTEM', 'nameUnanswered'],
  ['ESERVFAIL', 'nameUnanswered'],
  ['ETIMEOUT', 'nameUnanswered'],
  ['ECONNREFUSED', 'refused'],
  ['EHOSTUNREACH', 'unreachable'],
  ['EHOSTDOWN', 'unreachable'],
  ['ENETUNREACH', 'unreachable'],
  ['ENETDOWN', 'unreachable'],
  ['EADDRNOTAVAIL', 'unreachable'],
  ['EAFNOSUPPORT', 'unreachable'],
  ['EACCES', 'unreachable'],
  ['EPERM', 'unreachable'],
  ['EMFILE', 'noResources'],
  ['ENFILE', 'noResources'],
  ['ENOBUFS', 'noResources'],
  ['ENOMEM', 'noResources'],
  ['EADDRINUSE', 'noResources'],
  ['ETIMEDOUT', 'connectTimeout'],
  ['ERR_SOCKET_CONNECTION_TIMEOUT', 'connectTimeout'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connectTimeout'],
  ['UND_ERR_HEADERS_TIMEOUT', 'stalled'],
  ['UND_ERR_BODY_TIMEOUT', 'stalled'],
  ['UND_ERR_ABORTED', 'stopped'],
  ['UND_ERR_ABORT', 'stopped'],
  ['UND_ERR_DESTROYED', 'stopped'],
  ['UND_ERR_CLOSED', 'stopped'],
  ['ABORT_ERR', 'stopped'],
  ['ECONNRESET', 'reset'],
  ['ECONNABORTED', 'reset'],
  ['EPIPE', 'reset'],
  ['ERR_STREAM_PREMATURE_CLOSE', 'reset'],
  ['UND_ERR_SOCKET', 'reset'],
  ['UND_ERR_INFO', 'reset'],
  ['SWITCHED_PROTOCOL', 'switchedProtocol'],
  ['UND_ERR_HEADERS_OVERFLOW', 'headersTooLarge'],
  // Two lengths, or a length and chunks: contradictory. The exchange has found out that the body is not merely cut off.
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'badResponse'],
  ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'bodyTooLarge'],
  ['UND_ERR_INVALID_ARG', 'badUrl'],
  ['ERR_INVALID_ARG_VALUE', 'badUrl'],
  ['ERR_INVALID_URL', 'badUrl'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'handshake'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'certificate'],
  ['HOSTNAME_MISMATCH', 'certificate'],
  ['INVALID_CA', 'certificate'],
  ['INVALID_PURPOSE', 'certificate'],
  ['PATH_LENGTH_EXCEEDED', 'certificate'],
  ['OUT_OF_MEM', 'certificate'],
]);

/** Families of codes that are too many to list: OpenSSL's, X.509's and the HTTP parser's. */
const kindByCodePrefix: readonly (readonly [prefix: string, kind: FailureKind])[] = [
  ['HPE_', 'badResponse'],
  ['CERT_', 'certificate'],
  ['CRL_', 'certificate'],
  ['UNABLE_TO_', 'certificate'],
  ['ERROR_IN_', 'certificate'],
  ['ERR_TLS_CERT_', 'certificate'],
  ['ERR_TLS_', 'handshake'],
  ['ERR_SSL_', 'handshake'],
  ['EPROTO', 'handshake'],
];

function kindByPrefix(code: string): FailureKind {
  return kindByCodePrefix.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 'unknown';
}

/**
 * No address could be sent to, and one of them is of IPv4: a machine without IPv6 cannot send to a host that has nothing
 * else, but then it is that host that differs from the others.
 */
function isNetworkGone(error: unknown): boolean {
  const attempts: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
  return (
    attempts.every((attempt) => networkCodes.has(codeOf(attempt))) &&
    attempts.some((attempt) => isIPv4(addressOf(attempt)))
  );
}

const networkCodes: ReadonlySet<string> = new Set(['ENETUNREACH', 'ENETDOWN']);

function addressOf(error: unknown): string {
  const address = typeof error === 'object' && error !== null && 'address' in error ? error.address : undefined;
  return typeof address === 'string' ? address : '';
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** It does not show on which side. */
function failure(reason: ErrorReason, retryable: boolean, message: string): FetchFailure {
  return Object.freeze({ kind: 'failure', retryable, error: Object.freeze({ reason, message }) });
}

/** Somebody out there did answer. */
function theirs(reason: ErrorReason, retryable: boolean, message: string): FetchFailure {
  return Object.freeze({ ...failure(reason, retryable, message), isLocal: false });
}

/** Of our own side, and so about neither the host nor the URL. */
function ours(reason: ErrorReason, message: string): FetchFailure {
  return Object.freeze({ ...failure(reason, true, message), isLocal: true });
}
