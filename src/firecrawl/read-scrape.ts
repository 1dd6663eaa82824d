// The document of a scrape that has ended, by its id.
import type { Service } from '../api/service.ts';
import { UserError } from '../core/errors.ts';
import { hasEnded } from '../core/job.ts';
import { getJob } from '../jobs/get-job.ts';
import { readResults, responseBytesMax } from '../jobs/read-results.ts';
import { ledgerError, type ScrapeError } from '../jobs/scrape-error.ts';
import type { ScrapeResponse } from '../jobs/scrape-page.ts';
import { parsePage } from '../page/decode.ts';
import { fromScrapeError } from './facade-error.ts';
import { uuidOf } from './job-ids.ts';
import { type ScrapedPage, toDocument } from './to-document.ts';

/** Returns the response that the scrape had, as long as its results are kept. Throws the error that it had. */
export async function readScrape(service: Service, org: string, id: string, signal: AbortSignal): Promise<object> {
  const { kind, status, spec } = await getJob(service.jobs, org, id);
  if (kind !== 'scrape') throw new UserError('job_not_found', 'This is not the id of a scrape.');
  if (!hasEnded(status)) return { success: true, status: 'scraping' };
  const data = toDocument(await pageOf(service, org, id, signal), spec, uuidOf(id));
  return { success: true, data, ...(data.warning !== undefined && { warning: data.warning }) };
}

async function pageOf(service: Service, org: string, id: string, signal: AbortSignal): Promise<ScrapedPage> {
  const query = { limit: 1, withText: true, after: 0, waitMs: 0, bytesMax: responseBytesMax };
  const slice = await readResults(service, org, id, query, signal);
  try {
    const [stored] = slice.pages;
    if (stored) {
      const { meta, text, formats, extracted } = parsePage(stored);
      return { ...meta, metadata: meta.meta, text, formats, extracted };
    }
  } finally {
    slice.release();
  }
  const { entries } = await service.jobs.listUrls(id, { after: 0, limit: 1 });
  const [entry] = entries;
  if (!entry) throw new UserError('job_not_found', 'This scrape has no page.');
  return emptyPage(entry.url, ledgerError(entry));
}

/** The page of a scrape that has just ended. Throws the error that it had. */
export function scrapedPage(response: ScrapeResponse): ScrapedPage {
  if (response.status === 'failed') return emptyPage(response.url, response.error);
  const { meta, ...page } = response;
  const { fetchedUrl, ...metadata } = meta;
  return { ...page, fetchedUrl, metadata };
}

/**
 * The page of an error status without content, such as an image or nothing. A dead link must not end the loop of a client,
 * which looks at the status of the document. Every other failure is thrown.
 */
function emptyPage(url: string, error: ScrapeError): ScrapedPage {
  const { reason, statusCode } = error;
  if (!/^http_\d+$/.test(reason) || statusCode === undefined) throw fromScrapeError(error);
  return { url, fetchedUrl: url, text: '', metadata: { title: '', description: '', statusCode } };
}
