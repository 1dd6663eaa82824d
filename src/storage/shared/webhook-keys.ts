import { randomBytes } from 'node:crypto';
import type { Outbox, WebhookKeys } from '../../core/webhook.ts';
import { keyBytes, type KeyRow, keysOf } from '../rules/service/webhook-key-row.ts';
import { one, type OperationsOf, send, type Steps } from './operation.ts';
import { clock, sql } from './sql.ts';

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
