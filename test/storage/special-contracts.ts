// The second half of what every store promises: see `store-contract.ts`. Each store runs the halves in two files, so that
// they run side by side.
import { describe } from 'vitest';
import { describeBrowserJobs } from './browser-contract.ts';
import { describeErasures } from './erasure-contract.ts';
import { describeCrawlProperty } from './crawl-property.ts';
import { describeFeeds } from './feed-contract.ts';
import { describeFairLeases } from './fair-lease-contract.ts';
import { inObjects } from './in-objects.ts';
import { describeLessons } from './lessons-contract.ts';
import { describeLists } from './lists-contract.ts';
import { describeMovedRequests } from './moved-contract.ts';
import { describeObjectBlobs } from './objects-contract.ts';
import { describeRawBodies } from './raw-contract.ts';
import { describeReextractions } from './reextract-contract.ts';
import { describeResidue } from './residue-contract.ts';
import { describeRetries } from './retry-contract.ts';
import { describeRuns } from './runs-contract.ts';
import { describeSchedules } from './schedule-contract.ts';
import { describeScreenshots } from './screenshot-contract.ts';
import { describeSearches } from './search-contract.ts';
import { describeSessions } from './session-contract.ts';
import { describeSince } from './since-contract.ts';
import { describeStoppedJobs } from './stopped-contract.ts';
import { describeSuspects } from './suspect-contract.ts';
import { describeTimeLimits } from './time-limit-contract.ts';
import { describeUnreachableHosts } from './unreachable-host-contract.ts';
import type { OpenDatabase } from './test-data.ts';

/** Each opens stores before each of its tests, so each is in a `describe` of its own. */
const contracts: Readonly<Record<string, (createDatabase: () => Promise<OpenDatabase>) => void>> = {
  crawls: describeCrawlProperty,
  sessions: describeSessions,
  'unreachable hosts': describeUnreachableHosts,
  'jobs for a browser': describeBrowserJobs,
  'stopped jobs': describeStoppedJobs,
  'fair leases': describeFairLeases,
  'redirects to other hosts': describeMovedRequests,
  lists: describeLists,
  lessons: describeLessons,
  retries: describeRetries,
  screenshots: describeScreenshots,
  'screenshots in objects': (createDatabase) => describeScreenshots(inObjects(createDatabase)),
  'raw bodies': describeRawBodies,
  'raw bodies in objects': describeObjectBlobs,
  'raw bodies as in the database, in objects': (createDatabase) => describeRawBodies(inObjects(createDatabase)),
  're-extractions': describeReextractions,
  'jobs since others': describeSince,
  'suspects of a crash': describeSuspects,
  'time limits': describeTimeLimits,
  searches: describeSearches,
  erasures: describeErasures,
  'erasures in objects': (createDatabase) => describeErasures(inObjects(createDatabase)),
  'what is left': (createDatabase) => describeResidue(createDatabase, false),
  'what is left, in objects': (createDatabase) => describeResidue(createDatabase, true),
  schedules: describeSchedules,
  'runs of schedules': describeRuns,
  'feeds of schedules': describeFeeds,
};

export function describeSpecialContracts(name: string, createDatabase: () => Promise<OpenDatabase>): void {
  for (const [topic, describeContract] of Object.entries(contracts))
    describe(`store on ${name}, ${topic}`, () => {
      describeContract(createDatabase);
    });
}
