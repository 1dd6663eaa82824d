// The tests of another file, once more, with services that store in PostgreSQL. Beside it, in a file of its own, for another worker.
import { describe } from 'vitest';
import { postgresMissing } from '../postgres/test-database.ts';
import { isOnPostgres } from './test-store.ts';

const missing = await postgresMissing();
/** They run there already. */
const isEverything = isOnPostgres();
process.env['HAYRAKE_TEST_STORE'] = 'postgres';

/** `tests` imports a file of tests. */
export function describeOnPostgres(tests: () => Promise<unknown>): void {
  describe.skipIf(missing !== undefined || isEverything)('on PostgreSQL (needs PostgreSQL)', async () => {
    await tests();
  });
}
