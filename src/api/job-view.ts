import { discovered, type Job } from '../core/job.ts';
import type { LedgerEntry } from '../core/stores.ts';
import { defaultExcludeElements } from '../core/exclude-elements.ts';

/** A job as the API shows it: inputs in snake_case with their effective values, computed fields in camelCase. */
export function viewJob(job: Job) {
  const { spec, progress } = job;
  return {
    id: job.id,
    org: job.org,
    status: job.status,
    createdAt: job.createdAt,
    finishedAt: job.finishedAt,
    urls: spec.urls,
    output_format: spec.outputFormat,
    exclude_globs: spec.excludeGlobs,
    include_globs: spec.includeGlobs,
    // With `content: auto` the default list is not applied beforehand.
    exclude_elements: spec.excludeElements ?? (spec.content === 'full' ? defaultExcludeElements : ''),
    include_elements: spec.includeElements ?? '',
    content: spec.content,
    output_expiry: spec.outputExpirySeconds,
    min_length: spec.minLength,
    page_limit: spec.pageLimit,
    fetch_limit: spec.fetchLimit,
    time_limit: spec.timeLimitSeconds,
    max_depth: spec.maxDepth,
    force_crawling_mode: spec.forceCrawlingMode,
    allow_subdomains: spec.allowSubdomains,
    use_browser: false,
    block_resources: spec.blockResources,
    include_linked_files: spec.includeLinkedFiles,
    respect_robots: spec.respectRobots,
    webhook_url: job.webhookUrl,
    sitemapPageCount: job.sitemapPageCount,
    progress: { discovered: discovered(progress), ...progress },
    reasons: job.reasons,
    notices: job.notices,
    webhookFails: job.webhookFails,
    ...(job.retryOf !== null && { retryOf: job.retryOf }),
    costCents: 0,
  };
}

/** A ledger entry as the API shows it; what does not apply is left out. */
export function viewUrl(entry: LedgerEntry) {
  const { url, status, reason, detail, depth, attempts, statusCode, page, foundOn, lastmod } = entry;
  return {
    url,
    status,
    ...(reason !== null && { reason }),
    ...(detail !== null && { detail }),
    depth,
    attempts,
    ...(statusCode !== null && { statusCode }),
    ...(page !== null && { page }),
    ...(foundOn !== null && { foundOn }),
    ...(lastmod !== null && { lastmod }),
  };
}
