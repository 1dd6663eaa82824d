import { exitCodes } from '../../core/errors.ts';
import { hasEnded } from '../../core/job.ts';
import { getJob } from '../../jobs/get-job.ts';
import { readResults } from '../../jobs/read-results.ts';
import { defaultOrg } from '../../jobs/tokens.ts';
import type { Flags } from '../flags.ts';
import { damagedPages } from '../output/damaged-pages.ts';
import { picturesOf } from '../output/read-pictures.ts';
import { createSink, probeOutput } from '../output/page-sink.ts';
import type { Program } from '../program.ts';
import { frontMatterOf, shapeOf } from '../sink-flags.ts';
import { outputOf } from './crawl.ts';

/** Writes the pages that a job has so far. A service can run meanwhile. */
export async function runGet(program: Program, id: string, flags: Flags): Promise<number> {
  const { config } = program.readConfig(flags);
  const withText = flags['meta'] !== true;
  const isChunked = flags['chunk'] !== undefined;
  if (!isChunked) await probeOutput({ ...outputOf(flags), meta: !withText }, process.stdout);
  const store = await program.openStore(config, { crawling: false });
  try {
    const job = await getJob(store.jobs, defaultOrg, id);
    const sink = createSink(
      {
        format: job.spec.outputFormat,
        meta: !withText,
        screenshotOf: picturesOf(store.pages, job),
        frontMatter: frontMatterOf(flags),
        ...shapeOf(flags, job.spec.outputFormat),
        ...outputOf(flags),
      },
      process.stdout,
    );
    const parts = { jobs: store.jobs, pages: store.pages, cursors: program.cursorsOf(store) };
    const never = new AbortController().signal;
    const damaged: number[] = [];
    for (let after = 0, more = true; more;) {
      const results = await readResults(parts, defaultOrg, id, { after, limit: 400, withText, waitMs: 0 }, never);
      for (const page of results.pages) await sink.write(page);
      if (results.damagedPage !== undefined) damaged.push(results.damagedPage);
      after = results.damagedPage ?? results.position;
      more = results.pages.length > 0 || results.damagedPage !== undefined;
    }
    const summary = sink.summary();
    if (summary !== undefined) process.stderr.write(`  ${summary}\n`);
    if (!hasEnded(job.status))
      process.stderr.write(`  The job has not ended. \`hayrake resume ${id}\` continues it.\n`);
    if (damaged.length > 0) throw damagedPages(damaged);
    return exitCodes.done;
  } finally {
    await store.close();
  }
}
