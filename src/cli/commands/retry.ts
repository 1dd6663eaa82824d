import { UserError } from '../../core/errors.ts';
import { permissions } from '../../core/permissions.ts';
import { retryJob } from '../../jobs/retry-job.ts';
import { defaultOrg } from '../../jobs/tokens.ts';
import { withCrawlingStore } from '../crawling-store.ts';
import type { Flags } from '../flags.ts';
import { inTermsOfFlags, optionFields } from '../option-flags.ts';
import type { Program } from '../program.ts';
import { probeOutput } from '../output/page-sink.ts';
import { crawl, outputOf } from './crawl.ts';

/** Crawls the failed URLs of a job again, as a new job, and writes its pages as they arrive. */
export async function runRetry(program: Program, id: string, flags: Flags): Promise<number> {
  await probeOutput(outputOf(flags), process.stdout);
  const body = optionFields(flags, 'retry');
  return withCrawlingStore(program, flags, async (config, store) => {
    const destinations = program.createDestinations(config);
    try {
      const parts = { jobs: store.jobs, destinations, hasBrowser: () => program.hasBrowser(config) };
      const job = await retryJob(parts, { org: defaultOrg, permissions }, id, body);
      return await crawl(program, config, store, job, flags);
    } catch (error) {
      throw error instanceof UserError ? inTermsOfFlags(error, 'retry', []) : error;
    } finally {
      await destinations.close();
    }
  });
}
