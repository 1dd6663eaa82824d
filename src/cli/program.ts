import type { ClientOptions } from '../../packages/client/index.ts';
import type { Config, Settings } from '../config/config.ts';
import type { ReadConfig } from '../config/read-config.ts';
import type { BackupSummary } from '../core/ports/backup.ts';
import type { CheckSummary } from '../core/ports/check.ts';
import type { HostState } from '../core/ports/crawl-status.ts';
import type { Diagnosis } from '../core/ports/diagnosis.ts';
import type { Log } from '../core/ports/log.ts';
import type { MovedTable } from '../core/ports/move.ts';
import type { Previewer } from '../core/ports/preview.ts';
import type { SettingRow } from '../core/ports/system-desk.ts';
import type { Store } from '../core/ports/stores.ts';
import type { PostedResponse } from '../mcp/remote-toolbox.ts';

/** Parts of the program, built for the commands. */
export interface Program {
  readonly version: string;
  /** The command that starts the program: it differs between a clone and an installation. */
  readonly command: string;
  readonly settings: Settings;
  /**
   * `flags`: those of the command line, by name. Throws an `ExitError` that names an invalid setting, except the token with
   * `keepsBadToken`.
   */
  readConfig(flags: Readonly<Record<string, unknown>>, keepsBadToken?: boolean): ReadConfig;
  /**
   * Opens the PostgreSQL database if one is set, else the data directory. With `crawling`, no other process can crawl
   * with that directory. Rejects with an `ExitError`.
   */
  openStore(
    config: Config,
    options: {
      readonly crawling: boolean;
      /** Wait for a database that cannot be reached yet, up to a minute. @default false */
      readonly waiting?: boolean;
      /** Make the data directory if it is missing. @default true */
      readonly mayCreate?: boolean;
    },
  ): Promise<Store>;
  /** True if a process crawls with the store now. Of PostgreSQL it cannot be known, and true is assumed. */
  isCrawled(config: Config): boolean;
  /** Copies the database into one file; a service can run meanwhile. Throws an `ExitError`. */
  backUp(
    config: Config,
    file: string,
    options: { readonly overwrite: boolean; readonly isQuick: boolean },
  ): BackupSummary;
  /** Reads the stored data and finds damage; a service can run meanwhile. Rejects with an `ExitError`. */
  check(config: Config, options: { readonly isQuick: boolean }): Promise<CheckSummary>;
  /** Restores a backup into an empty data directory. Throws an `ExitError`. */
  restore(config: Config, file: string): BackupSummary;
  /** Makes the database the owner of the objects of HAYRAKE_BLOBS. Returns their place. Rejects with an `ExitError`. */
  adoptBlobs(config: Config): Promise<string>;
  /** Copies a data directory to an empty PostgreSQL database, completely or not at all. Rejects with an `ExitError`. */
  migrate(
    from: string,
    url: string,
    onStep: (step: 'copying' | 'reading back', table: string) => void,
  ): Promise<readonly MovedTable[]>;
  /** Checks everything that this configuration needs, and changes nothing. Diagnoses never make it reject. */
  examine(config: Config, onDiagnosis: (diagnosis: Diagnosis) => void): Promise<void>;
  /** Requests a service's readiness. Never rejects. */
  askHealth(origin: URL, limitMs: number): Promise<Health>;
  /** Posts a message to `/mcp` of a service. Rejects if there is no response. */
  postToMcp(
    server: URL,
    token: string,
    message: {
      readonly body: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly signal: AbortSignal;
    },
  ): Promise<PostedResponse>;
  /** True if the API of a service answers there within `limitMs`. Never rejects. */
  hasApi(origin: URL, limitMs: number): Promise<boolean>;
  createLog(config: Config): Log;
  /** Opens the API of a store to commands of this process. `begin`: to crawl a job for which a request waits. */
  openDoor(
    config: Config,
    store: Store,
    parts: {
      readonly log: Log;
      readonly engine?: () => Engine | undefined;
      readonly begin?: (jobId: string) => Promise<void>;
    },
  ): Promise<Door>;
  startEngine(config: Config, store: Store, options: EngineOptions, log: Log): Promise<Engine>;
  /** Serves the API; for a worker, only health and metrics. */
  listen(
    config: Config,
    store: Store,
    engine: () => Engine | undefined,
    options: {
      readonly role: 'serve' | 'api' | 'worker';
      readonly log: Log;
      /** Settings to show an operator. */
      readonly settings: readonly SettingRow[];
    },
  ): Promise<Listening>;
}

/** The API of a store in this process, without a port or a token: for the default org, with all permissions. */
export interface Door {
  /** Rejects with an error of the store as it is. */
  readonly fetch: NonNullable<ClientOptions['fetch']>;
  /** Resolves when no request is handled any more. */
  close(): Promise<void>;
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

export interface Engine extends Previewer {
  /** Resolves when the engine has stopped; rejects when the store failed. */
  readonly done: Promise<void>;
  isRunning(): boolean;
  /** Metrics of the crawl, as text for Prometheus. */
  metrics(): Promise<string>;
  /** What this process knows about a host (`name:port`); undefined if that is nothing. */
  hostState(host: string): HostState | undefined;
  /** Finishes pages in flight, and hands back the rest. Resolves within 20 seconds. */
  stop(): Promise<void>;
}

export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}
