// When the URLs of jobs with `url_timeout` had their first turn. In memory: after a restart, or in another process, the
// time of a URL that is tried again starts at zero, so it costs at most its attempts times the limit.
import type { Outcome } from '../../core/request.ts';
import { keepLast } from '../../core/keep-last.ts';

/** With more, the oldest start at zero. */
const urlsMax = 100_000;

export class UrlClocks {
  readonly #firstTurns = new Map<number, number>();

  /** Returns how long ago the first turn of a request was; 0 if it is now. */
  elapsedMs(id: number, now: number): number {
    const known = this.#firstTurns.get(id);
    if (known !== undefined) return now - known;
    keepLast(this.#firstTurns, id, now, urlsMax);
    return 0;
  }

  ended(id: number): void {
    this.#firstTurns.delete(id);
  }
}

/** A retry that would come too late is the end, with the reason of this attempt. */
export function withinUrlTimeout(outcome: Outcome, elapsedMs: number, timeoutMs: number): Outcome {
  return outcome.kind === 'retry' && elapsedMs + outcome.afterMs >= timeoutMs
    ? { kind: 'failed', error: outcome.error }
    : outcome;
}
