import { exitCodes, UserError } from '../../core/errors.ts';
import { hasEnded, type Job } from '../../core/job.ts';
import { permissions } from '../../core/permissions.ts';
import type { Store } from '../../core/ports/stores.ts';
import { createJob } from '../../jobs/create-job.ts';
import { getJob } from '../../jobs/get-job.ts';
import { PagesBelow } from '../../jobs/pages-below.ts';
import { followResults } from '../../jobs/read-results.ts';
import { defaultOrg } from '../../jobs/tokens.ts';
import { parsePage } from '../../page/decode.ts';
import type { Config } from '../../config/config.ts';
import { withCrawlingStore } from '../crawling-store.ts';
import { type Flags, givenAgain, textFlag } from '../flags.ts';
import { givenUrl } from '../given-url.ts';
import { inTermsOfFlags, optionFields } from '../option-flags.ts';
import { sayEnd } from '../output/crawl-summary.ts';
import { damagedPages } from '../output/damaged-pages.ts';
import { picturesOf } from '../output/read-pictures.ts';
import { createSink, type PageSink } from '../output/page-sink.ts';
import { placeOf } from '../output/place.ts';
import { countOf, ProgressDisplay } from '../output/progress-display.ts';
import { terminalOf } from '../output/terminal.ts';
import type { Program } from '../program.ts';
import { frontMatterOf } from '../sink-flags.ts';
import { stopSignals } from '../stop-signals.ts';

const refreshMs = 200;

/** Crawls in this process, and writes pages as they arrive. */
export function runCrawl(program: Program, given: readonly string[], flags: Flags): Promise<number> {
  const urls = given.map(givenUrl);
  const body = { urls, ...optionFields(flags, 'crawl') };
  return withCrawlingStore(program, flags, async (config, store) => {
    const destinations = program.createDestinations(config);
    try {
      const parts = { jobs: store.jobs, destinations, hasBrowser: () => program.hasBrowser(config) };
      const job = await createJob(parts, { org: defaultOrg, permissions }, body);
      return await crawl(program, config, store, job, flags);
    } catch (error) {
      throw error instanceof UserError ? inTermsOfFlags(error, 'crawl', urls) : error;
    } finally {
      await destinations.close();
    }
  });
}

/** Continues a job of the data directory. Pages already written are written again, unchanged. */
export function runResume(program: Program, id: string, flags: Flags): Promise<number> {
  return withCrawlingStore(program, flags, async (config, store) => {
    const job = await getJob(store.jobs, defaultOrg, id);
    return crawl(program, config, store, job, flags);
  });
}

/** Crawls one job of the store until it ends or is interrupted, and reports the result. */
export async function crawl(program: Program, config: Config, store: Store, job: Job, flags: Flags): Promise<number> {
  const terminal = terminalOf(process.stderr);
  const say = (line: string): void => void terminal.stream.write(`  ${line}\n`);
  const out = textFlag(flags, 'out');
  const json = flags['json'] === true;
  const sink = createSink(
    {
      format: job.spec.outputFormat,
      json,
      frontMatter: frontMatterOf(flags),
      screenshotOf: picturesOf(store.pages, job),
      ...(out !== undefined && { out }),
    },
    process.stdout,
  );
  const display = new ProgressDisplay(terminal);
  const below = new PagesBelow(job.spec);
  const startedAt = performance.now();
  say(`hayrake ${program.version} · local · data in ${placeOf(config)}`);

  const stops = stopSignals();
  stops.signal.addEventListener('abort', () => store.stopWaiting());
  const ending = new AbortController();
  const signal = AbortSignal.any([stops.signal, ending.signal]);
  const engine = await program.startEngine(config, store, { onlyJob: job.id }, program.createLog(config));
  // The pages end with the job. The engine ends earlier only if the store fails, and then that error is reported.
  const working = Promise.all([
    watch(store, job.id, display, signal),
    writePages(program, store, job.id, { sink, display, below }, signal).finally(() => ending.abort()),
  ]);
  try {
    await Promise.race([working, engine.done]);
  } finally {
    ending.abort();
    await working.catch(() => {});
    display.clear();
    if (stops.signal.aborted) say('Stopping after the requests in flight. Press Ctrl-C again to end at once.');
    await engine.stop();
  }
  const ended = await getJob(store.jobs, defaultOrg, job.id);
  if (!hasEnded(ended.status)) {
    const { scraped, queued, inFlight } = ended.progress;
    say(
      `${terminal.yellow('!')} Stopped: ${countOf(scraped, 'page')} kept, ${countOf(queued + inFlight, 'URL')} still to crawl.`,
    );
    say(`Next   ${[program.command, 'resume', job.id, ...givenAgain(program, flags)].join(' ')}`);
    return exitCodes.interrupted;
  }
  // The job can add notices after the last update.
  display.tell(ended.notices);
  const elapsedSeconds = (performance.now() - startedAt) / 1000;
  const again = givenAgain(program, { data: flags['data'], config: flags['config'] });
  await sayEnd(terminal, store.jobs, ended, {
    elapsedSeconds,
    written: sink.summary(),
    command: program.command,
    again,
    below: below.hint,
  });
  if (ended.status === 'failed') return exitCodes.failed;
  const { failed, scraped } = ended.progress;
  return failed > 0 || scraped === 0 ? exitCodes.somePagesFailed : exitCodes.done;
}

async function writePages(
  program: Program,
  store: Store,
  id: string,
  { sink, display, below }: { readonly sink: PageSink; readonly display: ProgressDisplay; readonly below: PagesBelow },
  signal: AbortSignal,
): Promise<void> {
  const parts = { jobs: store.jobs, pages: store.pages, cursors: program.cursorsOf(store) };
  const damaged: number[] = [];
  for await (const { pages, damagedPage } of followResults(
    parts,
    defaultOrg,
    id,
    { after: 0, limit: 100, withText: true },
    signal,
  )) {
    if (damagedPage !== undefined) damaged.push(damagedPage);
    for (const page of pages) {
      await sink.write(page);
      if (below.isCounting) below.add(parsePage(page).meta.url);
    }
    const last = pages.at(-1);
    if (!last) continue;
    const { meta } = parsePage(last);
    display.page(meta.url, meta.meta);
  }
  if (damaged.length > 0) throw damagedPages(damaged);
}

async function watch(store: Store, id: string, display: ProgressDisplay, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    display.update(await getJob(store.jobs, defaultOrg, id));
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, refreshMs);
      signal.addEventListener('abort', done);
    });
  }
}
