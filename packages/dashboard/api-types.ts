// The shapes of the API that the dashboard reads: see /openapi.json.

export type JobStatus = 'starting' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export interface Progress {
  readonly discovered: number;
  readonly queued: number;
  readonly inFlight: number;
  readonly scraped: number;
  readonly discarded: number;
  readonly failed: number;
  /** Never to be fetched. */
  readonly outside: number;
}

export interface Job {
  readonly id: string;
  readonly org: string;
  readonly status: JobStatus;
  /** When a command line stopped the crawl; null otherwise. */
  readonly stoppedAt: number | null;
  readonly kind: 'crawl' | 'scrape' | 'batch' | 'map' | 'reextract';
  readonly createdAt: number;
  readonly finishedAt: number | null;
  /** When the results are removed; null while the job runs, and if they are kept until they are deleted. */
  readonly expiresAt: number | null;
  readonly expired: boolean;
  readonly urls: readonly string[];
  readonly output_format: 'markdown' | 'text' | 'html';
  readonly page_limit: number;
  readonly sitemapPageCount: number;
  readonly progress: Progress;
  readonly reasons: Readonly<Record<string, number>>;
  /** Null until the job ends, and for maps and scrapes. */
  readonly complete: boolean | null;
  readonly findings: readonly Finding[];
  readonly notices: readonly Notice[];
  /** Names of what the client gave for its sites; the values are never shown. */
  readonly headers: readonly string[];
  readonly cookies: readonly string[];
  readonly webhook_url?: string | null;
  readonly retryOf?: string;
  /** The job whose raw bodies were converted again. */
  readonly reextractOf?: string;
  readonly store_raw: boolean;
  readonly [option: string]: unknown;
}

/** Why the result is less than the site. */
export interface Finding {
  readonly code: string;
  readonly count: number;
  readonly example: string;
  readonly message: string;
  readonly remedy: string;
}

export interface Notice {
  readonly code: string;
  readonly message: string;
  readonly at: number;
  readonly count?: number;
  readonly example?: string;
}

export interface List<Row> {
  readonly data: readonly Row[];
  readonly cursor?: string;
}

export interface JobList extends List<Job> {
  /** Numbers of jobs that match the same filter, by status. */
  readonly counts: Readonly<Record<JobStatus | 'stopped', number>>;
  /** There are more jobs than were counted. */
  readonly countsCut?: boolean;
}

export interface PageMeta {
  readonly page: number;
  readonly url: string;
  readonly fetchedUrl: string;
  readonly meta: { readonly title: string; readonly wordCount?: number; readonly [field: string]: unknown };
}

export interface PageResult {
  readonly meta: PageMeta;
  readonly text?: string;
  /** Structured data, if the job has `extract`; null if the page has no record. */
  readonly extracted?: Readonly<Record<string, unknown>> | null;
}

/** One page, read at once. */
export type Scraped =
  | {
      readonly status: 'scraped';
      readonly url: string;
      readonly text: string;
      readonly meta: {
        readonly title: string;
        readonly fetchedUrl: string;
        readonly wordCount?: number;
        readonly [field: string]: unknown;
      };
      readonly jobId: string;
    }
  | {
      readonly status: 'failed';
      readonly url: string;
      readonly error: { readonly reason: string; readonly detail: string };
      readonly jobId: string;
    };

/** What was left out of a page. */
export interface Dropped {
  readonly data: readonly { readonly rule: string; readonly text: string; readonly words: number }[];
  readonly words: number;
  /** Absent if the page was read from its raw body. */
  readonly refetchedAt?: number;
  /** The page still has the text that is stored. */
  readonly sameText: boolean;
}

export interface UrlRow {
  readonly url: string;
  readonly status: 'queued' | 'inFlight' | 'scraped' | 'discarded' | 'failed' | 'outside';
  readonly reason?: string;
  readonly detail?: string;
  readonly depth: number;
  readonly attempts: number;
  readonly attemptedAt?: number;
  readonly statusCode?: number;
  readonly page?: number;
  readonly foundOn?: string;
  readonly foundBy?: 'script';
  readonly lastmod?: string;
}

export interface UrlList extends List<UrlRow> {
  /** For a single URL: its outcome, in sentences. */
  readonly explanation?: readonly string[];
}

export interface Session {
  readonly org: string;
  readonly permissions: readonly string[];
  readonly token: string;
  readonly expiresAt: number | null;
}

export interface Preview {
  readonly url: string;
  readonly fetches: number;
  readonly robots: {
    readonly status: 'read' | 'unreachable' | 'not_read';
    readonly isObeyed: boolean;
    readonly isAllowed?: boolean;
    readonly rule?: string;
    readonly crawlDelaySeconds?: number;
    readonly message?: string;
  };
  readonly page: {
    readonly status: 'read' | 'redirected' | 'discarded' | 'failed' | 'not_read';
    readonly statusCode?: number;
    readonly redirectsTo?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly fetchedUrl?: string;
    readonly meta?: { readonly title: string; readonly wordCount?: number; readonly extractionQuality?: number };
    readonly text?: string;
    readonly isTextCut?: boolean;
    readonly needsBrowser?: true;
  };
  readonly links: {
    readonly found: number;
    readonly followed: number;
    readonly delivered: number;
    readonly reasons: Readonly<Record<string, number>>;
    readonly data: readonly {
      readonly url: string;
      readonly verdict: 'follow' | 'discard';
      readonly reason?: string;
      readonly detail?: string;
    }[];
    readonly isRobotsChecked: boolean;
  };
  readonly sitemap: {
    readonly status: 'read' | 'missing' | 'unreadable' | 'not_read';
    readonly url?: string;
    readonly urls?: number;
    readonly followed?: number;
    readonly sitemaps?: number;
    readonly message?: string;
  };
}

export interface Token {
  readonly id: string;
  readonly org: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export function hasEnded({ status }: Pick<Job, 'status'>): boolean {
  return status !== 'starting' && status !== 'running';
}

/** It waits until it is resumed or cancelled. Its status stays as it was. */
export function isStopped(job: Pick<Job, 'status' | 'stoppedAt'>): boolean {
  return job.stoppedAt !== null && !hasEnded(job);
}

/** URLs that the job fetches, has fetched, or would have fetched. */
export function insideOf({ discovered, outside }: Progress): number {
  return discovered - outside;
}
