import type { Host, Job } from '../../../packages/client/index.ts';
import type { JobProgress } from '../../core/job.ts';
import type { StorageProblem } from '../../core/errors.ts';
import { inside } from '../../core/job.ts';
import type { PageMetadata } from '../../core/page.ts';
import { RedrawnLines } from './redrawn-lines.ts';
import { withFlags } from '../option-flags.ts';
import { columnsOf, fitted, printable, type Terminal } from './terminal.ts';

/** Interval of lines on an output that cannot be redrawn. */
const plainEveryMs = 5_000;
/** The pace covers the last seconds, so that it follows a site that slows down. */
const paceWindowMs = 10_000;
type ProgressJob = Pick<Job, 'progress' | 'notices' | 'page_limit'>;

/** Progress of a crawl, on standard error: redrawn in place on a terminal, plain lines elsewhere. */
export class ProgressDisplay {
  readonly #terminal: Terminal;
  readonly #samples: { at: number; done: number }[] = [];
  readonly #redrawn: RedrawnLines;
  /** Between two requests, of a crawl that waits for one host. */
  delayMs = 0;
  #lastPlainAt = Date.now();
  #lastPage = '';
  #noticesTold = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#redrawn = new RedrawnLines(terminal);
  }

  /** Sets the latest page. */
  page(url: string, metadata: PageMetadata): void {
    const { title, wordCount } = metadata;
    const words = typeof wordCount === 'number' ? `  ${wordCount} words` : '';
    const shown = URL.parse(url);
    this.#lastPage = `↳ ${shown ? printable(shown.pathname + shown.search) : ''}  ${JSON.stringify(printable(title))}${words}`;
  }

  /** `waiting`: why nothing moves, or what moves instead. */
  update(job: ProgressJob, waiting?: string): void {
    const now = Date.now();
    this.#samples.push({ at: now, done: doneOf(job.progress) });
    while ((this.#samples[0]?.at ?? now) < now - paceWindowMs) this.#samples.shift();
    this.tell(job.notices);
    if (this.#terminal.isLive) this.#redrawn.draw(['', ...this.#lines(job, waiting)]);
    else if (now - this.#lastPlainAt >= plainEveryMs) {
      this.#lastPlainAt = now;
      const parts = [...counts(job), this.#pace(), ...(waiting === undefined ? [] : [waiting])];
      this.#terminal.stream.write(`  ${parts.join(' · ')}\n`);
    }
  }

  /** Prints new notices above the redrawn lines, where they stay. */
  tell(notices: Job['notices']): void {
    for (const { message, count } of notices.slice(this.#noticesTold)) {
      // The summary shows these, with their final count.
      if (count !== undefined) continue;
      this.clear();
      this.#terminal.stream.write(`  ${this.#terminal.yellow('!')} ${printable(withFlags(message))}\n`);
    }
    this.#noticesTold = notices.length;
  }

  /** Erases the redrawn lines. */
  clear(): void {
    this.#redrawn.clear();
  }

  #lines(job: ProgressJob, waiting: string | undefined): string[] {
    const { progress } = job;
    const done = doneOf(progress);
    // The queue becomes at most as many pages as the limit allows.
    const known = Math.max(done, Math.min(inside(progress), done - progress.scraped + job.page_limit));
    const share = known === 0 ? 0 : done / known;
    const width = this.#terminal.columns - 3;
    const barColumns = Math.min(24, Math.max(8, width - 52));
    const filled = Math.round(share * barColumns);
    const left = this.#secondsLeft(known - done);
    const head = [
      '█'.repeat(filled) + '░'.repeat(barColumns - filled),
      `${done}/${known}`,
      `${Math.floor(share * 100)}%`,
      this.#pace(),
      ...(left === undefined ? [] : [`${left < 60 ? `${Math.ceil(left)} s` : duration(left)} left`]),
    ];
    return [
      asManyAsFit(head, '  ', width),
      asManyAsFit(counts(job), ' · ', width),
      fitted(waiting ?? this.#lastPage, width),
    ];
  }

  #pace(): string {
    return `${this.#perSecond().toFixed(1)} URLs/s`;
  }

  #perSecond(): number {
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    if (!first || !last || last.at - first.at < 100) return 0;
    return ((last.done - first.done) * 1000) / (last.at - first.at);
  }

  #secondsLeft(remaining: number): number | undefined {
    // The window shows none or one of the pages of such a host.
    if (this.delayMs > paceWindowMs) return (remaining * this.delayMs) / 1_000;
    const pace = this.#perSecond();
    return pace > 0 ? remaining / pace : undefined;
  }
}

const storageWaits: Readonly<Record<StorageProblem, string>> = {
  insufficient_storage:
    'waits for room on the disk, of which HAYRAKE_DISK_FREE_MB stay free; free some, and it goes on by itself',
  storage_read_only: 'waits for the disk, which is read-only; make it writable, and it goes on by itself',
  unavailable: 'waits for the database, which cannot be written now; then it goes on by itself',
};

/** What a crawl waits for, the store or a host: until when, and what changes it. */
export function waitingFor(
  hosts: readonly Pick<Host, 'host' | 'delayMs' | 'backOffUntil'>[],
  now: number,
  problem?: StorageProblem,
): string | undefined {
  if (problem !== undefined) return storageWaits[problem];
  const [first] = hosts.toSorted((one, other) => (one.backOffUntil ?? 0) - (other.backOffUntil ?? 0));
  if (!first) return undefined;
  const name = printable(first.host);
  if (first.backOffUntil !== undefined && first.backOffUntil > now + soonMs) {
    const until = new Date(first.backOffUntil).toTimeString().slice(0, 8);
    return `waits for ${name} until ${until}, then goes on by itself`;
  }
  if (first.delayMs < soonMs) return undefined;
  return `asks ${name} every ${first.delayMs / 1000} s, as its robots.txt or the settings want`;
}

const soonMs = 2_000;

function counts({ progress, notices }: Pick<Job, 'progress' | 'notices'>): string[] {
  const { scraped, discarded, failed, queued, inFlight, outside } = progress;
  const rendered = notices.find(({ code }) => code === 'rendered_pages')?.count ?? 0;
  return [
    countOf(scraped, 'page'),
    ...(rendered > 0 ? [`${rendered} rendered`] : []),
    `${queued + inFlight} queued`,
    `${failed} failed`,
    `${discarded} discarded`,
    ...(outside > 0 ? [`${outside} outside`] : []),
  ];
}

/** Joins the parts that fit, the most important first. */
function asManyAsFit(parts: readonly string[], separator: string, columns: number): string {
  const [first = '', ...rest] = parts;
  return rest.reduce(
    (line, part) => {
      const longer = `${line}${separator}${part}`;
      return columnsOf(longer) <= columns ? longer : line;
    },
    fitted(first, columns),
  );
}

function doneOf(progress: JobProgress): number {
  return progress.scraped + progress.discarded + progress.failed;
}

export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export function duration(seconds: number): string {
  if (seconds < 0.95) return `${Math.max(1, Math.round(seconds * 1000))} ms`;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
