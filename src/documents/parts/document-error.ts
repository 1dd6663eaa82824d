/** The file cannot become a page. The crawl reports `reason` for it. */
import { grouped } from '../../core/grouped.ts';
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
  readonly reason: 'unreadable_file' | 'parse_budget';

  constructor(reason: 'unreadable_file' | 'parse_budget', message: string) {
    super(message);
    this.reason = reason;
  }
}

export function unreadable(message: string): DocumentError {
  return new DocumentError('unreadable_file', message);
}

/** `what` is a plural: pages, cells. */
export function tooMany(what: string, max: number): DocumentError {
  return new DocumentError('parse_budget', `The file has more than ${grouped(max)} ${what}.`);
}
