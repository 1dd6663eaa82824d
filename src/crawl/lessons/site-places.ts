// The places that the pages of one site take among those that wait. A page takes its place before it is written, so that
// pages which come at the same time do not take the last place together.
import { isWaiting, type ListedPage } from '../../core/ports/held-pages.ts';
import type { Signature } from '../../extract/learn/signature.ts';
import { TemplateCounts, unpackSignature } from './kept-site.ts';

/**
 * `reserved`: a page that is being read. `written`: this process wrote it after the store was last read. `new`: its links
 * may not be stored. `learned`: it waits for its delivery only.
 */
type PlaceState = 'reserved' | 'written' | 'new' | 'waiting' | 'learned';

interface Place {
  readonly signature: Signature;
  readonly state: PlaceState;
}

export class SitePlaces {
  /** By request. */
  #places = new Map<number, Place>();
  #all = new TemplateCounts();
  #unlearned = new TemplateCounts();

  get size(): number {
    return this.#places.size;
  }

  /** Pages that the count of the store may not have. */
  get uncounted(): number {
    let pages = 0;
    for (const { state } of this.#places.values()) pages += Number(isOwn(state) || state === 'new');
    return pages;
  }

  /** Pages of the template with most pages that are on disk and not learned from. */
  get unlearned(): number {
    return this.#unlearned.most;
  }

  of(signature: Signature): number {
    return this.#all.of(signature);
  }

  reserve(request: number, signature: Signature): void {
    this.#set(request, { signature, state: 'reserved' });
  }

  /** The page is on disk. */
  write(request: number, signature: Signature): void {
    this.#set(request, { signature, state: 'written' });
  }

  /** Frees the place of a page that does not wait. */
  release(request: number): void {
    if (this.#places.get(request)?.state === 'reserved') this.#remove(request);
  }

  /** What the store is sure to list from now on. Call it before the store is read. */
  written(): readonly number[] {
    return [...this.#places].flatMap(([request, { state }]) => (state === 'written' ? [request] : []));
  }

  /** What the store lists, and pages of this process that it may not list yet. */
  replace(listed: readonly ListedPage[], written: readonly number[]): void {
    const listable = new Set(written);
    const own = [...this.#places].filter(([request, { state }]) => isOwn(state) && !listable.has(request));
    this.#places = new Map();
    this.#all = new TemplateCounts();
    this.#unlearned = new TemplateCounts();
    for (const { request, signature, state } of listed)
      this.#set(request, {
        signature: unpackSignature(signature),
        state: state === 'new' ? 'new' : isWaiting(state) ? 'waiting' : 'learned',
      });
    for (const [request, place] of own) this.#set(request, place);
  }

  /** All pages that waited were learned from. */
  learned(): void {
    for (const [request, { signature, state }] of this.#places)
      if (state === 'waiting') this.#set(request, { signature, state: 'learned' });
  }

  #set(request: number, place: Place): void {
    this.#remove(request);
    this.#places.set(request, place);
    this.#all.add(place.signature);
    if (isUnlearned(place.state)) this.#unlearned.add(place.signature);
  }

  #remove(request: number): void {
    const place = this.#places.get(request);
    if (!place) return;
    this.#places.delete(request);
    this.#all.remove(place.signature);
    if (isUnlearned(place.state)) this.#unlearned.remove(place.signature);
  }
}

function isOwn(state: PlaceState): boolean {
  return state === 'reserved' || state === 'written';
}

function isUnlearned(state: PlaceState): boolean {
  return state !== 'reserved' && state !== 'learned';
}
