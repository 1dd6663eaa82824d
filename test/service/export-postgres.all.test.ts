import { describeOnPostgres } from './on-postgres.ts';

describeOnPostgres(() => import('./export.test.ts'));
