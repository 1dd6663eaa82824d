import { describeOnPostgres } from './on-postgres.ts';

describeOnPostgres(() => import('./search.test.ts'));
