import { UserError } from '../core/errors.ts';
import type { Screenshot } from '../core/page.ts';
import type { PageStore } from '../core/ports/stores.ts';
import { kept } from './get-job.ts';
import { isJobId } from './job-id.ts';

/** Returns the screenshot of a page, by the number of the page in digits. Throws a `UserError` if there is none. */
export async function readScreenshot(pages: PageStore, org: string, jobId: string, given: string): Promise<Screenshot> {
  const page = /^[1-9]\d{0,7}$/.test(given) ? Number(given) : 0;
  const { screenshot } = kept(isJobId(jobId) ? await pages.screenshot({ org, jobId, page }) : undefined);
  if (screenshot === undefined)
    throw new UserError(
      'screenshot_not_found',
      `The job has no screenshot of this page. Pages have one if the job was created with \`screenshot\`; its notice \`no_screenshot\` counts pages without.`,
    );
  if (screenshot === 'damaged')
    throw new UserError('page_damaged', 'The screenshot is damaged: the stored bytes have changed.', [], { page });
  return screenshot;
}

/** Path of the screenshot in the API. */
export function screenshotPath(jobId: string, page: number): string {
  return `/crawler/jobs/${jobId}/pages/${page}/screenshot`;
}
