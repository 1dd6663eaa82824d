import type { Load } from './crawl-status.ts';

/** What an operator wants to know about the service. Sizes are bytes. */
export interface SystemStatus {
  readonly startedAt: number;
  /** Where the data is: its directory, or the server of PostgreSQL without user and password. */
  readonly place: string;
  readonly database: 'sqlite' | 'postgresql';
  /** Size of the data; null if it is in PostgreSQL. */
  readonly dataBytes: number | null;
  /** The disk of the data directory. */
  readonly disk: { readonly freeBytes: number; readonly totalBytes: number; readonly pausesBelowBytes: number };
  readonly memory: { readonly usedBytes: number; readonly limitBytes: number };
  readonly hasBrowser: boolean;
  readonly queue: Load;
  /** Settings with their values; those of secrets are not shown. */
  readonly settings: readonly SettingRow[];
}

export interface SettingRow {
  readonly name: string;
  /** Empty if it has none; `(set)` for a secret. */
  readonly value: string;
  /** Where the value comes from, such as `default`. */
  readonly origin: string;
}

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
