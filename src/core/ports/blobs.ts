// What is large of pages, apart from their rows. Small pieces are gathered in segments: compressed together, they take a
// third less space, and a store of objects would need one request for many pages.

/** Some pieces, one after the other, compressed together (zstd). Never changes once it is stored. */
export interface Segment {
  /** Empty while {@link place} says where they are. */
  readonly bytes: Uint8Array;
  /** Bytes when unpacked. */
  readonly length: number;
  /** Absent if the database has the bytes. */
  readonly place?: SegmentPlace;
}

/** Where a segment is in an object outside the database: see `ObjectStore`. */
export interface SegmentPlace {
  readonly object: string;
  readonly at: number;
  readonly size: number;
}

/** The place of one piece in a segment. A piece is never empty: without a length, its page was erased. */
export interface Slice {
  /** Of the unpacked segment, from 0. */
  readonly at: number;
  readonly length: number;
  /** CRC-32 of the piece. */
  readonly crc: number;
}

/** A piece that is stored with its page: the same segment object for all of its pieces. */
export interface StoredSlice extends Slice {
  readonly segment: Segment;
}

/**
 * Reads pieces. They are written with their pages, in one transaction (`PageRecord.rawSlice`), and removed with the
 * results of their job. A store that keeps segments elsewhere must have a segment before it commits the first page that
 * names it.
 */
export interface PageBlobs {
  /**
   * Returns the raw bodies of pages after `after`, in order; undefined if the org has no such job. Ends early, but never
   * before one page, once the unpacked pieces exceed `bytesMax`. A page without one is left out.
   */
  readRaw(query: BlobQuery): Promise<FoundSlices | undefined>;
}

export interface BlobQuery {
  readonly org: string;
  readonly jobId: string;
  readonly after: number;
  /** Pages from `after` + 1 on that are looked at, whether they have a raw body or not. */
  readonly limit: number;
  readonly bytesMax: number;
}

export interface FoundSlices {
  /** See {@link Job.areResultsGone}. */
  readonly areResultsGone: boolean;
  readonly slices: readonly FoundSlice[];
  /** By the name that a slice gives. One that is lost is missing. */
  readonly segments: ReadonlyMap<number, Segment>;
  /** The last page that was looked at. */
  readonly upTo: number;
}

export interface FoundSlice extends Slice {
  readonly page: number;
  readonly segment: number;
}
