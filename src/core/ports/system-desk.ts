import type { z } from 'zod';
import type { Builder } from '../resource.ts';

/** What an operator wants to know about the service. */
export const systemStatus = (z: Builder) => {
  const bytes = z.int().describe('Bytes.');
  return z.object({
    startedAt: z.int().describe('Milliseconds since the epoch.'),
    place: z.string().describe('The data directory, or the server of PostgreSQL.'),
    database: z.enum(['sqlite', 'postgresql']),
    dataBytes: bytes.nullable().describe('Size of the data; null if it is in PostgreSQL.'),
    disk: z.object({ freeBytes: bytes, totalBytes: bytes, pausesBelowBytes: bytes }).describe('Of the data directory.'),
    memory: z.object({ usedBytes: bytes, limitBytes: bytes }).describe('Of this process.'),
    hasBrowser: z.boolean().describe('A process that crawls has a browser.'),
    queue: z
      .object({
        starting: z.int(),
        running: z.int(),
        queued: z.int(),
        inFlight: z.int(),
        dueSince: z.int().nullable().describe('Since when the host that waits longest could be asked.'),
        deliveries: z.int().describe('Webhook events that are not delivered yet.'),
      })
      .describe('Of all orgs.'),
    // A value is empty if the setting has none, and `(set)` for a secret; the origin is such as `default`.
    settings: z.array(z.object({ name: z.string(), value: z.string(), origin: z.string() })).readonly(),
  });
};
export type SystemStatus = z.output<ReturnType<typeof systemStatus>>;
export type SettingRow = SystemStatus['settings'][number];

export interface BackupFile {
  /** On the machine of the service. */
  readonly file: string;
  readonly bytes: number;
}

export interface SystemDesk {
  status(): Promise<SystemStatus>;
  /**
   * Copies the data into a new file in the folder `backups` of the data directory, and checks the copy. Rejects with a
   * `UserError` if the data is in PostgreSQL, a backup runs already, or it fails.
   */
  backUp(): Promise<BackupFile>;
}
