import { exitCodes } from '../../core/errors.ts';
import { hasEnded } from '../../core/job.ts';
import { withAccess } from '../access.ts';
import type { PageJson } from '../../page/decode.ts';
import type { Flags } from '../flags.ts';
import { damagedPages } from '../output/damaged-pages.ts';
import { createSink, outputOf, pagesAgain, probeOutput } from '../output/page-sink.ts';
import { picturesOf } from '../output/read-pictures.ts';
import { terminalOf } from '../output/terminal.ts';
import { WrittenLine } from '../output/written-line.ts';
import type { Program } from '../program.ts';
import { frontMatterOf, shapeOf } from '../sink-flags.ts';

/** Writes the pages that a job has so far. */
export async function runGet(program: Program, id: string, flags: Flags): Promise<number> {
  const withText = flags['meta'] !== true;
  if (flags['chunk'] === undefined || flags['convertLinks'] === true)
    await probeOutput({ ...outputOf(flags), meta: !withText }, process.stdout);
  return withAccess(program, flags, async ({ client }) => {
    const job = await client.job(id);
    const sink = createSink(
      {
        format: job.output_format,
        meta: !withText,
        screenshotOf: picturesOf(client, job),
        frontMatter: frontMatterOf(flags),
        ...shapeOf(flags, job.output_format),
        ...outputOf(flags),
      },
      process.stdout,
    );
    const damaged: number[] = [];
    const line = new WrittenLine(terminalOf(process.stderr));
    const files = { noun: sink.noun, total: job.progress.scraped };
    const options = { follow: false, onDamaged: (number: number) => void damaged.push(number) };
    const pages = withText ? client.pages(id, options) : client.metas(id, options);
    for await (const page of line.counted(pages, files)) await sink.write(page as PageJson);
    await sink.end(() => line.counted(pagesAgain(client, id), { ...files, verb: 'linked' }));
    const summary = sink.summary();
    if (summary !== undefined) process.stderr.write(`  ${summary}\n`);
    if (!hasEnded(job.status)) process.stderr.write(`  ${unended(job.stoppedAt !== null, id)}\n`);
    if (damaged.length > 0) throw damagedPages(damaged);
    return exitCodes.done;
  });
}

function unended(isStopped: boolean, id: string): string {
  return isStopped
    ? `The crawl is stopped. \`hayrake resume ${id}\` continues it.`
    : `The job has not ended. \`hayrake resume ${id}\` continues it if no service does.`;
}
