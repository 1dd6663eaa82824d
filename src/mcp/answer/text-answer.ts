import { UserError } from '../../core/errors.ts';
import type { PageJson } from '../../page/decode.ts';
import { callOf } from './call.ts';
import { cutText, oneLine } from './cut-text.ts';
import { Marker, markerChars } from './untrusted.ts';

const titleCharsMax = 200;
const urlCharsMax = 400;
/** Our own words around the text, with numbers of nine digits. */
const frameChars = 300;

export interface TextAnswer {
  readonly jobId: string;
  readonly page: PageJson;
  /** Characters of the text to skip. */
  readonly offset: number;
  readonly maxChars: number;
  /** The caller chose `maxChars`, so it is part of the call that continues. */
  readonly isOwnBudget: boolean;
}

/** Returns a page, or the part of it that fits, with the call that continues. Throws a `UserError`. */
export function textAnswer({ jobId, page, offset, maxChars, isOwnBudget }: TextAnswer): string {
  const { meta, text } = page;
  if (offset > 0 && offset >= text.length) {
    const message = `\`offset\`: The text of page ${meta.page} has ${text.length} characters. Give less.`;
    throw new UserError('invalid_parameter', message, [{ field: 'offset', message }]);
  }
  const url = `URL: ${oneLine(meta.url, urlCharsMax)}`;
  const fetched = meta.fetchedUrl === meta.url ? '' : `\nFetched from: ${oneLine(meta.fetchedUrl, urlCharsMax)}`;
  const facts = `Title: ${oneLine(meta.meta.title, titleCharsMax)}\n${url}${fetched}\n\n`;
  const room = maxChars - frameChars - markerChars - facts.length;
  const part = cutText(text, offset, room);
  const end = part.next ?? text.length;
  const what =
    part.next === undefined && offset === 0
      ? `${text.length} characters`
      : `characters ${offset} to ${end} of ${text.length}`;
  const head = `Page ${meta.page} of job ${jobId}: ${what}.`;
  const next = { job: jobId, page: meta.page, offset: end, ...(isOwnBudget && { max_chars: maxChars }) };
  const tail =
    part.next === undefined
      ? ''
      : `Cut: ${text.length - end} characters are left. Continue with ${callOf('page', next)}`;
  return `${head}\n${new Marker().enclose(facts + part.text)}${tail}`.trimEnd();
}
