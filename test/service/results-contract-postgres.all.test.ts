import { describeOnPostgres } from './on-postgres.ts';

describeOnPostgres(() => import('./results-contract.test.ts'));
