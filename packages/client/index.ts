// The client of the HTTP API: `import { Hayrake } from 'hayrake/client'`.
import { HayrakeError } from './hayrake-error.ts';
import { type Call, type ClientOptions, type Query, sleep, Transport } from './transport.ts';
import type {
  AnyRecord,
  BatchOptions,
  CallOptions,
  ChangedSchedule,
  CrawlOptions,
  CrawlPreview,
  CreateOptions,
  Erased,
  EraseOptions,
  ExpiryOptions,
  Delivery,
  Diff,
  Dropped,
  ExportFormat,
  ExportOptions,
  Extract,
  FeedChange,
  FeedOptions,
  Host,
  HostsOptions,
  Job,
  JobRef,
  JobsOptions,
  MadeRun,
  MapOptions,
  MetasOptions,
  NewSchedule,
  Page,
  PageMeta,
  PagesOptions,
  ReadOptions,
  RecordOf,
  ReextractOptions,
  RetryOptions,
  RunsOptions,
  Snapshot,
  SnapshotOptions,
  SnapshotPages,
  Schedule,
  ScheduleChange,
  SchedulesOptions,
  ScrapeResponse,
  ScrapeOptions,
  SearchOptions,
  SearchResults,
  SiteMap,
  Rules,
  Stats,
  StatsOptions,
  Tree,
  TreeOptions,
  PageChange,
  UrlEntry,
  UrlList,
  ChangesOptions,
  UrlsOptions,
  WaitOptions,
  WebhookKey,
} from './types.ts';

export { type ClientCode, type ErrorCode, HayrakeError } from './hayrake-error.ts';
export type { ClientOptions } from './transport.ts';
export type * from './types.ts';

interface Slice<Row> {
  readonly data: readonly Row[];
  readonly cursor?: string;
}

interface Paging {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** Rows of one response. */
const rowsMax = 400;
/** Seconds that the service waits for the next pages of a running job. */
const waitSeconds = 30;
/** The service ends a scrape or a map itself, by its `timeout`. */
const scrapeMs = 300_000;

/**
 * A hayrake service. Every method throws {@link HayrakeError}, or the reason of its `signal`. Options have the names of
 * the API and are sent as they are.
 */
export class Hayrake {
  readonly #http: Transport;

  /** Throws a `TypeError` for options that are not valid. Sends nothing. */
  constructor(options: ClientOptions = {}) {
    this.#http = new Transport(options);
  }

  /**
   * Creates a job that crawls from these URLs, and returns it at once. Read it with {@link pages}. Without URLs, `since` names the
   * job whose start URLs and options it takes over.
   */
  crawl<const Option extends Extract = never>(
    urls: undefined,
    options: CrawlOptions<Option> & { readonly since: string },
    call?: CreateOptions,
  ): Promise<Job<RecordOf<Option>>>;
  crawl<const Option extends Extract = never>(
    urls: string | readonly string[],
    options?: CrawlOptions<Option>,
    call?: CreateOptions,
  ): Promise<Job<RecordOf<Option>>>;
  crawl(
    urls: string | readonly string[] | undefined,
    options: CrawlOptions = {},
    call: CreateOptions = {},
  ): Promise<Job> {
    return this.#create('/crawler/jobs', { ...options, ...(urls !== undefined && { urls: [urls].flat() }) }, call);
  }

  /** What {@link crawl} would begin with: robots.txt, the first page, its links, sitemaps. Nothing is stored. */
  preview(
    urls: string | readonly string[],
    options: CrawlOptions = {},
    { signal }: CallOptions = {},
  ): Promise<CrawlPreview> {
    const body = { ...options, urls: [urls].flat() };
    return this.#call('links', '/crawler/jobs/preview', {
      method: 'POST',
      body,
      signal,
      waitMs: scrapeMs,
    });
  }

  /** Creates a job of exactly these pages. */
  batch<const Option extends Extract = never>(
    urls: readonly string[],
    options: BatchOptions<Option> = {},
    call: CreateOptions = {},
  ): Promise<Job<RecordOf<Option>>> {
    return this.#create('/scraper/batch', { ...options, urls }, call);
  }

  /** Creates a job that crawls the failed URLs of an ended one. */
  retry(job: JobRef, options: RetryOptions = {}, call: CreateOptions = {}): Promise<Job> {
    return this.#create(`${pathOf(job)}/retry`, options, call);
  }

  /** Creates a job that converts the pages of an ended one with `store_raw` again, without a request to the site. */
  reextract<const Option extends Extract = never>(
    job: JobRef,
    options: ReextractOptions<Option> = {},
    call: CreateOptions = {},
  ): Promise<Job<RecordOf<Option>>> {
    return this.#create(`${pathOf(job)}/reextract`, options, call);
  }

  /** Fetches one page now. A page that cannot be had is no error: its `status` says so. */
  scrape<const Option extends Extract = never>(
    url: string,
    options: ScrapeOptions<Option> = {},
    { signal }: CallOptions = {},
  ): Promise<ScrapeResponse<RecordOf<Option>>> {
    const body = { ...options, url };
    return this.#call('status', '/scraper/scrape', { method: 'POST', body, signal, waitMs: scrapeMs });
  }

  /** The URLs of a site, from its sitemaps and the links of one page. */
  map(url: string, options: MapOptions = {}, { signal }: CallOptions = {}): Promise<SiteMap> {
    const body = { ...options, url };
    return this.#call('data', '/scraper/map', { method: 'POST', body, signal, waitMs: scrapeMs });
  }

  job<Fields = AnyRecord>(job: JobRef<Fields>, { signal }: CallOptions = {}): Promise<Job<Fields>> {
    return this.#call('id', pathOf(job), { signal });
  }

  /** All jobs, newest first. */
  jobs({ signal, ...query }: JobsOptions = {}): AsyncGenerator<Job, void, undefined> {
    return this.#rows<Job>('/crawler/jobs', { signal, query });
  }

  /** Resolves with the job as soon as it has ended, whatever its `status` then is. */
  async wait<Fields = AnyRecord>(
    job: JobRef<Fields>,
    { signal, timeoutMs = Infinity, onProgress }: WaitOptions = {},
  ): Promise<Job<Fields>> {
    for (const start = Date.now(); ;) {
      const seen: Job = await this.job(idOf(job), signal && { signal });
      onProgress?.(seen);
      if (seen.status !== 'starting' && seen.status !== 'running') return seen as Job<Fields>;
      const passedMs = Date.now() - start;
      if (passedMs >= timeoutMs) throw new HayrakeError('timeout', `Job ${seen.id} has not ended in ${timeoutMs} ms.`);
      // Often at first, when most jobs end.
      await sleep(Math.min(Math.max(200, passedMs / 10), 5_000, timeoutMs - passedMs), signal);
    }
  }

  /**
   * The pages of a job, each once, in order, and to the end of the job while it runs. After a failure the reading
   * continues behind the last page that arrived. The records of the pages have the type that the `extract` of the call
   * says; for the id of a job, name it: `pages<RecordOf<typeof extract>>(id)`.
   */
  pages<Fields = AnyRecord>(
    job: JobRef<Fields>,
    options: PagesOptions = {},
  ): AsyncGenerator<Page<Fields>, void, undefined> {
    return this.#read<Page<Fields>>(`${pathOf(job)}/data`, options);
  }

  /** The same without texts. */
  metas(job: JobRef, { fields, ...options }: MetasOptions = {}): AsyncGenerator<PageMeta, void, undefined> {
    return this.#read<PageMeta>(`${pathOf(job)}/meta`, options, { fields });
  }

  /** Every URL that the job discovered, once, with its outcome at that time. */
  urls(job: JobRef, options: UrlsOptions = {}): AsyncGenerator<UrlEntry, void, undefined> {
    return this.#read<UrlEntry>(`${pathOf(job)}/urls`, options);
  }

  /**
   * What changed since the job that `since` names, each page once, also while the job runs. Of a {@link Schedule}: the same as
   * {@link feed}.
   */
  changes(schedule: Schedule, options?: FeedOptions): AsyncGenerator<FeedChange, void, undefined>;
  changes(job: JobRef, options?: ChangesOptions): AsyncGenerator<PageChange, void, undefined>;
  changes(of: JobRef | Schedule, options: FeedOptions = {}): AsyncGenerator<PageChange, void, undefined> {
    if (isSchedule(of)) return this.feed(of, options);
    return this.#read<PageChange>(`${pathOf(of)}/changes`, options);
  }

  /** How the text of a page that changed differs from its earlier one. Of a {@link Schedule}: the same as {@link feedDiff}. */
  diff(of: JobRef | Schedule, url: string, options: CallOptions = {}): Promise<Diff> {
    return isSchedule(of) ? this.feedDiff(of, url, options) : this.#diff(pathOf(of), url, options);
  }

  /** Removes the pages that are gone, and takes what else the job doubts when it comes again. */
  acceptChanges(job: JobRef, { signal }: CallOptions = {}): Promise<Job> {
    return this.#call('id', `${pathOf(job)}/changes/accept`, { method: 'POST', signal });
  }

  /** What happened to one URL, in sentences (`explanation`), also if the job never saw it. */
  why(job: JobRef, url: string, { signal }: CallOptions = {}): Promise<UrlList> {
    return this.#call('data', `${pathOf(job)}/urls`, { query: { url }, signal });
  }

  /** The best hits first. `indexedPages` is less than `pages` while the service still reads them. */
  search(job: JobRef, q: string, { signal, ...query }: SearchOptions = {}): Promise<SearchResults> {
    return this.#call('data', `${pathOf(job)}/search`, { query: { ...query, q }, signal });
  }

  /** The URLs of a job as a tree of their segments. */
  tree(job: JobRef, { signal, ...query }: TreeOptions = {}): Promise<Tree> {
    return this.#call('data', `${pathOf(job)}/tree`, { query, signal });
  }

  /** Where the values of a job with `extract` stand, as a model taught it; `fields` is for the next job. */
  rules(job: JobRef, { signal }: CallOptions = {}): Promise<Rules> {
    return this.#call('sites', `${pathOf(job)}/extract`, { signal });
  }

  /** How the job went, by second, minute or hour. */
  stats(job: JobRef, { signal, ...query }: StatsOptions = {}): Promise<Stats> {
    return this.#call('data', `${pathOf(job)}/stats`, { query, signal });
  }

  /**
   * The job as one file. Read `body`; if it ends early, reading throws `response_cut`. A running job needs
   * `partial: true`.
   */
  export(job: JobRef, format: ExportFormat, { signal, ...query }: ExportOptions = {}): Promise<Response> {
    return this.#http.stream(`${pathOf(job)}/export`, { query: { ...query, format }, signal });
  }

  /** The bytes of a page as the site sent them, of a job with `store_raw`; `rendered`: the document after rendering. */
  raw(
    job: JobRef,
    page: number,
    { signal, ...query }: CallOptions & { readonly rendered?: boolean } = {},
  ): Promise<Response> {
    return this.#http.stream(`${pathOf(job)}/pages/${page}/raw`, { query, signal });
  }

  /** The image of a page, of a job with `screenshot`. */
  screenshot(job: JobRef, page: number, { signal }: CallOptions = {}): Promise<Response> {
    return this.#http.stream(`${pathOf(job)}/pages/${page}/screenshot`, { signal });
  }

  /** What was left out of a page, and by which rule. Requests the page once more. */
  dropped(job: JobRef, page: number, { signal }: CallOptions = {}): Promise<Dropped> {
    return this.#call('data', `${pathOf(job)}/pages/${page}/dropped`, { signal, waitMs: scrapeMs });
  }

  /** Forgets a page, and with `url` its URL too. Its number stays. Cannot be undone. */
  erasePage(job: JobRef, page: number, { signal, url = false }: EraseOptions = {}): Promise<Erased> {
    return this.#call('jobs', `${pathOf(job)}/pages/${page}/erase`, {
      method: 'POST',
      body: { url },
      signal,
    });
  }

  /** Stops a job. Its pages can still be read. */
  cancel(job: JobRef, { signal }: CallOptions = {}): Promise<Job> {
    return this.#call('id', `${pathOf(job)}/cancel`, { method: 'POST', signal });
  }

  /** Stops a crawl until it is resumed: requests in flight are finished. A job that has ended stays as it is. */
  stop(job: JobRef, { signal }: CallOptions = {}): Promise<Job> {
    return this.#call('id', `${pathOf(job)}/stop`, { method: 'POST', signal });
  }

  /** Continues a crawl that was stopped. Any other job stays as it is. */
  resume(job: JobRef, { signal }: CallOptions = {}): Promise<Job> {
    return this.#call('id', `${pathOf(job)}/resume`, { method: 'POST', signal });
  }

  /** Stops a job and deletes its results. */
  delete(job: JobRef, { signal }: CallOptions = {}): Promise<Job> {
    return this.#call('id', pathOf(job), { method: 'DELETE', signal });
  }

  /**
   * Changes how long the results of an ended job are kept: seconds after its end, `null` until they are deleted. A time in
   * the past removes them, and needs `confirm`.
   */
  setExpiry(job: JobRef, seconds: number | null, { signal, confirm = false }: ExpiryOptions = {}): Promise<Job> {
    const [body, query] = [{ output_expiry: seconds }, { confirm }];
    return this.#call('id', pathOf(job), { method: 'PATCH', body, query, signal });
  }

  /** Creates a schedule: a job at certain times. */
  createSchedule(schedule: NewSchedule, call: CreateOptions = {}): Promise<Schedule> {
    return this.#create('/crawler/schedules', schedule, call);
  }

  /** All schedules, newest first. */
  schedules({ signal, ...query }: SchedulesOptions = {}): AsyncGenerator<Schedule, void, undefined> {
    return this.#rows<Schedule>('/crawler/schedules', { signal, query });
  }

  schedule(schedule: JobRef, { signal }: CallOptions = {}): Promise<Schedule> {
    return this.#call('id', pathOfSchedule(schedule), { signal });
  }

  /** Replaces the given fields. `droppedSecrets` names headers and cookies that are no longer stored. */
  changeSchedule(schedule: JobRef, change: ScheduleChange, { signal }: CallOptions = {}): Promise<ChangedSchedule> {
    return this.#call('id', pathOfSchedule(schedule), { method: 'PATCH', body: change, signal });
  }

  /** Deletes a schedule. Its jobs stay. */
  deleteSchedule(schedule: JobRef, { signal }: CallOptions = {}): Promise<Schedule> {
    return this.#call('id', pathOfSchedule(schedule), { method: 'DELETE', signal });
  }

  /** The jobs of a schedule, newest first. */
  runs(schedule: JobRef, { signal, ...query }: RunsOptions = {}): AsyncGenerator<Job, void, undefined> {
    return this.#rows<Job>(`${pathOfSchedule(schedule)}/jobs`, { signal, query });
  }

  /**
   * What all runs of a schedule changed, each row once. Goes on for ever, unless `follow` is `false`. To continue later, keep
   * the `cursor` of the last row that was dealt with.
   */
  feed(schedule: JobRef, options: FeedOptions = {}): AsyncGenerator<FeedChange, void, undefined> {
    return this.#read<FeedChange>(`${pathOfSchedule(schedule)}/changes`, options);
  }

  /** How the newest run of a schedule that changed a page changed its text. */
  feedDiff(schedule: JobRef, url: string, options: CallOptions = {}): Promise<Diff> {
    return this.#diff(pathOfSchedule(schedule), url, options);
  }

  /**
   * All pages that a schedule knows, from its newest ended run, and the `cursor` with which {@link feed} follows on them.
   */
  async snapshot(schedule: JobRef, { signal, ...query }: SnapshotOptions = {}): Promise<Snapshot> {
    const path = `${pathOfSchedule(schedule)}/data`;
    const first = await this.#call<SnapshotPages>('data', path, { signal, query });
    const rest = (): AsyncGenerator<Page, void, undefined> =>
      this.#rows<Page>(path, { signal, query: { ...query, cursor: first.cursor } });
    const pages = async function* (): AsyncGenerator<Page, void, undefined> {
      yield* first.data;
      if (first.cursor !== undefined) yield* rest();
    };
    return { run: first.run, cursor: first.changesCursor, pages: pages() };
  }

  /** The same without texts. */
  snapshotMetas(schedule: JobRef, { signal, ...query }: SnapshotOptions = {}): AsyncGenerator<PageMeta, void> {
    return this.#rows<PageMeta>(`${pathOfSchedule(schedule)}/meta`, { signal, query });
  }

  /** Makes a run now. `job` is null if it waits for the end of the last one. */
  runSchedule(schedule: JobRef, { signal }: CallOptions = {}): Promise<MadeRun> {
    return this.#call('job', `${pathOfSchedule(schedule)}/run`, { method: 'POST', signal, once: true });
  }

  /** The hosts that jobs wait for. */
  hosts({ signal, ...query }: HostsOptions = {}): AsyncGenerator<Host, void, undefined> {
    return this.#rows<Host>('/crawler/hosts', { signal, query });
  }

  /** The events for the `webhook_url` of a job. */
  deliveries(job: JobRef, { signal }: CallOptions = {}): AsyncGenerator<Delivery, void, undefined> {
    return this.#rows<Delivery>(`${pathOf(job)}/deliveries`, { signal });
  }

  /** Sends an event again. */
  replay(job: JobRef, delivery: string, { signal }: CallOptions = {}): Promise<Delivery> {
    const path = `${pathOf(job)}/deliveries/${encodeURIComponent(delivery)}/replay`;
    return this.#call('id', path, { method: 'POST', signal, once: true });
  }

  /** The key that webhooks are signed with. */
  webhookKey({ signal }: CallOptions = {}): Promise<WebhookKey> {
    return this.#call('key', '/webhooks/key', { signal });
  }

  rotateWebhookKey({ signal }: CallOptions = {}): Promise<WebhookKey> {
    return this.#call('key', '/webhooks/key/rotate', { method: 'POST', signal, once: true });
  }

  #diff(path: string, url: string, { signal }: CallOptions): Promise<Diff> {
    return this.#call('hunks', `${path}/changes/diff`, { query: { url }, signal });
  }

  #call<Body>(key: string, path: string, call: Call): Promise<Body> {
    return this.#http.json(key, path, () => call);
  }

  #create<Made>(path: string, body: unknown, { signal, idempotencyKey = randomKey() }: CreateOptions): Promise<Made> {
    const headers = { 'idempotency-key': idempotencyKey };
    return this.#call('id', path, { method: 'POST', body, headers, signal });
  }

  /** A list of a job, which grows while the job runs. */
  #read<Row>(path: string, options: ReadOptions & Partial<PagesOptions>, more: Query = {}): AsyncGenerator<Row, void> {
    const { signal, follow = true, onDamaged, ...query } = options;
    const waitMs = follow ? waitSeconds * 1000 : 0;
    return this.#rows<Row>(
      path,
      { signal, query: { ...query, ...more, wait: waitMs / 1000 }, waitMs },
      follow,
      onDamaged,
    );
  }

  async *#rows<Row>(
    path: string,
    call: Call,
    follow = true,
    onDamaged?: (page: number) => void,
  ): AsyncGenerator<Row, void, undefined> {
    let { limit, cursor }: Paging = call.query ?? {};
    const given = limit ?? rowsMax;
    const next = (): Call => ({ ...call, query: { ...call.query, limit, cursor } });
    /** What cuts long responses lets a shorter one pass. */
    const shorten = ({ code }: HayrakeError): void => {
      if (code === 'response_cut') limit = Math.max(1, (limit ?? rowsMax) >> 2);
    };
    for (;;) {
      let slice: Slice<Row>;
      try {
        slice = await this.#http.json<Slice<Row>>('data', path, next, shorten);
      } catch (error) {
        if (!(error instanceof HayrakeError) || error.code !== 'page_damaged' || onDamaged === undefined) throw error;
        if (error.page === undefined || error.cursor === undefined) throw error;
        onDamaged(error.page);
        ({ cursor } = error);
        continue;
      }
      yield* slice.data;
      // Of what was shortened.
      if (limit !== undefined) limit = Math.min(given, 2 * limit);
      ({ cursor } = slice);
      if (cursor === undefined || (!follow && slice.data.length === 0)) return;
    }
  }
}

/** Ids are letters and digits; anything else could lead to another endpoint. */
function pathOf(job: JobRef): string {
  return `/crawler/jobs/${idOf(job)}`;
}

function isSchedule(of: JobRef | Schedule): of is Schedule {
  return typeof of === 'object' && 'cron' in of;
}

function pathOfSchedule(schedule: JobRef): string {
  return `/crawler/schedules/${idOf(schedule)}`;
}

function idOf(job: JobRef): string {
  const id = typeof job === 'string' ? job : job.id;
  if (!/^\w{1,64}$/.test(id)) throw new TypeError(`This is not an id: ${JSON.stringify(id)}.`);
  return id;
}

/** `crypto.randomUUID` is missing on pages without TLS. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
