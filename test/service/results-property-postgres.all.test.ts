import { describeOnPostgres } from './on-postgres.ts';

describeOnPostgres(() => import('./results-property.all.test.ts'));
