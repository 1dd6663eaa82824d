/** Returns memory of this many bytes. Its content is undefined. */
export type Allocate = (bytes: number) => Buffer;

export const newMemory: Allocate = (bytes) => Buffer.allocUnsafeSlow(bytes);
