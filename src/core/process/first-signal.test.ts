import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { firstSignal } from './first-signal.ts';

describe('firstSignal', () => {
  test('firstSignal: fires once, with the reason of the source that fires first', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const signal = firstSignal(one.signal, other.signal);
    const reasons: unknown[] = [];
    signal.addEventListener('abort', () => reasons.push(signal.reason));
    expect(signal.aborted).toBe(false);
    other.abort('other');
    one.abort('one');
    expect(reasons).toEqual(['other']);
  });

  test('firstSignal: has fired if a source had', () => {
    const signal = firstSignal(new AbortController().signal, AbortSignal.abort('before'));
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toBe('before');
  });

  test('firstSignal: leaves the other sources when it fires', () => {
    const [lasting, ended] = [new AbortController(), new AbortController()];
    firstSignal(lasting.signal, ended.signal);
    expect(getEventListeners(lasting.signal, 'abort')).toHaveLength(1);
    ended.abort();
    expect(getEventListeners(lasting.signal, 'abort')).toHaveLength(0);
  });
});
