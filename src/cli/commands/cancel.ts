import { exitCodes } from '../../core/errors.ts';
import { cancelJob, deleteJob } from '../../jobs/cancel-job.ts';
import { defaultOrg } from '../../jobs/tokens.ts';
import type { Flags } from '../flags.ts';
import { countOf } from '../output/progress-display.ts';
import type { Program } from '../program.ts';

/** Ends a job; its pages stay readable. A service can run meanwhile. A job that has ended stays as it is. */
export async function runCancel(program: Program, id: string, flags: Flags): Promise<number> {
  const { config } = program.readConfig(flags);
  const store = await program.openStore(config, { crawling: false });
  try {
    const { status, progress } = await cancelJob(store.jobs, defaultOrg, id);
    process.stderr.write(`Job ${id}: ${status}, ${countOf(progress.scraped, 'page')} kept.\n`);
    return exitCodes.done;
  } finally {
    await store.close();
  }
}

/** Ends a job and deletes its pages. A service can run meanwhile. */
export async function runDelete(program: Program, id: string, flags: Flags): Promise<number> {
  const { config } = program.readConfig(flags);
  const store = await program.openStore(config, { crawling: false });
  try {
    const { progress } = await deleteJob(store.jobs, defaultOrg, id);
    process.stderr.write(`Job ${id}: ${countOf(progress.scraped, 'page')} deleted.\n`);
    return exitCodes.done;
  } finally {
    await store.close();
  }
}
