// The shapes of the API by short names, from its OpenAPI document.
import type { components, operations } from './openapi.ts';
import type { AnyRecord, Extract } from './record-of.ts';

export type { AnyRecord, Extract, Place, Price, RecordOf, RecordSchema } from './record-of.ts';

type Schemas = components['schemas'];
type Body<Name extends 'createJob' | 'createBatch' | 'scrapePage' | 'mapSite' | 'createSchedule' | 'changeSchedule'> =
  operations[Name]['requestBody']['content']['application/json'];
type Parameters<Name extends keyof operations> = NonNullable<operations[Name]['parameters']['query']>;

declare const recordOfPages: unique symbol;

/** `Fields`: what is known of the records of its pages. */
export type Job<Fields = AnyRecord> = Schemas['Job'] & { readonly [recordOfPages]?: Fields };
export type Progress = Schemas['Progress'];
export type JobList = Schemas['JobList'];
export type Page<Fields = AnyRecord> = Recorded<Schemas['Results']['data'][number], Fields>;
type Recorded<Body, Fields> = Body extends { extracted?: unknown }
  ? Omit<Body, 'extracted'> & { extracted?: Fields | null }
  : Body;
export type PageMeta = Schemas['ResultsMeta']['data'][number];
export type UrlList = Schemas['UrlList'];
export type UrlEntry = UrlList['data'][number];
export type PageChange = Schemas['ChangeList']['data'][number];
export type Diff = Schemas['Diff'];
export type FeedChange = Schemas['Feed']['data'][number];
export type SnapshotPages = Schemas['SnapshotPages'];
export type SearchResults = Schemas['SearchResults'];
export type Dropped = Schemas['Dropped'];
export type Erased = Schemas['Erased'];
export type ScrapeResponse<Fields = AnyRecord> = Recorded<Schemas['ScrapeResponse'], Fields>;
export type SiteMap = Schemas['SiteMap'];
export type Rules = Schemas['Rules'];
export type Stats = Schemas['Stats'];
export type Tree = Schemas['Tree'];
export type Host = Schemas['HostList']['data'][number];
export type Delivery = Schemas['Delivery'];
export type WebhookKey = Schemas['WebhookKey'];
export type Schedule = Schemas['Schedule'];
export type ChangedSchedule = Schemas['ChangedSchedule'];
export type MadeRun = Schemas['MadeRun'];

export type CrawlPreview = Schemas['CrawlPreview'];

type Extracting<Options, Option> = Omit<Options, 'extract'> & { readonly extract?: Option | null };
export type CrawlOptions<Option = Extract> = Extracting<Omit<Body<'createJob'>, 'urls'>, Option>;
export type BatchOptions<Option = Extract> = Extracting<Omit<Body<'createBatch'>, 'urls'>, Option>;
export type ScrapeOptions<Option = Extract> = Extracting<Omit<Body<'scrapePage'>, 'url'>, Option>;
export type MapOptions = Omit<Body<'mapSite'>, 'url'>;
export type ReextractOptions<Option = Extract> = Extracting<
  NonNullable<operations['reextractJob']['requestBody']>['content']['application/json'],
  Option
>;
export type RetryOptions = NonNullable<operations['retryJob']['requestBody']>['content']['application/json'];
export type ExportFormat = Parameters<'exportJob'>['format'];

export type NewSchedule = Body<'createSchedule'>;
export type ScheduleChange = Body<'changeSchedule'>;

/** All pages that a schedule knows. */
export interface Snapshot {
  /** The run whose pages these are; null as long as no run knows one. */
  readonly run: string | null;
  /** Where the feed follows on these pages. */
  readonly cursor: string | undefined;
  readonly pages: AsyncGenerator<Page, void, undefined>;
}

/** A job or a schedule, or its id. */
export type JobRef<Fields = unknown> = string | { readonly id: string; readonly [recordOfPages]?: Fields };

export interface CallOptions {
  /** Ends the call, which then throws the reason of the signal. */
  readonly signal?: AbortSignal;
}

export interface EraseOptions extends CallOptions {
  /** Erase its URL too. @default false */
  readonly url?: boolean;
}

export interface ExpiryOptions extends CallOptions {
  /** The time can lie in the past. @default false */
  readonly confirm?: boolean;
}

export interface CreateOptions extends CallOptions {
  /** The same key and body give the same job for 24 hours. @default a random key, so that retries create one job */
  readonly idempotencyKey?: string;
}

export interface WaitOptions extends CallOptions {
  /** Throws `timeout` after so many milliseconds. The job runs on. @default no limit */
  readonly timeoutMs?: number;
  /** Gets the job each time that it was read. */
  readonly onProgress?: (job: Job) => void;
}

export interface ReadOptions extends CallOptions {
  /** Rows of a response, 1 to 400. Fewer are requested after a response was cut. @default 400 */
  readonly limit?: number;
  /** Continues where an earlier response ended. */
  readonly cursor?: string;
  /** `false`: only what the job has now. @default true: to the end of the job */
  readonly follow?: boolean;
}

export interface PagesOptions extends ReadOptions, Pick<Parameters<'readPages'>, 'links' | 'images'> {
  /** Continues after the page of this number. */
  readonly after?: number;
  /** Gets the number of each page that the service cannot read any more. @default the reading throws `page_damaged` */
  readonly onDamaged?: (page: number) => void;
}

export interface MetasOptions extends Omit<PagesOptions, 'links' | 'images'> {
  /** Names of the metadata fields to return. @default all */
  readonly fields?: readonly string[];
}

export type UrlsOptions = ReadOptions & Pick<Parameters<'listUrls'>, 'status' | 'reason' | 'q' | 'found_on' | 'kind'>;
/** `text`: each change that has a page has its `meta` and `text`. @default false */
type WithText = ReadOptions & { readonly text?: boolean };
export type ChangesOptions = WithText & Pick<Parameters<'readChanges'>, 'change'>;
export type FeedOptions = WithText & Pick<Parameters<'readFeed'>, 'change' | 'from'>;
export type SnapshotOptions = CallOptions & Pick<Parameters<'readSnapshot'>, 'limit' | 'links' | 'images' | 'title'>;
export type JobsOptions = CallOptions & Omit<Parameters<'listJobs'>, 'cursor'>;
export type SchedulesOptions = CallOptions & Omit<Parameters<'listSchedules'>, 'cursor'>;
export type RunsOptions = CallOptions & Omit<Parameters<'listRuns'>, 'cursor'>;
export type HostsOptions = CallOptions & Omit<Parameters<'listHosts'>, 'cursor'>;
export type SearchOptions = CallOptions & Omit<Parameters<'searchPages'>, 'q'>;
export type TreeOptions = CallOptions & Parameters<'readTree'>;
export type StatsOptions = CallOptions & Parameters<'readStats'>;
export type ExportOptions = CallOptions & { readonly partial?: boolean; readonly after?: number };
