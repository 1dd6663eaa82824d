import { ExitError, exitCodes } from '../../core/errors.ts';
import { countOf } from './progress-display.ts';

const namedMax = 10;

/** The error of a command that wrote every page except these page numbers. */
export function damagedPages(pages: readonly number[]): ExitError {
  const named = pages.slice(0, namedMax).join(', ') + (pages.length > namedMax ? ', ...' : '');
  return new ExitError(
    exitCodes.databaseDamaged,
    `The database is damaged: ${countOf(pages.length, 'page')} of this job (${named}) cannot be read. All other pages were written. Run \`hayrake check\` to find all damaged pages, then restore a backup.`,
  );
}
