// Finds the frames of a zstd body without unpacking them. node:zlib stops after the first frame, and before Node 24 it
// returns the beginning of a truncated frame as if that were all.

export interface ZstdFrames {
  /**
   * Each with its header and checksum. The last one is cut off if {@link isWhole} is false. Skippable frames are left
   * out.
   */
  readonly frames: readonly Uint8Array[];
  /** The body begins with a frame, and each frame is complete. Other bytes after the last frame do not count. */
  readonly isWhole: boolean;
}

/** A parallel packer writes a frame per MiB or so. A body has 20 MiB at most. */
const framesMax = 1_000;

const magic = 0xfd_2f_b5_28;
/** RFC 8878, 3.1.2: the lowest four bits are arbitrary. */
const skippableMagic = 0x18_4d_2a_50;
const dictionaryIdBytes = [0, 1, 2, 4];
const contentSizeBytes = [0, 2, 4, 8];
const rleBlock = 1;

/** RFC 8878, 3.1. Takes linear time, and reads four bytes for each block of at most 128 KiB. */
export function zstdFrames(body: Uint8Array): ZstdFrames {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const frames: Uint8Array[] = [];
  let start = 0;
  for (let count = 0; count <= framesMax; count++) {
    const kind = kindOfFrame(view, start);
    if (kind === undefined) return { frames, isWhole: start > 0 };
    const end = kind === 'data' ? endOfFrame(view, start) : endOfSkippable(view, start);
    if (kind === 'data') frames.push(body.subarray(start, end));
    if (end === undefined) return { frames, isWhole: false };
    start = end;
  }
  return { frames, isWhole: false };
}

function kindOfFrame(view: DataView, start: number): 'data' | 'skippable' | undefined {
  if (start + 4 > view.byteLength) return undefined;
  const found = view.getUint32(start, true);
  if (found === magic) return 'data';
  return (found ^ skippableMagic) >>> 0 < 16 ? 'skippable' : undefined;
}

function endOfSkippable(view: DataView, start: number): number | undefined {
  if (start + 8 > view.byteLength) return undefined;
  return endWithin(view, start + 8 + view.getUint32(start + 4, true));
}

/** Undefined if the frame is cut off. */
function endOfFrame(view: DataView, start: number): number | undefined {
  if (start + 5 > view.byteLength) return undefined;
  const descriptor = view.getUint8(start + 4);
  const isSingleSegment = (descriptor & 0b10_0000) !== 0;
  const hasChecksum = (descriptor & 0b100) !== 0;
  const sizeBytes = contentSizeBytes[descriptor >> 6] ?? 0;
  const sizeAndWindowBytes = isSingleSegment ? Math.max(1, sizeBytes) : sizeBytes + 1;
  let at = start + 5 + sizeAndWindowBytes + (dictionaryIdBytes[descriptor & 0b11] ?? 0);
  for (;;) {
    if (at + 3 > view.byteLength) return undefined;
    const block = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
    const isLast = (block & 1) !== 0;
    at += 3 + (((block >> 1) & 0b11) === rleBlock ? 1 : block >> 3);
    if (isLast) return endWithin(view, hasChecksum ? at + 4 : at);
  }
}

function endWithin(view: DataView, end: number): number | undefined {
  return end <= view.byteLength ? end : undefined;
}
