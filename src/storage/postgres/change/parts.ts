import type { CrawlTables } from '../../rules/frontier/crawl-tables.ts';
import type { SeenUrls } from '../../rules/frontier/seen-urls.ts';
import type { Connections } from '../connection/connections.ts';
import type { HostIds } from './host-ids.ts';
import type { IdleHosts } from './idle-hosts.ts';
import type { JobFacts } from './job-facts.ts';
import type { Statistics } from '../connection/statistics.ts';
import type { Signals } from '../connection/signals.ts';

/** The components that all parts of a PostgreSQL store share. */
export interface StoreParts {
  readonly connections: Connections;
  readonly facts: JobFacts;
  readonly hosts: HostIds;
  readonly signals: Signals;
  readonly jobUrlsMax: CrawlTables['jobUrlsMax'];
  readonly idle: IdleHosts;
  readonly statistics: Statistics;
  /** URLs that this process saw. */
  readonly seen: SeenUrls;
}
