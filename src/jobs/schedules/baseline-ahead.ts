// The pages of a run are read in the order of their URLs, for which no store has an index: each read looks at all URLs of the
// run. So a reader that continues reads many pages at once, and those that it does not return yet are kept for its next slices.
import type { BaselineQuery, BaselineSlice, JobChanges, KnownPage } from '../../core/ports/changes.ts';

/** Pages read at once, about 150 bytes each. */
const aheadMax = 20_000;
/** How many such reads are kept: those of the readers that came last. */
const blocksMax = 4;

interface Block {
  readonly jobId: string;
  /** See `BaselineQuery.after`. */
  readonly after: number;
  readonly pages: readonly KnownPage[];
  /** There are pages after these. */
  readonly more: boolean;
}

export class BaselineAhead {
  readonly #changes: Pick<JobChanges, 'baseline'>;
  /** The one that was used last comes first. */
  #blocks: readonly Block[] = [];

  constructor(changes: Pick<JobChanges, 'baseline'>) {
    this.#changes = changes;
  }

  /** As `JobChanges.baseline`, of an ended job. */
  async read(query: BaselineQuery): Promise<BaselineSlice | undefined> {
    // Many readers want one slice only.
    if (query.after === 0) return this.#changes.baseline(query);
    // Whose job it is, and whether its pages are still there, is asked each time.
    const now = await this.#changes.baseline({ ...query, limit: 0 });
    if (!now || now.areResultsGone) return now;
    const known = this.#sliceOf(query);
    if (known) return { ...now, ...known };
    const read = await this.#changes.baseline({ ...query, limit: Math.max(query.limit, aheadMax) });
    if (!read || read.areResultsGone) return read;
    this.#use({ jobId: query.jobId, after: query.after, pages: read.pages, more: read.more });
    return { ...read, ...this.#sliceOf(query) };
  }

  /** Undefined if no block has all of it. */
  #sliceOf({ jobId, after, limit }: BaselineQuery): Pick<BaselineSlice, 'pages' | 'more'> | undefined {
    for (const block of this.#blocks) {
      if (block.jobId !== jobId) continue;
      const before = block.after === after ? -1 : block.pages.findIndex(({ entry }) => entry === after);
      if (before === -1 && block.after !== after) continue;
      const pages = block.pages.slice(before + 1, before + 1 + limit);
      if (pages.length < limit && block.more) continue;
      this.#use(block);
      return { pages, more: block.more || before + 1 + limit < block.pages.length };
    }
    return undefined;
  }

  #use(block: Block): void {
    this.#blocks = [block, ...this.#blocks.filter((other) => other !== block)].slice(0, blocksMax);
  }
}
