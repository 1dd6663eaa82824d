import { UserError } from '../../core/errors.ts';
import type { PageJson } from '../../page/decode.ts';
import { callOf } from './call.ts';
import { cutText, oneLine } from './cut-text.ts';
import { Marker, markerChars } from './untrusted.ts';

const titleCharsMax = 200;
const urlCharsMax = 400;
/** Our own words around the text, with numbers of nine digits. */
const frameChars = 300;

export interface TextResponse {
  readonly jobId: string;
  readonly page: PageJson;
  /** Characters of the text to skip. */
  readonly offset: number;
  readonly maxChars: number;
  /** The caller chose `maxChars`, so it is part of the call that continues. */
  readonly isOwnBudget: boolean;
  /** @default 'text' */
  readonly part?: PagePart;
}

/** What of a page is read: its text, or its record as JSON. */
export type PagePart = 'text' | 'record';

/** The share of a response that a record takes at most, besides the text. */
const recordShare = 0.5;

/**
 * Returns a page, or the part of it that fits, with the call that continues. A short record stands before the beginning of
 * the text, a long one has a call of its own. Throws a `UserError`.
 */
export function textResponse(response: TextResponse): string {
  const { jobId, page, offset, maxChars, isOwnBudget, part: which = 'text' } = response;
  const { meta } = page;
  const text = which === 'record' ? recordOf(page) : page.text;
  if (offset > 0 && offset >= text.length) {
    const message = `\`offset\`: The ${which} of page ${meta.page} has ${text.length} characters. Give less.`;
    throw new UserError('invalid_parameter', message, [{ field: 'offset', message }]);
  }
  const url = `URL: ${oneLine(meta.url, urlCharsMax)}`;
  const fetched = meta.fetchedUrl === meta.url ? '' : `\nFetched from: ${oneLine(meta.fetchedUrl, urlCharsMax)}`;
  const about = `Title: ${oneLine(meta.meta.title, titleCharsMax)}\n${url}${fetched}`;
  const facts = `${about}${recordLine(response, maxChars - frameChars - markerChars - about.length)}\n\n`;
  const room = maxChars - frameChars - markerChars - facts.length;
  const part = cutText(text, offset, room);
  const end = part.next ?? text.length;
  const what =
    part.next === undefined && offset === 0
      ? `${text.length} characters`
      : `characters ${offset} to ${end} of ${text.length}`;
  const head = `Page ${meta.page} of job ${jobId}${which === 'record' ? ', record' : ''}: ${what}.`;
  const own = which === 'record' && { part: which };
  const next = { job: jobId, page: meta.page, ...own, offset: end, ...(isOwnBudget && { max_chars: maxChars }) };
  const tail =
    part.next === undefined
      ? ''
      : `Cut: ${text.length - end} characters are left. Continue with ${callOf('page', next)}`;
  return `${head}\n${new Marker().enclose(facts + part.text)}${tail}`.trimEnd();
}

function recordOf({ meta, extracted }: PageJson): string {
  if (extracted !== undefined) return JSON.stringify(extracted);
  const message = `\`part\`: Page ${meta.page} has no record: its job has no \`extract\`.`;
  throw new UserError('invalid_parameter', message, [{ field: 'part', message }]);
}

/** The record before the text; empty where the text continues, or the job has none. */
function recordLine({ jobId, page, offset, part }: TextResponse, room: number): string {
  if (page.extracted === undefined || part === 'record' || offset > 0) return '';
  const record = recordOf(page);
  if (record.length <= room * recordShare) return `\nRecord: ${record}`;
  const call = callOf('page', { job: jobId, page: page.meta.page, part: 'record' });
  return `\nRecord: ${record.length} characters. Read it with ${call}`;
}
