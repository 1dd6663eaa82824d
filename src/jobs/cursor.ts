import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { UserError } from '../core/errors.ts';

/** The list that a cursor points into. A cursor is valid for its own list only. */
export type CursorList =
  | { readonly kind: 'pages' | 'feed' | 'snapshot'; readonly jobId: string }
  | { readonly kind: 'urls' | 'changes' | 'deliveries' | 'search'; readonly jobId: string; readonly filter: string }
  | {
      readonly kind: 'jobs' | 'hosts' | 'tokens' | 'schedules' | 'runs';
      readonly org: string;
      readonly filter: string;
    };

const version = 1;
const signatureBytes = 16;

/**
 * Cursors are opaque to clients: a version, a position and a signature over both and over the list, in base64url. The
 * service keeps no state for them, so they stay valid across restarts, while the database's secret exists.
 */
export class Cursors {
  readonly #secret: KeyObject;

  constructor(secret: Uint8Array) {
    this.#secret = createSecretKey(secret);
  }

  /** Returns a cursor after `position`: a page number, a ledger entry, a delivery, hits of a search, a job id or a token. */
  write(list: CursorList, position: number | string): string {
    const payload = Buffer.from(`${version}${position}`);
    return Buffer.concat([this.#sign(list, payload), payload]).toString('base64url');
  }

  /** Returns the position. Throws a `UserError` (`invalid_cursor`) for a cursor that was not issued for this list. */
  read(list: CursorList, cursor: string): string {
    const bytes = /^[\w-]{24,128}$/.test(cursor) ? Buffer.from(cursor, 'base64url') : Buffer.alloc(0);
    const payload = bytes.subarray(signatureBytes);
    const genuine =
      bytes.length > signatureBytes &&
      // Accept one spelling only: base64 leaves bits at the end that a lenient reader ignores.
      bytes.toString('base64url') === cursor &&
      timingSafeEqual(bytes.subarray(0, signatureBytes), this.#sign(list, payload)) &&
      payload.toString().startsWith(String(version));
    if (!genuine) {
      throw new UserError(
        'invalid_cursor',
        'This cursor was not issued for this list. Use `cursor` from the previous response unchanged, or leave it out to start at the beginning.',
      );
    }
    return payload.toString().slice(String(version).length);
  }

  #sign(list: CursorList, payload: Uint8Array): Uint8Array {
    const name =
      'org' in list ? [list.kind, list.org, list.filter] : [list.kind, list.jobId, 'filter' in list ? list.filter : ''];
    return createHmac('sha256', this.#secret)
      .update(JSON.stringify(name))
      .update(payload)
      .digest()
      .subarray(0, signatureBytes);
  }
}
