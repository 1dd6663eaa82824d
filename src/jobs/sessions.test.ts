import { describe, expect, test } from 'vitest';
import type { SessionStore } from '../core/ports/stores.ts';
import {
  extendedExpiry,
  extendEverySeconds,
  loginCodeSeconds,
  operatorTokenId,
  sessionSeconds,
  useLoginCode,
} from './sessions.ts';

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

test.each([
  ['the token until the code expires', loginCodeSeconds * 1000 - 1, 't_1'],
  ['nothing once the code has expired', loginCodeSeconds * 1000, undefined],
])('useLoginCode: returns %s', async (_, now, expected) => {
  const code = { kind: 'code', token: 't_1', createdAt: 0, expiresAt: loginCodeSeconds * 1000 } as const;
  // A store returns a code also when it has expired.
  const sessions: Pick<SessionStore, 'takeCode'> = { takeCode: () => Promise.resolve(code) };
  expect(await useLoginCode(sessions as SessionStore, 'code', now)).toBe(expected);
});

test('operatorTokenId: differs for each operator token', () => {
  expect(operatorTokenId('a')).toMatch(/^operator_[0-9a-f]{16}$/);
  expect(operatorTokenId('a')).not.toBe(operatorTokenId('b'));
});
