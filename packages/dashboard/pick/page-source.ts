// The HTML of a page of a job: as it was crawled if the job kept it, otherwise as the page is now.
import type { Job, PageResult, Scraped } from '../api-types.ts';
import { call, callBytes } from '../api.ts';

export interface PageSource {
  readonly html: string;
  /** The page was requested once more. */
  readonly isNew: boolean;
}

export async function sourceOf(job: Job, page: PageResult, signal: AbortSignal): Promise<PageSource> {
  const stored = page['formats']?.source;
  if (stored !== undefined) return { html: stored, isNew: false };
  const { url, page: number, meta } = page.meta;
  if (job.store_raw) {
    const rendered = meta.rendered === true ? '?rendered=true' : '';
    const { bytes, type } = await callBytes(`/crawler/jobs/${job.id}/pages/${number}/raw${rendered}`, signal);
    return { html: decoded(bytes, type), isNew: false };
  }
  const answer = await scrape(job, { url, formats: ['source'], use_browser: meta.rendered === true }, signal);
  return { html: answer.formats?.source ?? '', isNew: true };
}

/** Options of a job that say how its pages are requested. The values of its headers and cookies are not kept. */
const passed = ['respect_robots', 'insecure_tls', 'proxy', 'keep_cookies', 'error_pages'] as const;
const passedToBrowser = ['wait_for', 'block_resources'] as const;

export type ScrapedPage = Extract<Scraped, { status: 'scraped' }>;

/** Reads one page now, as the job reads its pages. Rejects if the page cannot be read. */
export async function scrape(
  job: Job,
  request: { readonly url: string; readonly use_browser: boolean } & Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<ScrapedPage> {
  const names = [...passed, ...(request.use_browser ? passedToBrowser : [])];
  const options = Object.fromEntries(names.map((name) => [name, job[name] ?? undefined]));
  const answer = await call<Scraped>('/scraper/scrape', { json: { ...options, ...request }, signal });
  if (answer.status === 'failed') throw new Error(`${request.url}: ${answer.error.detail}`);
  return answer;
}

/** By the header, otherwise by what the page says in its first kilobyte. */
function decoded(bytes: ArrayBuffer, type: string): string {
  const head = new TextDecoder('latin1').decode(bytes.slice(0, 1024));
  const [, label = 'utf-8'] =
    /charset\s*=\s*["']?([\w-]+)/i.exec(type) ?? /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(head) ?? [];
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
