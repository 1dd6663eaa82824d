// Limits events per key in any minute. The previous minute's count fades out as the current minute passes, so no moment
// admits twice the limit. Memory: two numbers per key.
import { countedMax } from '../limits.ts';

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

  /** `now`: monotonic, in milliseconds. */
  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Counts one event and returns 0. If it exceeds the limit, does not count it and returns the seconds to wait. */
  hit(key: string): number {
    const wait = this.secondsToWait(key);
    if (wait === 0) this.#countOf(key, Math.floor(this.#now() / minuteMs)).current++;
    return wait;
  }

  /** How many events would be admitted now, and the seconds after which that grows for sure. */
  left(key: string): { readonly remaining: number; readonly seconds: number } {
    const now = this.#now();
    const minute = Math.floor(now / minuteMs);
    const elapsedMs = now - minute * minuteMs;
    const known = this.#counts.get(key);
    const { current, previous } = known ? at(known, minute) : { current: 0, previous: 0 };
    const used = current + (previous * (minuteMs - elapsedMs)) / minuteMs;
    const remaining = Math.max(0, Math.floor(this.#perMinute - used));
    return { remaining, seconds: Math.max(1, Math.ceil((minuteMs - elapsedMs) / 1000)) };
  }

  /** Seconds until the next event is admitted, rounded up; 0 means now. */
  secondsToWait(key: string): number {
    const now = this.#now();
    const minute = Math.floor(now / minuteMs);
    const known = this.#counts.get(key);
    if (!known || known.minute < minute - 1) return 0;
    const { current, previous } = at(known, minute);
    const elapsedMs = now - minute * minuteMs;
    // Integer milliseconds, so a client that waits exactly `Retry-After` is admitted.
    if (previous * (minuteMs - elapsedMs) + (current + 1) * minuteMs <= this.#perMinute * minuteMs) return 0;
    return Math.max(1, Math.ceil((this.#freeAt(current, previous) - elapsedMs) / 1000));
  }

  /** Milliseconds from the start of this minute until there is room for one more, if nothing else is counted. */
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

  /** Forgets the keys without recent events; if there are none, the oldest key. */
  #forget(minute: number): void {
    for (const [key, count] of this.#counts) if (count.minute < minute - 1) this.#counts.delete(key);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size >= countedMax && oldest !== undefined) this.#counts.delete(oldest);
  }
}

/** A count as of a later minute. */
function at(count: Count, minute: number): Count {
  if (count.minute === minute) return count;
  return { minute, current: 0, previous: count.minute === minute - 1 ? count.current : 0 };
}
