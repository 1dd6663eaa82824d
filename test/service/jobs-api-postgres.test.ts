import { describeOnPostgres } from './on-postgres.ts';

describeOnPostgres(() => import('./jobs-api.test.ts'));
