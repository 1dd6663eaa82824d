import { isIPv4 } from 'node:net';
import { errors } from 'undici';
import type { FetchFailure } from '../../core/ports/fetcher.ts';
import { type ErrorReason, errorReasons } from '../../core/reasons.ts';
import { destinationNotAllowed } from '../guard/destination-error.ts';

/**
 * Maps an error of Node or undici to a failure, by its code alone: messages change, and they contain internal
 * addresses.
 */
export function toFailure(error: unknown): FetchFailure {
  // The only class without a code.
  if (error instanceof errors.HTTPParserError) {
    return fail('badResponse');
  }
  if (isNetworkGone(error)) {
    return fail('networkGone');
  }
  const code = codeOf(error);
  return fail(kindByCode.get(code) ?? kindByPrefix(code));
}

/** A failure that hayrake itself detected. */
export function fail(kind: FailureKind): FetchFailure {
  return failures[kind];
}

export type FailureKind = keyof typeof failures;

const failures = {
  // Confirmed by a name server.
  nameUnknown: theirs('dns', false, 'The host name does not exist.'),
  // The resolver failed, not the name: the site might exist.
  nameUnanswered: ours('dns', 'The host name could not be resolved for now.'),
  networkGone: ours('connect', 'There is no network route to the host.'),
  refused: theirs('connect', true, 'The host refused the connection.'),
  unreachable: failure('connect', true, 'The host could not be reached.'),
  // On our side: too many open files, or no free ports.
  noResources: ours('connect', 'No connection could be opened for now.'),
  connectTimeout: failure('connect', true, 'The host did not accept the connection in time.'),
  // Our side, not the host. Retryable: the operator can fix it while the job continues.
  proxyUnreachable: ours('connect', "The operator's proxy could not be reached."),
  proxyDenied: ours('connect', "The operator's proxy rejects its user name and password."),
  proxyRefused: failure('connect', true, "The operator's proxy did not open a connection to the host."),
  proxyBroken: ours('connect', "The operator's proxy did not respond as a proxy does."),
  proxyTimeout: failure('connect', true, "The operator's proxy did not open a connection in time."),
  proxyRemoved: ours('connect', 'The operator has no proxy of the name that the job gives any more.'),
  // An invalid certificate stays invalid for longer than retries last.
  certificate: theirs('tls', false, "The host's certificate is not valid."),
  untrusted: theirs(
    'tls',
    false,
    "The host's certificate is not signed by a trusted authority, or the host does not send its intermediate certificate. To trust it, the operator adds the certificate of its authority to HAYRAKE_CA_FILE.",
  ),
  wrongName: theirs(
    'tls',
    false,
    "The host's certificate is for another name. Use the name that the certificate has, or report it to the site.",
  ),
  outdated: theirs(
    'tls',
    false,
    "The host's certificate has expired or is not valid yet. The site must renew it, unless the clock of this machine is wrong.",
  ),
  // The host refuses every handshake of this service, so it is not tried again.
  oldTls: theirs('tls', false, 'The host supports only versions of TLS that are not safe. It must support TLS 1.2.'),
  noCipher: theirs(
    'tls',
    false,
    'The host refuses the TLS handshake: it shares no cipher with this service, or requires a certificate of the client.',
  ),
  noHttp: theirs('tls', false, 'The host offers neither HTTP/1.1 nor HTTP/2 over TLS.'),
  // The server might be overloaded.
  handshake: failure('tls', true, 'The TLS handshake with the host failed.'),
  timeout: failure('timeout', true, errorReasons.timeout),
  stalled: failure('timeout', true, 'The host stopped sending.'),
  unanswered: failure('timeout', true, 'The host did not send a response in time.'),
  // It would be as slow again.
  tooSlow: theirs('timeout', false, 'The body was still arriving at the deadline of the fetch.'),
  stopped: failure('timeout', true, 'The fetch was stopped before it ended.'),
  reset: failure('reset', true, errorReasons.reset),
  // Broken HTTP from a server is deliberate or permanent.
  badResponse: theirs('bad_response', false, errorReasons.bad_response),
  headersTooLarge: theirs(
    'bad_response',
    false,
    'The response has more than 128 KiB of headers, or more than 1,000 headers.',
  ),
  switchedProtocol: theirs('bad_response', false, 'The host switched to a protocol that was not requested.'),
  bodyTooLarge: theirs('body_too_large', false, 'The body is larger than the limit.'),
  badEncoding: theirs('bad_encoding', false, 'The body uses a coding that was not offered.'),
  notAllowed: failure('destination_not_allowed', false, destinationNotAllowed),
  badUrl: failure('destination_not_allowed', false, 'The URL cannot be requested.'),
  // An unlisted code: more likely a passing fault than a lasting one.
  unknown: failure('connect', true, 'The fetch failed for an unknown reason.'),
} as const;

/** The codes of each kind, in the words of Node, undici, the resolver and OpenSSL. */
const codesByKind: Partial<Record<FailureKind, string>> = {
  notAllowed: 'DESTINATION_NOT_ALLOWED',
  proxyUnreachable: 'PROXY_UNREACHABLE',
  proxyDenied: 'PROXY_DENIED',
  proxyRefused: 'PROXY_REFUSED',
  proxyBroken: 'PROXY_BROKEN',
  proxyTimeout: 'PROXY_TIMEOUT',
  proxyRemoved: 'PROXY_REMOVED',
  nameUnknown: 'ENOTFOUND ENODATA',
  nameUnanswered: 'EAI_AGAIN EAI_FAIL EAI_MEMORY EAI_SYSTEM ESERVFAIL ETIMEOUT',
  refused: 'ECONNREFUSED',
  unreachable: 'EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN EADDRNOTAVAIL EAFNOSUPPORT EACCES EPERM',
  noResources: 'EMFILE ENFILE ENOBUFS ENOMEM EADDRINUSE',
  connectTimeout: 'ETIMEDOUT ERR_SOCKET_CONNECTION_TIMEOUT UND_ERR_CONNECT_TIMEOUT',
  stalled: 'UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT',
  stopped: 'UND_ERR_ABORTED UND_ERR_ABORT UND_ERR_DESTROYED UND_ERR_CLOSED ABORT_ERR',
  reset: 'ECONNRESET ECONNABORTED EPIPE ERR_STREAM_PREMATURE_CLOSE UND_ERR_SOCKET UND_ERR_INFO',
  switchedProtocol: 'SWITCHED_PROTOCOL',
  headersTooLarge: 'UND_ERR_HEADERS_OVERFLOW',
  // Contradictory framing: two lengths, or a length and chunks. The exchange has excluded a body that is merely cut off.
  badResponse: 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  bodyTooLarge: 'UND_ERR_RES_EXCEEDED_MAX_SIZE',
  badUrl: 'UND_ERR_INVALID_ARG ERR_INVALID_ARG_VALUE ERR_INVALID_URL',
  handshake: 'ERR_SSL_WRONG_VERSION_NUMBER',
  oldTls: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION ERR_SSL_UNSUPPORTED_PROTOCOL',
  // The first two are one alert, named by OpenSSL before 3.2 and after.
  noCipher:
    'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE ' +
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
  noHttp: 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL',
  untrusted:
    'DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_GET_ISSUER_CERT ' +
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY UNABLE_TO_VERIFY_LEAF_SIGNATURE CERT_UNTRUSTED INVALID_CA',
  wrongName: 'HOSTNAME_MISMATCH ERR_TLS_CERT_ALTNAME_INVALID',
  outdated: 'CERT_HAS_EXPIRED CERT_NOT_YET_VALID',
  certificate: 'INVALID_PURPOSE PATH_LENGTH_EXCEEDED OUT_OF_MEM',
};
const kindByCode = new Map<string, FailureKind>(
  Object.entries(codesByKind).flatMap(([kind, codes]) =>
    codes.split(' ').map((code) => [code, kind as FailureKind] as const),
  ),
);

/** Families of codes with too many members to list: OpenSSL, X.509 and the HTTP parser. */
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
 * Returns true if no address had a route, and one of them is IPv4. A machine without IPv6 cannot reach an IPv6-only
 * host, but then that host is the exception.
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

/** The side at fault is unknown. */
function failure(reason: ErrorReason, retryable: boolean, message: string): FetchFailure {
  return Object.freeze({ kind: 'failure', retryable, error: Object.freeze({ reason, message }) });
}

/** A remote party did respond. */
function theirs(reason: ErrorReason, retryable: boolean, message: string): FetchFailure {
  return Object.freeze({ ...failure(reason, retryable, message), isLocal: false });
}

/** Our side failed, so this says nothing about the host or the URL. */
function ours(reason: ErrorReason, message: string): FetchFailure {
  return Object.freeze({ ...failure(reason, true, message), isLocal: true });
}
