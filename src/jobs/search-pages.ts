import { grouped } from '../core/grouped.ts';
import { UserError } from '../core/errors.ts';
import type { JobStatus } from '../core/job.ts';
import type { PageSearch, SearchHit } from '../core/ports/search.ts';
import { parseQuery } from '../search/query.ts';
import type { CursorList, Cursors } from './cursor.ts';
import { kept } from './get-job.ts';
import { isJobId } from './job-id.ts';

/** Length of the text of a query. */
export const queryLengthMax = 500;
/** Words and phrases of a query. */
const phrasesMax = 32;

export interface SearchParts {
  /** Undefined if the operator has switched it off. */
  readonly search: PageSearch | undefined;
  readonly cursors: Cursors;
}

export interface PageQuery {
  /** As a person writes it: see `parseQuery`. */
  readonly text: string;
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** How long to wait for the index. After that, the pages that are indexed are searched. */
  readonly waitMs: number;
}

export interface SearchResults {
  readonly status: JobStatus;
  readonly hits: readonly SearchHit[];
  /** Number of committed pages. */
  readonly pages: number;
  /** The number of pages that were searched, from the first on. */
  readonly indexedPages: number;
  /** Pages among them that were left out because their stored bytes have changed. */
  readonly damagedPages: number;
  /** Absent when nothing remains. Later pages of the list cover the same pages of the job. */
  readonly cursor?: string;
}

/** Searches the pages of a job, the best hits first. Throws a `UserError`. */
export async function searchPages(
  { search, cursors }: SearchParts,
  org: string,
  jobId: string,
  { text, limit, cursor, waitMs }: PageQuery,
): Promise<SearchResults> {
  const phrases = phrasesOf(text);
  const list: CursorList = { kind: 'search', jobId, filter: text };
  const position = cursor === undefined ? undefined : cursors.read(list, cursor).split(' ').map(Number);
  const [offset = 0, upToPage] = position ?? [];
  if (!search)
    throw new UserError('search_off', 'The operator of this service has switched search off (`HAYRAKE_SEARCH`).');
  const found = isJobId(jobId)
    ? await search.search({ org, jobId, phrases, offset, limit, waitMs, ...(upToPage !== undefined && { upToPage }) })
    : undefined;
  const { status, hits, pages, upToPage: indexedPages, damagedPages, examined, more } = kept(found);
  return {
    status,
    hits,
    pages,
    indexedPages,
    damagedPages,
    ...(more && { cursor: cursors.write(list, `${offset + examined} ${indexedPages}`) }),
  };
}

function phrasesOf(text: string): ReturnType<typeof parseQuery> {
  if (text.length > queryLengthMax)
    throw invalid(`A query has at most ${queryLengthMax} characters; this one has ${grouped(text.length)}.`);
  const phrases = parseQuery(text);
  if (phrases.length === 0) throw invalid('Give words to search for, with at least one letter or digit.');
  if (phrases.length > phrasesMax)
    throw invalid(`A query has at most ${phrasesMax} words and phrases; this one has ${phrases.length}.`);
  return phrases;
}

function invalid(message: string): UserError {
  return new UserError('invalid_parameter', `\`q\`: ${message}`, [{ field: 'q', message }]);
}
