// Reads segments from objects: neighbours in one request, the last ones from memory, and what several readers miss at the
// same time once.
import { ExitError, exitCodes } from '../../core/errors.ts';
import type { FoundSlices, Segment, SegmentPlace } from '../../core/ports/blobs.ts';
import { type ObjectStore, ObjectStoreError } from '../../core/ports/object-store.ts';

/** Bytes of segments that are kept in memory. */
const keptBytesMax = 32 * 2 ** 20;
/** Bytes between two segments that cost less than a request of their own. */
const gapBytesMax = 64 * 2 ** 10;
const requestBytesMax = 8 * 2 ** 20;
/** Of one reader, at the same time. */
const requestsMax = 8;

export class SegmentReads {
  readonly #objects: Pick<ObjectStore, 'get'>;
  /** The one that was used last is at the end. */
  readonly #kept = new Map<string, Buffer>();
  /** Those that a request is under way for; undefined if they are not there. */
  readonly #asked = new Map<string, Promise<Buffer | undefined>>();
  #keptBytes = 0;

  constructor(objects: Pick<ObjectStore, 'get'>) {
    this.#objects = objects;
  }

  /** With the bytes of all segments; those that are lost are left out. `isMissing`: an object is not there. */
  async filled(found: FoundSlices): Promise<{ readonly found: FoundSlices; readonly isMissing: boolean }> {
    const outside = [...found.segments].filter(([, { place }]) => place !== undefined);
    if (outside.length === 0) return { found, isMissing: false };
    const bytes = await this.read(outside.flatMap(([, { place }]) => place ?? []));
    const segments = new Map<number, Segment>();
    for (const [name, segment] of found.segments) {
      const { place } = segment;
      const read = place && bytes.get(keyOf(place));
      if (!place) segments.set(name, segment);
      else if (read) segments.set(name, { bytes: read, length: segment.length });
    }
    return { found: { ...found, segments }, isMissing: segments.size < found.segments.size };
  }

  /** By {@link keyOf}; those that are not there are left out. */
  async read(places: readonly SegmentPlace[]): Promise<ReadonlyMap<string, Buffer>> {
    const bytes = new Map<string, Buffer>();
    const missing: SegmentPlace[] = [];
    const asked = new Map<string, Promise<Buffer | undefined>>();
    for (const place of places) {
      const key = keyOf(place);
      const [kept, waiting] = [this.#take(key), this.#asked.get(key)];
      if (kept) bytes.set(key, kept);
      else if (waiting) asked.set(key, waiting);
      else missing.push(place);
    }
    for (const [key, read] of this.#ask(missing)) asked.set(key, read);
    await Promise.all(
      [...asked].map(async ([key, read]) => {
        const found = await read;
        if (found) bytes.set(key, found);
      }),
    );
    return bytes;
  }

  /** Begins at most eight requests at a time. After the first failure no further one begins, and all readers get it. */
  #ask(places: readonly SegmentPlace[]): ReadonlyMap<string, Promise<Buffer | undefined>> {
    const reads = neighbours(places).map((group) => ({ group, read: Promise.withResolvers<Map<string, Buffer>>() }));
    const asked = new Map<string, Promise<Buffer | undefined>>();
    for (const { group, read } of reads)
      for (const key of new Set(group.map(keyOf))) {
        const found = read.promise.then((all) => all.get(key));
        asked.set(key, found);
        this.#asked.set(key, found);
        const forget = (): void => void this.#asked.delete(key);
        found.then(forget, forget);
      }
    let failure: unknown;
    const one = async (): Promise<void> => {
      for (let next = reads.pop(); next; next = reads.pop()) {
        const { group, read } = next;
        if (failure === undefined) await this.#request(group).then(read.resolve, (error: unknown) => (failure = error));
        if (failure !== undefined) read.reject(failure);
      }
    };
    for (let running = 0; running < requestsMax && reads.length > 0; running++) void one();
    return asked;
  }

  async #request(group: readonly SegmentPlace[]): Promise<Map<string, Buffer>> {
    const found = new Map<string, Buffer>();
    const [first] = group;
    if (!first) return found;
    const end = Math.max(...group.map(({ at, size }) => at + size));
    const read = await this.#objects.get(first.object, { at: first.at, size: end - first.at }).catch(refuse);
    for (const place of read ? group : []) {
      // A copy: a slice would keep all that was read.
      const bytes = Buffer.from(read?.subarray(place.at - first.at, place.at - first.at + place.size) ?? []);
      this.#keep(keyOf(place), bytes);
      found.set(keyOf(place), bytes);
    }
    return found;
  }

  #take(key: string): Buffer | undefined {
    const bytes = this.#kept.get(key);
    if (!bytes) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, bytes);
    return bytes;
  }

  #keep(key: string, bytes: Buffer): void {
    if (this.#kept.has(key)) return;
    this.#kept.set(key, bytes);
    this.#keptBytes += bytes.length;
    for (const [oldest, { length }] of this.#kept) {
      if (this.#keptBytes <= keptBytesMax) return;
      this.#kept.delete(oldest);
      this.#keptBytes -= length;
    }
  }
}

export function keyOf({ object, at }: SegmentPlace): string {
  return `${object} ${at}`;
}

/** Places that one request reads. */
function neighbours(places: readonly SegmentPlace[]): SegmentPlace[][] {
  const groups: SegmentPlace[][] = [];
  for (const ofObject of Map.groupBy(places, ({ object }) => object).values()) {
    let start = 0;
    let end = Number.NEGATIVE_INFINITY;
    for (const place of ofObject.toSorted((one, other) => one.at - other.at)) {
      const isFar = place.at > end + gapBytesMax || place.at + place.size > start + requestBytesMax;
      if (isFar) {
        groups.push([]);
        start = place.at;
      }
      groups.at(-1)?.push(place);
      end = place.at + place.size;
    }
  }
  return groups;
}

function refuse(error: unknown): never {
  throw error instanceof ObjectStoreError
    ? new ExitError(exitCodes.storageFailed, error.message, 'unavailable')
    : error;
}
