declare const isOwned: unique symbol;

/**
 * Bytes that use all of their memory and have one owner. Only the owner may pass them to another thread, give them away
 * or free them, and must not read them afterwards. The receiver of a plain `Uint8Array` may only read it, and must not
 * keep it.
 */
export type OwnedBytes = Uint8Array<ArrayBuffer> & { readonly [isOwned]: true };

/** New memory. Its content is undefined. */
export function allocateOwned(bytes: number): OwnedBytes {
  // Not from Node's shared pool, and not zeroed.
  return Buffer.allocUnsafeSlow(bytes) as Uint8Array as OwnedBytes;
}

/** A copy in memory of its own. */
export function ownedCopy(bytes: Uint8Array): OwnedBytes {
  const copy = allocateOwned(bytes.length);
  copy.set(bytes);
  return copy;
}

/** Returns true if the bytes span all of their memory. The caller vouches that it holds the only reference. */
export function ownsMemory(bytes: Uint8Array): bytes is OwnedBytes {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && !buffer.detached && byteLength === buffer.byteLength;
}
