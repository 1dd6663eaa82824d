// The common pace of names that one server has: names of one registrable domain with one address and port. They get what
// one host would get. Unrelated domains on one address, such as those of a CDN, have nothing in common.
//
// Each lane of such a name needs a seat, so that lanes that could only wait take no lane and no room from other hosts. A
// lane without a seat gives its host back, until the time at which its turn is expected.
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import { holdMs } from '../../core/turn.ts';

/** Bounds the wait of a name when names before it need fewer turns than expected. */
const lineMsMax = 15_000;
/** How often seats become free, before any did. */
const firstEveryMs = 20;
const everyMsMin = 2;
const everyMsMax = 2_000;
/** A name returns a little early: a seat without a lane costs more than another wait. */
const earliness = 0.8;
/** After its time, a name in line needs that long to be leased. */
const leasedWithinMs = 1_000;

/** Takes turns: each caller gets a time after that of the previous one. */
export class Line {
  #end = 0;

  /** At most `msMax` from now. */
  join(now: number, everyMs: number, msMax: number): number {
    this.#end = Math.min(Math.max(this.#end, now) + everyMs, now + msMax);
    return this.#end;
  }

  hasAny(now: number): boolean {
    return this.#end > now;
  }
}

/** What one host may get. */
interface OwnPace {
  readonly readyAt: number;
  readonly delayMs: number;
  readonly concurrency: number;
}

export class SitePace<Pace extends OwnPace> {
  /** Of all names together. Without effect as long as there is only one. */
  readonly pace: Pace;
  /** This process has met several names of the site. */
  isShared = false;
  #firstHost: string | undefined;
  #seats = 0;
  #freedAt = 0;
  #freeEveryMs = firstEveryMs;
  /** The last request to a name with a delay of its own. */
  #lastSlowAt = 0;
  readonly #line = new Line();
  readonly #slowLine = new Line();

  constructor(pace: Pace) {
    this.pace = pace;
  }

  /** A host belongs to the site. */
  meet(host: string): void {
    this.#firstHost ??= host;
    if (host !== this.#firstHost) this.isShared = true;
  }

  get seats(): number {
    return this.#seats;
  }

  /** Returns true if a lane may work on one of the names. Then call {@link leave} at its end. */
  sit(delayMs: number, mustSit: boolean): boolean {
    const isFull = this.#seats >= (this.pace.delayMs > 0 ? 1 : this.pace.concurrency);
    const isLater = this.readyAt(delayMs) - monotonicNow() > holdMs;
    if (this.isShared && !mustSit && (isFull || isLater)) return false;
    this.#seats++;
    return true;
  }

  leave(): void {
    const now = monotonicNow();
    this.#seats--;
    const sinceMs = Math.min(Math.max(now - this.#freedAt, everyMsMin), everyMsMax);
    if (this.#freedAt > 0) this.#freeEveryMs += (sinceMs - this.#freeEveryMs) / 8;
    this.#freedAt = now;
  }

  /** When a name with more to do, and with this delay of its own, may be leased again. */
  lineUp(delayMs: number): number {
    const now = monotonicNow();
    const isSlow = this.readyAt(delayMs) > this.pace.readyAt;
    if (isSlow) return this.#slowLine.join(Math.max(now, this.#lastSlowAt), delayMs, 2 * delayMs + lineMsMax);
    const everyMs = Math.max(earliness * this.#freeEveryMs, this.pace.delayMs);
    return this.#line.join(now, everyMs, lineMsMax + this.pace.delayMs);
  }

  /** Names without a seat wait for one. */
  get othersWait(): boolean {
    return this.isShared && this.#line.hasAny(monotonicNow() - leasedWithinMs);
  }

  /**
   * The earliest start of a request to a name with this delay of its own, as of `Crawl-delay`. Names with such a delay
   * keep it from each other. Those without one need not wait for them.
   */
  readyAt(delayMs: number): number {
    return Math.max(this.pace.readyAt, delayMs > 0 ? this.#lastSlowAt + delayMs : 0);
  }

  /** A request to a name with this delay of its own was sent. */
  sent(delayMs: number): void {
    if (delayMs > 0) this.#lastSlowAt = monotonicNow();
  }
}
