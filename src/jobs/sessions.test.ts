import { describe, expect, test } from 'vitest';
import { extendedExpiry, extendEverySeconds, operatorTokenId, sessionSeconds } from './sessions.ts';

describe('extendedExpiry', () => {
  const session = { kind: 'browser', token: 't_1', createdAt: 0, expiresAt: sessionSeconds * 1000 } as const;

  test.each([
    ['does not extend a session with the request after login', 0, undefined],
    ['does not extend a session with each request of a page', extendEverySeconds * 1000 - 1, undefined],
    [
      'extends a session with a request some minutes later',
      extendEverySeconds * 1000,
      (extendEverySeconds + sessionSeconds) * 1000,
    ],
    ['extends a session just before it expires', sessionSeconds * 1000 - 1, 2 * sessionSeconds * 1000 - 1],
    ['never shortens a session when the clock was set back', -3_600_000, undefined],
  ])('extendedExpiry: %s', (_, now, expected) => {
    expect(extendedExpiry(session, now)).toBe(expected);
  });
});

test('operatorTokenId: differs for each operator token', () => {
  expect(operatorTokenId('a')).toMatch(/^operator_[0-9a-f]{16}$/);
  expect(operatorTokenId('a')).not.toBe(operatorTokenId('b'));
});
