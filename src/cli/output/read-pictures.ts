import type { Hayrake, Job } from '../../../packages/client/index.ts';
import { ExitError, exitCodes } from '../../core/errors.ts';
import type { Screenshot } from '../../core/page.ts';
import { isRefusal } from '../access.ts';

const bytesMax = 16 * 2 ** 20;

/** Reads the pictures of a job's pages, one at a time: undefined for a page without. Undefined if the job has none. */
export function picturesOf(
  client: Pick<Hayrake, 'screenshot'>,
  { id, screenshot }: Job,
): ((page: number) => Promise<Screenshot | undefined>) | undefined {
  if (screenshot === null) return undefined;
  return async (page) => {
    try {
      const response = await client.screenshot(id, page);
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (bytes.length > bytesMax)
        throw new ExitError(exitCodes.failed, `The service sent a picture of ${bytes.length} bytes.`);
      return { type: response.headers.get('content-type') === 'image/jpeg' ? 'image/jpeg' : 'image/png', bytes };
    } catch (error) {
      // The job's notice counts pages without a picture.
      if (isRefusal(error, 'screenshot_not_found')) return undefined;
      throw error;
    }
  };
}
