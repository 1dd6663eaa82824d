import { randomBytes } from 'node:crypto';
import type { WebhookKeys } from '../../../core/webhook.ts';
import { keyBytes, type KeyRow, keysOf } from '../../rules/service/webhook-key-row.ts';
import type { Database } from '../file/database.ts';

/** The signing keys of an org, created at the first call. */
export function webhookKeys(db: Database, org: string, now: number): WebhookKeys {
  db.prepare('INSERT INTO webhook_key (org, current) VALUES (?, ?) ON CONFLICT DO NOTHING').run(
    org,
    randomBytes(keyBytes),
  );
  const row = db
    .prepare<[string], KeyRow>('SELECT current, previous, rotated_at FROM webhook_key WHERE org = ?')
    .get(org);
  if (!row) throw new Error(`the webhook key of org ${org} was not stored`);
  return keysOf(row, now);
}

export function rotateWebhookKey(db: Database, org: string, now: number): WebhookKeys {
  webhookKeys(db, org, now);
  db.prepare('UPDATE webhook_key SET previous = current, current = ?, rotated_at = ? WHERE org = ?').run(
    randomBytes(keyBytes),
    now,
    org,
  );
  return webhookKeys(db, org, now);
}
