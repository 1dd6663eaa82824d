import { ExitError, exitCodes } from '../../../core/errors.ts';
import { type CheckSummary, Damage } from '../../../core/ports/check.ts';
import { damageIn, textsMissing, whatIsWrongWith } from '../../shared/check.ts';
import { Connections } from '../connection/connections.ts';
import { explainedAtStart } from '../connection/faults.ts';
import { runSteps } from '../connection/run-steps.ts';
import { migrate } from '../connection/schema.ts';

/**
 * Checks the data in PostgreSQL while other processes crawl: every job must have the pages that it counts, without
 * gaps, and, unless `isQuick`, every page must be what was stored. The structure is PostgreSQL's own to check
 * (`pg_amcheck`).
 */
export async function checkPostgres(url: string, { isQuick }: { readonly isQuick: boolean }): Promise<CheckSummary> {
  const connections = new Connections({ url, applicationName: `hayrake ${process.pid} check`, max: 1 });
  try {
    await connections.learnPooling();
    await migrate(connections);
    for (const missing of textsMissing()) {
      const wrong = await connections.transaction((tx) => {
        // Reads a whole index, however many pages there are.
        tx.send('SET LOCAL statement_timeout = 0');
        return runSteps(tx, whatIsWrongWith([missing]));
      }, 'REPEATABLE READ READ ONLY');
      if (wrong === undefined) continue;
      const message = `The database is damaged (${wrong}). Restore it from a backup.`;
      throw new ExitError(exitCodes.databaseDamaged, message);
    }
    const [counts] = await connections.query<{ jobs: number; pages: number }>(
      'SELECT (SELECT count(*) FROM job) AS jobs, (SELECT count(*) FROM page) AS pages',
    );
    const { damaged, damagedParts } = isQuick ? new Damage() : await runSteps(connections, damageIn());
    return { jobs: counts?.jobs ?? 0, pages: counts?.pages ?? 0, damaged, damagedParts };
  } catch (error) {
    throw explainedAtStart(error);
  } finally {
    await connections.close();
  }
}
