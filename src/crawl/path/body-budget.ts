// Bounds the bytes of responses in memory, over all hosts. Most pages are small. If all requests in flight were large
// ones, they would need more memory than most machines have.
import type { BodyMemory } from '../../core/ports/fetcher.ts';

/** Bodies up to this size need no room, so ordinary pages never wait for large ones. */
const smallBytesMax = 64 * 1024;

/**
 * Room for bodies, from the first byte read to the end of the conversion. A request that finds no room waits for its
 * turn. One body at a time can exceed the budget: if all bodies were half read, none would ever finish.
 */
export class BodyBudget {
  #freeBytes: number;
  #overdrawn: BodyShare | undefined;
  readonly #waiting = new Set<BodyShare>();

  constructor(bytesMax: number) {
    this.#freeBytes = bytesMax;
  }

  /** The share of one request, which must {@link BodyShare.release} it. */
  share(): BodyShare {
    return new BodyShare(this);
  }

  /** Takes room for `bytes` more. Returns false if there is none: then the share waits for its turn to try again. */
  take(share: BodyShare, bytes: number): boolean {
    if (bytes > this.#freeBytes) {
      if (this.#overdrawn !== undefined && this.#overdrawn !== share) {
        this.#waiting.add(share);
        return false;
      }
      this.#overdrawn = share;
    }
    this.#waiting.delete(share);
    this.#freeBytes -= bytes;
    return true;
  }

  giveBack(share: BodyShare, bytes: number): void {
    this.#freeBytes += bytes;
    if (this.#overdrawn === share) this.#overdrawn = undefined;
    this.#waiting.delete(share);
    for (const next of this.#waiting) if (!next.tryAgain()) return;
  }
}

/** The bytes that one request holds. */
export class BodyShare implements BodyMemory {
  readonly #budget: BodyBudget;
  #heldBytes = 0;
  #wanted: { readonly bytes: number; readonly resume: () => void } | undefined;

  constructor(budget: BodyBudget) {
    this.#budget = budget;
  }

  hold(bytes: number, resume: () => void): boolean {
    if (bytes <= smallBytesMax || bytes <= this.#heldBytes) return true;
    if (this.#budget.take(this, bytes - this.#heldBytes)) {
      this.#heldBytes = bytes;
      return true;
    }
    this.#wanted = { bytes, resume };
    return false;
  }

  /** Returns true if the share waits no more: there was room, or nothing was wanted. */
  tryAgain(): boolean {
    const wanted = this.#wanted;
    if (wanted === undefined) return true;
    if (!this.#budget.take(this, wanted.bytes - this.#heldBytes)) return false;
    this.#heldBytes = wanted.bytes;
    this.#wanted = undefined;
    wanted.resume();
    return true;
  }

  /** Call when the body is no longer read. Nothing is resumed after that. */
  release(): void {
    this.#wanted = undefined;
    const bytes = this.#heldBytes;
    this.#heldBytes = 0;
    this.#budget.giveBack(this, bytes);
  }
}
