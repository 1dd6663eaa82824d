import { describe, expect, test } from 'vitest';
import { extendedExpiry, extendEverySeconds, operatorTokenId, sessionSeconds } from './sessions.ts';

describe('a session is extended', () => {
  const session = { kind: 'browser', token: 't_1', createdAt: 0, expiresAt: sessionSeconds * 1000 } as const;

  test.each([
    ['not by the request after signing in', 0, undefined],
    ['not by each request of a page', extendEverySeconds * 1000 - 1, undefined],
    ['by a request some minutes later', extendEverySeconds * 1000, (extendEverySeconds + sessionSeconds) * 1000],
    ['by one just before its end', sessionSeconds * 1000 - 1, 2 * sessionSeconds * 1000 - 1],
    ['never to an earlier time, when the clock was set back', -3_600_000, undefined],
  ])('%s', (_, now, expected) => {
    expect(extendedExpiry(session, now)).toBe(expected);
  });
});

test('sessions of an operator token end when it changes', () => {
  expect(operatorTokenId('a')).toMatch(/^operator_[0-9a-f]{16}$/);
  expect(operatorTokenId('a')).not.toBe(operatorTokenId('b'));
});
