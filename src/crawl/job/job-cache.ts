import { hash } from 'node:crypto';
import type { Networks } from '../../core/ports/fetcher.ts';
import type { Frontier } from '../../core/ports/frontier.ts';
import type { CrawlJob, RequestHeaders } from '../../core/job.ts';
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import { optionsKey } from '../../core/options-key.ts';
import type { Request } from '../../core/request.ts';
import { compileJob, directoriesOf, directoryOf, type Directory, type JudgedJob } from '../../url/scope.ts';
import { type JobPace, jobPaceOf } from './job-pace.ts';
import { clientHeadersFor } from './client-headers.ts';
import type { TrustingJob } from './needs-no-request.ts';
import { JobNetworks, noPrivateNetworks } from './job-networks.ts';

const jobsMax = 1_000;

/** What the engine caches of a job that it works on. */
export interface CachedJob {
  readonly judged: JudgedJob;
  /** The part of the job that the converter's threads need. */
  readonly brief: JobBrief;
  /** Which private networks the job may enter. */
  readonly networks: JobNetworks;
  readonly respectRobots: boolean;
  /** When the job began, on the clock of this process (`monotonicNow`). */
  readonly begunAt: number;
  /** See `Entrance.insecureTls`. */
  readonly insecureTls: boolean;
  /** See `Entrance.proxy`. */
  readonly proxy: string | undefined;
  readonly pace: JobPace | undefined;
  /** How long a host that has never answered is tried. Undefined if the job does not say. */
  readonly unansweredMs: number | undefined;
  /** How long after its first turn a URL ends. Undefined if it has no limit. */
  readonly urlTimeoutMs: number | undefined;
  readonly wantsFiles: boolean;
  /** It has one page: a client may wait for it. */
  readonly isOnePage: boolean;
  readonly trapDetection: boolean;
  readonly keepCookies: boolean;
  /** A page of the earlier job may stay as it is, if it was made with equal options. */
  readonly keepsPages: boolean;
  /** See `PageSource.options`. */
  readonly optionsKey: string;
  readonly trusting: TrustingJob;
  /** The headers that the client wants sent to this URL. */
  headersFor(url: URL): RequestHeaders | undefined;
  /** URL templates that were found to be traps. */
  readonly endedTemplates: ReadonlySet<string>;
}

export interface AskingJob {
  readonly id: string;
  readonly org: string;
  /**
   * False if the client does not want the model to be asked, or the pages are fetched with headers of the client, who did
   * not say that a model may see them.
   */
  readonly mayAsk: boolean;
  /**
   * Set if it begins with the rules of the org's newest job with the same fields. `unchecked`: two pages of each template
   * are asked first. `trusted`: for a job of one page, which would ask about nothing else.
   */
  readonly reuses?: 'unchecked' | 'trusted';
}

/** A job without its start URLs, since there can be a thousand and the brief goes to a thread with every page. */
export interface JobBrief {
  /** Names the job and the version of its scope. */
  readonly name: string;
  readonly spec: Omit<CrawlJob['spec'], 'urls'>;
  /** Set for a job that asks a model, or reads with what a model taught. */
  readonly asking?: AskingJob;
  readonly scopeHosts: readonly string[];
  readonly directories: readonly Directory[];
  /** See {@link ScopedJob.keepsSession}. */
  readonly keepsSession: boolean;
  /** See {@link ScopedJob.hiddenHosts}. */
  readonly hiddenHosts: readonly string[];
}

export function briefOf(
  job: Pick<CrawlJob, 'id' | 'spec' | 'scopeHosts'> & Partial<Pick<CrawlJob, 'org' | 'headers' | 'movedStarts'>>,
  version: number,
): JobBrief {
  const { urls, ...spec } = job.spec;
  const { id, org = '', headers = {} } = job;
  const { extract } = spec;
  const reuses: AskingJob['reuses'] = isOnePage(urls, spec) ? 'trusted' : spec.baseline ? 'unchecked' : undefined;
  const isAsking = extract?.model === true || (reuses === 'trusted' && (extract?.schema ?? null) !== null);
  const isPrivate = Object.keys(headers).length > 0 || spec.reextract !== undefined;
  const asking = isAsking && {
    id,
    org,
    mayAsk: extract?.model === true && (!isPrivate || extract.private_to_model === true),
    ...(reuses && { reuses }),
  };
  return {
    ...(asking && { asking }),
    name: `${job.id} ${version}`,
    spec,
    scopeHosts: job.scopeHosts,
    directories: directoriesOf(job.spec, job.movedStarts),
    keepsSession: Object.keys(job.headers ?? {}).length > 0 && !job.spec.followLogout,
    hiddenHosts: [],
  };
}

function isOnePage(urls: readonly string[], { maxDepth }: Pick<CrawlJob['spec'], 'maxDepth'>): boolean {
  return urls.length === 1 && maxDepth === 0;
}

/** The brief for the page of a start URL that has moved: its directory is where the page is. */
export function movedBrief(brief: JobBrief, from: URL, to: URL): JobBrief {
  const [old, moved] = [directoryOf(from), directoryOf(to)];
  const others = brief.directories.filter(({ host, path }) => host !== old.host || path !== old.path);
  return { ...brief, name: `${brief.name} ${moved.path}`, directories: [...others, moved] };
}

/** The brief for a response from a network: some of the job's hosts can be hidden from there. */
export function hidingBrief(brief: JobBrief, hiddenHosts: readonly string[]): JobBrief {
  if (hiddenHosts.length === 0) return brief;
  return { ...brief, name: `${brief.name} without ${hash('sha256', hiddenHosts.join(' '), 'hex')}`, hiddenHosts };
}

/** Jobs by id and scope version, read from the store on first use. */
export class JobCache {
  readonly #frontier: Pick<Frontier, 'crawlJob' | 'noteNetworks'>;
  readonly #networks: Networks;
  readonly #jobs = new Map<string, { readonly reading: Promise<CachedJob | undefined>; job?: CachedJob | undefined }>();

  constructor(frontier: Pick<Frontier, 'crawlJob' | 'noteNetworks'>, networks: Networks = noPrivateNetworks) {
    this.#frontier = frontier;
    this.#networks = networks;
  }

  get(request: Request): Promise<CachedJob | undefined> {
    const name = nameOf(request);
    const known = this.#jobs.get(name);
    if (known) return known.reading;
    const [oldest] = this.#jobs.keys();
    if (this.#jobs.size >= jobsMax && oldest !== undefined) this.#jobs.delete(oldest);
    const reading = this.#read(request);
    const entry: { readonly reading: typeof reading; job?: CachedJob | undefined } = { reading };
    this.#jobs.set(name, entry);
    reading.then(
      (job) => (entry.job = job),
      () => this.#jobs.delete(name),
    );
    return reading;
  }

  /** The job if it was read already. */
  known(request: Request): CachedJob | undefined {
    return this.#jobs.get(nameOf(request))?.job;
  }

  async #read({ jobId, jobVersion }: Request): Promise<CachedJob | undefined> {
    const job = await this.#frontier.crawlJob(jobId);
    if (!job) return undefined;
    const brief = briefOf(job, jobVersion);
    return {
      judged: compileJob(brief),
      brief,
      networks: new JobNetworks(job, this.#networks, (networks) => this.#frontier.noteNetworks(jobId, networks)),
      respectRobots: job.spec.respectRobots,
      begunAt: monotonicNow() - (Date.now() - job.createdAt),
      insecureTls: job.spec.insecureTls,
      proxy: job.spec.proxy ?? undefined,
      pace: jobPaceOf(job),
      unansweredMs: job.spec.unreachableSeconds === null ? undefined : job.spec.unreachableSeconds * 1000,
      urlTimeoutMs: job.spec.urlTimeoutSeconds === null ? undefined : job.spec.urlTimeoutSeconds * 1000,
      wantsFiles: job.spec.includeLinkedFiles,
      isOnePage: isOnePage(job.spec.urls, job.spec),
      trapDetection: job.spec.trapDetection,
      keepCookies: job.spec.keepCookies,
      // A rendered page is always rendered. A raw body and a picture are those of their own time.
      keepsPages: job.spec.useBrowser !== true && !job.spec.storeRaw && job.spec.screenshot === null,
      optionsKey: optionsKey(job.spec),
      trusting: { id: job.id, honestHosts: job.honestHosts, followsLinks: job.spec.maxDepth !== 0 },
      headersFor: clientHeadersFor(job),
      endedTemplates: new Set(job.endedTemplates),
    };
  }
}

function nameOf({ jobId, jobVersion }: Request): string {
  return `${jobId} ${jobVersion}`;
}
