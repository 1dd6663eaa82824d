// How often somebody may do something in any minute. The count of the minute before fades out as this one goes on, so that
// there is no moment at which twice as much is let through; memory is two numbers for each of those who are counted.
import { countedMax } from './limits.ts';

interface Count {
  /** Index of the minute that `current` counts. */
  minute: number;
  current: number;
  previous: number;
}

const minuteMs = 60_000;

export class RateLimit {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #counts = new Map<string, Count>();

  /** `now` in milliseconds, never going back. */
  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Counts one more, and answers 0; or does not count it, since it is one too many, and answers the seconds to wait. */
  hit(key: string): number {
    const wait = this.secondsToWait(key);
    if (wait === 0) this.#countOf(key, Math.floor(this.#now() / minuteMs)).current++;
    return wait;
  }

  /** Seconds until one more is let through, rounded up; 0 is now. */
  secondsToWait(key: string): number {
    const now = this.#now();
    const minute = Math.floor(now / minuteMs);
    const known = this.#counts.get(key);
    if (!known || known.minute < minute - 1) return 0;
    const { current, previous } = at(known, minute);
    const elapsedMs = now - minute * minuteMs;
    // In whole milliseconds, so that nothing is rounded, and who waited as long as was said is let through.
    if (previous * (minuteMs - elapsedMs) + (current + 1) * minuteMs <= this.#perMinute * minuteMs) return 0;
    return Math.max(1, Math.ceil((this.#freeAt(current, previous) - elapsedMs) / 1000));
  }

  /** Milliseconds from the beginning of this minute to when there is room for one more, if nothing else is counted. */
  #freeAt(current: number, previous: number): number {
    const room = this.#perMinute - 1;
    if (current <= room) return minuteMs - ((room - current) * minuteMs) / previous;
    return 2 * minuteMs - (room * minuteMs) / current;
  }

  #countOf(key: string, minute: number): Count {
    const known = this.#counts.get(key);
    if (known) return Object.assign(known, at(known, minute));
    if (this.#counts.size >= countedMax) this.#forget(minute);
    const count = { minute, current: 0, previous: 0 };
    this.#counts.set(key, count);
    return count;
  }

  /** Those who have been quiet; where nobody has, the one who is known longest. */
  #forget(minute: number): void {
    for (const [key, count] of this.#counts) if (count.minute < minute - 1) this.#counts.delete(key);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size >= countedMax && oldest !== undefined) this.#counts.delete(oldest);
  }
}

/** A count as it stands in a later minute. */
function at(count: Count, minute: number): Count {
  if (count.minute === minute) return count;
  return { minute, current: 0, previous: count.minute === minute - 1 ? count.current : 0 };
}
