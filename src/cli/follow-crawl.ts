// Follows one crawl to its end, or to an interruption: progress on standard error, pages to where they go.
import { ExitError, exitCodes } from '../core/errors.ts';
import { hasEnded } from '../core/job.ts';
import type { FindingCode } from '../core/job-codes.ts';
import { PagesBelow } from '../jobs/pages-below.ts';
import { type Flags, givenAgain } from './flags.ts';
import { printSummary } from './output/crawl-summary.ts';
import { damagedPages } from './output/damaged-pages.ts';
import { OutputError, reportsOutputErrors } from './output/output-error.ts';
import { createSink, outputOf, type PageSink } from './output/page-sink.ts';
import { countOf, ProgressDisplay, waitingFor } from './output/progress-display.ts';
import { picturesOf } from './output/read-pictures.ts';
import { printable, terminalOf } from './output/terminal.ts';
import { WrittenLine, writtenText } from './output/written-line.ts';
import type { Program } from './program.ts';
import { frontMatterOf } from './sink-flags.ts';
import { stopSignals } from './stop-signals.ts';
import type { ShownJob, Verbs } from './verbs/verbs.ts';

/** When nothing has ended for so long, the display says what the crawl waits for. */
const stillMs = 3_000;
/** How often it looks for that, which takes a write. */
const lookEveryMs = 1_000;
/** The last page is shown at most this often. */
const showPageMs = 100;

/** What works on the job. */
export interface Crawler {
  /** For the first line. */
  readonly where: string;
  readonly isRemote: boolean;
  /** How often to read the job for the progress display. */
  readonly refreshMs: number;
  /** Begins to work on the job. `done` settles when that ends by itself. */
  begin(id: string): Promise<{ readonly done: Promise<void>; readonly stop: () => Promise<void> }>;
  /** Called once when the user interrupts, or the output cannot be written. */
  interrupt(id: string): void;
  /** Lines about a job that goes on after an interruption. */
  afterwards(job: ShownJob): Promise<readonly string[]>;
}

/** Returns the exit code. */
export async function followCrawl(
  program: Program,
  verbs: Verbs,
  crawler: Crawler,
  job: ShownJob,
  flags: Flags,
): Promise<number> {
  const terminal = terminalOf(process.stderr);
  const say = (line: string): void => void terminal.stream.write(`  ${line}\n`);
  const sink = createSink(
    {
      format: job.spec.outputFormat,
      frontMatter: frontMatterOf(flags),
      screenshotOf: picturesOf(verbs, job),
      ...outputOf(flags),
    },
    process.stdout,
  );
  // Nothing can be said on a stream that nobody reads, and the crawl does not depend on it.
  reportsOutputErrors(process.stderr);
  const display = new ProgressDisplay(terminal);
  const below = new PagesBelow(job.spec);
  const startedAt = performance.now();
  const get = getCommand(program, job, flags);
  say(`hayrake ${program.version} · ${crawler.where}`);

  const stops = stopSignals();
  let isInterrupted = false;
  const interrupt = (): void => {
    if (!isInterrupted) crawler.interrupt(job.id);
    isInterrupted = true;
  };
  // At once: a second signal ends the program.
  stops.signal.addEventListener('abort', interrupt);
  const ending = new AbortController();
  const signal = AbortSignal.any([stops.signal, ending.signal]);
  const work = await crawler.begin(job.id);
  let written = 0;
  // Where lines are not redrawn, the last one says what was written.
  const writing = ({ progress }: ShownJob): string | undefined =>
    terminal.isLive ? writtenText(written, { noun: sink.noun, total: progress.scraped }) : undefined;
  // The pages end with the job. The work ends earlier only if the store fails, and then that error is reported.
  const working = Promise.all([
    watch(verbs, job.id, { display, everyMs: crawler.refreshMs, writing }, signal),
    writePages(verbs, job.id, { sink, display, below, onWritten: () => written++ }, signal).finally(() =>
      ending.abort(),
    ),
  ]);
  let unwritten: OutputError | undefined;
  try {
    await Promise.race([working, work.done]);
  } catch (error) {
    if (error instanceof OutputError) {
      unwritten = error;
      interrupt();
    } else if (crawler.isRemote && error instanceof ExitError) {
      display.clear();
      say(`The pages can be read when the service responds again: ${get}`);
      throw error;
    } else throw error;
  } finally {
    ending.abort();
    await working.catch(() => {});
    display.clear();
    if (stops.signal.aborted && !crawler.isRemote)
      say('Stopping after the requests in flight. Press Ctrl-C again to end at once.');
    await work.stop();
  }
  const ended = await verbs.getJob(job.id);
  const { scraped } = ended.progress;
  if (unwritten) {
    const kept = `${countOf(scraped, 'page')} ${scraped === 1 ? 'is' : 'are'} kept, and this writes all of them:`;
    say(`${terminal.red('✗')} ${printable(unwritten.message)} ${kept} ${get}`);
  }
  if (!hasEnded(ended.status)) {
    const [first = '', ...rest] = await crawler.afterwards(ended);
    say(`${terminal.yellow('!')} ${first}`);
    for (const line of rest) say(line);
    return unwritten?.exitCode ?? exitCodes.interrupted;
  }
  if (unwritten) return unwritten.exitCode;
  const linked = { noun: sink.noun, total: scraped, verb: 'linked' };
  await sink.end(() => new WrittenLine(terminal).counted(verbs.readPages(job.id, { onDamaged: () => {} }), linked));
  // The job can add notices after the last update.
  display.tell(ended.notices);
  await printSummary(terminal, verbs, ended, {
    elapsedSeconds: (performance.now() - startedAt) / 1000,
    written: sink.summary(),
    command: program.command,
    again: givenAgain(program, { server: flags['server'], data: flags['data'], config: flags['config'] }),
    isRemote: crawler.isRemote,
    below: below.hint,
  });
  return isWhole(ended, flags) ? exitCodes.done : exitCodes.incomplete;
}

/** The command that writes the pages of the job as these flags say. */
function getCommand(program: Program, job: ShownJob, flags: Flags): string {
  const names = ['server', 'data', 'config', 'out', 'json', 'frontMatter', 'convertLinks'];
  const again = givenAgain(program, Object.fromEntries(names.map((name) => [name, flags[name]])));
  return [program.command, 'get', job.id, ...again].join(' ');
}

/** True if the job has pages, and no finding that counts. */
function isWhole({ findings, progress }: ShownJob, flags: Flags): boolean {
  const isStrict = flags['strict'] === true;
  return progress.scraped > 0 && findings.every(({ code }) => !isStrict && isAskedFor(code, flags));
}

/** The flags that set a limit, by the finding of a job that reached it. */
const limitFlags: Readonly<Partial<Record<FindingCode, string>>> = {
  page_limit_reached: 'limit',
  time_limit_reached: 'timeLimit',
};

/** True if the job ended at a limit that this very command gave. */
function isAskedFor(code: FindingCode, flags: Flags): boolean {
  const flag = limitFlags[code];
  return flag !== undefined && flags[flag] !== undefined;
}

async function writePages(
  verbs: Verbs,
  id: string,
  {
    sink,
    display,
    below,
    onWritten,
  }: {
    readonly sink: PageSink;
    readonly display: ProgressDisplay;
    readonly below: PagesBelow;
    readonly onWritten: () => void;
  },
  signal: AbortSignal,
): Promise<void> {
  const damaged: number[] = [];
  let shownAt = Number.NEGATIVE_INFINITY;
  const options = { follow: true, onDamaged: (page: number) => void damaged.push(page), signal };
  for await (const page of verbs.readPages(id, options)) {
    await sink.write(page);
    onWritten();
    const isShown = performance.now() - shownAt >= showPageMs;
    if (!isShown && !below.isCounting) continue;
    const { meta } = page.json();
    if (below.isCounting) below.add(meta.url);
    if (!isShown) continue;
    shownAt = performance.now();
    display.page(meta.url, meta.meta);
  }
  if (damaged.length > 0) throw damagedPages(damaged);
}

async function watch(
  verbs: Verbs,
  id: string,
  {
    display,
    everyMs,
    writing,
  }: {
    readonly display: ProgressDisplay;
    readonly everyMs: number;
    /** How far the pages of an ended job are written. */
    readonly writing: (job: ShownJob) => string | undefined;
  },
  signal: AbortSignal,
): Promise<void> {
  let [lastEnded, movedAt, lookedAt] = [-1, performance.now(), Number.NEGATIVE_INFINITY];
  let waiting: string | undefined;
  while (!signal.aborted) {
    const job = await verbs.getJob(id);
    const { progress } = job;
    const ended = progress.scraped + progress.discarded + progress.failed;
    if (ended !== lastEnded) movedAt = performance.now();
    lastEnded = ended;
    const isStill = performance.now() - movedAt >= stillMs && !signal.aborted;
    if (hasEnded(job.status)) waiting = writing(job);
    else if (!isStill) waiting = undefined;
    else if (performance.now() - lookedAt >= lookEveryMs) {
      waiting = waitingFor(await verbs.hostsOf(id), Date.now(), await verbs.storageProblem());
      lookedAt = performance.now();
    }
    // The end has its own lines.
    if (!signal.aborted) display.update(job, waiting);
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, everyMs);
      signal.addEventListener('abort', done);
      if (signal.aborted) done();
    });
  }
}
