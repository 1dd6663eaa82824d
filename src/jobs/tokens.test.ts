import { describe, expect, test } from 'vitest';
import { isValid } from './tokens.ts';

const token = {
  id: 't_1',
  org: 'acme',
  name: '',
  permissions: ['read'],
  createdAt: 0,
  revokedAt: null,
  expiresAt: null,
} as const;

describe('isValid', () => {
  test.each([
    ['accepts a token without an expiry', {}, true],
    ['accepts a token before it expires', { expiresAt: 1_001 }, true],
    ['rejects a token in the millisecond of its expiry', { expiresAt: 1_000 }, false],
    ['rejects an expired token', { expiresAt: 1 }, false],
    ['rejects a revoked token', { revokedAt: 999 }, false],
    ['rejects a token that was revoked by a machine whose clock is ahead', { revokedAt: 2_000 }, false],
    ['rejects a token that was revoked before its expiry', { revokedAt: 999, expiresAt: 2_000 }, false],
  ])('isValid: %s', (_, fields, valid) => {
    expect(isValid({ ...token, ...fields }, 1_000)).toBe(valid);
  });
});
