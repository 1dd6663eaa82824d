/** Smaller parts are joined: a message or a write for each would cost more than its content. */
const chunkBytesMin = 64 * 1024;

/** Joins parts to chunks with memory of their own, which can move between threads. */
export async function* outputChunks(
  parts: AsyncIterable<string | Uint8Array>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of parts) {
    const own = typeof part === 'string' ? Buffer.from(part) : part;
    waiting.push(own);
    bytes += own.length;
    if (bytes < chunkBytesMin) continue;
    yield joined(waiting, bytes);
    [waiting, bytes] = [[], 0];
  }
  if (bytes > 0) yield joined(waiting, bytes);
}

function joined(parts: readonly Uint8Array[], bytes: number): Uint8Array<ArrayBuffer> {
  const chunk = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    chunk.set(part, at);
    at += part.length;
  }
  return chunk;
}
