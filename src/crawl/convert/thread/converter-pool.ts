import { errorReasons } from '../../../core/reasons.ts';
import { setFlagsFromString } from 'node:v8';
import type { Worker } from 'node:worker_threads';
import { freeBytes } from '../../../core/process/free-bytes.ts';
import { threadMemory } from '../../../core/process/thread-memory.ts';
import type { Log } from '../../../core/ports/log.ts';
import { siblingModule, startThread } from '../../../core/process/program-files.ts';
import type { JobBrief } from '../../job/job-cache.ts';
import type { ConvertedPage, Converter, SitemapLinks, Taught, Teacher, TeachInput } from '../converter.ts';
import type { ConverterReply, ConverterTask, ThreadMessage } from './converter-thread.ts';
import { MemoryWatch } from './memory-watch.ts';
import { TaskClock } from './task-clock.ts';

/** What a thread runs. */
export const converterModule = siblingModule('./converter-thread', import.meta.url);

export interface ConverterPoolOptions {
  readonly threads: number;
  /**
   * Processor time of a thread for one task (see {@link TaskClock}). A thread that takes longer is ended and replaced.
   */
  readonly deadlineMs: number;
  /** The same for a file. @default `deadlineMs` */
  readonly fileDeadlineMs?: number;
  /** MiB of one thread, heap and everything else. A page that needs more ends its thread, not the process. */
  readonly memoryMbMax: number;
  /**
   * MiB of a thread while others also read files. A file that needs more is large: large files are read one at a time.
   * @default `memoryMbMax`
   */
  readonly sharedMbMax?: number;
  /** MiB of garbage that a thread collects at once. @default that of every thread */
  readonly youngMbMax?: number;
  /** Milliseconds for which a task waits before a further thread is started for it. @default 500 */
  readonly patienceMs?: number;
  /** What the threads run. @default converter-thread, next to this file */
  readonly module?: URL;
}

type Outcome = ConverterReply | Ending;
/** Why a thread ended. */
type Ending = 'timeout' | 'memory' | 'crashed';

interface Job {
  readonly task: ConverterTask;
  /**
   * A file that waits until no other large one is read. It counts as large by its size, or by the memory it took when
   * it was tried as a small one.
   */
  isLarge: boolean;
  done(outcome: Outcome): void;
}

/** Files from this size on are large. Most smaller files need less than a thread is allowed while others read files. */
const largeFileBytes = 8 * 2 ** 20;

/** The first pause after a failed start; each further one is longer by this amount. */
const startPauseMs = 200;
const startPauseMsMax = 10_000;

/** A thread without tasks collects no more numbers than this. It then reports a few links again. */
const committedMax = 1_000;

/**
 * Tasks of a young process, in which V8 compiles late. From then on it compiles after its own number of calls, since
 * what is compiled well pays for itself after some thousand pages.
 */
const youngTasks = 1_500;
const usualCalls = '--invocation-count-for-turbofan=3000';

/** Briefs of jobs that a thread keeps. */
const briefsMax = 100;

/** Once all threads run, each gets this many tasks, so that it never waits for the next one. */
const ahead = 2;

/**
 * Each thread compiles for itself, which takes a second, and holds 50 MB. A site that sets the pace needs one: the others
 * start when it no longer keeps up, or for an urgent task.
 */
const usualPatienceMs = 500;

/**
 * Converter threads with a deadline: one once there is work, more if a task waits. A thread works on its tasks in order, so the
 * first task is to blame when the thread hangs or dies. The others go to another thread.
 */
export class ConverterPool implements Converter, Teacher {
  readonly #options: ConverterPoolOptions;
  readonly #log: Log;
  readonly #threads: Thread[] = [];
  readonly #queue: Job[] = [];
  #lastId = 0;
  /** Threads in a row that died while loading. */
  #failedStarts = 0;
  /** Set while no thread is started, because the last start failed. */
  #startPause: NodeJS.Timeout | undefined;
  /** Set while tasks wait and further threads could be started. */
  #patience: NodeJS.Timeout | undefined;
  /** A task has waited too long: start a thread for the next one. */
  #isLate = false;
  #closed = false;

  constructor(options: ConverterPoolOptions, log: Log) {
    this.#options = options;
    this.#log = log;
  }

  async convertPage(input: Parameters<Converter['convertPage']>[0]): Promise<ConvertedPage> {
    const outcome = await this.#submit({ id: ++this.#lastId, kind: 'page', input });
    if (outcome === 'timeout') {
      const what = input.file === undefined ? 'page' : 'file';
      const message = `Converting the ${what} took longer than ${deadlineOf(input, this.#options) / 1000} s.`;
      return { kind: 'error', error: { reason: 'parse_timeout', message } };
    }
    if (outcome === 'memory') {
      const what = input.file === undefined ? 'page' : 'file';
      const message = `Converting the ${what} took more memory than ${this.#options.memoryMbMax} MiB.`;
      return { kind: 'error', error: { reason: 'parse_budget', message } };
    }
    if (outcome !== 'crashed' && outcome.value) return outcome.value as ConvertedPage;
    this.#logDefect(outcome, input.requestUrl);
    return { kind: 'error', error: { reason: 'parse_crashed', message: errorReasons.parse_crashed } };
  }

  async readSitemap(input: Parameters<Converter['readSitemap']>[0]): Promise<SitemapLinks> {
    const outcome = await this.#submit({ id: ++this.#lastId, kind: 'sitemap', input });
    freeBytes(input.body);
    if (typeof outcome !== 'string' && outcome.value) return outcome.value as SitemapLinks;
    this.#logDefect(outcome, input.url);
    return { urls: [], sitemaps: [] };
  }

  async teach(input: TeachInput): Promise<Taught> {
    const outcome = await this.#submit({ id: ++this.#lastId, kind: 'lesson', input });
    if (typeof outcome !== 'string' && outcome.value) return outcome.value as Taught;
    this.#logDefect(outcome, input.page.url);
    throw new Error('Nothing could be learned from the page.');
  }

  committed(conversions: readonly number[]): void {
    for (const thread of this.#threads) thread.noteCommitted(conversions);
  }

  /** Ends the threads at once; the tasks in them become an `error`. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#startPause);
    clearTimeout(this.#patience);
    for (const job of this.#queue.splice(0)) job.done('crashed');
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #submit(task: ConverterTask): Promise<Outcome> {
    if (this.#closed) return Promise.resolve('crashed');
    if (task.id === youngTasks) setFlagsFromString(usualCalls);
    return new Promise((resolve) => {
      const isLarge = isFile(task) && 'body' in task.input && task.input.body.byteLength >= largeFileBytes;
      const job = { task, isLarge, done: resolve };
      const place = isUrgent(task) ? this.#queue.findIndex((other) => !isUrgent(other.task)) : -1;
      this.#queue.splice(place === -1 ? this.#queue.length : place, 0, job);
      this.#dispatch();
    });
  }

  /** Urgent tasks first, then in order of arrival, except large files that wait for another one. */
  readonly #dispatch = (): void => {
    for (;;) {
      const job = this.#queue.find(({ isLarge }) => !isLarge || !this.#threads.some(({ hasLarge }) => hasLarge));
      const thread = job && this.#leastBusy(isUrgent(job.task));
      if (!job || !thread) break;
      this.#queue.splice(this.#queue.indexOf(job), 1);
      thread.give(job);
    }
    this.#watchQueue();
  };

  /** Returns an idle thread; if all run, one that can take a task ahead; if it is time for another one, or `isAtOnce`, that. */
  #leastBusy(isAtOnce: boolean): Thread | undefined {
    const isFull = this.#threads.length >= this.#options.threads || this.#startPause !== undefined;
    const room = isFull ? ahead : 1;
    let best: Thread | undefined;
    for (const thread of this.#threads) {
      if (thread.load < room && (!best || thread.load < best.load)) best = thread;
    }
    if (best || isFull || (this.#threads.length > 0 && !this.#isLate && !isAtOnce)) return best;
    this.#isLate = false;
    return this.#startThread();
  }

  /** A thread that is still starting will take what waits. */
  #watchQueue(): void {
    if (this.#queue.length === 0) {
      clearTimeout(this.#patience);
      this.#patience = undefined;
    } else if (this.#threads.length < this.#options.threads) {
      this.#patience ??= setTimeout(() => {
        this.#patience = undefined;
        this.#isLate = this.#threads.every(({ wasReady }) => wasReady);
        this.#dispatch();
        this.#isLate = false;
      }, this.#options.patienceMs ?? usualPatienceMs);
    }
  }

  #startThread(): Thread | undefined {
    try {
      const thread = new Thread(this.#options, {
        onReady: this.#started,
        onFree: this.#dispatch,
        onDeath: this.#ended,
      });
      this.#threads.push(thread);
      return thread;
    } catch (error) {
      // The system has no more threads.
      this.#pauseStarts(error);
      return undefined;
    }
  }

  readonly #started = (): void => {
    if (this.#failedStarts > 0) this.#log.warn('a converter thread has started: conversion continues');
    this.#failedStarts = 0;
  };

  readonly #ended = (dead: Thread, bystanders: readonly Job[], error: unknown): void => {
    this.#threads.splice(this.#threads.indexOf(dead), 1);
    if (this.#closed) {
      for (const job of bystanders) job.done('crashed');
      return;
    }
    this.#queue.unshift(...bystanders);
    if (!dead.wasReady) this.#pauseStarts(error);
    this.#dispatch();
  };

  /** Files or memory can be free again in a moment. Waiting tasks are unharmed, since no thread had begun with them. */
  #pauseStarts(error: unknown): void {
    this.#failedStarts++;
    const pauseMs = Math.min(startPauseMs * this.#failedStarts, startPauseMsMax);
    if (this.#failedStarts === 1)
      this.#log.error('no converter thread can be started: conversion waits, and no page fails because of it', {
        error,
      });
    clearTimeout(this.#startPause);
    this.#startPause = setTimeout(() => {
      this.#startPause = undefined;
      this.#dispatch();
    }, pauseMs);
  }

  #logDefect(outcome: Outcome, url: string): void {
    if (this.#closed) return;
    const why = typeof outcome === 'string' ? outcome : outcome.defect;
    this.#log.error('conversion failed', { url, why });
  }
}

function isUrgent({ input }: ConverterTask): boolean {
  return 'isUrgent' in input && input.isUrgent === true;
}

function isFile({ input }: ConverterTask): boolean {
  return 'file' in input;
}

function deadlineOf(input: ConverterTask['input'], { deadlineMs, fileDeadlineMs }: ConverterPoolOptions): number {
  return 'file' in input || 'samples' in input ? (fileDeadlineMs ?? deadlineMs) : deadlineMs;
}

interface ThreadEvents {
  onReady(): void;
  /** A task is done. */
  onFree(): void;
  /** With the tasks that the thread had not begun, and the cause of its death if that is known. */
  onDeath(dead: Thread, bystanders: readonly Job[], error: unknown): void;
}

class Thread {
  readonly #worker: Worker;
  readonly #options: ConverterPoolOptions;
  readonly #events: ThreadEvents;
  readonly #jobs: Job[] = [];
  /** By brief that the thread keeps: its place there. Sent once, since it is a third of the message of a small page. */
  readonly #briefs = new Map<JobBrief, number>();
  #committed: number[] = [];
  readonly #clock: TaskClock;
  readonly #memoryWatch: MemoryWatch;
  #isReady = false;
  #ending: Ending = 'crashed';

  constructor(options: ConverterPoolOptions, events: ThreadEvents) {
    this.#options = options;
    this.#events = events;
    this.#worker = startThread(options.module ?? converterModule, {
      resourceLimits: {
        maxYoungGenerationSizeMb: options.youngMbMax ?? threadMemory.maxYoungGenerationSizeMb,
        maxOldGenerationSizeMb: options.memoryMbMax,
      },
    });
    this.#clock = new TaskClock(this.#worker, () => this.#end('timeout'));
    this.#memoryWatch = new MemoryWatch(this.#worker, () => this.#end('memory'));
    this.#worker.on('message', this.#received);
    let cause: unknown;
    // The cause is reported with the task; `exit` follows every error.
    this.#worker.on('error', (error: unknown) => {
      cause = error;
      if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        this.#ending = 'memory';
    });
    this.#worker.on('exit', () => {
      this.#clock.stop();
      this.#memoryWatch.stop();
      const [first, ...others] = this.#jobs.splice(0);
      // A thread that was never ready has begun with no task.
      if (!this.#isReady) return events.onDeath(this, first ? [first, ...others] : [], cause);
      if (first && this.#ending === 'memory' && isFile(first.task) && !first.isLarge) {
        first.isLarge = true;
        return events.onDeath(this, [first, ...others], cause);
      }
      first?.done(this.#ending);
      events.onDeath(this, others, cause);
    });
  }

  get wasReady(): boolean {
    return this.#isReady;
  }

  get hasLarge(): boolean {
    return this.#jobs.some(({ isLarge }) => isLarge);
  }

  /** No task is queued after a file, which can take long. */
  get load(): number {
    return this.#jobs.some(({ task }) => isFile(task)) ? ahead : this.#jobs.length;
  }

  give(job: Job): void {
    this.#jobs.push(job);
    if (this.#jobs.length === 1) this.#startClock();
    const { job: brief, ...input } = job.task.input;
    const known = this.#briefs.get(brief);
    const place = known ?? this.#freePlace();
    const sent = { place, ...(known === undefined && { brief }) };
    // Copied, not moved: if the thread dies, the pages that it had not begun go to another thread.
    this.#worker.postMessage({ ...job.task, input, job: sent, committed: this.#committed });
    this.#briefs.set(brief, place);
    this.#committed = [];
  }

  /** That of the brief that came first, once all are taken. */
  #freePlace(): number {
    const [oldest] = this.#briefs;
    if (!oldest || this.#briefs.size < briefsMax) return this.#briefs.size;
    this.#briefs.delete(oldest[0]);
    return oldest[1];
  }

  /** The numbers are those of all threads: each thread knows its own. */
  noteCommitted(conversions: readonly number[]): void {
    if (this.#committed.length < committedMax) this.#committed.push(...conversions);
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  readonly #received = (message: ThreadMessage): void => {
    if (message === 'ready') {
      this.#isReady = true;
      this.#events.onReady();
    } else this.#jobs.shift()?.done(message);
    this.#startClock();
    if (message !== 'ready') this.#events.onFree();
  };

  /** Runs while there is a first task. The thread works on it as soon as the previous one is finished. */
  #startClock(): void {
    // Loading the modules does not count as the page's time.
    const [first] = this.#jobs;
    if (!this.#isReady || !first) {
      this.#clock.stop();
      this.#memoryWatch.stop();
      return;
    }
    this.#clock.start(deadlineOf(first.task.input, this.#options));
    const { memoryMbMax, sharedMbMax = memoryMbMax } = this.#options;
    const mbMax = isFile(first.task) && !first.isLarge ? sharedMbMax : memoryMbMax;
    this.#memoryWatch.start(mbMax * 2 ** 20);
  }

  #end(ending: Ending): void {
    this.#ending = ending;
    void this.#worker.terminate();
  }
}
