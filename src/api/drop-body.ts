import type { Readable } from 'node:stream';

/** Limit of bytes to drop: a client that sends more does not get to see why it was refused. */
const bytesMax = 32 * 2 ** 20;
const waitMsMax = 5_000;

/**
 * Reads the rest of a body and drops it. Closing a connection with unread bytes resets it, and the reset can overtake
 * the response.
 */
export function dropBody(body: Readable): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const timer = setTimeout(resolve, waitMsMax);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    body.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) done();
    });
    body.once('end', done).once('close', done).once('error', done);
    if (body.readableEnded || body.destroyed) done();
    body.resume();
  });
}
