/** A page of which a part is not what was stored. */
export interface DamagedPage {
  readonly job: string;
  readonly page: number;
  readonly part: 'text' | 'metadata';
}

/** What a check read, where the structure is whole. */
export interface CheckSummary {
  readonly jobs: number;
  readonly pages: number;
  /** The first of them, {@link damagedNamedMax} at most. */
  readonly damaged: readonly DamagedPage[];
  /** All of them. */
  readonly damagedParts: number;
}

export const damagedNamedMax = 100;

/** Collects what is damaged: counts all, keeps the first. */
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
