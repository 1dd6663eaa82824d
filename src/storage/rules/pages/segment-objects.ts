// Objects with segments: the same in every store.
import type { Segment } from '../../../core/ports/blobs.ts';
import type { MovedSegment, ObjectsIdentity } from '../../../core/ports/object-store.ts';

/** Segments that one move reads at most. */
export const segmentsPerMove = 2_000;
export const objectsPerStep = 500;
/** The setting with the {@link ObjectsIdentity}. */
export const identitySetting = 'objects';

/** In SQL: the states of an object that rows can name. */
export const isAliveSql = "state IN ('new', 'live')";

export interface NewSegment extends Omit<Segment, 'bytes'> {
  readonly bytes: Uint8Array | null;
}

/** The columns of a segment but its id: either its bytes, or its place in an object. */
export function segmentColumns({ bytes, length, place }: NewSegment) {
  const { object = null, at = null, size = null } = place ?? {};
  return { bytes: place ? null : bytes, length, object, object_at: at, size };
}

/** The first segments that together have at most `bytesMax` bytes, and one at least. */
export function withinMove(segments: readonly MovedSegment[], bytesMax: number): readonly MovedSegment[] {
  let bytes = 0;
  const end = segments.findIndex(({ size }, index) => (bytes += size) > bytesMax && index > 0);
  return end === -1 ? segments : segments.slice(0, end);
}

export function identityBytes(identity: ObjectsIdentity): Uint8Array {
  return Buffer.from(JSON.stringify(identity));
}

export function identityIn(value: Uint8Array | undefined): ObjectsIdentity | undefined {
  return value && (JSON.parse(Buffer.from(value).toString()) as ObjectsIdentity);
}
