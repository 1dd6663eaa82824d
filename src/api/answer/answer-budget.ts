// Limits the bytes of responses that are built or being sent at a time. 64 clients that request 16 MiB each and read
// nothing would hold a gigabyte; here the first few do, and the others wait or get `overloaded`.
//
// One org gets at most half, so that its slow readers leave the rest to others. Waiting requests are served in order,
// except that requests of an org at its half are passed over.
import { UserError } from '../../core/errors.ts';
import { answerWaitSeconds } from '../limits.ts';

/** Part of the budget. The holder shrinks it when it knows how much it needs, and gives it back once. */
export interface Share {
  shrinkTo(bytes: number): void;
  giveBack(): void;
}

interface Waiter {
  readonly org: string;
  readonly bytes: number;
  admit(): void;
}

export class AnswerBudget {
  readonly #bytesMax: number;
  readonly #waitMs: number;
  readonly #usedBy = new Map<string, number>();
  readonly #waiting = new Set<Waiter>();
  #used = 0;

  constructor(bytesMax: number, waitMs = answerWaitSeconds * 1000) {
    this.#bytesMax = bytesMax;
    this.#waitMs = waitMs;
  }

  /**
   * Rejects with a `UserError` if there is no room in time, or if the signal fires first and so nobody waits any more.
   */
  async take(org: string, bytes: number, signal: AbortSignal): Promise<Share> {
    const wanted: Pick<Waiter, 'org' | 'bytes'> = { org, bytes };
    if (this.#hasRoomFor(wanted)) this.#add(org, bytes);
    else await this.#wait(org, bytes, signal);
    let held = bytes;
    return {
      shrinkTo: (less) => {
        if (less >= held) return;
        this.#add(org, less - held);
        held = less;
        this.#admitWaiting();
      },
      giveBack: () => {
        this.#add(org, -held);
        held = 0;
        this.#admitWaiting();
      },
    };
  }

  /** A share larger than the whole budget is admitted when it is the only one. */
  #hasRoomFor({ org, bytes }: Pick<Waiter, 'org' | 'bytes'>): boolean {
    const ofOrg = this.#usedBy.get(org) ?? 0;
    const fitsOrg = ofOrg === 0 || ofOrg + bytes <= this.#bytesMax / 2;
    return fitsOrg && (this.#used === 0 || this.#used + bytes <= this.#bytesMax);
  }

  #wait(org: string, bytes: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        this.#waiting.delete(waiter);
      };
      const giveUp = (): void => {
        end();
        const message = 'Too many responses are still being read. Retry in a few seconds.';
        reject(new UserError('overloaded', message));
      };
      const timer = setTimeout(giveUp, signal.aborted ? 0 : this.#waitMs);
      const waiter: Waiter = {
        org,
        bytes,
        admit: () => {
          end();
          this.#add(org, bytes);
          resolve();
        },
      };
      signal.addEventListener('abort', giveUp);
      this.#waiting.add(waiter);
    });
  }

  #admitWaiting(): void {
    for (const waiter of this.#waiting) if (this.#hasRoomFor(waiter)) waiter.admit();
  }

  #add(org: string, bytes: number): void {
    this.#used += bytes;
    const ofOrg = (this.#usedBy.get(org) ?? 0) + bytes;
    if (ofOrg === 0) this.#usedBy.delete(org);
    else this.#usedBy.set(org, ofOrg);
  }
}
