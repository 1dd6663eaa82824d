import { exitCodes, UserError } from '../../core/errors.ts';
import { hasEnded, type Job } from '../../core/job.ts';
import { permissions } from '../../core/permissions.ts';
import type { JobStore, Store } from '../../core/ports/stores.ts';
import { createJob } from '../../jobs/create-job.ts';
import { getJob } from '../../jobs/get-job.ts';
import { resumeJob } from '../../jobs/resume-job.ts';
import { PagesBelow } from '../../jobs/pages-below.ts';
import { followResults } from '../../jobs/read-results.ts';
import { defaultOrg } from '../../jobs/tokens.ts';
import { parsePage } from '../../page/decode.ts';
import type { Config } from '../../config/config.ts';
import { withCrawlingStore } from '../crawling-store.ts';
import { type Flags, givenAgain, textFlag } from '../flags.ts';
import { inTermsOfFlags, optionFields } from '../option-flags.ts';
import { sayEnd } from '../output/crawl-summary.ts';
import { damagedPages } from '../output/damaged-pages.ts';
import { picturesOf } from '../output/read-pictures.ts';
import { OutputError, reportsOutputErrors } from '../output/output-error.ts';
import { createSink, type PageSink, probeOutput, type SinkOptions } from '../output/page-sink.ts';
import { placeOf } from '../output/place.ts';
import { countOf, ProgressDisplay } from '../output/progress-display.ts';
import { printable, terminalOf } from '../output/terminal.ts';
import type { Program } from '../program.ts';
import { frontMatterOf } from '../sink-flags.ts';
import { stopSignals } from '../stop-signals.ts';
import { urlsOf } from '../urls-from.ts';

const refreshMs = 200;

/** Crawls in this process, and writes pages as they arrive. */
export async function runCrawl(program: Program, given: readonly string[], flags: Flags): Promise<number> {
  const { urls, names } = await urlsOf(given, textFlag(flags, 'urlsFrom'));
  await probeOutput(outputOf(flags), process.stdout);
  const body = { urls, ...optionFields(flags, 'crawl') };
  return withCrawlingStore(program, flags, async (config, store) => {
    const destinations = program.createDestinations(config);
    try {
      const parts = { jobs: store.jobs, destinations, hasBrowser: () => program.hasBrowser(config) };
      const job = await createJob(parts, { org: defaultOrg, permissions }, body);
      return await crawl(program, config, store, job, flags);
    } catch (error) {
      throw error instanceof UserError ? inTermsOfFlags(error, 'crawl', names) : error;
    } finally {
      await destinations.close();
    }
  });
}

/** Continues a job of the data directory. Pages already written are written again, unchanged. */
export async function runResume(program: Program, id: string, flags: Flags): Promise<number> {
  await probeOutput(outputOf(flags), process.stdout);
  return withCrawlingStore(program, flags, async (config, store) => {
    const job = await resumeJob(store.jobs, defaultOrg, id);
    return crawl(program, config, store, job, flags);
  });
}

/** Crawls one job of the store until it ends or is interrupted, and reports the result. */
export async function crawl(program: Program, config: Config, store: Store, job: Job, flags: Flags): Promise<number> {
  const terminal = terminalOf(process.stderr);
  const say = (line: string): void => void terminal.stream.write(`  ${line}\n`);
  const sink = createSink(
    {
      format: job.spec.outputFormat,
      frontMatter: frontMatterOf(flags),
      screenshotOf: picturesOf(store.pages, job),
      ...outputOf(flags),
    },
    process.stdout,
  );
  // Nothing can be said on a stream that nobody reads, and the crawl does not depend on it.
  reportsOutputErrors(process.stderr);
  const display = new ProgressDisplay(terminal);
  const below = new PagesBelow(job.spec);
  const startedAt = performance.now();
  say(`hayrake ${program.version} · local · data in ${placeOf(config)}`);

  const stops = stopSignals();
  const stopping = new Stopping(store.jobs, job.id);
  stops.signal.addEventListener('abort', () => {
    // First: a second signal ends the program at once.
    stopping.begin();
    store.stopWaiting();
  });
  const ending = new AbortController();
  const signal = AbortSignal.any([stops.signal, ending.signal]);
  const engine = await program.startEngine(config, store, { onlyJob: job.id }, program.createLog(config));
  // The pages end with the job. The engine ends earlier only if the store fails, and then that error is reported.
  const working = Promise.all([
    watch(store, job.id, display, signal),
    writePages(program, store, job.id, { sink, display, below }, signal).finally(() => ending.abort()),
  ]);
  let unwritten: OutputError | undefined;
  try {
    await Promise.race([working, engine.done]);
  } catch (error) {
    if (!(error instanceof OutputError)) throw error;
    unwritten = error;
    stopping.begin();
  } finally {
    ending.abort();
    await working.catch(() => {});
    display.clear();
    if (stops.signal.aborted) say('Stopping after the requests in flight. Press Ctrl-C again to end at once.');
    await engine.stop();
  }
  const unmarked = await stopping.failure();
  const ended = await getJob(store.jobs, defaultOrg, job.id);
  const forOutput = ['data', 'config', 'out', 'json', 'frontMatter'].map((name) => [name, flags[name]]);
  const get = [program.command, 'get', job.id, ...givenAgain(program, Object.fromEntries(forOutput) as Flags)];
  const { scraped } = ended.progress;
  if (unwritten) {
    const kept = `${countOf(scraped, 'page')} ${scraped === 1 ? 'is' : 'are'} kept, and this writes all of them:`;
    say(`${terminal.red('✗')} ${printable(unwritten.message)} ${kept} ${get.join(' ')}`);
  }
  if (!hasEnded(ended.status)) {
    const { queued, inFlight } = ended.progress;
    say(
      `${terminal.yellow('!')} Stopped: ${countOf(scraped, 'page')} kept, ${countOf(queued + inFlight, 'URL')} still to crawl.`,
    );
    if (unmarked !== undefined) say(`The next \`serve\` on this data continues the crawl: ${printable(unmarked)}`);
    say(`Next   ${[program.command, 'resume', job.id, ...givenAgain(program, flags)].join(' ')}`);
    return unwritten?.exitCode ?? exitCodes.interrupted;
  }
  if (unwritten) return unwritten.exitCode;
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
  return ended.progress.failed > 0 || scraped === 0 ? exitCodes.somePagesFailed : exitCodes.done;
}

/** Marks the job as stopped, so that only `resume` continues it. */
class Stopping {
  readonly #jobs: JobStore;
  readonly #id: string;
  #done: Promise<string | undefined> = Promise.resolve(undefined);
  #hasBegun = false;

  constructor(jobs: JobStore, id: string) {
    this.#jobs = jobs;
    this.#id = id;
  }

  begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#done = this.#jobs.stop(defaultOrg, this.#id).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  }

  /** Why the job is not marked, although that was begun. */
  failure(): Promise<string | undefined> {
    return this.#done;
  }
}

/** The flags of a command that say where its pages go. */
export function outputOf(flags: Flags): Pick<SinkOptions, 'json' | 'out'> {
  const out = textFlag(flags, 'out');
  return { json: flags['json'] === true, ...(out !== undefined && { out }) };
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
