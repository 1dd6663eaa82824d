import { UserError } from '../../core/errors.ts';
import type { Service } from '../service.ts';

/** Throws a `UserError` if this process should crawl and does not: a page would never come. */
export function refuseIfIdle({ isCrawling }: Service): void {
  if (isCrawling?.() === false)
    throw unavailable('This process does not crawl at the moment, so it cannot fetch the page. Try again later.');
}

export function unavailable(message: string): UserError {
  return new UserError('unavailable', message);
}

export function stoppedEarly(): UserError {
  return unavailable('The service stopped before it had the page. Try again later.');
}
