import { exitCodes } from '../../core/errors.ts';
import { hasEnded } from '../../core/job.ts';
import { getJob } from '../../jobs/get-job.ts';
import { readResults } from '../../jobs/read-results.ts';
import { defaultOrg } from '../../jobs/tokens.ts';
import type { Flags } from '../flags.ts';
import { textFlag } from '../flags.ts';
import { createSink } from '../output/page-sink.ts';
import type { Program } from '../program.ts';

/** Writes the pages that a job has so far. Works beside a running service. */
export async function runGet(program: Program, id: string, flags: Flags): Promise<number> {
  const { config } = program.readConfig(flags);
  const store = await program.openStore(config, { crawling: false });
  try {
    const job = await getJob(store.jobs, defaultOrg, id);
    const out = textFlag(flags, 'out');
    const withText = flags['meta'] !== true;
    const sink = createSink(
      {
        format: job.spec.outputFormat,
        json: flags['json'] === true,
        meta: !withText,
        ...(out !== undefined && { out }),
      },
      process.stdout,
    );
    const parts = { jobs: store.jobs, pages: store.pages, cursors: program.cursorsOf(store) };
    const never = new AbortController().signal;
    for (let after = 0, more = true; more;) {
      const results = await readResults(parts, defaultOrg, id, { after, limit: 400, withText, waitMs: 0 }, never);
      for (const page of results.pages) await sink.write(page);
      after = results.position;
      more = results.pages.length > 0;
    }
    const summary = sink.summary();
    if (summary !== undefined) process.stderr.write(`  ${summary}\n`);
    if (!hasEnded(job.status))
      process.stderr.write(`  The job has not ended: \`hayrake resume ${id}\` goes on with it.\n`);
    return exitCodes.done;
  } finally {
    await store.close();
  }
}
