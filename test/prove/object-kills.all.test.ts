// Kills with an object store behind a faulty line, on both databases: a sample of `npm run prove -- --only objects`.
import { randomInt } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { objectKills } from '../../prove/object-kills.ts';
import { anyS3 } from '../objects/s3-servers.ts';
import { postgresMissing } from '../postgres/test-database.ts';

vi.setConfig({ testTimeout: 300_000 });
const missing = await postgresMissing();
const seed = Number(process.env['PROVE_SEED'] ?? randomInt(2 ** 31));

describeWith('sqlite', undefined);
describeWith('postgres', missing);

function describeWith(store: 'sqlite' | 'postgres', why: string | undefined): void {
  test.skipIf(why !== undefined || anyS3() === undefined)(
    `jobs with raw bodies in an object store, on ${store}, have each page and body once after deaths between PUT and commit, and leave no object (needs python3-swift or radosgw)`,
    async () => {
      console.log(`PROVE_SEED=${seed}`);
      const report = await objectKills({ kills: 2, seed, store, deaths: ['object.stored:2'] });
      // Two workers can die at the same fail-point; none dies at another.
      expect(report.deaths).toBeOneOf(store === 'sqlite' ? [1] : [1, 2]);
      expect(report.pages).toBeGreaterThanOrEqual(48);
    },
  );
}
