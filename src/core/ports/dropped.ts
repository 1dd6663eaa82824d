import type { DroppedText } from '../dropped-text.ts';
import type { JobSpec } from '../job.ts';
import type { RawPage } from '../raw-page.ts';
import type { CrawlError } from '../request.ts';

/** What these options leave out of a page, or why it cannot be read; undefined if it is a file. */
export type DroppedOf = (
  org: string,
  spec: JobSpec,
  raw: RawPage,
  signal: AbortSignal,
) => Promise<readonly DroppedText[] | CrawlError | undefined>;
