import type { Frontier } from '../../core/ports/frontier.ts';

/** How often to look which jobs have ended. A slow fetch of an ended job continues for at most this long. */
const lookEveryMs = 500;

interface Watched {
  readonly ended: AbortController;
  readonly signal: AbortSignal;
  /** Requests of the job that are being worked on. */
  requests: number;
}

/** Aborts the fetches of a job once it has ended: cancelled, deleted, past its time limit, or at its page limit. */
export class JobEnds {
  readonly #frontier: Pick<Frontier, 'endedJobs'>;
  readonly #abort: AbortSignal;
  readonly #watched = new Map<string, Watched>();
  #isLooking = false;

  constructor(frontier: Pick<Frontier, 'endedJobs'>, abort: AbortSignal) {
    this.#frontier = frontier;
    this.#abort = abort;
  }

  /** Works on a request of a job, with a signal that fires with `abort`, and soon after the job has ended. */
  async whileRunning<Result>(jobId: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const watched = this.#watched.get(jobId) ?? this.#watch(jobId);
    watched.requests++;
    this.#lookLater();
    try {
      return await work(watched.signal);
    } finally {
      watched.requests--;
      if (watched.requests === 0) this.#watched.delete(jobId);
    }
  }

  #watch(jobId: string): Watched {
    const ended = new AbortController();
    const watched = { ended, signal: AbortSignal.any([this.#abort, ended.signal]), requests: 0 };
    this.#watched.set(jobId, watched);
    return watched;
  }

  #lookLater(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    setTimeout(() => void this.#look(), lookEveryMs).unref();
  }

  async #look(): Promise<void> {
    try {
      const ended = await this.#frontier.endedJobs([...this.#watched.keys()]);
      for (const id of ended) this.#watched.get(id)?.ended.abort();
    } catch {
      // The lanes report a store that cannot be read. Here the next look is soon enough.
    }
    this.#isLooking = false;
    if (this.#watched.size > 0) this.#lookLater();
  }
}
