// Follows one crawl to its end, or to an interruption: progress on standard error, pages to where they go.
import { type Hayrake, HayrakeError, type Host, type Job } from '../../packages/client/index.ts';
import { exitCodes } from '../core/errors.ts';
import { hasEnded } from '../core/job.ts';
import type { FindingCode } from '../core/job-codes.ts';
import { PagesBelow } from '../jobs/pages-below.ts';
import type { PageJson } from '../page/decode.ts';
import type { Access } from './access.ts';
import { type Flags, givenAgain } from './flags.ts';
import { printSummary } from './output/crawl-summary.ts';
import { damagedPages } from './output/damaged-pages.ts';
import { OutputError, reportsOutputErrors } from './output/output-error.ts';
import { createSink, outputOf, pagesAgain, type PageSink } from './output/page-sink.ts';
import { countOf, ProgressDisplay, waitingFor } from './output/progress-display.ts';
import { picturesOf } from './output/read-pictures.ts';
import { printable, terminalOf } from './output/terminal.ts';
import { WrittenLine, writtenText } from './output/written-line.ts';
import type { Program } from './program.ts';
import { frontMatterOf } from './sink-flags.ts';
import { stopSignals } from './stop-signals.ts';

/** When nothing has ended for so long, the display says what the crawl waits for. */
const stillMs = 3_000;
/** How often it looks for that, which takes a write. */
const lookEveryMs = 1_000;
/** The last page is shown at most this often. */
const showPageMs = 100;
const hostsMax = 20;

/** What works on the job. */
export interface Crawler {
  /** For the first line. */
  readonly where: string;
  /** How often to read the job for the progress display. */
  readonly refreshMs: number;
  /** Begins to work on the job. `done` settles when that ends by itself. */
  begin(id: string): Promise<{ readonly done: Promise<void>; readonly stop: () => Promise<void> }>;
  /** Called once when the user interrupts, or the output cannot be written. */
  interrupt(id: string): void;
  /** Lines about a job that goes on after an interruption. */
  afterwards(job: Job): Promise<readonly string[]>;
}

/** Returns the exit code. */
export async function followCrawl(
  program: Program,
  access: Pick<Access, 'client' | 'server' | 'storageProblem'>,
  crawler: Crawler,
  job: Job,
  flags: Flags,
): Promise<number> {
  const { client } = access;
  const isRemote = access.server !== undefined;
  const terminal = terminalOf(process.stderr);
  const say = (line: string): void => void terminal.stream.write(`  ${line}\n`);
  const sink = createSink(
    {
      format: job.output_format,
      frontMatter: frontMatterOf(flags),
      screenshotOf: picturesOf(client, job),
      ...outputOf(flags),
    },
    process.stdout,
  );
  // Nothing can be said on a stream that nobody reads, and the crawl does not depend on it.
  reportsOutputErrors(process.stderr);
  const display = new ProgressDisplay(terminal);
  const below = new PagesBelow(job);
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
  const writing = ({ progress }: Job): string | undefined =>
    terminal.isLive ? writtenText(written, { noun: sink.noun, total: progress.scraped }) : undefined;
  // The pages end with the job. The work ends earlier only if the store fails, and then that error is reported.
  const working = Promise.all([
    watch(access, job.id, { display, everyMs: crawler.refreshMs, writing }, signal),
    writePages(client, job.id, { sink, display, below, onWritten: () => written++ }, signal).finally(() =>
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
    } else if (isRemote && error instanceof HayrakeError) {
      display.clear();
      say(`The pages can be read when the service responds again: ${get}`);
      throw error;
    } else throw error;
  } finally {
    ending.abort();
    await working.catch(() => {});
    display.clear();
    if (stops.signal.aborted && !isRemote)
      say('Stopping after the requests in flight. Press Ctrl-C again to end at once.');
    await work.stop();
  }
  const ended = await client.job(job.id);
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
  await sink.end(() => new WrittenLine(terminal).counted(pagesAgain(client, job.id), linked));
  // The job can add notices after the last update.
  display.tell(ended.notices);
  await printSummary(terminal, client, ended, {
    elapsedSeconds: (performance.now() - startedAt) / 1000,
    written: sink.summary(),
    command: program.command,
    again: givenAgain(program, { server: flags['server'], data: flags['data'], config: flags['config'] }),
    isRemote,
    below: below.hint,
  });
  return isWhole(ended, flags) ? exitCodes.done : exitCodes.incomplete;
}

/** The command that writes the pages of the job as these flags say. */
function getCommand(program: Program, job: Job, flags: Flags): string {
  const names = ['server', 'data', 'config', 'out', 'json', 'frontMatter', 'convertLinks'];
  const again = givenAgain(program, Object.fromEntries(names.map((name) => [name, flags[name]])));
  return [program.command, 'get', job.id, ...again].join(' ');
}

/** True if the job has pages, and no finding that counts. */
function isWhole({ findings, progress }: Job, flags: Flags): boolean {
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
  client: Hayrake,
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
  const options = { onDamaged: (page: number) => void damaged.push(page), signal };
  for await (const page of untilAborted(client.pages(id, options), signal)) {
    await sink.write(page as PageJson);
    onWritten();
    const isShown = performance.now() - shownAt >= showPageMs;
    if (!isShown && !below.isCounting) continue;
    const { meta } = page;
    if (below.isCounting) below.add(meta.url);
    if (!isShown) continue;
    shownAt = performance.now();
    display.page(meta.url, (page as PageJson).meta.meta);
  }
  if (damaged.length > 0) throw damagedPages(damaged);
}

async function* untilAborted<Row>(rows: AsyncIterable<Row>, signal: AbortSignal): AsyncGenerator<Row> {
  try {
    yield* rows;
  } catch (error) {
    // The caller has what it wanted.
    if (!signal.aborted) throw error;
  }
}

/** Those that a job waits for. */
async function hostsOf(client: Hayrake, job: string): Promise<Host[]> {
  const hosts: Host[] = [];
  for await (const host of client.hosts({ job, limit: hostsMax })) {
    hosts.push(host);
    if (hosts.length === hostsMax) break;
  }
  return hosts;
}

async function watch(
  { client, storageProblem }: Pick<Access, 'client' | 'storageProblem'>,
  id: string,
  {
    display,
    everyMs,
    writing,
  }: {
    readonly display: ProgressDisplay;
    readonly everyMs: number;
    /** How far the pages of an ended job are written. */
    readonly writing: (job: Job) => string | undefined;
  },
  signal: AbortSignal,
): Promise<void> {
  let [lastEnded, movedAt, lookedAt] = [-1, performance.now(), Number.NEGATIVE_INFINITY];
  let waiting: string | undefined;
  while (!signal.aborted) {
    const job = await client.job(id);
    const { progress } = job;
    const ended = progress.scraped + progress.discarded + progress.failed;
    if (ended !== lastEnded) movedAt = performance.now();
    lastEnded = ended;
    const isStill = performance.now() - movedAt >= stillMs && !signal.aborted;
    if (hasEnded(job.status)) waiting = writing(job);
    else if (!isStill) waiting = undefined;
    else if (performance.now() - lookedAt >= lookEveryMs) {
      const hosts = await hostsOf(client, id);
      const [first, ...others] = hosts;
      display.delayMs = others.length === 0 ? (first?.delayMs ?? 0) : 0;
      waiting = waitingFor(hosts, Date.now(), await storageProblem());
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
