import type { Frontier } from '../../core/ports/frontier.ts';

/** How often to look which jobs have ended. A slow fetch of an ended job continues for at most this long. */
const lookEveryMs = 500;

interface Watched {
  readonly ended: AbortController;
  /** Requests of the job that are being worked on. */
  requests: number;
  /** Call after the last one. */
  readonly forget: () => void;
}

/** A request that is being worked on. */
export interface Working {
  /** Fires with `abort`, and soon after the job has ended. */
  readonly signal: AbortSignal;
  readonly done: () => void;
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

  /** Call `done` of the result, once, when the request is processed. */
  begin(jobId: string): Working {
    const watched = this.#watched.get(jobId) ?? this.#watch(jobId);
    watched.requests++;
    this.#lookLater();
    return {
      signal: watched.ended.signal,
      done: () => {
        watched.requests--;
        if (watched.requests === 0) watched.forget();
      },
    };
  }

  /** `AbortSignal.any` looks at all its signals whenever it is asked. */
  #watch(jobId: string): Watched {
    const abort = this.#abort;
    const ended = new AbortController();
    const end = (): void => ended.abort(abort.reason);
    if (abort.aborted) end();
    else abort.addEventListener('abort', end);
    const forget = (): void => {
      abort.removeEventListener('abort', end);
      this.#watched.delete(jobId);
    };
    const watched = { ended, requests: 0, forget };
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
