import { expect, test, vi } from 'vitest';
import { cacheResolve, hurryResolve, type Resolve } from './resolver.ts';

const answer = [{ address: '93.184.216.34', family: 4 }];

test('cacheResolve: resolves a name once for several callers, and keeps the addresses for a minute', () => {
  let now = 0;
  const pending: (() => void)[] = [];
  const ask = vi.fn<Resolve>((_hostname, callback) => void pending.push(() => callback(null, answer)));
  const resolve = cacheResolve(ask, () => now);
  const callback = vi.fn<Parameters<Resolve>[1]>();

  resolve('site.test', callback);
  resolve('site.test', callback);
  pending.forEach((reply) => reply());
  expect(callback.mock.calls).toEqual([
    [null, answer],
    [null, answer],
  ]);

  now = 59_999;
  resolve('site.test', callback);
  expect(callback).toHaveBeenCalledTimes(3);
  expect(ask).toHaveBeenCalledTimes(1);

  now = 60_000;
  resolve('site.test', callback);
  expect(ask).toHaveBeenCalledTimes(2);
});

test('cacheResolve: does not cache failures', () => {
  const ask = vi.fn<Resolve>((_hostname, callback) => callback(new Error('no'), []));
  const resolve = cacheResolve(ask);
  resolve('site.test', () => {});
  resolve('site.test', () => {});
  expect(ask).toHaveBeenCalledTimes(2);
});

test('cacheResolve: keeps at most 10,000 names, and forgets the oldest', () => {
  const ask = vi.fn<Resolve>((_hostname, callback) => callback(null, answer));
  const resolve = cacheResolve(ask);
  for (let n = 0; n <= 10_000; n += 1) {
    resolve(`${n}.test`, () => {});
  }
  ask.mockClear();
  resolve('10000.test', () => {});
  expect(ask).not.toHaveBeenCalled();
  resolve('0.test', () => {});
  expect(ask).toHaveBeenCalledTimes(1);
});

test('hurryResolve: returns ETIMEOUT once when the name server does not respond in time', () => {
  vi.useFakeTimers();
  try {
    const pending: Parameters<Resolve>[1][] = [];
    const resolve = hurryResolve((_hostname, callback) => void pending.push(callback), 1_000);
    const callback = vi.fn<Parameters<Resolve>[1]>();
    resolve('slow.test', callback);
    vi.advanceTimersByTime(999);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(callback.mock.calls).toEqual([[expect.objectContaining({ code: 'ETIMEOUT' }), []]]);
    pending[0]!(null, answer);
    expect(callback).toHaveBeenCalledTimes(1);

    resolve('site.test', callback);
    pending[1]!(null, answer);
    vi.advanceTimersByTime(2_000);
    expect(callback.mock.calls.slice(1)).toEqual([[null, answer]]);
  } finally {
    vi.useRealTimers();
  }
});
