import { describeOnPostgres } from '../service/on-postgres.ts';

describeOnPostgres(() => import('./screenshots-kill.all.test.ts'));
