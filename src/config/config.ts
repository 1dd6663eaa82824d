// What the settings are, once they are read.

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** A proxy of the operator. With a name, only jobs that name it use it. */
export interface ProxyEntry {
  readonly name?: string;
  readonly url: URL;
}

export interface Config {
  readonly data: string;
  readonly databaseUrl: string | undefined;
  readonly databaseDirectUrl: string | undefined;
  readonly databaseConnections: number;
  readonly blobs: BlobsPlace | undefined;
  readonly blobsKeepDays: number;
  readonly s3Endpoint: URL | undefined;
  readonly s3Region: string;
  readonly s3AccessKeyId: string | undefined;
  readonly s3SecretAccessKey: string | undefined;
  readonly s3SessionToken: string | undefined;
  readonly host: string;
  readonly port: number;
  readonly token: string | undefined;
  readonly url: URL | undefined;
  readonly allowPrivate: string;
  readonly allowPorts: readonly number[];
  readonly proxies: readonly ProxyEntry[];
  readonly proxyRule: 'sticky' | 'round_robin';
  readonly proxyResolves: boolean;
  /** The certificates of the file, in PEM format. */
  readonly caFile: readonly string[];
  readonly webhookHttp: boolean;
  readonly contact: string | undefined;
  readonly concurrency: number;
  readonly hostConcurrency: number;
  readonly hostDelayMs: number;
  /** Null: until they are deleted. */
  readonly outputExpirySeconds: number | null;
  readonly unreachableSeconds: number;
  readonly memoryMb: number;
  readonly converterThreads: number;
  readonly browser: string;
  readonly browserSandbox: 'require' | 'off';
  readonly browserPages: number;
  readonly diskFreeMb: number;
  readonly search: 'on' | 'off';
  readonly firecrawl: 'on' | 'off';
  readonly webSearchUrl: URL | undefined;
  readonly modelUrl: URL | undefined;
  readonly model: string;
  readonly modelKey: string;
  readonly modelCallsPerDay: number;
  readonly loaderSeconds: number;
  readonly corsOrigins: readonly string[];
  readonly publicUrl: string | undefined;
  readonly requestsPerMinute: number;
  readonly jobsPerOrg: number;
  readonly schedulesPerOrg: number;
  readonly jobUrls: number;
  readonly lanesPerOrg: number;
  readonly waitingPerOrg: number;
  readonly connections: number;
  readonly logLevel: LogLevel;
}

/** Where raw bodies and screenshots are, outside the database. */
export interface BlobsPlace {
  readonly bucket: string;
  /** Without slashes at its ends; can be empty. */
  readonly prefix: string;
}

export type SettingName = keyof Config;

export interface Setting<Name extends SettingName> {
  readonly env: string;
  /** Without dashes. Absent if a command line would reveal a secret. */
  readonly flag?: string;
  readonly placeholder: string;
  /** As a person would write it; empty if there is none. */
  readonly default: string;
  readonly description: string;
  /** Throws an `Error` with a sentence that says what to write. */
  parse(text: string): Config[Name];
  readonly secret?: boolean;
}

export type Settings = { readonly [Name in SettingName]: Setting<Name> };
