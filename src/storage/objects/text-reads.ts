// Reads texts that are in objects, where a store can only say that its database does not have them.
import type { Fragment, StoredPage } from '../../core/page.ts';
import type { ReadSegments, TextPart } from '../../core/ports/blobs.ts';
import type { FoundText, JobChanges, TextQuery } from '../../core/ports/changes.ts';
import type { SegmentObjects } from '../../core/ports/object-store.ts';
import type { PageSlice, PageStore } from '../../core/ports/stores.ts';
import { textsPerJob } from '../rules/jobs/baseline-rows.ts';
import { readTexts } from '../rules/pages/text-parts.ts';

type Query = Parameters<PageStore['read']>[0];

/** A store that does not know of objects reads such a text as damaged. So what is inside costs nothing more. */
export class TextReads {
  readonly #rows: Pick<SegmentObjects, 'pageTexts' | 'textsAt'>;
  readonly #read: ReadSegments;

  constructor(rows: Pick<SegmentObjects, 'pageTexts' | 'textsAt'>, read: ReadSegments) {
    this.#rows = rows;
    this.#read = read;
  }

  /** The slice, with the pages that follow it in objects. */
  async continued(slice: PageSlice, { jobId, limit, bytesMax }: Query): Promise<PageSlice> {
    const { damagedPage, ...read } = slice;
    if (damagedPage === undefined || slice.areResultsGone) return slice;
    const unpacked = slice.pages.reduce((sum, page) => sum + (page.body?.length ?? 0), 0);
    const after = damagedPage - 1;
    const query = { jobId, after, limit: limit - slice.pages.length, bytesMax: bytesMax - unpacked };
    const texts = await this.#twice(() => this.#rows.pageTexts(query));
    const pages: StoredPage[] = [...slice.pages];
    for (const [index, body] of texts.entries()) {
      if (!body) break;
      pages.push({ page: after + index + 1, body });
    }
    const next = after + 1 + pages.length - slice.pages.length;
    const isDamaged = texts.length === 0 || next < after + 1 + texts.length;
    return { ...read, pages, more: next <= slice.total, ...(isDamaged && { damagedPage: next }) };
  }

  /** See `JobChanges.texts`. */
  async found(changes: JobChanges, query: TextQuery): Promise<readonly FoundText[]> {
    const found = await changes.texts(query);
    if (!query.withText || !found.includes('damaged')) return found;
    const places = query.places.filter((_, index) => found[index] === 'damaged');
    const texts = await this.#twice(() => this.#rows.textsAt(places));
    const pages = places.map((place, index) => ({ page: place % textsPerJob, body: texts[index] }));
    return found.map((text) => {
      if (text !== 'damaged') return text;
      const read = pages.shift();
      return read?.body ? { page: read.page, body: read.body } : 'damaged';
    });
  }

  /** A text that is missing was moved to another object after its place was read, or is lost. */
  async #twice(partsOf: () => Promise<readonly (TextPart | undefined)[]>): Promise<readonly (Fragment | undefined)[]> {
    const texts = await readTexts(await partsOf(), this.#read);
    return texts.includes(undefined) ? readTexts(await partsOf(), this.#read) : texts;
  }
}
