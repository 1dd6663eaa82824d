// Limits what all orgs use at a time of something that is scarce, such as the bytes of responses that are built or being
// sent. 64 clients that request 16 MiB each and read nothing would hold a gigabyte; here the first few do, and the others
// wait or get `overloaded`.
//
// One org gets at most half, so that its slow readers leave the rest to others. Waiting requests are served in order,
// except that requests of an org at its half are passed over.
import { UserError } from '../errors.ts';

/** Part of the budget. The holder shrinks it when it knows how much it needs, and gives it back once. */
export interface Share {
  shrinkTo(amount: number): void;
  giveBack(): void;
}

interface Waiter {
  readonly org: string;
  readonly amount: number;
  admit(): void;
}

export interface FairBudgetOptions {
  /** Used at a time, over all orgs. */
  readonly max: number;
  /** How long a request waits for its share. */
  readonly waitMs: number;
  /** The message of `overloaded`. */
  readonly refusal: string;
}

export class FairBudget {
  readonly #options: FairBudgetOptions;
  readonly #usedBy = new Map<string, number>();
  readonly #waiting = new Set<Waiter>();
  #used = 0;

  constructor(options: FairBudgetOptions) {
    this.#options = options;
  }

  /**
   * Rejects with a `UserError` if there is no room in time, or if the signal fires first and so nobody waits any more.
   */
  async take(org: string, amount: number, signal: AbortSignal): Promise<Share> {
    const wanted: Pick<Waiter, 'org' | 'amount'> = { org, amount };
    if (this.#hasRoomFor(wanted)) this.#add(org, amount);
    else await this.#wait(org, amount, signal);
    let held = amount;
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
  #hasRoomFor({ org, amount }: Pick<Waiter, 'org' | 'amount'>): boolean {
    const ofOrg = this.#usedBy.get(org) ?? 0;
    const { max } = this.#options;
    const fitsOrg = ofOrg === 0 || ofOrg + amount <= max / 2;
    return fitsOrg && (this.#used === 0 || this.#used + amount <= max);
  }

  #wait(org: string, amount: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        this.#waiting.delete(waiter);
      };
      const giveUp = (): void => {
        end();
        reject(new UserError('overloaded', this.#options.refusal));
      };
      const timer = setTimeout(giveUp, signal.aborted ? 0 : this.#options.waitMs);
      const waiter: Waiter = {
        org,
        amount,
        admit: () => {
          end();
          this.#add(org, amount);
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

  #add(org: string, amount: number): void {
    this.#used += amount;
    const ofOrg = (this.#usedBy.get(org) ?? 0) + amount;
    if (ofOrg === 0) this.#usedBy.delete(org);
    else this.#usedBy.set(org, ofOrg);
  }
}
