import { randomBytes } from 'node:crypto';
import type { Outbox, WebhookKeys } from '../../core/webhook.ts';
import { one, type OperationsOf, send, type Steps } from './operation.ts';
import { clock, sql } from './sql.ts';

const keyBytes = 32;
/** How long the previous key also signs, so that receivers have time to learn the new one. */
const previousKeptMs = 24 * 3600 * 1000;

interface KeyRow {
  readonly current: Uint8Array;
  readonly previous: Uint8Array | null;
  readonly rotated_at: number | null;
}

/** The signing keys of orgs. */
export const webhookKeys: OperationsOf<Pick<Outbox, 'keys' | 'rotateKey'>> = {
  keys: { kind: 'write', steps: keys },
  rotateKey: {
    kind: 'write',
    *steps(org: string) {
      yield* keys(org);
      yield* send(
        sql`UPDATE webhook_key SET previous = current, current = ${randomBytes(keyBytes)}, rotated_at = ${clock()} WHERE org = ${org}`,
      );
      return yield* keys(org);
    },
  },
};

/** Creates the key at the first call. */
function* keys(org: string): Steps<WebhookKeys> {
  yield* send(
    sql`INSERT INTO webhook_key (org, current) VALUES (${org}, ${randomBytes(keyBytes)}) ON CONFLICT DO NOTHING`,
  );
  const row = yield* one<KeyRow & { readonly now: number }>(
    sql`SELECT current, previous, rotated_at, ${clock()} AS now FROM webhook_key WHERE org = ${org}`,
  );
  if (!row) throw new Error(`the webhook key of org ${org} was not stored`);
  return keysOf(row, row.now);
}

function keysOf({ current, previous, rotated_at: rotatedAt }: KeyRow, now: number): WebhookKeys {
  const stillSigns = previous !== null && rotatedAt !== null && now < rotatedAt + previousKeptMs;
  return stillSigns ? { current, previous } : { current };
}
