import { describe, expect, it } from 'vitest';
import { SeenUrls } from './seen-urls.ts';

/** Adds more URLs than are remembered. */
function addMany(seen: SeenUrls): void {
  for (let index = 0; index <= 100_000; index++) seen.add(2, `other ${index}`, 0);
}

describe('SeenUrls', () => {
  it('SeenUrls.has: is true for a URL of the same job at its depth or deeper', () => {
    const seen = new SeenUrls();
    seen.add(1, 'a', 3);
    expect([seen.has(1, 'a', 3), seen.has(1, 'a', 4), seen.has(1, 'a', 2), seen.has(2, 'a', 3)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('SeenUrls: forgets URLs when there are too many', () => {
    const seen = new SeenUrls();
    seen.add(1, 'a', 3);
    addMany(seen);
    expect(seen.has(1, 'a', 3)).toBe(false);
  });

  it('SeenUrls.forgetJob: forgets the URLs of the job and frees their room', () => {
    const seen = new SeenUrls();
    seen.add(1, 'a', 3);
    addMany(seen);
    seen.add(1, 'a', 3);
    seen.forgetJob(2);
    expect([seen.has(1, 'a', 3), seen.has(2, 'other 100000', 0)]).toEqual([true, false]);
    // There is room for the same number again.
    for (let index = 0; index < 99_999; index++) seen.add(3, `${index}`, 0);
    expect(seen.has(1, 'a', 3)).toBe(true);
  });

  it('SeenUrls.commit: shares URLs with other transactions', () => {
    const committed = new SeenUrls();
    const [one, other] = [new SeenUrls(committed), new SeenUrls(committed)];
    one.add(1, 'a', 3);
    expect([one.has(1, 'a', 3), other.has(1, 'a', 3)]).toEqual([true, false]);
    one.commit();
    expect(other.has(1, 'a', 3)).toBe(true);
  });

  it('SeenUrls: keeps a URL for the transaction that relied on it when it is forgotten elsewhere', () => {
    const committed = new SeenUrls();
    committed.add(1, 'a', 3);
    const [relying, late] = [new SeenUrls(committed), new SeenUrls(committed)];
    expect(relying.has(1, 'a', 3)).toBe(true);
    addMany(committed);
    addMany(relying);
    expect([relying.has(1, 'a', 3), late.has(1, 'a', 3)]).toEqual([true, false]);
  });
});
