import { describe, expect, test } from 'vitest';
import type { SessionStore, TokenStore } from '../../core/ports/stores.ts';
import { Authenticator } from './authenticate.ts';

const token = {
  id: 't_1',
  org: 'acme',
  name: '',
  permissions: ['read'],
  createdAt: 0,
  revokedAt: null,
  expiresAt: null,
} as const;

/** With one session, which a store returns also when it has expired. */
function authenticatorWith(expiresAt: number): Authenticator {
  const session = { kind: 'browser', token: token.id, createdAt: 0, expiresAt } as const;
  const sessions: Pick<SessionStore, 'find'> = { find: () => Promise.resolve({ session, token }) };
  return new Authenticator({ sessions: sessions as SessionStore, tokens: {} as TokenStore }, undefined);
}

describe('Authenticator.findSession', () => {
  test('Authenticator.findSession: returns the caller while the session has not expired', async () => {
    const caller = await authenticatorWith(Date.now() + 60_000).findSession('secret');
    expect(caller).toMatchObject({ org: 'acme', permissions: ['read'], token: 't_1' });
  });

  test('Authenticator.findSession: returns nobody once the session has expired', async () => {
    expect(await authenticatorWith(Date.now()).findSession('secret')).toBeUndefined();
  });
});
