import type { Screenshot } from '../../core/page.ts';
import type { ShownJob, Verbs } from '../verbs/verbs.ts';

/** Reads the pictures of a job's pages, one at a time. Undefined if the job has none. */
export function picturesOf(
  verbs: Pick<Verbs, 'readScreenshot'>,
  { id, spec }: Pick<ShownJob, 'id' | 'spec'>,
): ((page: number) => Promise<Screenshot | undefined>) | undefined {
  return spec.screenshot === null ? undefined : (page) => verbs.readScreenshot(id, page);
}
