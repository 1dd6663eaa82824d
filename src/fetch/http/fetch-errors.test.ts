import { errors } from 'undici';
import { expect, test } from 'vitest';
import { DestinationNotAllowedError } from '../guard/destination-error.ts';
import { toFailure } from './fetch-errors.ts';

const codes: readonly (readonly [code: string, reason: string, isRetryable: boolean])[] = [
  ['ENOTFOUND', 'dns', false],
  ['EAI_AGAIN', 'dns', true],
  ['ECONNREFUSED', 'connect', true],
  ['EHOSTUNREACH', 'connect', true],
  ['ETIMEDOUT', 'connect', true],
  ['ECONNRESET', 'reset', true],
  ['EPROTO', 'tls', true],
  ['CERT_HAS_EXPIRED', 'tls', false],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls', false],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls', false],
  ['CERT_REVOKED', 'tls', false],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', false],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'tls', false],
  ['ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR', 'tls', true],
  ['SWITCHED_PROTOCOL', 'bad_response', false],
  ['HPE_INVALID_CONSTANT', 'bad_response', false],
  ['ENOBODYEVERHEARDOF', 'connect', true],
];
test.each(codes)('toFailure: maps %s to %s, retryable: %s', (code, reason, retryable) => {
  expect(toFailure(Object.assign(new Error('at 10.0.0.1:22'), { code }))).toMatchObject({
    retryable,
    error: { reason },
  });
});

function failed(code: string, address?: string): Error {
  return Object.assign(new Error(`connect ${code}`), { code, ...(address !== undefined && { address }) });
}

const [gone4, gone6] = [failed('ENETUNREACH', '93.184.216.34'), failed('ENETUNREACH', '2606:2800:220:1::34')];
const sides: readonly (readonly [what: string, isLocal: boolean | undefined, error: Error])[] = [
  ['no name server responds', true, failed('EAI_AGAIN')],
  ['no name server responds in time', true, failed('ETIMEOUT')],
  ['too many files are open', true, failed('EMFILE')],
  ['the proxy of the operator is gone', true, failed('PROXY_UNREACHABLE')],
  ['there is no network', true, gone4],
  ['there is no network for either family', true, new AggregateError([gone4, gone6])],
  ['there is no IPv6 and the host has no other address', undefined, gone6],
  [
    'there is no IPv6 and the host does not respond on IPv4',
    undefined,
    new AggregateError([gone6, failed('ETIMEDOUT', '8.8.8.8')]),
  ],
  ['the host is unreachable from its own network', undefined, failed('EHOSTUNREACH', '93.184.216.34')],
  ['the host does not respond', undefined, new errors.ConnectTimeoutError()],
  ['the connection breaks', undefined, failed('ECONNRESET')],
  ['the host refuses', false, failed('ECONNREFUSED', '93.184.216.34')],
  ['the name does not exist', false, failed('ENOTFOUND')],
  ['the certificate is invalid', false, failed('CERT_HAS_EXPIRED')],
];
test.each(sides)('toFailure: when %s sets isLocal to %s', (_, isLocal, error) => {
  const failure = toFailure(error);
  expect(failure.isLocal).toBe(isLocal);
  // A failure on our side must be retryable.
  expect(failure.retryable || isLocal !== true).toBe(true);
});

const classes: readonly (readonly [error: Error, reason: string])[] = [
  [new DestinationNotAllowedError(), 'destination_not_allowed'],
  [new errors.ConnectTimeoutError(), 'connect'],
  [new errors.HeadersTimeoutError(), 'timeout'],
  [new errors.BodyTimeoutError(), 'timeout'],
  [new errors.HeadersOverflowError(), 'bad_response'],
  [new errors.ResponseContentLengthMismatchError(), 'bad_response'],
  [new errors.HTTPParserError(), 'bad_response'],
  [new errors.SocketError('other side closed'), 'reset'],
];
test.each(classes)('toFailure: maps %s to %s', (error, reason) => {
  expect(toFailure(error).error.reason).toBe(reason);
});

test('toFailure: returns a retryable failure for a thrown value that is no error', () => {
  expect(toFailure(undefined)).toMatchObject({ kind: 'failure', retryable: true });
});
