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
  const { page: number, meta } = page.meta;
  if (job.store_raw) {
    const rendered = meta.rendered === true ? '?rendered=true' : '';
    const { bytes, type } = await callBytes(`/crawler/jobs/${job.id}/pages/${number}/raw${rendered}`, signal);
    return { html: decoded(bytes, type), isNew: false };
  }
  return { html: await newSource(job, page.meta, signal), isNew: true };
}

/** Options of a job that say how its pages are requested. The values of its headers and cookies are not kept. */
const passed = ['respect_robots', 'insecure_tls', 'proxy', 'keep_cookies', 'error_pages'] as const;
const passedToBrowser = ['wait_for', 'block_resources'] as const;

/** Requests the page again, as the job requests its pages. Rejects if it cannot be read. */
async function newSource(job: Job, { url, meta }: PageResult['meta'], signal: AbortSignal): Promise<string> {
  const isRendered = meta.rendered === true;
  const names = [...passed, ...(isRendered ? passedToBrowser : [])];
  const options = Object.fromEntries(names.map((name) => [name, job[name] ?? undefined]));
  const json = { ...options, url, formats: ['source'], use_browser: isRendered };
  const response = await call<Scraped>('/scraper/scrape', { json, signal });
  if (response.status === 'failed') throw new Error(`${url}: ${response.error.detail}`);
  return response.formats?.source ?? '';
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
