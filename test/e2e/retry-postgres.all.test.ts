import { describeOnPostgres } from '../service/on-postgres.ts';

describeOnPostgres(() => import('./retry.test.ts'));
