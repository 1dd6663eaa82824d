import { describe } from 'vitest';
import { postgresMissing } from '../../../test/postgres/test-database.ts';
import { createDatabase } from '../../../test/storage/postgres-database.ts';
import { describeStoreContract } from '../../../test/storage/store-contract.ts';

const missing = await postgresMissing();

describe.skipIf(missing !== undefined)('on PostgreSQL (needs PostgreSQL)', () => {
  describeStoreContract('PostgreSQL', createDatabase);
});
