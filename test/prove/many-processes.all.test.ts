import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { processesCampaign } from '../../prove/many-processes.ts';
import { postgresMissing } from '../postgres/test-database.ts';

const missing = await postgresMissing();
if (missing !== undefined) console.warn(`test/prove/many-processes.all.test.ts is skipped: ${missing}.`);

/** A sample: `npm run prove` has two hundred rounds. */
const seed = Number(process.env['PROVE_SEED'] ?? randomInt(2 ** 31));

test.skipIf(missing !== undefined)(
  'processes that are killed and stopped, and a database that restarts, lose and repeat nothing, and no host is asked too fast (needs PostgreSQL)',
  async () => {
    console.log(`PROVE_SEED=${seed}`);
    const report = await processesCampaign({ rounds: 4, seed });
    // A fast machine is through with five jobs before the fourth round: then five more are begun.
    const sets = report.jobs / 5;
    expect(sets).toBeGreaterThanOrEqual(1);
    expect(report).toMatchObject({ rounds: 4, jobs: 5 * Math.floor(sets), pages: 1_200 * sets, restarts: 1 });
  },
);
