import { describeOnPostgres } from '../service/on-postgres.ts';

describeOnPostgres(() => import('./kill.all.test.ts'));
