import type { WebhookKeys } from '../../../core/webhook.ts';

export const keyBytes = 32;
/** How long the previous key also signs, so that receivers have time to learn the new one. */
const previousKeptMs = 24 * 3600 * 1000;

export interface KeyRow {
  readonly current: Uint8Array;
  readonly previous: Uint8Array | null;
  readonly rotated_at: number | null;
}

export function keysOf({ current, previous, rotated_at: rotatedAt }: KeyRow, now: number): WebhookKeys {
  const stillSigns = previous !== null && rotatedAt !== null && now < rotatedAt + previousKeptMs;
  return stillSigns ? { current, previous } : { current };
}
