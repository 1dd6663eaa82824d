import type { Job } from '../../core/job.ts';
import { UserError } from '../../core/errors.ts';
import type { Screenshot } from '../../core/page.ts';
import type { PageStore } from '../../core/ports/stores.ts';
import { readScreenshot } from '../../jobs/read-screenshot.ts';

/** Reads the pictures of a job's pages, one at a time. Undefined if the job has none. */
export function picturesOf(
  pages: PageStore,
  { id, org, spec }: Job,
): ((page: number) => Promise<Screenshot | undefined>) | undefined {
  if (spec.screenshot === null) return undefined;
  return (page) =>
    readScreenshot(pages, org, id, String(page)).catch((error: unknown) => {
      // The job's notice counts pages without a picture.
      if (error instanceof UserError && error.code === 'screenshot_not_found') return undefined;
      throw error;
    });
}
