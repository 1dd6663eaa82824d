import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { UserError } from '../core/errors.ts';

/** What a cursor points into. A cursor of one list is no cursor of another. */
export type CursorList =
  | { readonly kind: 'pages'; readonly jobId: string }
  | { readonly kind: 'urls' | 'deliveries'; readonly jobId: string; readonly filter: string }
  | { readonly kind: 'jobs'; readonly org: string; readonly filter: string };

const version = 1;
const signatureBytes = 16;

/**
 * Cursors are opaque to clients: a version, a position and a signature over both and over the list, in base64url. They
 * hold no state here, so they are good across restarts and for as long as the database's secret exists.
 */
export class Cursors {
  readonly #secret: KeyObject;

  constructor(secret: Uint8Array) {
    this.#secret = createSecretKey(secret);
  }

  /** A cursor behind `position`: a page number, a ledger entry, a delivery or a job id. */
  write(list: CursorList, position: number | string): string {
    const payload = Buffer.from(`${version}${position}`);
    return Buffer.concat([this.#sign(list, payload), payload]).toString('base64url');
  }

  /** The position, or a `UserError` (`invalid_cursor`) for whatever this service did not write for this list. */
  read(list: CursorList, cursor: string): string {
    const bytes = /^[\w-]{24,128}$/.test(cursor) ? Buffer.from(cursor, 'base64url') : Buffer.alloc(0);
    const payload = bytes.subarray(signatureBytes);
    const genuine =
      bytes.length > signatureBytes &&
      // One spelling each: base64 leaves bits at the end that a lenient reader ignores.
      bytes.toString('base64url') === cursor &&
      timingSafeEqual(bytes.subarray(0, signatureBytes), this.#sign(list, payload)) &&
      payload.toString().startsWith(String(version));
    if (!genuine) {
      throw new UserError(
        'invalid_cursor',
        'The cursor is not one that this list gave. Take it unchanged from the previous response, or leave it out to begin at the start.',
      );
    }
    return payload.toString().slice(String(version).length);
  }

  #sign(list: CursorList, payload: Uint8Array): Uint8Array {
    const name =
      list.kind === 'jobs'
        ? [list.kind, list.org, list.filter]
        : [list.kind, list.jobId, 'filter' in list ? list.filter : ''];
    return createHmac('sha256', this.#secret)
      .update(JSON.stringify(name))
      .update(payload)
      .digest()
      .subarray(0, signatureBytes);
  }
}
