// The pages of one site that wait, and when to learn from them.
import type { HeldProgress, ListedPage } from '../../core/ports/held-pages.ts';
import { likeness, type Signature } from '../../extract/learn/signature.ts';

/** Pages of a template that wait. */
export const keptOfTemplateMax = 50;
/** Pages of a job that wait. */
export const keptOfJobMax = 2_000;
/** How long a page waits. */
export const keptMsMax = 600_000;
/** With so many pages of a template, learning begins, and no more are fetched: those in flight have room. */
export const enoughOfTemplate = 40;
/** Learning begins so long after a page came, whatever is still to come. */
const patienceMs = 300_000;
const sameTemplate = 0.5;

export interface Limits {
  readonly pageLimit: number;
  readonly fetchLimit: number;
}

/** Counts pages of one structure. All tokens weigh the same, so at most too few templates are told apart. */
export class TemplateCounts {
  readonly #templates: { readonly leader: Signature; pages: number }[] = [];

  constructor(signatures: readonly Signature[] = []) {
    for (const signature of signatures) this.add(signature);
  }

  add(signature: Signature): void {
    const known = this.#find(signature);
    if (known) known.pages++;
    else this.#templates.push({ leader: signature, pages: 1 });
  }

  /** For a page that was added. */
  remove(signature: Signature): void {
    const known = this.#find(signature);
    if (known) known.pages--;
  }

  of(signature: Signature): number {
    return this.#find(signature)?.pages ?? 0;
  }

  get most(): number {
    return Math.max(0, ...this.#templates.map(({ pages }) => pages));
  }

  #find(signature: Signature): { pages: number } | undefined {
    return this.#templates.find(({ leader }) => likeness(signature, leader, unweighted) >= sameTemplate);
  }
}

const unweighted = { pages: 0, counts: new Map<number, number>() };

/** True if nothing more is to be expected, or no more can wait. */
export function isTimeToLearn(
  waiting: readonly ListedPage[],
  progress: HeldProgress,
  limits: Limits,
  { now, learnedAt }: { readonly now: number; readonly learnedAt: number },
): boolean {
  if (waiting.length === 0) return false;
  // A process died in the middle of a round.
  if (waiting.some(({ state }) => state !== 'waiting')) return true;
  if (progress.open <= progress.held || isFull(progress, limits)) return true;
  // What came while the site was learned.
  if (waiting.some(({ heldAt }) => heldAt <= learnedAt || now - heldAt >= patienceMs)) return true;
  return new TemplateCounts(waiting.map(({ signature }) => unpackSignature(signature))).most >= enoughOfTemplate;
}

/** The pages that wait are all that the job may deliver. */
export function isFull({ held, scraped, fetches }: HeldProgress, { pageLimit, fetchLimit }: Limits): boolean {
  return held >= Math.min(keptOfJobMax, pageLimit - scraped, fetchLimit - fetches);
}

export function packSignature(signature: Signature): Uint8Array {
  return new Uint8Array(new Uint32Array(signature).buffer);
}

export function unpackSignature(bytes: Uint8Array): Signature {
  return [...new Uint32Array(Uint8Array.from(bytes).buffer)];
}
