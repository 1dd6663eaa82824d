import { errors } from 'undici';
import { expect, test } from 'vitest';
import { DestinationNotAllowedError } from './destination-error.ts';
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
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', false],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'tls', true],
  ['HPE_INVALID_CONSTANT', 'bad_response', false],
  ['ENOBODYEVERHEARDOF', 'connect', true],
];
test.each(codes)('%s is listed as %s, retryable: %s', (code, reason, retryable) => {
  expect(toFailure(Object.assign(new Error('at 10.0.0.1:22'), { code }))).toMatchObject({
    retryable,
    error: { reason },
  });
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
test.each(classes)('%s is listed as %s', (error, reason) => {
  expect(toFailure(error).error.reason).toBe(reason);
});

test('what is thrown but no error is a failure too', () => {
  expect(toFailure(undefined)).toMatchObject({ kind: 'failure', retryable: true });
});
