import { describeOnPostgres } from './on-postgres.ts';

describeOnPostgres(() => import('./explore.test.ts'));
