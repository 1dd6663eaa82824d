import { describeOnPostgres } from './on-postgres.ts';

describeOnPostgres(() => import('./map-and-batch.test.ts'));
