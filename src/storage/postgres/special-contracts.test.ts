import { describe } from 'vitest';
import { postgresMissing } from '../../../test/postgres/test-database.ts';
import { createDatabase } from '../../../test/storage/postgres-database.ts';
import { describeSpecialContracts } from '../../../test/storage/special-contracts.ts';

const missing = await postgresMissing();

describe.skipIf(missing !== undefined)('on PostgreSQL (needs PostgreSQL)', () => {
  describeSpecialContracts('PostgreSQL', createDatabase);
});
