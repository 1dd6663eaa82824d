import { describe, expect, it } from 'vitest';
import { SeenUrls } from './seen-urls.ts';

/** Adds more URLs than are remembered. */
function addMany(seen: SeenUrls): void {
  for (let index = 0; index <= 100_000; index++) seen.add(2, `other ${index}`, 0);
}

describe('URLs that were seen of late', () => {
  it('are those of their job, at their depth or deeper', () => {
    const seen = new SeenUrls();
    seen.add(1, 'a', 3);
    expect([seen.has(1, 'a', 3), seen.has(1, 'a', 4), seen.has(1, 'a', 2), seen.has(2, 'a', 3)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('are forgotten when there are too many', () => {
    const seen = new SeenUrls();
    seen.add(1, 'a', 3);
    addMany(seen);
    expect(seen.has(1, 'a', 3)).toBe(false);
  });

  it('are forgotten with their job', () => {
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

  it('count for others once they are committed', () => {
    const committed = new SeenUrls();
    const [one, other] = [new SeenUrls(committed), new SeenUrls(committed)];
    one.add(1, 'a', 3);
    expect([one.has(1, 'a', 3), other.has(1, 'a', 3)]).toEqual([true, false]);
    one.commit();
    expect(other.has(1, 'a', 3)).toBe(true);
  });

  it('stay seen for a transaction that relied on it, whatever others forget meanwhile', () => {
    const committed = new SeenUrls();
    committed.add(1, 'a', 3);
    const [relying, late] = [new SeenUrls(committed), new SeenUrls(committed)];
    expect(relying.has(1, 'a', 3)).toBe(true);
    addMany(committed);
    addMany(relying);
    expect([relying.has(1, 'a', 3), late.has(1, 'a', 3)]).toEqual([true, false]);
  });
});
