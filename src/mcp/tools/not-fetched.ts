// Why there is no page.
import { UserError } from '../../core/errors.ts';
import { meaningOf } from '../../core/reasons.ts';
import type { ScrapeError } from '../../jobs/scrape-error.ts';
import { ToolError } from '../tool-error.ts';

/** The page was refused or could not be fetched. The code is the reason, as in the URL ledger. */
export function notFetched({ reason, detail }: ScrapeError): ToolError {
  return new ToolError(reason, meaningOf(reason) || 'The page could not be fetched.', detail);
}

/** Read only by a client that waits while the service stops. */
export function clientGone(): UserError {
  return new UserError('unavailable', 'The service stopped before it had the response. Try again later.');
}
