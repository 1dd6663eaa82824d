/** How many requests of one org may be under way at a time, of a kind that takes long. */
export class OrgSlots {
  readonly #perOrg: number;
  readonly #taken = new Map<string, number>();

  constructor(perOrg: number) {
    this.#perOrg = perOrg;
  }

  /** Answers what gives the slot back, to be called once; undefined when all of them are taken. */
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
