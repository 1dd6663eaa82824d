// Conversion in a process of its own, after a crash of the program. The cause of the crash is unknown: a page that
// takes all memory of a container, or crashes V8, ends the whole process. After a crash, pages are for a while
// converted one at a time in a process that can die alone.
//
//   pool  ──the program starts after a death──►  apart  ──no process died for a while──►  pool
import type { ChildProcess } from 'node:child_process';
import { monotonicNow } from '../../../core/process/monotonic-time.ts';
import type { Log } from '../../../core/ports/log.ts';
import { siblingModule, startProcess } from '../../../core/process/program-files.ts';
import type { ConvertedPage, PageInput } from '../converter.ts';
import type { ConverterPoolOptions } from './converter-pool.ts';
import type { FromProcess, ToProcess } from './converter-process.ts';

export interface ApartOptions {
  /** Options of the only thread in the process; `threads` is one. */
  readonly limits: Omit<ConverterPoolOptions, 'threads' | 'module'>;
  /** How long pages are converted apart: from the start, and again after each death of the process. */
  readonly apartMs: number;
  /** What the process runs. @default converter-process, next to this file */
  readonly module?: URL;
}

/** Deaths of the process with the same page. The first can be due to memory that other programs took. */
const deathsMax = 2;

export class ApartConverter {
  readonly #options: ApartOptions;
  readonly #log: Log;
  #apartUntil: number;
  #child: ChildProcess | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(options: ApartOptions, log: Log) {
    this.#options = options;
    this.#log = log;
    this.#apartUntil = monotonicNow() + options.apartMs;
  }

  /** Returns true if pages are converted here, not by the pool. Ends the process once the time is over. */
  checkOn(): boolean {
    const isOn = !this.#closed && monotonicNow() < this.#apartUntil;
    if (!isOn) void this.#last.then(() => this.#end());
    return isOn;
  }

  /** As {@link Converter.convertPage}: never rejects. A page that killed the process twice is `parse_crashed`. */
  convertPage(input: PageInput): Promise<ConvertedPage> {
    const converted = this.#last.then(() => this.#convert(input));
    this.#last = converted;
    return converted;
  }

  /** Ends the process at once; the page in it becomes an `error`. */
  close(): void {
    this.#closed = true;
    this.#end();
  }

  #end(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  async #convert(page: PageInput): Promise<ConvertedPage> {
    for (let deaths = 0; deaths < deathsMax && !this.#closed;) {
      const told = await this.#ask(page);
      if (told) {
        for (const fields of told.defects) this.#log.error('conversion failed', fields);
        return withoutConversion(told.converted);
      }
      this.#end();
      if (this.#closed) break;
      deaths++;
      this.#apartUntil = monotonicNow() + this.#options.apartMs;
      this.#log.error('a process that converted one page died', { url: page.requestUrl, job: page.job.name });
    }
    return crashed;
  }

  /** Undefined if the process died. */
  async #ask(page: PageInput): Promise<FromProcess | undefined> {
    this.#child ??= this.#start();
    const child = this.#child;
    const { promise, resolve } = Promise.withResolvers<FromProcess | undefined>();
    const onDeath = (): void => resolve(undefined);
    child.once('message', (message) => resolve(message as FromProcess));
    child.once('exit', onDeath).once('error', onDeath);
    child.send({ page } satisfies ToProcess, (error) => (error ? onDeath() : undefined));
    const told = await promise;
    child.removeAllListeners('message').off('exit', onDeath).off('error', onDeath);
    return told;
  }

  #start(): ChildProcess {
    const module = this.#options.module ?? siblingModule('./converter-process', import.meta.url);
    const child = startProcess(module, {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // The name that `ps` shows.
      execArgv: ['--title=hayrake-converter'],
    });
    // Each page listens while it is converted. A death between two pages shows with the next one.
    child.on('error', () => {});
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined;
    });
    child.send({ limits: this.#options.limits } satisfies ToProcess, () => {});
    return child;
  }
}

/** Conversion numbers belong to the pool, so these links are reported again with the next page. */
function withoutConversion(converted: ConvertedPage): ConvertedPage {
  if (converted.kind !== 'page' && converted.kind !== 'short') return converted;
  const { conversion: _, ...rest } = converted;
  return rest;
}

const crashed: ConvertedPage = {
  kind: 'error',
  error: { reason: 'parse_crashed', message: 'Two processes died while they converted this page and nothing else.' },
};
