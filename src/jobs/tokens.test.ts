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

describe('a token', () => {
  test.each([
    ['without an expiry, at any time', {}, true],
    ['before it expires', { expiresAt: 1_001 }, true],
    ['in the millisecond in which it expires', { expiresAt: 1_000 }, false],
    ['after it has expired', { expiresAt: 1 }, false],
    ['that was revoked', { revokedAt: 999 }, false],
    ['that was revoked by a machine whose clock is ahead', { revokedAt: 2_000 }, false],
    ['that was revoked before it expires', { revokedAt: 999, expiresAt: 2_000 }, false],
  ])('%s', (_, fields, valid) => {
    expect(isValid({ ...token, ...fields }, 1_000)).toBe(valid);
  });
});
