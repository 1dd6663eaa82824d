// Errors of tools: a result with a stable code and a sentence, which the model reads. Errors of the protocol are for
// requests that are not valid MCP.
import { ExitError, UserError } from '../core/errors.ts';
import { oneLine } from './response/cut-text.ts';
import { Marker } from './response/untrusted.ts';

const messageCharsMax = 1_500;
const fieldsMax = 10;

/** A failure whose code is a reason of the URL ledger. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly code: string;
  /** A sentence that can have text from the web, such as the target of a redirect. */
  readonly detail: string;

  constructor(code: string, message: string, detail: string) {
    super(message);
    this.code = code;
    this.detail = detail;
  }
}

/** What callers of the API are told to do, for those who have tools. */
const inTermsOfTools: Readonly<Record<string, string>> = {
  job_not_found:
    'There is no job with this id. Use the id that crawl_start, scrape or map returned; crawl_status without arguments lists the newest jobs.',
  invalid_cursor: 'This cursor was not issued for this call. Repeat the call without it.',
};

/** Returns `CODE: SENTENCE`, and what follows from the error; undefined for a defect of ours, which is logged and not shown. */
export function explainError(error: unknown): string | undefined {
  if (error instanceof ToolError)
    return `${error.code}: ${error.message}\n${new Marker().enclose(oneLine(error.detail, messageCharsMax))}`.trimEnd();
  if (error instanceof ExitError)
    return `${error.problem}: The database cannot be used at the moment. Try again later; the log of hayrake says more.`;
  if (!(error instanceof UserError)) return undefined;
  const { code, message, fields } = error;
  const others = fields
    .slice(0, fields.length > 1 ? fieldsMax : 0)
    .map(({ field, message: why }) => `\n\`${field}\`: ${oneLine(why, 300)}`);
  return [`${code}: ${oneLine(inTermsOfTools[code] ?? message, messageCharsMax)}`, ...others].join('');
}
