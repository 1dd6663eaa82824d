import { discovered } from '../../core/job.ts';
import { exitCodes } from '../../core/errors.ts';
import { listJobs } from '../../jobs/list-jobs.ts';
import { defaultOrg } from '../../jobs/tokens.ts';
import type { Flags } from '../flags.ts';
import { numberFlag } from '../flags.ts';
import { placeOf } from '../output/place.ts';
import { printable } from '../output/terminal.ts';
import type { Program } from '../program.ts';

/** Lists the jobs of the default org, newest first. A service can run meanwhile. */
export async function runJobs(program: Program, flags: Flags): Promise<number> {
  const { config } = program.readConfig(flags);
  const limit = numberFlag(flags, 'limit', '--limit') ?? 50;
  const store = await program.openStore(config, { crawling: false });
  try {
    const { jobs } = await listJobs({ jobs: store.jobs, cursors: program.cursorsOf(store) }, defaultOrg, { limit });
    for (const job of jobs) {
      const { id, status, createdAt, progress, spec } = job;
      if (flags['json'] === true) {
        process.stdout.write(
          `${JSON.stringify({ id, status, createdAt, progress: { discovered: discovered(progress), ...progress }, urls: spec.urls })}\n`,
        );
        continue;
      }
      const more = spec.urls.length > 1 ? ` and ${spec.urls.length - 1} more` : '';
      const counts = `${progress.scraped} pages, ${progress.queued + progress.inFlight} queued, ${progress.failed} failed`;
      process.stdout.write(
        `${id}  ${status.padEnd(9)}  ${new Date(createdAt).toISOString()}  ${counts}  ${printable(spec.urls[0] ?? '')}${more}\n`,
      );
    }
    if (jobs.length === 0)
      process.stderr.write(
        `No jobs in ${config.databaseUrl === undefined ? config.data : placeOf(config)} yet. \`hayrake crawl https://example.com\` makes one.\n`,
      );
    return exitCodes.done;
  } finally {
    await store.close();
  }
}
