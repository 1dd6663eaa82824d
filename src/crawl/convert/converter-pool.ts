import { Worker } from 'node:worker_threads';
import { freeBytes } from '../../core/free-bytes.ts';
import type { Log } from '../../core/log.ts';
import { siblingModule } from '../../core/sibling-module.ts';
import { compileLate } from './compile-late.ts';
import type { ConvertedPage, Converter, SitemapLinks } from './converter.ts';
import type { ConverterReply, ConverterTask, ThreadMessage, ThreadTask } from './converter-thread.ts';
import { TaskClock } from './task-clock.ts';

export interface ConverterPoolOptions {
  readonly threads: number;
  /** Of a thread's processor time for one task (see {@link TaskClock}); one that takes longer is ended, and replaced. */
  readonly deadlineMs: number;
  /** The same for a file. @default that of the others */
  readonly fileDeadlineMs?: number;
  /** Heap of one thread; a page that needs more ends its thread, not the process. A file may hold twice that outside of it. */
  readonly heapMbMax: number;
  /** What the threads run. @default the converter beside this file */
  readonly module?: URL;
}

type Outcome = ConverterReply | 'timeout' | 'crashed';

interface Job {
  readonly task: ConverterTask;
  done(outcome: Outcome): void;
}

const memoryWatchMs = 100;

/** After so many starts in a row that failed, what waits for a thread fails. */
const failedStartsMax = 5;
/** The first pause after a start that failed. */
const startPauseMs = 200;

/** A thread that gets no task is not told of more: it tells a few links again. */
const committedMax = 1_000;

/** One thread is kept this many tasks ahead, so that it never waits for the next. */
const ahead = 2;

/**
 * Converter threads under a deadline, started when there is work for them. A thread works on its tasks in order, so the
 * first of them is the one to blame when it hangs or dies; the others go to another thread, since they did nothing.
 */
export class ConverterPool implements Converter {
  readonly #options: ConverterPoolOptions;
  readonly #log: Log;
  readonly #threads: Thread[] = [];
  readonly #queue: Job[] = [];
  #lastId = 0;
  /** Threads in a row that died before they had loaded. */
  #failedStarts = 0;
  #closed = false;

  constructor(options: ConverterPoolOptions, log: Log) {
    this.#options = options;
    this.#log = log;
  }

  async convertPage(input: Parameters<Converter['convertPage']>[0]): Promise<ConvertedPage> {
    const outcome = await this.#submit({ id: ++this.#lastId, kind: 'page', input });
    freeBytes(input.body);
    if (outcome === 'timeout') {
      const what = input.file === undefined ? 'page' : 'file';
      const message = `Converting the ${what} took longer than ${deadlineOf(input, this.#options) / 1000} s.`;
      return { kind: 'error', error: { reason: 'parse_timeout', message } };
    }
    if (outcome !== 'crashed' && outcome.value) return outcome.value as ConvertedPage;
    this.#logDefect(outcome, input.requestUrl);
    return { kind: 'error', error: { reason: 'parse_crashed', message: 'The page could not be converted.' } };
  }

  async readSitemap(input: Parameters<Converter['readSitemap']>[0]): Promise<SitemapLinks> {
    const outcome = await this.#submit({ id: ++this.#lastId, kind: 'sitemap', input });
    freeBytes(input.body);
    if (typeof outcome !== 'string' && outcome.value) return outcome.value as SitemapLinks;
    this.#logDefect(outcome, input.url);
    return { urls: [], sitemaps: [] };
  }

  committed(conversions: readonly number[]): void {
    for (const thread of this.#threads) thread.noteCommitted(conversions);
  }

  /** Ends the threads at once; what they worked on is an `error`. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#queue.splice(0)) job.done('crashed');
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #submit(task: ConverterTask): Promise<Outcome> {
    if (this.#closed) return Promise.resolve('crashed');
    return new Promise((resolve) => {
      this.#queue.push({ task, done: resolve });
      this.#dispatch();
    });
  }

  readonly #dispatch = (): void => {
    while (this.#queue.length > 0) {
      const thread = this.#leastBusy();
      if (!thread) return;
      const job = this.#queue.shift();
      if (job) thread.give(job);
    }
  };

  /** An idle thread, or a new one, or one that can be kept ahead. */
  #leastBusy(): Thread | undefined {
    let best: Thread | undefined;
    for (const thread of this.#threads) {
      if (thread.load < ahead && (!best || thread.load < best.load)) best = thread;
    }
    return best?.load === 0 || this.#threads.length >= this.#options.threads ? best : this.#startThread();
  }

  #startThread(): Thread {
    compileLate();
    const thread = new Thread(this.#options, this.#dispatch, (dead, bystanders) => {
      this.#threads.splice(this.#threads.indexOf(dead), 1);
      this.#failedStarts = dead.wasReady ? 0 : this.#failedStarts + 1;
      if (this.#closed || this.#failedStarts >= failedStartsMax) {
        this.#failedStarts = 0;
        for (const job of bystanders) job.done('crashed');
        return this.#dispatch();
      }
      this.#queue.unshift(...bystanders);
      // Short of files or memory, it may do better in a moment.
      if (dead.wasReady) this.#dispatch();
      else setTimeout(this.#dispatch, startPauseMs * this.#failedStarts);
    });
    this.#threads.push(thread);
    return thread;
  }

  #logDefect(outcome: Outcome, url: string): void {
    if (this.#closed) return;
    const why = typeof outcome === 'string' ? outcome : outcome.defect;
    this.#log.error('conversion failed', { url, why });
  }
}

function deadlineOf(input: ConverterTask['input'], { deadlineMs, fileDeadlineMs }: ConverterPoolOptions): number {
  return 'file' in input ? (fileDeadlineMs ?? deadlineMs) : deadlineMs;
}

class Thread {
  readonly #worker: Worker;
  readonly #options: ConverterPoolOptions;
  readonly #onFree: () => void;
  readonly #jobs: Job[] = [];
  #committed: number[] = [];
  #clock: TaskClock | undefined;
  #memoryWatch: NodeJS.Timeout | undefined;
  #isReady = false;
  #timedOut = false;

  constructor(
    options: ConverterPoolOptions,
    onFree: () => void,
    onDeath: (dead: Thread, bystanders: readonly Job[]) => void,
  ) {
    this.#options = options;
    this.#onFree = onFree;
    this.#worker = new Worker(options.module ?? siblingModule('./converter-thread', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: options.heapMbMax },
    });
    this.#worker.on('message', this.#received);
    // What ended the thread is told with its task; `exit` follows every error.
    this.#worker.on('error', () => {});
    this.#worker.on('exit', () => {
      this.#clock?.stop();
      clearInterval(this.#memoryWatch);
      const jobs = this.#jobs.splice(0);
      // It had not begun with any of them before it was ready.
      if (this.#isReady) jobs.shift()?.done(this.#timedOut ? 'timeout' : 'crashed');
      onDeath(this, jobs);
    });
  }

  get wasReady(): boolean {
    return this.#isReady;
  }

  get load(): number {
    return this.#jobs.length;
  }

  give(job: Job): void {
    this.#jobs.push(job);
    if (this.#jobs.length === 1) this.#startClock();
    // Not moved: a bystander's page is needed again when its thread dies.
    this.#worker.postMessage({ ...job.task, committed: this.#committed } satisfies ThreadTask);
    this.#committed = [];
  }

  /** Of all threads: each knows its own. */
  noteCommitted(conversions: readonly number[]): void {
    if (this.#committed.length < committedMax) this.#committed.push(...conversions);
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  readonly #received = (message: ThreadMessage): void => {
    if (message === 'ready') this.#isReady = true;
    else this.#jobs.shift()?.done(message);
    this.#startClock();
    if (message !== 'ready') this.#onFree();
  };

  /** Runs while there is a first task: the thread works on it from the moment the one before is finished. */
  #startClock(): void {
    this.#clock?.stop();
    clearInterval(this.#memoryWatch);
    // Loading the modules is not the page's time.
    const [first] = this.#jobs;
    if (!this.#isReady || !first) return;
    this.#clock = new TaskClock(this.#worker, deadlineOf(first.task.input, this.#options), () => {
      this.#timedOut = true;
      void this.#worker.terminate();
    });
    if ('file' in first.task.input) this.#memoryWatch = setInterval(() => void this.#lookAtMemory(), memoryWatchMs);
  }

  /** What a PDF unpacks lies outside of the heap, where V8 sets no limit: 300 KB can become 300 MB, and 20 MB more than there is. */
  async #lookAtMemory(): Promise<void> {
    // A thread that has ended meanwhile has none to give.
    const statistics = await this.#worker.getHeapStatistics().catch(() => undefined);
    const bytesMax = 2 * this.#options.heapMbMax * 2 ** 20;
    if (statistics && statistics.external_memory > bytesMax) void this.#worker.terminate();
  }
}
