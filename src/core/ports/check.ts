/** A page with a part that differs from what was stored. */
export interface DamagedPage {
  readonly job: string;
  readonly page: number;
  readonly part: 'text' | 'metadata' | 'screenshot' | 'raw body';
}

/** Result of a check of a database whose structure is intact. */
export interface CheckSummary {
  readonly jobs: number;
  readonly pages: number;
  /** The first damaged parts, at most {@link damagedNamedMax}. */
  readonly damaged: readonly DamagedPage[];
  /** Number of all damaged parts. */
  readonly damagedParts: number;
  /** Set if raw bodies and screenshots are in objects outside the database. */
  readonly objects?: CheckedObjects;
}

/** The objects that the database names, compared with those that are there. */
export interface CheckedObjects {
  readonly objects: number;
  /** Objects that the database names and that are not there, or have another size. */
  readonly missing: number;
  /** Objects that are there and that no row names. They are deleted when they are old enough. */
  readonly unnamed: number;
}

export const damagedNamedMax = 100;

/** Collects damaged parts: counts all, keeps the first ones. */
export class Damage {
  readonly damaged: DamagedPage[] = [];
  damagedParts = 0;

  add(page: DamagedPage): void {
    this.damagedParts++;
    if (this.damaged.length < damagedNamedMax) this.damaged.push(page);
  }
}

export function inWords({ job, page, part }: DamagedPage): string {
  return `the ${part} of page ${page} of job ${job}`;
}
