declare const isOwned: unique symbol;

/**
 * Bytes with memory of their own, all of it, and one owner. Only the owner passes them to another thread, gives them to somebody else, or
 * frees them, and reads them no more afterwards. Who is given a plain `Uint8Array` only reads it, and may not keep it.
 */
export type OwnedBytes = Uint8Array<ArrayBuffer> & { readonly [isOwned]: true };

/** New memory. Its content is undefined. */
export function allocateOwned(bytes: number): OwnedBytes {
  // Not out of Node's shared pool, and not zeroed.
  return Buffer.allocUnsafeSlow(bytes) as Uint8Array as OwnedBytes;
}

/** A copy in memory of its own. */
export function ownedCopy(bytes: Uint8Array): OwnedBytes {
  const copy = allocateOwned(bytes.length);
  copy.set(bytes);
  return copy;
}

/** Whether bytes have all of their memory for themselves. The caller vouches for being the only one who knows them. */
export function ownsMemory(bytes: Uint8Array): bytes is OwnedBytes {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && !buffer.detached && byteLength === buffer.byteLength;
}
