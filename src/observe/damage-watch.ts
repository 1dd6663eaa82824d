import type { Log } from '../core/ports/log.ts';
import type { DamagedPage } from '../core/ports/check.ts';
import type { FoundScreenshot, JobStore, PageSlice, PageStore, ScreenshotQuery } from '../core/ports/stores.ts';

/** Reported pages that are remembered. A forgotten page can be reported again. */
const reportedMax = 10_000;

export interface DamageWatchParts {
  readonly pages: PageStore;
  readonly jobs: Pick<JobStore, 'addNotice'>;
  readonly log: Log;
  /** Counts one damaged page. */
  readonly onDamage: () => void;
}

/** Reads pages, and reports each damaged one once: in the log, in the metrics, and as a notice on its job. */
export class DamageWatch implements PageStore {
  readonly #parts: DamageWatchParts;
  readonly #reported = new Set<string>();

  constructor(parts: DamageWatchParts) {
    this.#parts = parts;
  }

  async read(query: Parameters<PageStore['read']>[0]): Promise<PageSlice | undefined> {
    const slice = await this.#parts.pages.read(query);
    // Expired results are removed soon, so their damage is not reported.
    if (slice?.damagedPage !== undefined && !slice.areResultsGone) {
      this.#report(query.jobId, slice.damagedPage, query.withText ? 'text' : 'metadata');
    }
    return slice;
  }

  async screenshot(query: ScreenshotQuery): Promise<FoundScreenshot | undefined> {
    const found = await this.#parts.pages.screenshot(query);
    if (found?.screenshot === 'damaged') this.#report(query.jobId, query.page, 'screenshot');
    return found;
  }

  #report(job: string, page: number, part: DamagedPage['part']): void {
    const key = `${job} ${page} ${part}`;
    if (this.#reported.has(key)) return;
    if (this.#reported.size >= reportedMax) this.#reported.clear();
    this.#reported.add(key);
    const { jobs, log, onDamage } = this.#parts;
    onDamage();
    log.error('a page is damaged, and the results leave that part out: run `hayrake check` to find all damaged pages', {
      job,
      page,
      part,
    });
    const what =
      part === 'screenshot'
        ? `The screenshot of page ${page} is damaged`
        : `Page ${page} is damaged, and the results leave it out`;
    const message = `${what}: the stored bytes have changed. The operator can find all damaged pages with \`hayrake check\`, and restore a backup.`;
    // Not awaited: the response does not need it, and the disk can be read-only.
    jobs
      .addNotice(job, { code: 'page_damaged', message, at: Date.now() })
      .catch((error: unknown) => log.warn('the notice of a damaged page could not be stored', { job, page, error }));
  }
}
