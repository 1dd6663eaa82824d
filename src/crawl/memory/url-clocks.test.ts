import { describe, expect, test } from 'vitest';
import { UrlClocks, withinUrlTimeout } from './url-clocks.ts';

const error = { reason: 'http_error', message: 'The site responded with 503.', statusCode: 503 } as const;

describe('URL clocks', () => {
  test('URL clocks: count from the first turn, until the URL has ended', () => {
    const clocks = new UrlClocks();
    expect(clocks.elapsedMs(1, 100)).toBe(0);
    expect(clocks.elapsedMs(2, 150)).toBe(0);
    expect(clocks.elapsedMs(1, 400)).toBe(300);
    clocks.ended(1);
    expect(clocks.elapsedMs(1, 500)).toBe(0);
  });

  test.each([
    [0, 'retry'],
    [24_999, 'retry'],
    [25_000, 'failed'],
    [90_000, 'failed'],
  ])('URL clocks: a retry in 5 s of a URL with 30 s is, after %i ms, %s', (elapsedMs, kind) => {
    const outcome = withinUrlTimeout({ kind: 'retry', afterMs: 5_000, error }, elapsedMs, 30_000);
    expect(outcome).toMatchObject({ kind, error });
  });

  test('URL clocks: other outcomes stay as they are', () => {
    const outcome = { kind: 'discarded', reason: 'trap' } as const;
    expect(withinUrlTimeout(outcome, 90_000, 30_000)).toBe(outcome);
  });
});
