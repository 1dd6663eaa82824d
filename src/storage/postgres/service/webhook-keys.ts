import { randomBytes } from 'node:crypto';
import type { Outbox, WebhookKeys } from '../../../core/webhook.ts';
import { keyBytes, type KeyRow, keysOf } from '../../rules/service/webhook-key-row.ts';
import type { Connections } from '../connection/connections.ts';
import { nowSql } from '../connection/schema.ts';

/** The signing keys of orgs. */
export function webhookKeysOf(connections: Connections): Pick<Outbox, 'keys' | 'rotateKey'> {
  const read = async (org: string): Promise<WebhookKeys> => {
    const [row] = await connections.query<KeyRow & { readonly now: number }>(
      `SELECT current, previous, rotated_at, ${nowSql} AS now FROM webhook_key WHERE org = $1`,
      [org],
    );
    if (!row) throw new Error(`the webhook key of org ${org} was not stored`);
    return keysOf(
      {
        current: new Uint8Array(row.current),
        previous: row.previous && new Uint8Array(row.previous),
        rotated_at: row.rotated_at,
      },
      row.now,
    );
  };
  const keys = async (org: string): Promise<WebhookKeys> => {
    await connections.query('INSERT INTO webhook_key (org, current) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      org,
      randomBytes(keyBytes),
    ]);
    return read(org);
  };
  return {
    keys,
    rotateKey: async (org) => {
      await keys(org);
      await connections.query(
        `UPDATE webhook_key SET previous = current, current = $2, rotated_at = ${nowSql} WHERE org = $1`,
        [org, randomBytes(keyBytes)],
      );
      return read(org);
    },
  };
}
