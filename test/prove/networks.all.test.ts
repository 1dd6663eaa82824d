import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { networksCampaign } from '../../prove/processes/networks.ts';
import { whyNoNamespace } from '../egress/namespace.ts';
import { postgresMissing } from '../postgres/test-database.ts';

const hindrance = whyNoNamespace() ?? (await postgresMissing());
if (hindrance !== undefined) console.warn(`test/prove/networks.all.test.ts is skipped: ${hindrance}.`);

const seed = Number(process.env['PROVE_SEED'] ?? randomInt(2 ** 31));

test.skipIf(hindrance !== undefined)(
  'workers that are cut off from the database for longer than a lease, and joined again, lose and repeat nothing (needs root for network namespaces, and PostgreSQL)',
  async () => {
    console.log(`PROVE_SEED=${seed}`);
    const report = await networksCampaign({ rounds: 3, seed });
    // Five jobs of 240 pages each, and five more where those ended before the rounds did.
    const sets = report.pages / 1_200;
    expect([1, 2, 3]).toContain(sets);
    expect(report).toMatchObject({ rounds: 3, jobs: 5 * sets });
    expect(report.cuts).toBeGreaterThan(0);
  },
);
