import { describeOnPostgres } from './on-postgres.ts';

describeOnPostgres(() => import('./sessions.test.ts'));
