import type { Hayrake, Job, UrlEntry } from '../../../packages/client/index.ts';
import { discardReasons } from '../../core/reasons.ts';
import { startDepth } from '../../core/request.ts';
import type { PagesBelow } from '../../jobs/pages-below.ts';
import { loginHint } from './login-hint.ts';
import { countOf, duration } from './progress-display.ts';
import { withFlags } from '../option-flags.ts';
import { printable, type Terminal } from './terminal.ts';

/** Limit of URLs listed; nobody reads a thousand. */
const namedMax = 5;
/** URLs of each kind that are read. */
const missingMax = 1_000;

/** Those that are not 0, as in `3 changed · 40 unchanged`. */
function countsOf(changes: NonNullable<Job['changes']>): string {
  const kinds = Object.entries(changes).filter(([, count]) => count > 0);
  return kinds.length === 0 ? 'none' : kinds.map(([kind, count]) => `${count} ${kind}`).join(' · ');
}

export interface SummaryOptions {
  readonly elapsedSeconds: number;
  /** Location of the pages, if they are in files. */
  readonly written: string | undefined;
  /** The command that starts the program. */
  readonly command: string;
  /** Flags that the next command needs as well. */
  readonly again: readonly string[];
  /** A service has the job. */
  readonly isRemote: boolean;
  /** Set if most pages are outside the directory of the given URL. */
  readonly below: PagesBelow['hint'];
}

/** Prints how a crawl ended: delivered pages, missing pages with reasons, and useful next commands. */
export async function printSummary(
  terminal: Terminal,
  client: Hayrake,
  job: Job,
  options: SummaryOptions,
): Promise<void> {
  const say = (line: string): void => void terminal.stream.write(`  ${line}\n`);
  const { scraped, discarded, failed, outside } = job.progress;
  const others = discarded + failed + outside;
  const lost = others === 0 ? [] : await listMissing(client, job.id);
  const mark =
    job.status === 'failed' ? terminal.red('✗') : job.findings.length > 0 ? terminal.yellow('!') : terminal.green('✓');
  const parts = [countOf(scraped, 'page'), `${discarded} discarded`, `${failed} failed`, `${outside} outside`];
  if (job.sitemapPageCount > 0) parts.push(`sitemap: ${countOf(job.sitemapPageCount, 'URL')}`);
  say(`${mark} ${parts.join(' · ')}   ${terminal.dim(duration(options.elapsedSeconds))}`);
  if (job.changes) say(`  changes    ${countsOf(job.changes)}`);
  for (const { code, message, remedy } of job.findings) {
    say(`${terminal.yellow('!')} ${terminal.yellow(code)}  ${printable(withFlags(message))}`);
    say(`  ${terminal.dim(withFlags(remedy))}`);
  }
  if (discarded + outside > 0) say(`  left out   ${byReason(job.reasons)}`);
  for (const { count, message } of job.notices) if (count !== undefined) say(`  ${printable(withFlags(message))}`);

  // A start URL without a page matters most to the user.
  const named = lost.filter(({ status, depth }) => status === 'failed' || depth === startDepth);
  for (const entry of named.slice(0, namedMax)) say(`  ${entry.status.padEnd(9)}  ${printable(missingLine(entry))}`);
  if (named.length > namedMax) say(`  and ${named.length - namedMax} more`);
  for (const hint of Object.keys(job.reasons).flatMap((reason) => loginHint(reason) ?? [])) say(`  ${hint}`);
  if (options.written !== undefined) say(`  ${options.written}`);
  if (scraped > 0 && job.expiresAt !== null) {
    const until = new Date(job.expiresAt).toISOString().slice(0, 16).replace('T', ' ');
    say(`  The results are kept until ${until} UTC, then removed (--output-expiry).`);
  }
  if (options.below) {
    const { below, pages, directory } = options.below;
    say(
      `  Only ${below} of ${countOf(pages, 'page')} are below ${printable(directory)}. To crawl nothing else: --scope path`,
    );
  }
  const next: [string[], string][] = [];
  if (scraped > 0) next.push([['get', job.id, '--json'], 'its pages as JSON lines']);
  if (others > 0) next.push([['why', job.id, 'URL'], 'why a page is missing']);
  if (scraped > 0 && !options.isRemote) next.push([['serve'], 'serve all of it through the API']);
  const commands = next.map(([words]) => [options.command, ...words, ...options.again].join(' '));
  const width = Math.max(...commands.map((command) => command.length));
  for (const [index, command] of commands.entries()) {
    say(`${index === 0 ? 'Next' : '    '}   ${command.padEnd(width)}   ${next[index]?.[1] ?? ''}`);
  }
}

/** The failed ones first. */
async function listMissing(client: Hayrake, id: string): Promise<UrlEntry[]> {
  const missing: UrlEntry[] = [];
  for (const status of ['failed', 'discarded', 'outside'] as const) {
    let left = missingMax;
    for await (const entry of client.urls(id, { status, follow: false })) {
      missing.push(entry);
      if (--left === 0) break;
    }
  }
  return missing;
}

/** An HTTP status needs no detail; other reasons do. */
function missingLine({ url, reason, detail }: UrlEntry): string {
  const why = detail === undefined || reason?.startsWith('http_') === true ? '' : `  ${detail}`;
  return `${reason ?? ''}  ${url}${why}`;
}

/** The most frequent reasons first, such as `12 off_host, 3 nofollow`. */
function byReason(counts: Job['reasons']): string {
  const reasons = Object.entries(counts)
    .filter(([reason]) => reason in discardReasons)
    .toSorted(([, a], [, b]) => b - a);
  const shown = reasons.slice(0, namedMax).map(([reason, count]) => `${count} ${reason}`);
  return [...shown, ...(reasons.length > namedMax ? ['…'] : [])].join(', ');
}
