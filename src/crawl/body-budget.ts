// How much of what sites send is in memory at a time, over all hosts. Pages are small, and some are not: as many large ones as
// there may be requests would be more than most machines have.
import type { BodyMemory } from '../core/fetcher.ts';

/** A body up to this is not asked about, so that ordinary pages never wait for large ones. */
const smallBytesMax = 64 * 1024;

/**
 * Room for bodies, from the first byte that is read to the end of the conversion. Whoever finds none waits in turn. One body at a
 * time may have more than there is: with nothing but bodies that are half read, none would ever be done.
 */
export class BodyBudget {
  #freeBytes: number;
  #overdrawn: BodyShare | undefined;
  readonly #waiting = new Set<BodyShare>();

  constructor(bytesMax: number) {
    this.#freeBytes = bytesMax;
  }

  /** For one request, which has to {@link BodyShare.release} it. */
  share(): BodyShare {
    return new BodyShare(this);
  }

  /** Whether there is room for so many bytes more. Where there is none, the share waits for its turn to try again. */
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

/** What one request holds. */
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

  /** Whether what was waited for is there; then the wait is over. */
  tryAgain(): boolean {
    const wanted = this.#wanted;
    if (wanted === undefined) return true;
    if (!this.#budget.take(this, wanted.bytes - this.#heldBytes)) return false;
    this.#heldBytes = wanted.bytes;
    this.#wanted = undefined;
    wanted.resume();
    return true;
  }

  /** Once nobody reads the body any more. Nothing is resumed after that. */
  release(): void {
    this.#wanted = undefined;
    const bytes = this.#heldBytes;
    this.#heldBytes = 0;
    this.#budget.giveBack(this, bytes);
  }
}
