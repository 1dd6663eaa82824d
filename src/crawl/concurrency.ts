import type { RequestKind } from '../core/request.ts';
import { Counts } from './counts.ts';

/** Out of this many requests in flight, one is reserved for urgent requests. */
const requestsPerReserved = 16;
/** Others of them must not wait for the model. */
const askingShare = 0.25;

/** The request that needs room. */
export interface Entering {
  readonly org?: string;
  readonly jobId: string;
  readonly kind?: RequestKind;
  readonly isUrgent?: boolean;
}

/**
 * Bounds the requests in flight over all hosts. A caller that finds no room is called back when there is some: urgent
 * requests first, then the org and the job with the fewest requests in flight, then the longest waiting. The reserved
 * room is for urgent requests.
 */
export class Concurrency {
  readonly #max: number;
  readonly #reserved: number;
  #free: number;
  #aside = 0;
  /** Requests that keep their room while the model is asked about their pages. */
  asking = 0;
  readonly #waiting = new Map<() => void, Entering>();
  readonly #ofOrg = new Counts();
  readonly #ofJob = new Counts();
  readonly #openPages: Counts;

  /** `openPages`: the pages among them by job, as clients see them. @default counted for nobody */
  constructor(max: number, openPages = new Counts()) {
    this.#openPages = openPages;
    this.#max = max;
    this.#free = max;
    this.#reserved = Math.floor(max / requestsPerReserved);
  }

  /** Returns true if room was taken. Otherwise calls `retry` once, when it is worth trying again. */
  tryEnter(who: Entering, retry: () => void): boolean {
    if (!this.#hasRoomFor(who)) {
      this.#waiting.set(retry, who);
      return false;
    }
    this.#free--;
    this.#count(who, 1);
    return true;
  }

  /** True if another request may keep its room until the model has answered. */
  get mayAsk(): boolean {
    return this.asking < Math.max(1, this.#max * askingShare);
  }

  leave(who: Entering): void {
    this.#free++;
    this.#count(who, -1);
    // A caller that no longer needs the room leaves it to the next one.
    for (let next = this.#next(); next; next = this.#next()) {
      this.#waiting.delete(next);
      next();
    }
  }

  /** Leaves until `stepBack`. Returns false, and does nothing, if as many are aside as can be in flight. */
  tryStepAside(who: Entering): boolean {
    if (this.#aside >= this.#max) return false;
    this.#aside++;
    this.leave(who);
    return true;
  }

  /** Takes room whether there is some or not: until others have left, more are in flight than usual. */
  stepBack(who: Entering): void {
    this.#aside--;
    this.#free--;
    this.#count(who, 1);
  }

  #count({ org = '', jobId, kind }: Entering, count: 1 | -1): void {
    this.#ofOrg.add(org, count);
    this.#ofJob.add(jobId, count);
    if (kind === 'page') this.#openPages.add(jobId, count);
  }

  #hasRoomFor({ isUrgent = false }: Entering): boolean {
    return this.#free > (isUrgent ? 0 : this.#reserved);
  }

  #next(): (() => void) | undefined {
    if (this.#free <= 0) return undefined;
    let best: { readonly retry: () => void; readonly weight: number } | undefined;
    for (const [retry, who] of this.#waiting) {
      if (!this.#hasRoomFor(who)) continue;
      const weight =
        (who.isUrgent === true ? 0 : 1e6) +
        this.#ofOrg.of(who.org ?? '') * 1e3 +
        Math.min(999, this.#ofJob.of(who.jobId));
      if (!best || weight < best.weight) best = { retry, weight };
    }
    return best?.retry;
  }
}
