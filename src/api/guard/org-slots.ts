/** Limits the concurrent requests of one org, for requests that take long. */
export class OrgSlots {
  readonly #perOrg: number;
  readonly #taken = new Map<string, number>();

  constructor(perOrg: number) {
    this.#perOrg = perOrg;
  }

  /** Returns a function that gives the slot back, to be called once; undefined if all slots are taken. */
  take(org: string): (() => void) | undefined {
    const taken = this.#taken.get(org) ?? 0;
    if (taken >= this.#perOrg) return undefined;
    this.#taken.set(org, taken + 1);
    return () => {
      const left = (this.#taken.get(org) ?? 1) - 1;
      if (left === 0) this.#taken.delete(org);
      else this.#taken.set(org, left);
    };
  }
}
