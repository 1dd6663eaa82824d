import { describeSpecialContracts } from '../../../test/storage/special-contracts.ts';
import { createDatabase } from '../../../test/storage/sqlite-database.ts';

describeSpecialContracts('SQLite', createDatabase);
