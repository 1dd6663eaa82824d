// Sessions of browsers and login codes, on each store.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Session, Store } from '../../src/core/ports/stores.ts';
import type { TestDatabase } from './test-data.ts';

export function describeSessions(createDatabase: () => Promise<TestDatabase>): void {
  let database: TestDatabase;
  let store: Store;

  beforeEach(async () => {
    database = await createDatabase();
    store = await database.open();
  });
  afterEach(() => database.remove());

  const token = {
    id: 't1',
    org: 'a',
    name: '',
    permissions: ['read'],
    createdAt: 1,
    revokedAt: null,
    expiresAt: null,
  } as const;
  const browser: Session = { kind: 'browser', token: 't1', createdAt: 10, expiresAt: 100 };
  const code: Session = { ...browser, kind: 'code' };

  it('sessions.find: returns a session with its token', async () => {
    await store.tokens.add(token, 'token hash');
    await store.sessions.add(browser, 'hash', 10);
    expect(await store.sessions.find('hash')).toEqual({ session: browser, token });
    expect(await store.sessions.find('other')).toBeUndefined();
  });

  it('sessions.find: returns the revoked token of a session with the time', async () => {
    await store.tokens.add(token, 'token hash');
    await store.sessions.add(browser, 'hash', 10);
    await store.tokens.revoke('t1', 20);
    expect((await store.sessions.find('hash'))?.token).toEqual({ ...token, revokedAt: 20 });
  });

  it('sessions.find: returns a session without a token when the store does not have it', async () => {
    await store.sessions.add(browser, 'hash', 10);
    expect(await store.sessions.find('hash')).toEqual({ session: browser, token: undefined });
  });

  it('sessions.takeCode: returns a login code once when 20 take it at the same time', async () => {
    const another = await database.open();
    await store.sessions.add(code, 'hash', 10);
    const takers = Array.from({ length: 20 }, (_, index) => (index % 2 ? store : another).sessions.takeCode('hash'));
    expect((await Promise.all(takers)).filter((taken) => taken !== undefined)).toEqual([code]);
    expect(await store.sessions.takeCode('hash')).toBeUndefined();
  });

  it('sessions: takes no code for a session and no session for a code', async () => {
    await store.sessions.add(code, 'code', 10);
    await store.sessions.add(browser, 'browser', 10);
    expect(await store.sessions.find('code')).toBeUndefined();
    expect(await store.sessions.takeCode('browser')).toBeUndefined();
    await store.sessions.extend('code', 1_000);
    await store.sessions.remove('code');
    expect(await store.sessions.takeCode('code')).toEqual(code);
  });

  it('sessions.extend: moves the expiry of a session, and does nothing when it is gone', async () => {
    await store.sessions.add(browser, 'hash', 10);
    await store.sessions.extend('hash', 500);
    expect((await store.sessions.find('hash'))?.session.expiresAt).toBe(500);
    await store.sessions.remove('hash');
    await store.sessions.extend('hash', 600);
    await store.sessions.remove('hash');
    expect(await store.sessions.find('hash')).toBeUndefined();
  });

  it('sessions.add: removes expired sessions', async () => {
    await store.sessions.add(browser, 'first', 10);
    await store.sessions.add({ ...browser, createdAt: 99, expiresAt: 200 }, 'second', 10);
    expect(await store.sessions.find('first')).toBeDefined();
    await store.sessions.add({ ...browser, createdAt: 100, expiresAt: 200 }, 'third', 10);
    expect(await store.sessions.find('first')).toBeUndefined();
    expect(await store.sessions.find('second')).toBeDefined();
  });

  it('sessions.add: keeps the newest sessions of a token, counted for each kind', async () => {
    await store.sessions.add(code, 'code', 3);
    for (const [index, hash] of ['1', '2', '3', '4'].entries())
      await store.sessions.add({ ...browser, createdAt: 20 + index }, hash, 3);
    await store.sessions.add({ ...browser, token: 't2', createdAt: 20 }, 'of another', 3);
    const found = await Promise.all(['1', '2', '3', '4', 'of another'].map((hash) => store.sessions.find(hash)));
    expect(found.map((each) => each !== undefined)).toEqual([false, true, true, true, true]);
    expect(await store.sessions.takeCode('code')).toEqual(code);
  });
}
