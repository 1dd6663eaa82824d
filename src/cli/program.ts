import type { Config, Settings } from '../config.ts';
import type { ReadConfig } from '../read-config.ts';
import type { BackupSummary } from '../core/backup.ts';
import type { CheckSummary } from '../core/check.ts';
import type { DestinationPolicy } from '../core/fetcher.ts';
import type { Finding } from '../core/finding.ts';
import type { Log } from '../core/log.ts';
import type { MovedTable } from '../core/move.ts';
import type { Store } from '../core/stores.ts';
import type { Cursors } from '../jobs/cursor.ts';

/** What commands are given: the parts of the program, built for them. */
export interface Program {
  readonly version: string;
  /** What a person types to start it: from a clone, another command than when it is installed. */
  readonly command: string;
  readonly settings: Settings;
  /** `flags` by name, as the command line gave them. Throws an `ExitError` that names a wrong setting. */
  readConfig(flags: Readonly<Record<string, unknown>>): ReadConfig;
  /**
   * The PostgreSQL database, where one is set, or the data directory, which with `crawling` is this process's alone to crawl
   * with. Rejects with an `ExitError`.
   */
  openStore(
    config: Config,
    options: {
      readonly crawling: boolean;
      /** Whether a database that cannot be reached yet is waited for, up to a minute. @default false */
      readonly waiting?: boolean;
    },
  ): Promise<Store>;
  /** Copies the database into one file, beside a running service. Throws an `ExitError`. */
  backUp(
    config: Config,
    file: string,
    options: { readonly overwrite: boolean; readonly isQuick: boolean },
  ): BackupSummary;
  /** Reads what is stored, beside a running service, and finds what is damaged. Rejects with an `ExitError`. */
  check(config: Config, options: { readonly isQuick: boolean }): Promise<CheckSummary>;
  /** Makes a backup the database of an empty data directory. Throws an `ExitError`. */
  restore(config: Config, file: string): BackupSummary;
  /** Takes a data directory along to an empty PostgreSQL database, whole or not at all. Rejects with an `ExitError`. */
  migrate(
    from: string,
    url: string,
    onStep: (step: 'copying' | 'reading back', table: string) => void,
  ): Promise<readonly MovedTable[]>;
  /** Looks at everything that this configuration needs, and changes nothing. Never rejects for what is found. */
  examine(config: Config, onFinding: (finding: Finding) => void): Promise<void>;
  /** Asks a service whether it takes work. Never rejects. */
  askHealth(origin: URL, limitMs: number): Promise<Health>;
  createLog(config: Config): Log;
  createDestinations(config: Config): DestinationPolicy & { close(): Promise<void> };
  /** Whether this machine has a browser that the settings allow. */
  hasBrowser(config: Config): Promise<boolean>;
  cursorsOf(store: Store): Cursors;
  startEngine(config: Config, store: Store, options: EngineOptions, log: Log): Promise<Engine>;
  /** The API, or for a worker what tells how it is doing. */
  listen(
    config: Config,
    store: Store,
    engine: () => Engine | undefined,
    options: { readonly role: 'serve' | 'api' | 'worker'; readonly log: Log },
  ): Promise<Listening>;
}

export interface Health {
  readonly isReady: boolean;
  /** One line. */
  readonly message: string;
}

export interface EngineOptions {
  /** Work on this job alone. */
  readonly onlyJob?: string;
  /** The port of this process's own API, which is never fetched. */
  readonly ownPort?: number;
}

export interface Engine {
  /** Resolves when the engine has stopped; rejects when the store failed. */
  readonly done: Promise<void>;
  isRunning(): boolean;
  /** How the crawl is doing, as text for Prometheus. */
  metrics(): Promise<string>;
  /** Finishes what is in flight, hands back the rest. Resolves within 20 seconds. */
  stop(): Promise<void>;
}

export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}
