// `--since last`: the crawl of the same start URLs that ended last.
import { grouped } from '../core/grouped.ts';
import type { Hayrake } from '../../packages/client/index.ts';
import { givenUrl } from '../core/given-url.ts';
import { hasEnded } from '../core/job.ts';

/** Jobs that are looked at, from the newest on. */
const lookedAtMax = 10_000;
const jobsPerRead = 400;

/** A crawl as far as it decides whether another one can be compared with it. */
interface ListedJob {
  readonly id: string;
  readonly isComparable: boolean;
  readonly urls: readonly string[];
  readonly scope: string;
}

/** Options of a crawl as the API names them. */
type Options = Readonly<Record<string, unknown>>;

/**
 * Puts the id of that crawl in the place of `last`. Without one, `since` and `deliver` are left out: everything is fetched
 * and delivered. `tell` gets one sentence that says which.
 */
export async function withLastCrawl(
  urls: readonly string[],
  options: Options,
  jobs: () => AsyncIterable<ListedJob>,
  tell: (text: string) => void,
): Promise<Options> {
  if (options['since'] !== 'last') return options;
  const wanted = { urls: setOf(urls), scope: options['scope'] ?? 'host' };
  let left = lookedAtMax;
  for await (const { id, ...job } of jobs()) {
    if (job.isComparable && job.scope === wanted.scope && setOf(job.urls) === wanted.urls) {
      tell(`Compared with job ${id}, the last crawl of these start URLs.`);
      return { ...options, since: id };
    }
    if (--left === 0) break;
  }
  const among = left === 0 ? ` among the newest ${grouped(lookedAtMax)}` : '';
  tell(`There is no ended crawl of these start URLs with this scope${among}: everything is fetched.`);
  const { since: _, deliver: __, ...rest } = options;
  return rest;
}

export async function* crawlsOf(client: Hayrake): AsyncIterable<ListedJob> {
  for await (const { status, expired, ...job } of client.jobs({ kind: 'crawl', limit: jobsPerRead }))
    yield { ...job, isComparable: hasEnded(status) && !expired };
}

/** The same text for the same URLs in any order. What is no URL is refused later. */
function setOf(urls: readonly string[]): string {
  const hrefs = urls.map((url) => URL.parse(givenUrl(url.trim()))?.href ?? url);
  return [...new Set(hrefs)].toSorted().join('\n');
}
