// The shapes of the API that the dashboard reads, by short names, from the OpenAPI document.
import type { components, operations } from '../client/openapi.ts';
import type { Job, Progress, UrlList } from '../client/types.ts';

export type * from '../client/types.ts';

type Schemas = components['schemas'];

export type JobStatus = Job['status'];
export type Finding = Schemas['Finding'];
export type Notice = Job['notices'][number];
export type PageMeta = PageResult['meta'];
export type PageResult = Schemas['Results']['data'][number];
/** One page, read at once. */
export type Scraped = Schemas['ScrapeResponse'];
export type UrlRow = UrlList['data'][number];
export type Session = operations['getSession']['responses'][200]['content']['application/json'];
export type Permission = Session['permissions'][number];
export type Preview = Schemas['CrawlPreview'];
export type System = Schemas['SystemStatus'];
export type Mapped = Schemas['SiteMap'];
export type TreeNode = Schemas['TreeNode'];
export type Token = Schemas['Token'];

export interface List<Row> {
  readonly data: readonly Row[];
  readonly cursor?: string;
}

export function hasEnded({ status }: Pick<Job, 'status'>): boolean {
  return status !== 'starting' && status !== 'running';
}

/** It waits until it is resumed or cancelled. Its status stays as it was. */
export function isStopped(job: Pick<Job, 'status' | 'stoppedAt'>): boolean {
  return job.stoppedAt !== null && !hasEnded(job);
}

/** URLs that the job fetches, has fetched, or would have fetched. */
export function insideOf({ discovered, outside }: Progress): number {
  return discovered - outside;
}
