import { describeOnPostgres } from '../service/on-postgres.ts';

describeOnPostgres(() => import('./poison.all.test.ts'));
