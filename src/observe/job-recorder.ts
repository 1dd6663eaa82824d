// Notes how jobs go over time. The engine does not know: the port that it settles through is wrapped.
import { forwardFrontier } from '../core/forward-frontier.ts';
import { emptySeries, readSeries, type Series, withPoint, writeSeries } from '../core/job-series.ts';
import type { CrawlStatus, JobSample } from '../core/ports/crawl-status.ts';
import type { Frontier } from '../core/ports/frontier.ts';
import type { JobStore } from '../core/ports/stores.ts';

/** How often counters are read. */
export const sampleEveryMs = 1_000;
/** How often a series is stored while its job runs: what a crash loses. */
export const storeSeriesMs = 5_000;
/** Jobs whose series is in memory. With more active jobs, each gets fewer points. */
const jobsMax = 500;

interface Recorded {
  series: Series;
  storedAt: number;
  isStored: boolean;
}

/** Samples the jobs that this process settles requests of. Every process that works on a job notes the same counters. */
export class JobRecorder {
  readonly #crawlStatus: CrawlStatus;
  readonly #jobs: Pick<JobStore, 'readSeries' | 'writeSeries'>;
  /** Called once for each job that has ended, with the codes of its findings. */
  readonly #onEnd: (findings: JobSample['findings']) => void;
  /** Jobs with a settlement since their last sample. */
  readonly #active = new Set<string>();
  /** Least recently sampled first. */
  readonly #recorded = new Map<string, Recorded>();

  constructor(
    crawlStatus: CrawlStatus,
    jobs: Pick<JobStore, 'readSeries' | 'writeSeries'>,
    onEnd: (findings: JobSample['findings']) => void = () => {},
  ) {
    this.#crawlStatus = crawlStatus;
    this.#jobs = jobs;
    this.#onEnd = onEnd;
  }

  /** Wraps the frontier to learn which jobs change. */
  frontier(frontier: Frontier): Frontier {
    return {
      ...forwardFrontier(frontier),
      settle: async (lease, settlements, ...rest) => {
        await frontier.settle(lease, settlements, ...rest);
        for (const { request } of settlements) this.#active.add(request.jobId);
      },
    };
  }

  /** Reads the counters of the active jobs, and stores what is due. `now`: milliseconds since the epoch. */
  async sample(now: number): Promise<void> {
    const ids = [...this.#active].slice(0, jobsMax);
    const samples = await this.#read(ids);
    for (const { id, progress, bytes, hasEnded, findings } of samples) {
      const known = this.#recorded.get(id) ?? (await this.#load(id, now));
      known.series = withPoint(known.series, { at: now, ...progress, bytes });
      known.isStored = false;
      // Last in the order of use.
      this.#recorded.delete(id);
      this.#recorded.set(id, known);
      if (hasEnded) await this.#store(id, known, now);
      if (hasEnded) this.#recorded.delete(id);
      if (hasEnded) this.#onEnd(findings);
    }
    await this.#storeDue(now, storeSeriesMs);
    for (const [id, known] of this.#recorded) {
      if (this.#recorded.size <= jobsMax) break;
      if (!known.isStored) await this.#store(id, known, now);
      this.#recorded.delete(id);
    }
  }

  /** Forgets that the jobs are active before it reads, so that what is settled meanwhile is read the next time. */
  async #read(ids: readonly string[]): Promise<readonly JobSample[]> {
    if (ids.length === 0) return [];
    for (const id of ids) this.#active.delete(id);
    try {
      return await this.#crawlStatus.sample(ids);
    } catch (error) {
      for (const id of ids) this.#active.add(id);
      throw error;
    }
  }

  /** Stores everything: call when nothing is settled any more. */
  async finish(now: number): Promise<void> {
    await this.sample(now);
    await this.#storeDue(now, 0);
  }

  async #storeDue(now: number, olderThanMs: number): Promise<void> {
    for (const [id, known] of this.#recorded)
      if (!known.isStored && now - known.storedAt >= olderThanMs) await this.#store(id, known, now);
  }

  /** Another process, or this one before, can have noted the job already. */
  async #load(id: string, now: number): Promise<Recorded> {
    const text = await this.#jobs.readSeries(id);
    return {
      series: (text === undefined ? undefined : readSeries(text)) ?? emptySeries,
      storedAt: now,
      isStored: true,
    };
  }

  async #store(id: string, known: Recorded, now: number): Promise<void> {
    await this.#jobs.writeSeries(id, writeSeries(known.series));
    known.storedAt = now;
    known.isStored = true;
  }
}
