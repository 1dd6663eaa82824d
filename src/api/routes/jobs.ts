import type { Api, Service } from '../service.ts';
import { registerJobChanges } from './jobs/change-jobs.ts';
import { registerJobCreation } from './jobs/create-jobs.ts';
import { registerUrls } from './jobs/list-urls.ts';
import { registerPreview } from './jobs/preview-job.ts';
import { registerJobReads } from './jobs/read-jobs.ts';

export function registerJobs(api: Api, service: Service): void {
  registerJobCreation(api, service);
  registerPreview(api, service);
  registerJobReads(api, service);
  registerJobChanges(api, service);
  registerUrls(api, service);
}
